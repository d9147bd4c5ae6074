/* SPDX-License-Identifier: MIT */
/*
 * PC sampling of the agents the application uses: sessions begin with an agent's first queue, and
 * their samples become records of the segment in the order in which they mean something.
 */
#ifndef PROBE_HSA_SAMPLING_H
#define PROBE_HSA_SAMPLING_H

#include <stdbool.h>

#include "hsa-plugin/sampler.h"

struct probe_agent;
struct probe_queue;

/*
 * PROBE_PC_SAMPLING_METHOD, _UNIT and _INTERVAL: host_trap | stochastic; time (us) | cycles |
 * instructions; a number. All three, or none.
 */
void probe_sampling_config_read(struct probe_sampler_want *ret);

/* Before a queue of the agent is made; the first time a session is tried. */
void probe_sampling_begin(struct probe_agent *agent);

/* What samples name the queue by. */
void probe_sampling_put_queue(const struct probe_queue *queue);

/* All samples taken so far are in the segment, if the provider answers in time; NULL: any agent. */
void probe_sampling_flush(struct probe_agent *agent);

/*
 * Collector: have the samples of completed dispatches in the segment before their packets' numbers
 * come round again. Without sampling nothing happens.
 */
void probe_sampling_follow(struct probe_queue *queue);

/* The end of all sessions. */
void probe_sampling_finish(void);

/* In a forked child, or when the runtime is gone: sessions are somebody else's now. */
void probe_sampling_forget(void);

#endif
