/* SPDX-License-Identifier: MIT */
/* One traced process on its own thread; see run_session.h. */
#define _GNU_SOURCE
#include "cmds/record/run_session.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/err.h"
#include "common/log.h"
#include "cmds/record/allocation_records.h"
#include "cmds/options/run_options.h"
#include "cmds/record/sample_records.h"
#include "model/proved_rows.h"
#include "probe_version.h"

/*
 * Sparse: pages exist once written. With the counter tables of a queue or two, a process has at
 * most 64 MiB.
 */
#define HOST_RING_BYTES (16ull << 20)
#define RINGS_BYTES	(32u << 20)
#define RING_BYTES_MAX	16384u
/* For launches of few waves, which would else wait for the reader most of the time. */
#define LARGE_RINGS	 128u
#define LARGE_RING_BYTES (64u << 10)

void run_session_partial(struct run_session *session, const char *format, ...)
{
	va_list args;

	if (*session->partial)
		return;
	va_start(args, format);
	vsnprintf(session->partial, sizeof(session->partial), format, args);
	va_end(args);
}

void run_session_log(struct run_session *session, int level, const char *origin, const char *format,
		     ...)
{
	char text[1200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* Information from handlers is for the database; the terminal gets it with -v. */
	probe_log(level >= PROBE_LOG_INFO ? PROBE_LOG_DEBUG : level, "%s", text);
	if (session->store)
		probe_store_log(session->store, level, origin, text);
}

/* A power of two of rings, and what each gets of RINGS_BYTES; fewer if not all can have enough. */
static uint32_t rings_of(uint32_t wanted, uint32_t *ret_bytes)
{
	uint32_t count = 1;

	*ret_bytes = RING_BYTES_MAX;
	if (!wanted)
		return 0;
	while (count < wanted && count < RINGS_BYTES / PROBE_SEG_RING_SIZE_MIN)
		count *= 2;
	while (*ret_bytes > PROBE_SEG_RING_SIZE_MIN && *ret_bytes > RINGS_BYTES / count)
		*ret_bytes /= 2;
	return count;
}

struct probe_err *run_session_segment(uint32_t rings_wanted, struct probe_seg *ret)
{
	struct probe_seg_shape rings = {
		.large_count = LARGE_RINGS,
		.large_size = LARGE_RING_BYTES,
	};

	rings.count = rings_of(rings_wanted, &rings.size);
	return probe_seg_create(HOST_RING_BYTES, &rings, ret);
}

struct probe_err *run_session_create(const struct run_config *config,
				     const struct run_plugins *plugins, pid_t pid, int sock,
				     uint32_t ring_count, struct probe_store *store,
				     struct run_session **ret)
{
	struct run_session *session = calloc(1, sizeof(*session));
	struct probe_err *err;

	if (!session) {
		probe_store_destroy(store);
		return probe_err_oom();
	}
	session->config = config;
	session->plugins = plugins;
	session->pid = pid;
	session->sock = sock;
	session->store = store;
	session->seg.fd = -1;
	run_objects_init(&session->objects);
	session->facts = probe_facts_create(store, (uint32_t)pid);
	/* -1 if it has died already: then its socket tells us. */
	session->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	session->wake = eventfd(0, EFD_CLOEXEC);
	err = session->wake < 0 ? probe_err_create("cannot make an eventfd: %s", strerror(errno))
				: run_session_segment(ring_count, &session->seg);
	session->allocations = run_allocations_create();
	if (!err && (!session->facts || !session->allocations))
		err = probe_err_oom();
	if (!err)
		err = run_trace_init(session);
	if (err) {
		session->sock = -1; /* still the caller's */
		run_session_destroy(session);
		return err;
	}
	*ret = session;
	return NULL;
}

void run_session_destroy(struct run_session *session)
{
	if (!session)
		return;
	probe_facts_destroy(session->facts);
	probe_store_destroy(session->store);
	run_trace_deinit(session);
	run_samples_deinit(session);
	proved_scratch_destroy(session->proved);
	run_objects_deinit(&session->objects);
	run_allocations_destroy(session->allocations);
	probe_seg_destroy(&session->seg);
	if (session->sock >= 0)
		close(session->sock);
	if (session->pidfd >= 0)
		close(session->pidfd);
	if (session->wake >= 0)
		close(session->wake);
	free(session);
}

static bool drain_host(struct run_session *session, bool final)
{
	struct probe_seg_rec rec;
	enum probe_seg_state state;
	bool any = false;

	while ((state = probe_seg_next(&session->seg, final, &rec)) == PROBE_SEG_RECORD) {
		run_record_apply(session, &rec);
		any = true;
	}
	session->waiting = state == PROBE_SEG_WAIT;
	return any;
}

static void read_counts(struct run_session *session)
{
	struct run_numbers *numbers = &session->numbers;

	numbers->host_emitted = probe_seg_emitted(&session->seg);
	numbers->host_dropped = probe_seg_dropped(&session->seg);
	probe_seg_ring_counts(&session->seg, &numbers->trace_emitted, &numbers->trace_dropped);
	/* The device counts only what it loses. */
	if (probe_kind_has_rings(session->config->kind))
		numbers->trace_emitted += numbers->trace_read + numbers->late_lost;
	numbers->trace_dropped += numbers->late_lost;
}

static void before_commit(void *user)
{
	read_counts(user);
	run_account_store(user, false);
}

/*
 * One turn. Heads of the rings are noted before host records are read, so each dispatch that the
 * noted bytes name is known; a dispatch told complete is finished one turn later, when a later note
 * of the heads has been drained.
 */
static bool lap(struct run_session *session, bool final)
{
	struct run_objects *objects = &session->objects;
	struct run_dispatch *complete = objects->complete;
	bool any;

	objects->complete = NULL;
	objects->complete_end = &objects->complete;
	if (final || complete || objects->traces_in_flight)
		probe_seg_snapshot(&session->seg);
	any = drain_host(session, final);
	any = run_trace_drain(session) || any;
	run_record_finish(session, complete);
	any = any || complete || objects->complete;
	probe_store_lap(session->store, !any, before_commit, session);
	return any;
}

/* How long to sleep with nothing to read: short while a kernel may be waiting for ring space. */
static struct timespec nap(const struct run_session *session, bool busy)
{
	if (busy)
		return (struct timespec){0};
	if (session->objects.traces_in_flight)
		return (struct timespec){.tv_nsec = 100000};
	return (struct timespec){.tv_nsec = session->objects.in_flight ? 1000000 : 5000000};
}

/* Sleep until the process dies, we are told to stop, or it is time to look again. */
static bool still_alive(struct run_session *session, struct timespec timeout)
{
	struct pollfd fds[] = {
		{.fd = session->pidfd, .events = POLLIN},
		{.fd = session->wake, .events = POLLIN},
		/* Without a pidfd the socket's end has to do. */
		{.fd = session->pidfd < 0 ? session->sock : -1, .events = POLLRDHUP},
	};

	if (ppoll(fds, 3, &timeout, NULL) <= 0)
		return true;
	return !fds[0].revents && !fds[1].revents && !fds[2].revents;
}

static bool process_alive(const struct run_session *session)
{
	struct pollfd fd = {.fd = session->pidfd, .events = POLLIN};

	return session->pidfd >= 0 && !poll(&fd, 1, 0);
}

static void begin(struct run_session *session)
{
	struct probe_err *err = probe_store_schema(session->store);
	char policy[PROBE_FULL_POLICY_TEXT];

	if (err) {
		probe_err_destroy(err); /* kept as the store's failure */
		return;
	}
	/* True until the end proves otherwise: a kill leaves it so. */
	probe_store_set_int(session->store, "partial", 1);
	probe_store_set(session->store, "partial_reason", "the recording was not ended");
	probe_store_set_int(session->store, "pid", session->pid);
	probe_store_set(session->store, "probe_version", PROBE_VERSION);
	probe_store_set(session->store, "sqlite_version", probe_store_sqlite_version());
	probe_store_set(session->store, "kind", probe_kind_name(session->config->kind));
	probe_full_policy_format(session->config->full, policy);
	probe_store_set(session->store, "when_full", policy);
	run_account_filters(session);
	/* Readable whatever handlers do to this process. */
	probe_store_commit(session->store);
}

static const char *why_partial(struct run_session *session)
{
	const struct probe_err *failure = probe_store_failure(session->store);
	enum run_stop stop = atomic_load(&session->stop);

	if (failure)
		run_session_partial(session, "the database could not be written");
	else if (stop == RUN_STOP_REPLACED && !session->objects.exited)
		run_session_partial(session, "the process executed another program");
	else if (stop == RUN_STOP_LEFT && process_alive(session))
		run_session_partial(session,
				    "the process still ran when the application had ended");
	else if (!session->objects.exited)
		run_session_partial(session, "the process was killed, or ended without goodbye");
	if (session->numbers.unfinished)
		run_session_partial(session, "%llu dispatches did not complete",
				    (unsigned long long)session->numbers.unfinished);
	if (run_account_lost(session))
		run_session_partial(session, "data were lost");
	return session->partial;
}

static void store_process_end(struct run_session *session)
{
	struct run_objects *objects = &session->objects;
	struct timespec now;

	if (!objects->process_known)
		return;
	clock_gettime(CLOCK_BOOTTIME, &now);
	probe_facts_process(session->facts, &objects->process, objects->command,
			    objects->environment,
			    (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec);
}

/* What the recording cost beside the application: this thread's processor time. */
static void store_own_cost(struct run_session *session)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return;
	probe_store_set_int(session->store, "supervisor_user_us",
			    usage.ru_utime.tv_sec * 1000000ll + usage.ru_utime.tv_usec);
	probe_store_set_int(session->store, "supervisor_system_us",
			    usage.ru_stime.tv_sec * 1000000ll + usage.ru_stime.tv_usec);
}

static void end(struct run_session *session)
{
	bool ok = false;

	while (lap(session, true))
		;
	session->numbers.unfinished = session->objects.in_flight;
	run_counters_unfinished(session);
	run_allocations_resolve(session->allocations);
	run_allocations_store(session->allocations, session->facts);
	run_instances_close(session);
	run_samples_store(session);
	read_counts(session);
	store_process_end(session);
	/* A full disk often has room for a few rows once the big transaction is rolled back. */
	for (int i = 0; i < 2 && !ok; i++) {
		const char *why = why_partial(session);

		if (probe_store_failure(session->store))
			probe_store_last_words(session->store);
		run_account_store(session, true);
		store_own_cost(session);
		probe_store_set_int(session->store, "partial", *why != 0);
		probe_store_set(session->store, "partial_reason", why);
		ok = probe_store_commit(session->store);
	}
	if (!probe_store_finish(session->store) && !probe_store_failure(session->store))
		probe_log(PROBE_LOG_WARNING, "%s: could not be folded into one file: keep %s-wal",
			  probe_store_path(session->store), probe_store_path(session->store));
	if (probe_store_failure(session->store))
		probe_log_err(PROBE_LOG_ERROR, probe_store_failure(session->store));
}

static void *run(void *user)
{
	struct run_session *session = user;
	bool busy = false;

	begin(session);
	probe_facts_prepare(session->facts);
	probe_facts_node(session->facts);
	run_instances_open(session);
	/* With much to read, look at the process now and then only. */
	for (unsigned turn = 0; (busy && turn % 16) || still_alive(session, nap(session, busy));
	     turn++)
		busy = lap(session, false);
	end(session);
	atomic_store(&session->done, true);
	return NULL;
}

struct probe_err *run_session_start(struct run_session *session)
{
	int rc = pthread_create(&session->thread, NULL, run, session);

	return rc ? probe_err_create("cannot start a thread: %s", strerror(rc)) : NULL;
}

void run_session_stop(struct run_session *session, enum run_stop why)
{
	uint64_t one = 1;

	atomic_store(&session->stop, why);
	if (write(session->wake, &one, sizeof(one)) < 0)
		return; /* an eventfd takes any number of ones */
}
