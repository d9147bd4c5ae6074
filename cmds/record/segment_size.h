/* SPDX-License-Identifier: MIT */
/* Chooses the size of a traced process's segment. */
#ifndef PROBE_CMDS_RECORD_SEGMENT_SIZE_H
#define PROBE_CMDS_RECORD_SEGMENT_SIZE_H

#include <stdint.h>

struct probe_err;
struct segment_reader;

/* Creates a segment for as many rings as the process requests, or as fit into 32 MiB. */
struct probe_err *segment_create(uint32_t rings_wanted, struct segment_reader *ret);

#endif
