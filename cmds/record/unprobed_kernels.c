/* SPDX-License-Identifier: MIT */
#include "cmds/record/unprobed_kernels.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <probe/user_source.h>

#include "cmds/options/run_options.h"
#include "cmds/record/recording.h"
#include "codeobj/sites.h"

static bool is_symbol(const char *name, const char *symbol)
{
	size_t len = strlen(name);

	return !strncmp(name, symbol, len) && (!symbol[len] || !strcmp(symbol + len, ".kd"));
}

enum run_unprobed run_unprobed_reason(const struct probe_sites *sites, const char *symbol,
				      enum probe_kind wanted, uint32_t *kinds)
{
	const struct probe_site_kernel *kernel = NULL;
	uint32_t all = 0;

	if (probe_is_runtime_kernel(symbol))
		return RUN_UNPROBED_RUNTIME;
	for (uint32_t i = 0; sites && i < sites->kernel_count; i++) {
		all |= sites->kernels[i].kinds;
		if (is_symbol(probe_sites_string(sites, sites->kernels[i].name), symbol))
			kernel = &sites->kernels[i];
	}
	if (!kernel)
		return RUN_UNPROBED_PLAIN;
	if (all && !(all & 1u << wanted)) {
		*kinds |= all;
		return RUN_UNPROBED_KIND;
	}
	return kernel->kinds & 1u << wanted && kernel->site_count ? RUN_UNPROBED_PLAIN
								  : RUN_UNPROBED_EMPTY;
}

void run_unprobed_count(const struct recording *recording, struct run_unprobed_counts *ret)
{
	const struct run_table *kernels = &recording->objects.kernels;
	uint64_t rest = recording->counts.verdicts[PROBE_V_NO_CLONE];
	uint32_t kinds = 0;
	size_t n = 0;

	*ret = (struct run_unprobed_counts){0};
	for (uint32_t i = 0; i < kernels->capacity; i++) {
		const struct run_kernel *kernel = kernels->items[i];
		const struct run_code *code;
		enum run_unprobed reason;

		if (!kernel || !kernel->unprobed)
			continue;
		code = run_table_get(&recording->objects.codes, kernel->hr.code_object);
		reason = run_unprobed_reason(code ? code->table : NULL, kernel->symbol,
					     recording->config->kind, &kinds);
		ret->dispatches[reason] += kernel->unprobed;
		rest -= kernel->unprobed;
	}
	ret->dispatches[RUN_UNPROBED_PLAIN] += rest; /* of kernels that were not announced */
	for (uint32_t kind = 1; kind < PROBE_KINDS; kind++)
		if (kinds & 1u << kind)
			n += (size_t)snprintf(ret->kinds + n, sizeof(ret->kinds) - n, "%s%s",
					      n ? "," : "", probe_kind_name((enum probe_kind)kind));
}
