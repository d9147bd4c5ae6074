/* SPDX-License-Identifier: MIT */
/*
 * Completed dispatches of a queue: time stamps and completion are copied to the application's
 * signals, counters and per-wave storage become records, and a COMPLETE record is written. For the
 * collector's thread only.
 */
#ifndef PROBE_HSA_PLUGIN_COLLECTOR_COMPLETION_H
#define PROBE_HSA_PLUGIN_COLLECTOR_COMPLETION_H

#include <stdbool.h>

#include "hsa-plugin/queue/queue.h"

/*
 * Handles dispatches that have completed since the last call, in any order; true if there were
 * some. Without `all` it tests only the oldest ones, because kernels mostly end in order.
 */
bool probe_queue_collect(struct probe_queue *queue, bool all);

#endif
