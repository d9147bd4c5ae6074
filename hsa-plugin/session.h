/* SPDX-License-Identifier: MIT */
/*
 * The connection to the supervisor: handshake, and the records that are about the process.
 *
 * The socket stays open and is looked at only to notice that the supervisor has died. It lies at a
 * high number, so that the application gets the descriptors it would get without us; should the
 * application close it, nothing but that notice is lost.
 */
#ifndef PROBE_HSA_SESSION_H
#define PROBE_HSA_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "hsa-plugin/api_table.h"
#include "wire/segment_writer.h"

/* Connect, ask for `rings` trace rings (0 = none) and map the segment. 0 or -errno. */
int probe_session_open(const char *name, uint32_t rings, struct probe_segment *ret);

/* True once the supervisor has hung up. */
bool probe_session_gone(void);

void probe_session_put_process(struct probe_segment *seg, const struct probe_api_root *root);

#endif
