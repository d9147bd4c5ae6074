/* SPDX-License-Identifier: MIT */
/*
 * Sessions of PC sampling: the seven hsa_ven_amd_pcs_* functions of ROCr 6.2 and later, which
 * Debian's ROCr lacks. One session per GPU. Samples wait in a queue until there is a whole buffer
 * of the client's size, or a flush; then the session's own thread delivers them.
 *
 * gfx90a hardware supports host trap only. Stochastic sampling, in the record layout of gfx942, is
 * an extension of the simulated GPU.
 */
#include "simgpu/sampling/sampling_sessions.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "common/hsa_pc_sampling.h"

#include "simgpu/base/device_clock.h"
#include "simgpu/base/simulated_device.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/sampling/trap_buffers.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT probe_hsa_pcs_iterate hsa_ven_amd_pcs_iterate_configuration;
EXPORT probe_hsa_pcs_create hsa_ven_amd_pcs_create;
EXPORT hsa_status_t hsa_ven_amd_pcs_create_from_id(uint32_t id, hsa_agent_t agent, uint32_t method,
						   uint32_t units, size_t interval, size_t latency,
						   size_t buffer_size,
						   probe_hsa_pcs_data_ready *ready,
						   void *client_data, probe_hsa_pcs_t *ret);
EXPORT probe_hsa_pcs_call hsa_ven_amd_pcs_start, hsa_ven_amd_pcs_stop, hsa_ven_amd_pcs_flush,
	hsa_ven_amd_pcs_destroy;

enum {
	AGENT_INFO_DRIVER_NODE = 0xa004, /* HSA_AMD_AGENT_INFO_DRIVER_NODE_ID */
	BUFFERS_AHEAD = 4, /* buffers that are filled while the client processes one */
	ROOM_MIN = 1 << 20,
	PATIENCE_S = 10, /* time limit for a client that does not accept its data */
	BUFFER_UNIT = 2 * SIM_SAMPLE_BYTES,
};

/*
 * The configurations that can be requested. From ROCm's kernel table: gfx90a, and gfx942 for
 * stochastic.
 */
static const struct probe_hsa_pcs_configuration configurations[] = {
	{PROBE_HSA_PCS_HOSTTRAP_V1, PROBE_HSA_PCS_MICRO_SECONDS, 1, SIZE_MAX, 0},
	{PROBE_HSA_PCS_STOCHASTIC_V1, PROBE_HSA_PCS_CLOCK_CYCLES, 256, (size_t)1 << 31,
	 PROBE_HSA_PCS_POWER_OF_2},
};

