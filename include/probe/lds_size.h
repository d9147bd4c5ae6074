/* SPDX-License-Identifier: MIT */
/* How much LDS a compute unit has, and a workgroup can have at most. */
#ifndef PROBE_LDS_SIZE_H
#define PROBE_LDS_SIZE_H

#include <stdint.h>
#include <string.h>

/* More bytes than any LDS has: no row or element of a site table's variables is larger. */
#define PROBE_LDS_MOST (256u * 1024)

/* In bytes; `target` is an architecture, "gfx90a", with or without features. Source: AMD's ISA
 * documents. */
static inline uint32_t probe_lds_bytes(const char *target)
{
	return (strncmp(target, "gfx950", strlen("gfx950")) ? 64u : 160u) * 1024;
}

#endif
