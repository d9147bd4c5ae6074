/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/runtime/sampler.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "common/own_symbol.h"

#define ITERATE "hsa_ven_amd_pcs_iterate_configuration"

enum command {
	COMMAND_NONE,
	COMMAND_START,
	COMMAND_FLUSH,
	COMMAND_FINISH,
};

struct probe_sampler {
	struct probe_sampler_api api;
	struct probe_sampler_request request;
	struct probe_sampler_sink sink;
	hsa_agent_t agent;
	probe_hsa_pcs_t session;
	uint64_t limit_ns;
	pthread_t thread;

	pthread_mutex_t commands; /* one command at a time: held by the thread that gives it */
	pthread_mutex_t lock;	  /* protects the fields up to the next mutex */
	pthread_cond_t changed;
	enum command command;
	hsa_status_t status; /* of the last command */
	bool broken;	     /* a call did not return in time */
	uint64_t deliveries;
	bool begun;

	pthread_mutex_t delivery; /* protects the fields below, up to the next mutex */
	bool closed;		  /* the sink must not be called any more */
	uint64_t lost;		  /* not yet reported to the sink */
	uint8_t records[PROBE_SAMPLER_BYTES];
};

/* ---- The provider --------------------------------------------------------------------------- */

static bool find_all(void *library, struct probe_sampler_api *ret)
{
	*(void **)&ret->iterate = dlsym(library, ITERATE);
	*(void **)&ret->create = dlsym(library, "hsa_ven_amd_pcs_create");
	*(void **)&ret->start = dlsym(library, "hsa_ven_amd_pcs_start");
	*(void **)&ret->stop = dlsym(library, "hsa_ven_amd_pcs_stop");
	*(void **)&ret->flush = dlsym(library, "hsa_ven_amd_pcs_flush");
	*(void **)&ret->destroy = dlsym(library, "hsa_ven_amd_pcs_destroy");
	return ret->iterate && ret->create && ret->start && ret->stop && ret->flush && ret->destroy;
}

/*
 * By dlsym, not through the table of functions, which exists only inside OnLoad and not in every
 * runtime.
 */
static bool find_in(const char *name, const char *mark, struct probe_sampler_api *ret)
{
	void *library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
	/* ROCr needs the simulator's thunk, which has functions of these names as well. */
	bool found = library && probe_own_symbol(library, mark, ITERATE) && find_all(library, ret);

	if (library)
		dlclose(library);
	return found;
}

static hsa_status_t count_one(const struct probe_hsa_pcs_configuration *row, void *data)
{
	(void)row;
	++*(unsigned *)data;
	return HSA_STATUS_SUCCESS;
}

bool probe_sampler_find(hsa_agent_t agent, bool large, struct probe_sampler_api *ret)
{
	struct probe_sampler_api rocr = {
		.provider = "ROCr",
		.buffer_bytes = large ? PROBE_SAMPLER_BYTES : PROBE_SAMPLER_BYTES_SAFE,
		.flushes = 2,
	};
	struct probe_sampler_api simulated = {
		.provider = "simulated",
		.buffer_bytes = PROBE_SAMPLER_BYTES,
		.flushes = 1,
	};
	bool found = find_in("libhsa-runtime64.so.1", "hsa_init", &rocr);
	unsigned configurations = 0;

	if (found)
		rocr.iterate(agent, count_one, &configurations);
	if (!configurations && (find_in("libprobe-sim.so", "probe_sim_version", &simulated) ||
				find_in("libhsakmt.so.1", "probe_sim_version", &simulated))) {
		rocr = simulated;
		found = true;
	}
	if (found)
		*ret = rocr;
	return found;
}

/* ---- Samples -------------------------------------------------------------------------------- */

/* Under the delivery lock. */
static void hand_over(struct probe_sampler *sampler, uint32_t count, bool flushed)
{
	uint64_t lost = sampler->lost;

	if (sampler->closed)
		return;
	sampler->lost =
		sampler->sink.samples(sampler->sink.ctx, sampler->records, count, lost, flushed);
}

