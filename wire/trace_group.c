/* SPDX-License-Identifier: MIT */
#include "wire/trace_group.h"

#include <stdlib.h>

/* Reads a decimal number up to `most` and the following character; false = malformed. */
static bool read_number(const char **at, unsigned long most, unsigned long *ret)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*ret = strtoul(*at, &end, 10);
	*at = end;
	return *ret <= most;
}

static bool read_signed(const char **at, int32_t *ret)
{
	bool minus = **at == '-';
	unsigned long number;

	*at += minus;
	if (!read_number(at, INT32_MAX, &number))
		return false;
	*ret = minus ? -(int32_t)number : (int32_t)number;
	return true;
}

/* "C", or "C*F@OFFSET:BITS". */
static bool read_stride(const char **at, struct probe_trace_stride *ret)
{
	unsigned long offset, bits;

	*ret = (struct probe_trace_stride){0};
	if (!read_signed(at, &ret->constant))
		return false;
	if (**at != '*')
		return true;
	(*at)++;
	if (!read_signed(at, &ret->factor) || *(*at)++ != '@' ||
	    !read_number(at, PROBE_ARGUMENTS_MAX, &offset) || *(*at)++ != ':' ||
	    !read_number(at, UINT32_MAX, &bits))
		return false;
	ret->offset = (uint32_t)offset;
	ret->bits = (uint32_t)bits;
	bits &= ~(unsigned long)PROBE_STRIDE_UNSIGNED;
	return ret->factor && (bits == 32 || bits == 64);
}

/* ";X/Y/Z". */
static bool read_strides(const char **at, struct probe_trace_stride ret[3])
{
	static const char before[] = ";//";

	for (int i = 0; i < 3; i++)
		if (*(*at)++ != before[i] || !read_stride(at, &ret[i]))
			return false;
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
