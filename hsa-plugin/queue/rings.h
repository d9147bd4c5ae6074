/* SPDX-License-Identifier: MIT */
/*
 * Rings of kinds trace and time. They are part of the segment and are mapped for the GPUs once.
 * Each GPU has its share of them, with ring states in its own memory.
 */
#ifndef PROBE_HSA_PLUGIN_QUEUE_RINGS_H
#define PROBE_HSA_PLUGIN_QUEUE_RINGS_H

#include "hsa-plugin/process/tool.h"

/* In microseconds (devlib): how long a wave waits for a slow reader before it drops records. */
#define PROBE_SPIN_LIMIT (1u << 24)

/*
 * Sets up the rings of a GPU unless that was already tried; agent->ring_count stays 0 on failure.
 */
void probe_rings_init(struct probe_tool *tool, struct probe_agent *gpu);

/*
 * The reader is dead: discards the records of full rings, so that no kernel waits for space; of all
 * rings if no recorder will read them.
 */
void probe_rings_discard(void);

#endif
