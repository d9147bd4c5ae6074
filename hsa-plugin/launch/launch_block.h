/* SPDX-License-Identifier: MIT */
/*
 * What a clone reads of its launch, in the queue's ring of argument blocks. A block is
 *
 *   struct probe_ctx          the context; two of them with a workgroup filter, the second of which
 *                             counts into the queue's sink
 *   struct probe_ctx_wave_storage     kind `time` only
 *   the clone's arguments     kernargs.h
 *   per-wave storage          kind `time`, launches of whole workgroups (wave_storage.h)
 */
#ifndef PROBE_HSA_PLUGIN_LAUNCH_LAUNCH_BLOCK_H
#define PROBE_HSA_PLUGIN_LAUNCH_LAUNCH_BLOCK_H

#include "hsa-plugin/launch/launch.h"

/* Without per-wave storage. A block may take half of the ring at most. */
uint32_t probe_launch_block_bytes(const struct probe_kernel *kernel);

/* Reserve a block: sets block, kernarg_end and storage. False = no space at the moment. */
bool probe_launch_block_take(struct probe_launch *launch);

/* Fill it, for this use of the queue's counter tables. */
void probe_launch_block_fill(const struct probe_launch *launch, uint64_t table_use);

/* Where the arguments are in the block. */
uint8_t *probe_launch_arguments(const struct probe_launch *launch);

#endif
