/* SPDX-License-Identifier: MIT */
/*
 * One session of PC sampling on one GPU agent. Its provider is ROCr 6.2 and later, or the
 * simulated GPU. The interface is called experimental by AMD and has known defects, so:
 *
 *   flush, stop and destroy may never return     every call is made on a thread of the sampler's
 *                                                own and waited for within a limit; after one that
 *                                                was too long nothing is called any more
 *   a buffer must be a multiple of 128 bytes     PROBE_SAMPLER_BYTES
 *   ROCr 6.2 to 6.4 clear four times a buffer's   PROBE_SAMPLER_BYTES_SAFE for them
 *   size, and so memory behind it
 *   a flush exchanges the halves of the device's buffer, but ROCr's thread goes on to
 *   wait for the one that was in use: nothing    two flushes instead of one
 *   is delivered until the next flush
 *   announced samples must be copied whole        copied to a buffer of that size, at once
 *   lost counts are assigned, not accumulated    summed here, with our own losses
 *   delivery only when a whole buffer is full    flushed when it matters
 *   a failed create leaves a session behind      one failure is final
 *   busy: RESOURCE_BUSY or OUT_OF_RESOURCES      both mean that another session samples
 *
 * Samples arrive on a thread of the provider's. Nothing here prints or allocates while samples
 * arrive, and errno is kept.
 */
#ifndef PROBE_HSA_PLUGIN_RUNTIME_SAMPLER_H
#define PROBE_HSA_PLUGIN_RUNTIME_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/hsa_pc_sampling.h"

enum {
	PROBE_SAMPLER_RECORD = 64,
	PROBE_SAMPLER_BYTES = 1 << 20, /* of a provider's buffer, at most */
	PROBE_SAMPLER_BYTES_SAFE = 1 << 16,
};

/* The provider's functions; all are set or none. */
struct probe_sampler_api {
	probe_hsa_pcs_iterate *iterate;
	probe_hsa_pcs_create *create;
	probe_hsa_pcs_call *start, *stop, *flush, *destroy;
	const char *provider; /* "ROCr", "simulated" */
	uint32_t buffer_bytes;
	uint32_t flushes; /* calls of `flush` that make one */
};

/* The requested sampling, in the interface's numbers. */
struct probe_sampler_request {
	bool on;
	uint32_t method, units;
	uint64_t interval;
};

/* Callbacks. Calls come from threads of the sampler and of the provider. */
struct probe_sampler_sink {
	void *ctx;
	/* The session exists; before it is started. */
	void (*begun)(void *ctx);
	/*
	 * `count` records of 64 bytes. lost: records that the provider lost before them. flushed:
	 * all samples taken before the flush was requested have been delivered. Returns how many it
	 * could not store.
	 */
	uint32_t (*samples)(void *ctx, const uint8_t *records, uint32_t count, uint64_t lost,
			    bool flushed);
};

struct probe_sampler;

/*
 * Looks the functions up in libraries that are already loaded: ROCr's if they offer anything for
 * the agent, else the simulated GPU's, else ROCr's. `large`: ROCr is 7.0 or later. False if there
 * are none.
 */
bool probe_sampler_find(hsa_agent_t agent, bool large, struct probe_sampler_api *ret);

/*
 * Creates a session and starts it, waiting up to limit_ns for each call. Returns HSA_STATUS_SUCCESS
 * and *ret, or the provider's status (HSA_STATUS_ERROR for a call that does not return). It blocks:
 * call it where the application creates queues.
 */
hsa_status_t probe_sampler_start(const struct probe_sampler_api *api, hsa_agent_t agent,
				 const struct probe_sampler_request *request,
				 const struct probe_sampler_sink *sink, uint64_t limit_ns,
				 struct probe_sampler **ret);

/*
 * Waits until all samples taken before the call have gone to the sink. After the limit the sampler
 * is broken, and this and all later calls return false. Not to be called from the sink.
 */
bool probe_sampler_flush(struct probe_sampler *sampler);

/*
 * Flushes, stops, destroys. A broken sampler keeps its memory, because a call of the provider still
 * uses it.
 */
bool probe_sampler_finish(struct probe_sampler *sampler);

#endif
