/* SPDX-License-Identifier: MIT */
/* Names of GROUP sites (wire.h section 5). */
#include <stdlib.h>

#include "common/trace_widen.h"

/* A decimal number up to `most`, and the character behind it; false = there is none. */
static bool read_number(const char **at, unsigned long most, unsigned long *ret)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*ret = strtoul(*at, &end, 10);
	*at = end;
	return *ret <= most;
}

/* ";X/Y/Z". */
static bool read_strides(const char **at, int32_t ret[3])
{
	static const char before[] = ";//";

	for (int i = 0; i < 3; i++) {
		unsigned long number;
		bool minus;

		if (*(*at)++ != before[i])
			return false;
		minus = **at == '-';
		*at += minus;
		if (!read_number(at, INT32_MAX, &number))
			return false;
		ret[i] = minus ? -(int32_t)number : (int32_t)number;
	}
	return true;
}

bool probe_trace_group_read(uint32_t id, const char *name, struct probe_trace_group *ret)
{
	struct probe_trace_group group = {.id = id};
	unsigned long number;

	if (!read_number(&name, PROBE_SITE_MASK, &number) || *name != ':')
		return false;
	group.first_site = (uint32_t)number;
	while (*name && *name != ';') {
		bool minus;

		name++;
		if (group.sites == PROBE_GROUP_SITES ||
		    !read_number(&name, PROBE_GROUP_BASES - 1, &number) ||
		    (*name != '+' && *name != '-'))
			return false;
		group.site[group.sites].base = (uint8_t)number;
		group.bases = number >= group.bases ? (uint32_t)number + 1 : group.bases;
		minus = *name++ == '-';
		if (!read_number(&name, (unsigned long)INT32_MAX + minus, &number) ||
		    (*name && *name != ',' && *name != ';'))
			return false;
		group.site[group.sites++].distance =
			(int32_t)(minus ? 0 - (int64_t)number : (int64_t)number);
	}
	group.proved = *name == ';';
	for (uint32_t i = 0; group.proved && i < group.bases; i++)
		if (!read_strides(&name, group.stride[i]))
			return false;
	if (!group.sites || *name)
		return false;
	*ret = group;
	return true;
}