struct session {
	uint64_t serial;
	uint32_t gpu;
	struct probe_hsa_pcs_configuration how; /* min and max: the interval */
	size_t buffer_size;
	probe_hsa_pcs_data_ready *ready;
	void *client_data;
	pthread_t thread;
	pthread_cond_t data; /* for the thread */
	bool running, quitting;
	uint8_t *ring; /* `room` bytes, a multiple of the buffer's size */
	size_t room;
	uint64_t given, taken; /* bytes so far */
	uint64_t flush;	       /* deliver up to here, even if no whole buffer is full */
	uint64_t lost;	       /* records lost since the last delivery */
	/* The delivery in progress; only the session's thread uses these. */
	size_t announced;
	bool copied;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/*
 * Signalled when a session has delivered or was destroyed; threads that wait for it may outlive the
 * session.
 */
static pthread_cond_t taken = PTHREAD_COND_INITIALIZER;
static struct session *sessions[SIM_GPUS];
static uint64_t last_serial;

/* ---- Delivery ------------------------------------------------------------------------------- */

static void from_ring(const struct session *session, uint64_t at, size_t size, uint8_t *to)
{
	size_t first = session->room - at % session->room;

	if (first > size)
		first = size;
	memcpy(to, session->ring + at % session->room, first);
	memcpy(to + first, session->ring, size - first);
}

/* The device stores ticks of its clock; clients get system time, as from ROCr. */
static void translate_time(uint8_t *record)
{
	uint64_t time;

	memcpy(&time, record + SIM_SAMPLE_TIME, sizeof(time));
	time = sim_clock_system(time);
	memcpy(record + SIM_SAMPLE_TIME, &time, sizeof(time));
}

/* Like ROCr 7.0: the whole data, once. */
static hsa_status_t copy(void *hsa_data, size_t size, void *destination)
{
	struct session *session = hsa_data;
	uint8_t *records = destination;

	if (!session || !destination)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (size != session->announced || session->copied)
		return HSA_STATUS_ERROR_EXCEPTION;
	/* Announced bytes stay valid until the delivery has ended. */
	from_ring(session, session->taken, size, destination);
	for (size_t at = 0; at < size; at += SIM_SAMPLE_BYTES)
		translate_time(records + at);
	session->copied = true;
	return HSA_STATUS_SUCCESS;
}

/* Under the lock: number of bytes to deliver now; 0: none. */
static size_t deliverable(const struct session *session)
{
	uint64_t waiting = session->given - session->taken;

	if (waiting >= session->buffer_size)
		return session->buffer_size;
	return session->flush > session->taken ? (size_t)waiting : 0;
}

static void *deliver(void *arg)
{
	struct session *session = arg;

	prctl(PR_SET_NAME, "sim-pc-sampling");
	pthread_mutex_lock(&lock);
	for (;;) {
		size_t size = deliverable(session), lost = (size_t)session->lost;

		if (!size && !session->quitting) {
			pthread_cond_wait(&session->data, &lock);
			continue;
		}
		if (!size)
			break;
		session->announced = size;
		session->copied = false;
		session->lost = 0;
		pthread_mutex_unlock(&lock);
		session->ready(session->client_data, size, lost, copy, session);
		pthread_mutex_lock(&lock);
		session->announced = 0;
		session->taken += size;
		pthread_cond_broadcast(&taken);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* ---- From the cost model -------------------------------------------------------------------- */

struct sim_sampling sim_sampling_get(uint32_t gpu)
{
	struct sim_sampling how = {0};
	const struct session *session;

	if (sim_options()->driver_sampling)
		return sim_trap_sampling(gpu);
	pthread_mutex_lock(&lock);
	session = gpu < SIM_GPUS ? sessions[gpu] : NULL;
	if (session && session->running) {
		how.session = session->serial;
		how.period = session->how.min_interval;
		if (session->how.method == PROBE_HSA_PCS_STOCHASTIC_V1)
			how.method = SIM_SAMPLING_STOCHASTIC;
		else
			how.period *= sim_device()->core_mhz;
	}
	pthread_mutex_unlock(&lock);
	return how;
}

static struct timespec in_seconds(time_t seconds)
{
	struct timespec when;

	clock_gettime(CLOCK_REALTIME, &when);
	when.tv_sec += seconds;
	return when;
}

/* Under the lock: the session that a sample belongs to, if it still runs. */
static struct session *session_of(uint32_t gpu, uint64_t serial)
{
	struct session *session = gpu < SIM_GPUS ? sessions[gpu] : NULL;

	return session && session->serial == serial && !session->quitting ? session : NULL;
}

/*
 * Under the lock: waits for space. False if the client no longer accepts data, or has destroyed the
 * session.
 */
static bool has_room(uint32_t gpu, uint64_t serial, size_t size)
{
	struct session *session = session_of(gpu, serial);
	uint64_t before = session ? session->taken : 0;
	struct timespec until = in_seconds(PATIENCE_S);

	while (session && session->given - session->taken + size > session->room) {
		int err = pthread_cond_timedwait(&taken, &lock, &until);

		session = session_of(gpu, serial);
		if (err && session && session->taken == before)
			return false;
		if (session && session->taken != before) {
			before = session->taken;
			until = in_seconds(PATIENCE_S);
		}
	}
	return session != NULL;
}

static void into_ring(struct session *session, const uint8_t *from, size_t size)
{
	size_t at = (size_t)(session->given % session->room);
	size_t first = session->room - at < size ? session->room - at : size;

	memcpy(session->ring + at, from, first);
	memcpy(session->ring, from + first, size - first);
	session->given += size;
}

void sim_sampling_deliver(uint32_t gpu, uint64_t serial, const uint8_t *records, size_t count,
			  size_t lost)
{
	struct session *session;

	if (sim_options()->driver_sampling) {
		sim_trap_deliver(gpu, serial, records, count);
		return;
	}
	pthread_mutex_lock(&lock);
	for (size_t done = 0; done < count;) {
		size_t part = count - done < ROOM_MIN / 4 / SIM_SAMPLE_BYTES
				      ? count - done
				      : ROOM_MIN / 4 / SIM_SAMPLE_BYTES;
		bool room = has_room(gpu, serial, part * SIM_SAMPLE_BYTES);

		session = session_of(gpu, serial);
		if (!session)
			break;
		if (room)
			into_ring(session, records + done * SIM_SAMPLE_BYTES,
				  part * SIM_SAMPLE_BYTES);
		else
			lost += part;
		done += part;
		if (deliverable(session))
			pthread_cond_signal(&session->data);
	}
	session = session_of(gpu, serial);
	if (session)
		session->lost += lost;
	pthread_mutex_unlock(&lock);
}

/* ---- The functions -------------------------------------------------------------------------- */

/*
 * Called without a lock. The GPU of an agent, as the runtime reports it; -1 if the agent is not
 * simulated.
 */
static int gpu_of(hsa_agent_t agent)
{
	void *runtime = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
	__typeof__(hsa_agent_get_info) *get = NULL;
	uint32_t node = 0;

	if (!runtime)
		return -1;
	*(void **)&get = dlsym(runtime, "hsa_agent_get_info");
	if (get && get(agent, (hsa_agent_info_t)AGENT_INFO_DRIVER_NODE, &node))
		node = 0;
	dlclose(runtime);
	return sim_is_gpu(node) ? (int)(node - SIM_NODE_GPU) : -1;
}

/*
 * Without the cost model there is no simulated time in which to sample; if the driver offers
 * sampling, ROCr's functions use it.
 */
static bool available(void)
{
	return sim_options()->model && !sim_options()->driver_sampling;
}

hsa_status_t hsa_ven_amd_pcs_iterate_configuration(hsa_agent_t agent, probe_hsa_pcs_visit *visit,
						   void *data)
{
	struct probe_hsa_pcs_configuration active;
	hsa_status_t status = HSA_STATUS_SUCCESS;
	int gpu = gpu_of(agent);
	bool busy;

	if (!visit)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (gpu < 0)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!available())
		return HSA_STATUS_ERROR;
	pthread_mutex_lock(&lock);
	busy = sessions[gpu] != NULL;
	if (busy)
		active = sessions[gpu]->how;
	pthread_mutex_unlock(&lock);
	if (busy)
		return visit(&active, data);
	for (size_t i = 0; i < sizeof(configurations) / sizeof(configurations[0]) && !status; i++)
		status = visit(&configurations[i], data);
	return status;
}

static bool offered(uint32_t method, uint32_t units, size_t interval)
{
	for (size_t i = 0; i < sizeof(configurations) / sizeof(configurations[0]); i++) {
		const struct probe_hsa_pcs_configuration *row = &configurations[i];

		if (row->method != method || row->units != units)
			continue;
		return interval >= row->min_interval && interval <= row->max_interval &&
		       (!(row->flags & PROBE_HSA_PCS_POWER_OF_2) || !(interval & (interval - 1)));
	}
	return false;
}

static void session_free(struct session *session)
{
	pthread_cond_destroy(&session->data);
	free(session->ring);
	free(session);
}

static struct session *session_make(uint32_t gpu, uint32_t method, uint32_t units, size_t interval,
				    size_t buffer_size)
{
	struct session *session = calloc(1, sizeof(*session));
	size_t buffers = BUFFERS_AHEAD;

	if (!session)
		return NULL;
	if (buffers * buffer_size < ROOM_MIN)
		buffers = ROOM_MIN / buffer_size + 1;
	session->gpu = gpu;
	session->how = (struct probe_hsa_pcs_configuration){method, units, interval, interval, 0};
	session->buffer_size = buffer_size;
	session->room = buffers * buffer_size;
	session->ring = malloc(session->room);
	pthread_cond_init(&session->data, NULL);
	if (session->ring)
		return session;
	session_free(session);
	return NULL;
}

/* Signals belong to the application, so this thread blocks them. */
static int start_thread(struct session *session)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&session->thread, NULL, deliver, session);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

/* A very long interval is limited: it means one sample in a very long time. */
static size_t clamped(uint32_t method, size_t interval)
{
	size_t most = (size_t)1 << 48;

	return method == PROBE_HSA_PCS_HOSTTRAP_V1 && interval > most ? most : interval;
}

hsa_status_t hsa_ven_amd_pcs_create(hsa_agent_t agent, uint32_t method, uint32_t units,
				    size_t interval, size_t latency, size_t buffer_size,
				    probe_hsa_pcs_data_ready *ready, void *client_data,
				    probe_hsa_pcs_t *ret)
{
	int gpu = gpu_of(agent);
	struct session *session;

	(void)latency;
	if (gpu < 0)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!ready || !ret || !buffer_size || buffer_size % BUFFER_UNIT ||
	    buffer_size > SIZE_MAX / (2 * BUFFERS_AHEAD) || !offered(method, units, interval))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (!available())
		return HSA_STATUS_ERROR;
	session =
		session_make((uint32_t)gpu, method, units, clamped(method, interval), buffer_size);
	if (!session)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	session->ready = ready;
	session->client_data = client_data;
	pthread_mutex_lock(&lock);
	if (sessions[gpu] || start_thread(session)) {
		hsa_status_t status = sessions[gpu] ? PROBE_HSA_STATUS_ERROR_RESOURCE_BUSY
						    : HSA_STATUS_ERROR_OUT_OF_RESOURCES;

		pthread_mutex_unlock(&lock);
		session_free(session);
		return status;
	}
	session->serial = ++last_serial;
	sessions[gpu] = session;
	ret->handle = session->serial;
	pthread_mutex_unlock(&lock);
	return HSA_STATUS_SUCCESS;
}

