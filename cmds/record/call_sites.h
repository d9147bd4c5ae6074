/* SPDX-License-Identifier: MIT */
/* Where the application called the runtime from: source lines for the addresses of a call stack. */
#ifndef PROBE_CMDS_RECORD_CALL_SITES_H
#define PROBE_CMDS_RECORD_CALL_SITES_H

struct call_sites;

/* NULL without memory. */
struct call_sites *call_sites_create(void);
void call_sites_destroy(struct call_sites *sites);

/*
 * Lines "file+0xoffset" with "file:line" in place of those whose file exists and has debug
 * information; a call that was inlined is a line of its own. The caller frees it; NULL without
 * memory.
 */
char *call_sites_resolve(struct call_sites *sites, const char *frames);

#endif
