/* SPDX-License-Identifier: MIT */
/*
 * Finds which sites of a code object belong to a kernel. The injected library needs nothing else of
 * the site table (wire_sites.h section 2); the supervisor reads lines and names.
 */
#ifndef PROBE_HSA_PLUGIN_CODE_SITE_RANGE_H
#define PROBE_HSA_PLUGIN_CODE_SITE_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_site_table {
	const uint8_t *bytes; /* inside the image; NULL = the code object has no sites */
	size_t size;
};

/* Finds section .probe_sites and checks its header. -EBADMSG if it is malformed. */
int probe_site_table_find(const void *image, size_t size, struct probe_site_table *ret);

/* Range of the sites of the kernel of this mangled name; false if it has none. */
bool probe_site_table_range(const struct probe_site_table *table, const char *kernel,
			    uint32_t *first, uint32_t *count);

#endif