/* There is no driver with sessions that could be taken over. */
hsa_status_t hsa_ven_amd_pcs_create_from_id(uint32_t id, hsa_agent_t agent, uint32_t method,
					    uint32_t units, size_t interval, size_t latency,
					    size_t buffer_size, probe_hsa_pcs_data_ready *ready,
					    void *client_data, probe_hsa_pcs_t *ret)
{
	(void)id;
	return hsa_ven_amd_pcs_create(agent, method, units, interval, latency, buffer_size, ready,
				      client_data, ret);
}

/* Under the lock. */
static struct session *find(probe_hsa_pcs_t sampling)
{
	for (uint32_t gpu = 0; gpu < SIM_GPUS; gpu++)
		if (sessions[gpu] && sessions[gpu]->serial == sampling.handle)
			return sessions[gpu];
	return NULL;
}

static hsa_status_t set_running(probe_hsa_pcs_t sampling, bool running)
{
	struct session *session;

	pthread_mutex_lock(&lock);
	session = find(sampling);
	if (session)
		session->running = running;
	pthread_mutex_unlock(&lock);
	return session ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_ven_amd_pcs_start(probe_hsa_pcs_t sampling)
{
	return set_running(sampling, true);
}

/* Dispatches that are running are sampled until they end. */
hsa_status_t hsa_ven_amd_pcs_stop(probe_hsa_pcs_t sampling)
{
	return set_running(sampling, false);
}

hsa_status_t hsa_ven_amd_pcs_flush(probe_hsa_pcs_t sampling)
{
	struct session *session;
	uint64_t until;

	pthread_mutex_lock(&lock);
	session = find(sampling);
	if (!session || pthread_equal(session->thread, pthread_self())) {
		pthread_mutex_unlock(&lock);
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	until = session->given;
	if (until > session->flush)
		session->flush = until;
	pthread_cond_signal(&session->data);
	while (session && session->taken < until) {
		pthread_cond_wait(&taken, &lock);
		session = find(sampling);
	}
	pthread_mutex_unlock(&lock);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ven_amd_pcs_destroy(probe_hsa_pcs_t sampling)
{
	struct session *session;

	pthread_mutex_lock(&lock);
	session = find(sampling);
	if (!session || session->quitting || pthread_equal(session->thread, pthread_self())) {
		pthread_mutex_unlock(&lock);
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	/* Samples that are not delivered yet are lost, as documented for ROCr. */
	session->quitting = true;
	session->running = false;
	session->given = session->taken + session->announced;
	pthread_cond_signal(&session->data);
	pthread_cond_broadcast(&taken);
	pthread_mutex_unlock(&lock);
	pthread_join(session->thread, NULL);
	pthread_mutex_lock(&lock);
	sessions[session->gpu] = NULL;
	pthread_cond_broadcast(&taken);
	pthread_mutex_unlock(&lock);
	session_free(session);
	return HSA_STATUS_SUCCESS;
}
