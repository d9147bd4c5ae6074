/* SPDX-License-Identifier: MIT */
/*
 * Records of late waves (wire.h, struct probe_late), written as a ring would have them and then
 * treated like all others. One ring more than the segment has stands for all of them.
 */
#ifndef PROBE_CMDS_RECORD_LATE_WAVES_H
#define PROBE_CMDS_RECORD_LATE_WAVES_H

#include <stdbool.h>

struct segment_record;
struct recording;

/* A host record; false: malformed. */
bool late_waves_take(struct recording *recording, const struct segment_record *rec);

#endif
