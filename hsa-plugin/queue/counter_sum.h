/* SPDX-License-Identifier: MIT */
#ifndef PROBE_HSA_PLUGIN_QUEUE_COUNTER_SUM_H
#define PROBE_HSA_PLUGIN_QUEUE_COUNTER_SUM_H

#include <stdint.h>

/*
 * Adds the rows of replicas 1 and up to those of replica 0, in
 * uint64_t[replicas][sites][PROBE_COUNTERS]: sums, or maxima for counters that are maxima
 * (wire_device.h section 3).
 */
void probe_counters_sum(uint64_t *table, uint32_t replicas, uint32_t sites);

#endif
