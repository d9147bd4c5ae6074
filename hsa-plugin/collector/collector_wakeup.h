/* SPDX-License-Identifier: MIT */
/* How the relay wakes the collector (collector.h), and the collector sleeps. */
#ifndef PROBE_HSA_PLUGIN_COLLECTOR_COLLECTOR_WAKEUP_H
#define PROBE_HSA_PLUGIN_COLLECTOR_COLLECTOR_WAKEUP_H

#include <stdbool.h>

/* A dispatch is in flight. Any thread; a few ns unless the collector sleeps. */
void probe_collector_wake(void);

/* Collector: sleep until woken, unless `busy` is true once the sleep is announced. */
void probe_collector_sleep(bool (*busy)(void));

/* In a forked child: no thread sleeps. */
void probe_collector_wakeup_reset(void);

#endif