static void data_ready(void *client, size_t size, size_t lost, probe_hsa_pcs_copy *copy,
		       void *hsa_data)
{
	struct probe_sampler *sampler = client;
	size_t count = size / PROBE_SAMPLER_RECORD;
	int saved = errno;

	pthread_mutex_lock(&sampler->delivery);
	sampler->lost += lost;
	if (size > sizeof(sampler->records) || copy(hsa_data, size, sampler->records)) {
		sampler->lost += count;
		count = 0;
	}
	hand_over(sampler, (uint32_t)count, false);
	pthread_mutex_unlock(&sampler->delivery);
	pthread_mutex_lock(&sampler->lock);
	sampler->deliveries++;
	pthread_mutex_unlock(&sampler->lock);
	errno = saved;
}

static void report_flushed(struct probe_sampler *sampler)
{
	pthread_mutex_lock(&sampler->delivery);
	hand_over(sampler, 0, true);
	pthread_mutex_unlock(&sampler->delivery);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static hsa_status_t start(struct probe_sampler *sampler)
{
	const struct probe_sampler_request *request = &sampler->request;
	hsa_status_t status;

	status = sampler->api.create(sampler->agent, request->method, request->units,
				     (size_t)request->interval, 0, sampler->api.buffer_bytes,
				     data_ready, sampler, &sampler->session);
	if (status)
		return status;
	sampler->sink.begun(sampler->sink.ctx);
	return sampler->api.start(sampler->session);
}

static hsa_status_t flush(struct probe_sampler *sampler)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;

	for (uint32_t i = 0; i < sampler->api.flushes && !status; i++)
		status = sampler->api.flush(sampler->session);
	if (!status)
		report_flushed(sampler);
	return status;
}

/* The order matters: stop delivers nothing, and destroy drops what was not delivered. */
static hsa_status_t finish(struct probe_sampler *sampler)
{
	hsa_status_t status = flush(sampler), other = sampler->api.stop(sampler->session);

	if (!status)
		status = other;
	other = sampler->api.destroy(sampler->session);
	return status ? status : other;
}

static hsa_status_t carry_out(struct probe_sampler *sampler, enum command command)
{
	switch (command) {
	case COMMAND_START:
		return start(sampler);
	case COMMAND_FLUSH:
		return flush(sampler);
	default:
		return finish(sampler);
	}
}

static void sampler_free(struct probe_sampler *sampler)
{
	pthread_mutex_destroy(&sampler->commands);
	pthread_mutex_destroy(&sampler->lock);
	pthread_mutex_destroy(&sampler->delivery);
	pthread_cond_destroy(&sampler->changed);
	free(sampler);
}

/* Ends with the session, or if it could not be started. */
static void *serve(void *arg)
{
	struct probe_sampler *sampler = arg;
	bool last = false;

	prctl(PR_SET_NAME, "probe-pcs", 0, 0, 0);
	pthread_mutex_lock(&sampler->lock);
	while (!last) {
		enum command command = sampler->command;
		hsa_status_t status;

		if (command == COMMAND_NONE) {
			pthread_cond_wait(&sampler->changed, &sampler->lock);
			continue;
		}
		pthread_mutex_unlock(&sampler->lock);
		status = carry_out(sampler, command);
		pthread_mutex_lock(&sampler->lock);
		sampler->status = status;
		sampler->command = COMMAND_NONE;
		last = command == COMMAND_FINISH || (command == COMMAND_START && status) ||
		       sampler->broken;
		pthread_cond_broadcast(&sampler->changed);
	}
	pthread_mutex_unlock(&sampler->lock);
	return NULL;
}

static struct timespec after(clockid_t clock, uint64_t ns)
{
	struct timespec when;

	clock_gettime(clock, &when);
	ns += (uint64_t)when.tv_nsec;
	when.tv_sec += (time_t)(ns / 1000000000u);
	when.tv_nsec = (long)(ns % 1000000000u);
	return when;
}

