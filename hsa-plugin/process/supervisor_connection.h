/* SPDX-License-Identifier: MIT */
/*
 * The connection to the supervisor (probe-run): handshake, and the PROCESS record.
 *
 * The socket stays open, so that the death of the supervisor is noticed at once. Its number is
 * high, so that the application gets the same descriptors as without Probe. If the application
 * closes it, the death is noticed later, by the segment's word `reader`.
 */
#ifndef PROBE_HSA_PLUGIN_PROCESS_SUPERVISOR_CONNECTION_H
#define PROBE_HSA_PLUGIN_PROCESS_SUPERVISOR_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "hsa-plugin/runtime/api_table.h"
#include "wire/segment_writer.h"

/* Connects, requests `rings` trace rings (0 = none) and maps the segment. 0 or -errno. */
int probe_supervisor_connect(const char *name, uint32_t rings, struct probe_segment *ret);

/* True if no recorder reads the segment, or will. To be called repeatedly, by one thread. */
bool probe_supervisor_gone(const struct probe_segment *segment, uint64_t now_ns);

void probe_supervisor_put_process(struct probe_segment *seg, const struct probe_api_root *root);

#endif
