/* SPDX-License-Identifier: MIT */
/*
 * PC sampling of the agents that the application uses. A session starts with an agent's first
 * queue. Before a queue ends or code is unloaded, their samples are written to the segment, because
 * they could not be attributed afterwards.
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

/* To be called before a queue of the agent is created. The first call tries to start a session. */
void probe_sampling_begin(struct probe_agent *agent);

/* Records the doorbell by which samples identify the queue. */
void probe_sampling_put_queue(const struct probe_queue *queue);

/*
 * Writes all samples taken so far to the segment, if the provider answers in time. NULL: of all
 * agents.
 */
void probe_sampling_flush(struct probe_agent *agent);

/*
 * Collector only: writes the samples of completed dispatches to the segment before their packet
 * indices are reused. Does nothing without sampling.
 */
void probe_sampling_keep_up(struct probe_queue *queue);

/* End all sessions. */
void probe_sampling_finish(void);

/*
 * For a forked child, or a runtime that has shut down: the sessions no longer belong to this
 * process.
 */
void probe_sampling_forget(void);

#endif
