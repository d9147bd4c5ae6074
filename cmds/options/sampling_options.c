/* SPDX-License-Identifier: MIT */
#include "cmds/options/sampling_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/option.h"

static const char *const options[RUN_SAMPLING_OPTIONS] = {
	"--pc-sampling-method",
	"--pc-sampling-unit",
	"--pc-sampling-interval",
};

static const char *const methods[] = {"host_trap", "stochastic", NULL};
static const char *const units[] = {"time", "cycles", "instructions", NULL};

/* What GPUs support, per method. */
static const struct {
	uint32_t unit;
	uint64_t min, max;
	bool power_of_2;
	const char *allowed;
} limits[] = {
	/* The interval in ns must fit into 63 bits. */
	{0, 1, INT64_MAX / 1000, false,
	 "--pc-sampling-unit=time and an interval of 1 to 9223372036854775 us"},
	{1, 256, (uint64_t)1 << 31, true,
	 "--pc-sampling-unit=cycles and an interval that is a power of two from 256 to 2147483648"},
};

const char *run_sampling_method_name(uint32_t method)
{
	return method < 2 ? methods[method] : "unknown";
}

const char *run_sampling_unit_name(uint32_t unit)
{
	return unit < 3 ? units[unit] : "unknown";
}

static struct probe_err *number(const char *name, const char *value, uint64_t *ret)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || !n)
		return probe_err_create("invalid value '%s' for %s; expected a whole number "
					"greater than 0",
					value, name);
	*ret = n;
	return NULL;
}

struct probe_err *run_sampling_set(struct run_sampling *sampling, enum run_sampling_option option,
				   const char *name, const char *value)
{
	struct probe_err *err;
	int index = 0;

	sampling->text[option] = value;
	if (option == RUN_SAMPLING_INTERVAL)
		return number(name, value, &sampling->interval);
	err = probe_option_choose(name, option == RUN_SAMPLING_METHOD ? methods : units, value,
				  &index);
	*(option == RUN_SAMPLING_METHOD ? &sampling->method : &sampling->unit) = (uint32_t)index;
	return err;
}

struct probe_err *run_sampling_check(struct run_sampling *sampling)
{
	int given = 0, missing = -1;

	for (int i = 0; i < RUN_SAMPLING_OPTIONS; i++) {
		given += sampling->text[i] != NULL;
		if (!sampling->text[i] && missing < 0)
			missing = i;
	}
	if (!given && sampling->clones)
		return probe_err_create(
			"--pc-sampling-clones needs sampling: give %s, %s and %s as "
			"well",
			options[0], options[1], options[2]);
	if (!given)
		return NULL;
	if (missing >= 0)
		return probe_err_create("%s is missing: PC sampling needs %s, %s and %s together",
					options[missing], options[0], options[1], options[2]);
	if (sampling->unit != limits[sampling->method].unit)
		return probe_err_create("%s=%s cannot be used with %s=%s, which takes %s",
					options[1], units[sampling->unit], options[0],
					methods[sampling->method],
					limits[sampling->method].allowed);
	if (sampling->interval < limits[sampling->method].min ||
	    sampling->interval > limits[sampling->method].max)
		return probe_err_create("%s=%" PRIu64 " is out of range; %s=%s takes %s",
					options[2], sampling->interval, options[0],
					methods[sampling->method],
					limits[sampling->method].allowed);
	if (limits[sampling->method].power_of_2 && sampling->interval & (sampling->interval - 1))
		return probe_err_create("%s=%" PRIu64 " is not a power of two; %s=%s takes %s",
					options[2], sampling->interval, options[0],
					methods[sampling->method],
					limits[sampling->method].allowed);
	sampling->on = true;
	return NULL;
}
