/* SPDX-License-Identifier: MIT */
/* Lets the collector (collector.h) sleep, and the relay wake it. */
#ifndef PROBE_HSA_PLUGIN_COLLECTOR_COLLECTOR_WAKEUP_H
#define PROBE_HSA_PLUGIN_COLLECTOR_COLLECTOR_WAKEUP_H

#include <stdbool.h>

/* A dispatch is in flight. Any thread; a few ns unless the collector sleeps. */
void probe_collector_wake(void);

/* Collector only: sleeps until woken, unless `busy` returns true after the sleep was announced. */
void probe_collector_sleep(bool (*busy)(void));

/* For a forked child, in which no thread sleeps. */
void probe_collector_wakeup_reset(void);

#endif
