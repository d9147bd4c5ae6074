/* SPDX-License-Identifier: MIT */
/*
 * Records from per-wave storage (wire_device.h, struct probe_wave_storage). They are rewritten to
 * the form they would have in a ring, and then treated like all others. They count as one ring more
 * than the segment has.
 */
#ifndef PROBE_CMDS_RECORD_WAVE_STORAGE_RECORDS_H
#define PROBE_CMDS_RECORD_WAVE_STORAGE_RECORDS_H

#include <stdbool.h>

struct segment_record;
struct recording;

/* Handles a host record; false if it is malformed. */
bool wave_storage_read(struct recording *recording, const struct segment_record *rec);

#endif
