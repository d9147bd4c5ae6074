/* SPDX-License-Identifier: MIT */
/*
 * Rings of the kinds that have some: they lie in the segment, are mapped for the GPUs once, and
 * each GPU has its share of them with ring states in its own memory.
 */
#ifndef PROBE_HSA_RINGS_H
#define PROBE_HSA_RINGS_H

#include "hsa-plugin/tool.h"

/* A microsecond each (devlib): patience with a slow reader before records are dropped. */
#define PROBE_SPIN_LIMIT (1u << 24)

/* Set up the rings of a GPU unless that was tried before; agent->ring_count stays 0 on failure. */
void probe_rings_init(struct probe_tool *tool, struct probe_agent *gpu);

/* Nobody reads any more: take everything out, so that no kernel waits for room. */
void probe_rings_discard(void);

#endif
