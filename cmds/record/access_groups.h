/* SPDX-License-Identifier: MIT */
/*
 * Groups of accesses that the trace kind records together (wire_device.h section 5), per code
 * object.
 */
#ifndef PROBE_CMDS_RECORD_ACCESS_GROUPS_H
#define PROBE_CMDS_RECORD_ACCESS_GROUPS_H

struct access_groups;
struct probe_sites;
struct probe_trace_groups;

/* The groups of a site table, validated; NULL = none, or no memory. */
struct access_groups *access_groups_create(const struct probe_sites *sites);
void access_groups_destroy(struct access_groups *groups);
const struct probe_trace_groups *access_groups_table(const struct access_groups *groups);

#endif
