/* SPDX-License-Identifier: MIT */
/*
 * PC sampling of the agents that the application uses: a session starts with an agent's first
 * queue. Before a queue ends or code is unloaded, their samples are written to the segment:
 * afterwards they could not be attributed.
 */
#ifndef PROBE_HSA_PLUGIN_QUEUE_AGENT_SAMPLING_H
#define PROBE_HSA_PLUGIN_QUEUE_AGENT_SAMPLING_H

#include <stdbool.h>

#include "hsa-plugin/runtime/sampler.h"

struct probe_agent;
struct probe_queue;

/*
 * PROBE_PC_SAMPLING_METHOD, _UNIT and _INTERVAL: host_trap | stochastic; time (us) | cycles |
 * instructions; a number. All three, or none.
 */
void probe_sampling_config_read(struct probe_sampler_request *ret);

/* Before a queue of the agent is made: the first time this tries to start a session. */
void probe_sampling_begin(struct probe_agent *agent);

/* Record the doorbell that samples identify the queue by. */
void probe_sampling_put_queue(const struct probe_queue *queue);

/* Have all samples taken so far in the segment, if the provider answers in time. NULL: all agents.
 */
void probe_sampling_flush(struct probe_agent *agent);

/*
 * Collector: have the samples of completed dispatches in the segment before their packets' indices
 * in the ring are used again. Without sampling this does nothing.
 */
void probe_sampling_keep_up(struct probe_queue *queue);

/* End all sessions. */
void probe_sampling_finish(void);

/* In a forked child, or when the runtime has shut down: sessions are not this process's any more.
 */
void probe_sampling_forget(void);

#endif