/* Under the lock: waits for the command's end; gives up after the limit without progress. */
static bool await(struct probe_sampler *sampler)
{
	struct timespec until = after(CLOCK_MONOTONIC, sampler->limit_ns);
	uint64_t before = sampler->deliveries;

	while (!sampler->broken && sampler->command != COMMAND_NONE) {
		if (!pthread_cond_timedwait(&sampler->changed, &sampler->lock, &until) ||
		    sampler->command == COMMAND_NONE)
			continue;
		sampler->broken = sampler->deliveries == before;
		before = sampler->deliveries;
		until = after(CLOCK_MONOTONIC, sampler->limit_ns);
	}
	return !sampler->broken;
}

/* Has the thread execute a command. False if it did not end in time, now or earlier. */
static bool run_command(struct probe_sampler *sampler, enum command command, hsa_status_t *ret)
{
	bool done;

	pthread_mutex_lock(&sampler->commands);
	pthread_mutex_lock(&sampler->lock);
	if (!sampler->broken) {
		sampler->command = command;
		pthread_cond_broadcast(&sampler->changed);
	}
	done = await(sampler);
	*ret = sampler->status;
	pthread_mutex_unlock(&sampler->lock);
	pthread_mutex_unlock(&sampler->commands);
	return done;
}

/* Signals belong to the application, so this thread blocks them. */
static int start_thread(struct probe_sampler *sampler)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&sampler->thread, NULL, serve, sampler);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static struct probe_sampler *make(void)
{
	struct probe_sampler *sampler = calloc(1, sizeof(*sampler));
	pthread_condattr_t attributes;

	if (!sampler)
		return NULL;
	pthread_mutex_init(&sampler->commands, NULL);
	pthread_mutex_init(&sampler->lock, NULL);
	pthread_mutex_init(&sampler->delivery, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&sampler->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	return sampler;
}

/* The sink receives nothing more and may be freed. A call that hangs keeps the sampler's memory. */
static void abandon(struct probe_sampler *sampler)
{
	struct timespec until = after(CLOCK_REALTIME, sampler->limit_ns);

	pthread_detach(sampler->thread);
	/* A delivery in progress may hang as well. */
	if (pthread_mutex_timedlock(&sampler->delivery, &until))
		return;
	sampler->closed = true;
	pthread_mutex_unlock(&sampler->delivery);
}

hsa_status_t probe_sampler_start(const struct probe_sampler_api *api, hsa_agent_t agent,
				 const struct probe_sampler_request *request,
				 const struct probe_sampler_sink *sink, uint64_t limit_ns,
				 struct probe_sampler **ret)
{
	struct probe_sampler *sampler = make();
	hsa_status_t status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;

	if (!sampler)
		return status;
	sampler->api = *api;
	sampler->request = *request;
	sampler->sink = *sink;
	sampler->agent = agent;
	sampler->limit_ns = limit_ns;
	if (start_thread(sampler)) {
		sampler_free(sampler);
		return status;
	}
	if (!run_command(sampler, COMMAND_START, &status)) {
		abandon(sampler);
		return HSA_STATUS_ERROR;
	}
	if (status) {
		pthread_join(sampler->thread, NULL);
		/*
		 * The library may keep a pointer to a session that it has refused, so no memory is
		 * freed.
		 */
		return status;
	}
	*ret = sampler;
	return HSA_STATUS_SUCCESS;
}

bool probe_sampler_flush(struct probe_sampler *sampler)
{
	hsa_status_t status;

	return run_command(sampler, COMMAND_FLUSH, &status) && !status;
}

bool probe_sampler_finish(struct probe_sampler *sampler)
{
	hsa_status_t status;

	if (!run_command(sampler, COMMAND_FINISH, &status)) {
		abandon(sampler);
		return false;
	}
	pthread_join(sampler->thread, NULL);
	sampler_free(sampler);
	return !status;
}
