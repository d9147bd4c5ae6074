/* SPDX-License-Identifier: MIT */
/*
 * Dispatches of a queue that have completed: their time stamps and completion are passed on to the
 * application's signals, their counters and per-wave storage become records, and their COMPLETE
 * record ends them. For the collector's thread only.
 */
#ifndef PROBE_HSA_PLUGIN_COLLECTOR_COMPLETION_H
#define PROBE_HSA_PLUGIN_COLLECTOR_COMPLETION_H

#include <stdbool.h>

#include "hsa-plugin/queue/queue.h"

/*
 * Dispatches that have completed since the last call, in any order; true if there were some.
 * Without `all` only the oldest ones are tested: kernels mostly end in order.
 */
bool probe_queue_collect(struct probe_queue *queue, bool all);

#endif
