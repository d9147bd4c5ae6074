/* SPDX-License-Identifier: MIT */
/*
 * Records of stored waves (wire_device.h, struct probe_wave_storage): rewritten as a ring would
 * hold them, and then treated like all others. They count as one more ring than the segment has.
 */
#ifndef PROBE_CMDS_RECORD_WAVE_STORAGE_RECORDS_H
#define PROBE_CMDS_RECORD_WAVE_STORAGE_RECORDS_H

#include <stdbool.h>

struct segment_record;
struct recording;

/* A host record; false: malformed. */
bool wave_storage_take(struct recording *recording, const struct segment_record *rec);

#endif
