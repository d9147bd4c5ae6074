/* SPDX-License-Identifier: MIT */
/*
 * What a clone reads about its launch, in the queue's ring of argument blocks. A block contains:
 *  struct probe_ctx               the context; with a workgroup filter a second one, which
 *                                 counts into the queue's sink
 *  struct probe_ctx_wave_storage  kind `time` only
 *  the clone's arguments          kernargs.h
 *  per-wave storage               kind `time`, launches of whole workgroups (wave_storage.h)
 */
#ifndef PROBE_HSA_PLUGIN_LAUNCH_LAUNCH_BLOCK_H
#define PROBE_HSA_PLUGIN_LAUNCH_LAUNCH_BLOCK_H

#include "hsa-plugin/launch/launch.h"

/* Size without per-wave storage. A block may take at most half of the ring. */
uint32_t probe_launch_block_bytes(const struct probe_kernel *kernel);

/* Reserves a block: sets block, kernarg_end and storage. False if there is currently no space. */
bool probe_launch_block_reserve(struct probe_launch *launch);

/* Fills the block, for this use of the queue's counter tables. */
void probe_launch_block_fill(const struct probe_launch *launch, uint64_t table_use);

/* The position of the arguments in the block. */
uint8_t *probe_launch_arguments(const struct probe_launch *launch);

#endif
