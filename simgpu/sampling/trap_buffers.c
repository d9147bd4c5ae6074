/* SPDX-License-Identifier: MIT */
#include "simgpu/sampling/trap_buffers.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "simgpu/base/backoff.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/base/simulated_device.h"
#include "simgpu/event/hsa_signal.h"
#include "simgpu/mem/gpu_allocations.h"

#define PATIENCE_NS 10000000000ull /* time limit for a runtime that does not fetch */

enum { PAUSE_US = 100 };

struct trace {
	uint64_t memory; /* of the trap handler */
	enum sim_sampling_method method;
	uint64_t interval;
	uint32_t id; /* 0: there is no session */
	bool running;
	uint32_t writers; /* deliveries in progress */
	/* The runtime has not fetched in time; cleared when there is a free slot again. */
	atomic_bool overrun;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER; /* a trace has no writers any more */
static struct trace traces[SIM_GPUS];
static uint32_t last_id;

/* ---- Sessions ------------------------------------------------------------------------------- */

void sim_trap_set_memory(uint32_t gpu, uint64_t address)
{
	pthread_mutex_lock(&lock);
	traces[gpu].memory = address;
	pthread_mutex_unlock(&lock);
}

int sim_trap_create(uint32_t gpu, enum sim_sampling_method method, uint64_t interval,
		    uint32_t *trace)
{
	struct trace *at = &traces[gpu];
	int err = 0;

	pthread_mutex_lock(&lock);
	if (at->id) {
		err = at->method == method && at->interval == interval ? -EBUSY : -EEXIST;
	} else {
		at->id = ++last_id;
		at->method = method;
		at->interval = interval;
		atomic_store(&at->overrun, false);
		*trace = at->id;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

static int set_running(uint32_t gpu, uint32_t trace, bool running)
{
	struct trace *at = &traces[gpu];
	int err = 0;

	pthread_mutex_lock(&lock);
	if (!trace || at->id != trace)
		err = -EINVAL;
	else if (at->running == running)
		err = -EALREADY;
	else
		at->running = running;
	/* The driver takes all waves off the GPU before it returns. */
	while (!err && !running && at->writers)
		pthread_cond_wait(&idle, &lock);
	pthread_mutex_unlock(&lock);
	return err;
}

int sim_trap_start(uint32_t gpu, uint32_t trace)
{
	return set_running(gpu, trace, true);
}

int sim_trap_stop(uint32_t gpu, uint32_t trace)
{
	return set_running(gpu, trace, false);
}

int sim_trap_destroy(uint32_t gpu, uint32_t trace)
{
	struct trace *at = &traces[gpu];
	int err = 0;

	pthread_mutex_lock(&lock);
	if (!trace || at->id != trace)
		err = -EINVAL;
	else if (at->running)
		err = -EBUSY;
	else
		at->id = 0;
	pthread_mutex_unlock(&lock);
	return err;
}

uint64_t sim_trap_interval(uint32_t gpu, enum sim_sampling_method method)
{
	uint64_t interval = 0;

	pthread_mutex_lock(&lock);
	if (traces[gpu].id && traces[gpu].method == method)
		interval = traces[gpu].interval;
	pthread_mutex_unlock(&lock);
	return interval;
}

struct sim_sampling sim_trap_sampling(uint32_t gpu)
{
	struct sim_sampling how = {.method = SIM_SAMPLING_HOST_TRAP};

	pthread_mutex_lock(&lock);
	if (gpu < SIM_GPUS && traces[gpu].running) {
		how.session = traces[gpu].id;
		how.method = traces[gpu].method;
		how.period = traces[gpu].interval;
		if (how.method == SIM_SAMPLING_HOST_TRAP)
			how.period *= sim_device()->core_mhz;
	}
	pthread_mutex_unlock(&lock);
	return how;
}

/* ---- Delivery ------------------------------------------------------------------------------- */

static bool is_running(uint32_t gpu, uint64_t session)
{
	bool running;

	pthread_mutex_lock(&lock);
	running = traces[gpu].running && traces[gpu].id == session;
	pthread_mutex_unlock(&lock);
	return running;
}

/* The buffers of a running session, which cannot be stopped until leave(); NULL: none. */
static struct sim_trap_buffers *enter(uint32_t gpu, uint64_t session)
{
	struct sim_trap_buffers *ret = NULL;
	uint32_t flags = SIM_MEM_READ | SIM_MEM_WRITE | SIM_MEM_GPU(gpu + SIM_NODE_GPU);
	uint64_t address = 0, word;

	pthread_mutex_lock(&lock);
	word = traces[gpu].memory;
	if (traces[gpu].method == SIM_SAMPLING_STOCHASTIC)
		word += sizeof(address);
	if (traces[gpu].running && traces[gpu].id == session &&
	    sim_mem_allows(word, sizeof(address), flags, NULL))
		memcpy(&address, sim_mem_pointer(word), sizeof(address));
	if (sim_mem_allows(address, sizeof(*ret), flags, NULL)) {
		ret = sim_mem_pointer(address);
		if (!sim_mem_allows(address,
				    sizeof(*ret) + 2ull * ret->size * sizeof(ret->sample[0]), flags,
				    NULL))
			ret = NULL;
	}
	if (ret)
		traces[gpu].writers++;
	pthread_mutex_unlock(&lock);
	return ret;
}

static void leave(uint32_t gpu)
{
	pthread_mutex_lock(&lock);
	if (!--traces[gpu].writers)
		pthread_cond_broadcast(&idle);
	pthread_mutex_unlock(&lock);
}

/* Takes a slot of the current half; false: it is full. */
static bool take_slot(struct sim_trap_buffers *to, uint64_t *ret)
{
	*ret = atomic_load(&to->write);
	while ((*ret & ~SIM_TRAP_HALF) < to->size)
		if (atomic_compare_exchange_weak(&to->write, ret, *ret + 1))
			return true;
	return false;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Waits for a slot; false: the session was stopped, or the runtime does not fetch. */
static bool wait_for_slot(struct sim_trap_buffers *to, uint32_t gpu, uint64_t session,
			  uint64_t *ret)
{
	uint64_t end = 0;

	while (!take_slot(to, ret)) {
		if (atomic_load(&traces[gpu].overrun) || !is_running(gpu, session))
			return false;
		if (!end)
			end = now_ns() + PATIENCE_NS;
		else if (now_ns() > end)
			atomic_store(&traces[gpu].overrun, true);
		sim_sleep_us(PAUSE_US);
	}
	atomic_store(&traces[gpu].overrun, false);
	return true;
}

static void store_sample(struct sim_trap_buffers *to, uint64_t slot, const uint8_t *record)
{
	uint32_t half = slot >> 63;
	uint64_t index = (slot & ~SIM_TRAP_HALF) + (uint64_t)half * to->size;
	amd_signal_t *done;

	memcpy(to->sample[index], record, SIM_SAMPLE_BYTES);
	/* Pairs with the acquire of WAIT_REG_MEM: the sample is complete. */
	if (atomic_fetch_add_explicit(&to->half[half].written, 1, memory_order_release) !=
	    to->half[half].watermark)
		return;
	done = sim_signal(to->half[half].done);
	if (done)
		sim_signal_store(done, 0);
}

void sim_trap_deliver(uint32_t gpu, uint64_t session, const uint8_t *records, size_t count)
{
	struct sim_trap_buffers *to = enter(gpu, session);

	if (!to)
		return;
	for (size_t i = 0; i < count; i++) {
		uint64_t slot;

		if (wait_for_slot(to, gpu, session, &slot))
			store_sample(to, slot, records + i * SIM_SAMPLE_BYTES);
		else if (is_running(gpu, session))
			/* Beyond the half's size: ROCr counts it as lost. */
			atomic_fetch_add(&to->write, 1);
	}
	leave(gpu);
}
