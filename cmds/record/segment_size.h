/* SPDX-License-Identifier: MIT */
/* How large the segment of a traced process is. */
#ifndef PROBE_CMDS_RECORD_SEGMENT_SIZE_H
#define PROBE_CMDS_RECORD_SEGMENT_SIZE_H

#include <stdint.h>

struct probe_err;
struct segment_reader;

/* A segment for as many rings as the process wants, or as fit into 32 MiB. */
struct probe_err *segment_create(uint32_t rings_wanted, struct segment_reader *ret);

#endif
