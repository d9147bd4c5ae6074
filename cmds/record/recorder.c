/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/recorder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cmds/options/run_options.h"
#include "cmds/record/handler_channel.h"
#include "cmds/record/foreign_code.h"
#include "cmds/record/host_records.h"
#include "cmds/record/segment_size.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "common/process_stat.h"
#include "common/progress.h"
#include "wire/segment_reader_file.h"

#define DRAIN_NS 2000000000ull /* time limit for reading what a live process has written */
#define SLICE_NS 20000000ull   /* how long what was read is worked on before more is read */

/* Bits of spool_settings.flags: settings that the options do not show. */
enum { SETTING_INSTRUMENTED = 1, SETTING_SAMPLING = 2 };

/* Start of a process in clock ticks since boot, which its number is not used for again; or 0. */
static uint64_t process_start(pid_t pid)
{
	return (uint64_t)probe_process_stat(pid, PROBE_STAT_START);
}

static struct probe_err *make_spool(struct recorder *recorder, const struct run_config *config,
				    const struct probe_store *store)
{
	const struct spool_settings settings = {
		.pid = recorder->pid,
		.start = process_start(recorder->pid),
		.kind = config->kind,
		.flags = (config->instrumented ? SETTING_INSTRUMENTED : 0) |
			 (config->sampling.on ? SETTING_SAMPLING : 0),
		.options = config->words,
		.options_size = config->words_size,
	};
	char *path = spool_path(probe_store_path(store));
	struct probe_err *err =
		path ? spool_create(&recorder->spool, path, &settings, &recorder->seg)
		     : probe_err_oom();

	free(path);
	return err;
}

/* The parts of a recorder that do not depend on its segment. */
static struct probe_err *create(pid_t pid, int sock, struct recorder **ret)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	if (!recorder)
		return probe_err_oom();
	recorder->pid = pid;
	recorder->sock = sock;
	recorder->seg.fd = recorder->lock = recorder->spool.fd = recorder->notify = -1;
	/* -1 if the process has already died; its socket shows that. */
	recorder->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	recorder->wake = eventfd(0, EFD_CLOEXEC);
	*ret = recorder;
	return recorder->wake < 0 ? probe_err_create("cannot make an eventfd: %s", strerror(errno))
				  : NULL;
}

static struct probe_err *give_up(struct recorder *recorder, struct probe_err *err)
{
	if (recorder)
		recorder->sock = -1; /* the caller still owns it */
	recorder_destroy(recorder);
	return err;
}

/* With its segment and its spool. The caller destroys *ret after an error as well. */
static struct probe_err *open_recorder(const struct recorder_process *process,
				       const struct run_config *config,
				       const struct probe_store *store, struct recorder **ret)
{
	struct probe_err *err = create(process->pid, process->sock, ret);
	struct recorder *recorder = *ret;

	if (err)
		return err;
	err = segment_create(process->rings_wanted, &recorder->seg);
	if (err)
		return err;
	/* Without a guard, a named file could end this process: its spool ends it then, too. */
	if (!segment_reader_guard(&recorder->seg))
		segment_reader_unlink(&recorder->seg);
	return make_spool(recorder, config, store);
}

struct probe_err *recorder_create(const struct recorder_process *process,
				  const struct run_config *config, struct probe_store *store,
				  struct recorder **ret)
{
	struct recorder *recorder = NULL;
	struct probe_err *err = open_recorder(process, config, store, &recorder);

	if (err)
		probe_store_destroy(store);
	else
		err = recording_init(&recorder->recording, config, process->pid, store,
				     &recorder->seg);
	if (err)
		return give_up(recorder, err);
	/* The process is waiting for the reply, so it has not ended. */
	recorder->recording.objects.program = foreign_code_program(process->pid);
	*ret = recorder;
	return NULL;
}

/*
 * The process has ended, or its number is another one's. One that no process has waited for has
 * ended, too: only its pidfd shows that, because the first thread of a process may end before the
 * others.
 */
static bool has_ended(const struct spool_settings *settings, int pidfd)
{
	struct pollfd fd = {.fd = pidfd, .events = POLLIN};

	return (kill(settings->pid, 0) && errno == ESRCH) ||
	       (settings->start && process_start(settings->pid) != settings->start) ||
	       (pidfd >= 0 && poll(&fd, 1, 0) > 0);
}

struct probe_err *recorder_open(const char *spool, struct recorder **ret, bool *ret_absent)
{
	struct spool_settings settings = {0};
	struct recorder *recorder = NULL;
	struct probe_err *err = create(-1, -1, &recorder);

	*ret_absent = false;
	if (err)
		return give_up(recorder, err);
	err = spool_open(&recorder->spool, spool, &settings, &recorder->seg, ret_absent);
	if (err)
		return give_up(recorder, err);
	segment_reader_guard(&recorder->seg);
	recorder->pid = settings.pid;
	recorder->pidfd = (int)syscall(SYS_pidfd_open, settings.pid, 0);
	recorder->ended = has_ended(&settings, recorder->pidfd);
	recorder->unused = !((const struct probe_seg_header *)recorder->seg.map)->pid;
	recorder->settings = settings;
	*ret = recorder;
	return NULL;
}

void recorder_settings(const struct recorder *recorder, struct run_config *config)
{
	config->kind = recorder->settings.kind < PROBE_KINDS
			       ? (enum probe_kind)recorder->settings.kind
			       : PROBE_KIND_NONE;
	config->instrumented = recorder->settings.flags & SETTING_INSTRUMENTED;
	config->sampling.on = recorder->settings.flags & SETTING_SAMPLING;
}

struct probe_err *recorder_recreate(struct recorder *recorder, const struct run_config *config,
				    struct probe_store **ret_store)
{
	PROBE_AUTO_FREE char *path = strdup(recorder->spool.path);
	struct probe_err *err;

	*ret_store = NULL;
	if (!path)
		return probe_err_oom();
	path[strlen(path) - strlen(SPOOL_SUFFIX)] = 0;
	err = probe_store_create_again(path, ret_store);
	if (err)
		return err;
	return recording_init(&recorder->recording, config, recorder->pid, *ret_store,
			      &recorder->seg);
}

static void close_all(struct recorder *recorder)
{
	int *const fds[] = {&recorder->sock, &recorder->pidfd, &recorder->wake};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

void recorder_join(struct recorder *recorder)
{
	if (recorder->joined)
		return;
	pthread_join(recorder->thread, NULL);
	recorder->joined = true;
	/* All that was read of it is in the spool. */
	segment_reader_unlink(&recorder->seg);
	segment_reader_destroy(&recorder->seg);
	spool_end(&recorder->spool);
	close_all(recorder);
}

void recorder_destroy(struct recorder *recorder)
{
	if (!recorder)
		return;
	recording_deinit(&recorder->recording);
	spool_deinit(&recorder->spool);
	segment_reader_destroy(&recorder->seg);
	if (recorder->lock >= 0)
		close(recorder->lock);
	close_all(recorder);
	free(recorder);
}

/* A live process may write forever. */
static bool drained_enough(const struct recorder *recorder)
{
	return recorder->drain_until && handler_clock_ns() > recorder->drain_until;
}

/* A number from the process, or 0 if it cannot be right. */
static uint64_t stated(uint64_t count)
{
	return count <= RECORD_COUNT_MAX ? count : 0;
}

static void read_counts(struct recorder *recorder)
{
	struct record_counts *counts = &recorder->recording.counts;
	const struct spool_round *round = &recorder->round;

	counts->host_emitted = stated(round->emitted);
	counts->host_dropped = stated(round->dropped);
	counts->host_corrupt = round->corrupt;
	counts->host_uncommitted = round->uncommitted;
	counts->trace_emitted = stated(round->rings.emitted);
	counts->trace_dropped = stated(round->rings.dropped);
	counts->trace_waited = stated(round->rings.waited);
	/* The device counts only the records that it drops, in both words. */
	if (counts->trace_emitted < counts->trace_dropped)
		counts->trace_emitted = counts->trace_dropped;
	counts->trace_missing = counts->trace_emitted - counts->trace_dropped;
	counts->trace_emitted += counts->trace_read + counts->storage_lost;
	counts->trace_dropped += counts->storage_lost;
}

/* What is committed is from here: --recover needs as much of the spool. */
static void store_spool_bytes(const struct recorder *recorder)
{
	probe_store_set_int(recorder->recording.store, "spool_bytes",
			    (int64_t)recorder->spool.taken);
}

static void before_commit(void *user)
{
	struct recorder *recorder = user;

	read_counts(recorder);
	store_spool_bytes(recorder);
	host_records_store_in_flight(&recorder->recording);
	accounting_store(&recorder->recording, false);
}

/*
 * In a round, ring heads are read before host records, so each dispatch that the rings refer to is
 * known. A completed dispatch is finished with the next round, when the rings have been read once
 * more.
 */
static void end_round(struct recorder *recorder, const struct spool_round *round)
{
	struct process_objects *objects = &recorder->recording.objects;

	trace_end_pass(&recorder->recording);
	host_records_finish(&recorder->recording, recorder->complete);
	recorder->complete = objects->complete;
	objects->complete = NULL;
	objects->complete_end = &objects->complete;
	recorder->round = *round;
}

/*
 * For SLICE_NS: some items take long, such as code objects, and the segment must not become full
 * meanwhile. Returns whether there may be more.
 */
static bool apply_items(struct recorder *recorder)
{
	const uint64_t end = handler_clock_ns() + SLICE_NS;
	struct recording *recording = &recorder->recording;
	struct spool_item item;

	while (handler_clock_ns() < end) {
		if (!spool_next(&recorder->spool, &item))
			return false;
		atomic_store_explicit(&recorder->spool_taken, recorder->spool.taken,
				      memory_order_relaxed);
		atomic_store_explicit(&recorder->spool_written, recorder->spool.written,
				      memory_order_relaxed);
		switch (item.type) {
		case SPOOL_HOST:
			host_record_apply(recording, &item.record);
			break;
		case SPOOL_RING:
			trace_read_ring(recording, item.ring, item.bytes, item.size);
			break;
		case SPOOL_ROUND:
			end_round(recorder, &item.round);
			break;
		}
	}
	return true;
}

/* Another program has locked the database: the segment is emptied all the same. */
static void while_locked(void *user)
{
	struct recorder *recorder = user;

	spool_fill(&recorder->spool, (struct spool_round_options){.rings = true});
}

static bool poll_segment(struct recorder *recorder, bool final)
{
	struct recording *recording = &recorder->recording;
	const struct process_objects *objects = &recording->objects;
	const struct spool_round_options options = {
		.final = final,
		/* Also of dispatches that the recording does not know yet. */
		.rings = final || recorder->complete || objects->traces_in_flight ||
			 recorder->behind,
		.empty = recorder->complete != NULL,
		.unused = true,
	};
	bool any = spool_fill(&recorder->spool, options);

	recorder->behind = apply_items(recorder);
	any = any || recorder->behind;
	/* A thread that has begun a record may need this processor to finish it. */
	any = any || (!recorder->spool.waiting && (options.empty || recorder->complete));
	probe_store_poll(recording->store, !any, before_commit, recorder);
	return any;
}

/*
 * How long to sleep before the next round. While a kernel writes to rings, it is short at first; as
 * long as no ring becomes full, a round is worth more the later it is, because it looks at all of
 * them.
 */
static struct timespec pause_of(struct recorder *recorder, bool busy)
{
	enum { FIRST_NS = 100000, MOST_NS = 1000000 };
	const struct process_objects *objects = &recorder->recording.objects;
	long before = recorder->pause_ns;

	if (recorder->behind)
		return (struct timespec){0};
	if (!objects->traces_in_flight) {
		recorder->pause_ns = 0;
		if (busy)
			return (struct timespec){0};
		return (struct timespec){.tv_nsec = objects->in_flight ? 1000000 : 5000000};
	}
	if (recorder->seg.pressed && busy)
		recorder->pause_ns = 0;
	else if (!before || recorder->seg.pressed)
		recorder->pause_ns = FIRST_NS;
	else
		recorder->pause_ns = 2 * before < MOST_NS ? 2 * before : MOST_NS;
	return (struct timespec){.tv_nsec = recorder->pause_ns};
}

/* Sleeps until the process dies, recorder_stop() is called, or it is time to poll again. */
static bool still_alive(struct recorder *recorder, struct timespec timeout)
{
	struct pollfd fds[] = {
		{.fd = recorder->pidfd, .events = POLLIN},
		{.fd = recorder->wake, .events = POLLIN},
		/* Without a pidfd, the end of the socket is used. */
		{.fd = recorder->pidfd < 0 ? recorder->sock : -1, .events = POLLRDHUP},
	};

	if (recorder->ended)
		return false;
	if (ppoll(fds, 3, &timeout, NULL) <= 0)
		return recorder->pidfd >= 0 || recorder->sock >= 0 || !kill(recorder->pid, 0);
	return !fds[0].revents && !fds[1].revents && !fds[2].revents;
}

static bool process_alive(const struct recorder *recorder)
{
	struct pollfd fd = {.fd = recorder->pidfd, .events = POLLIN};

	return !recorder->ended && recorder->pidfd >= 0 && !poll(&fd, 1, 0);
}

/* Why there may be fewer records than the process made; NULL if all are there. */
static const char *why_ended(const struct recorder *recorder)
{
	enum recorder_stop_reason stop = atomic_load(&recorder->stop);
	bool exited = recorder->recording.objects.exited;

	if (stop == RECORDER_STOP_REPLACED && !exited)
		return "the process executed another program";
	if (stop == RECORDER_STOP_TERMINATED && process_alive(recorder))
		return "the recorder was ended by SIGTERM";
	if (stop == RECORDER_STOP_LEFT && process_alive(recorder))
		return "the process still ran when the application had ended";
	return exited ? NULL
		      : "the process was killed, ended by _exit(), or executed another program";
}

/* To an eventfd, or -1. */
static void add_one(int fd)
{
	uint64_t one = 1;

	if (fd >= 0 && write(fd, &one, sizeof(one)) < 0)
		return; /* an eventfd takes any number of ones */
}

static void *run(void *user)
{
	struct recorder *recorder = user;
	bool busy = false;

	probe_store_on_busy(recorder->recording.store, while_locked, recorder);
	recorder->recording.name = recorder->spool.recording;
	recording_begin(&recorder->recording);
	if (recorder->spool.resumed) {
		while (apply_items(recorder))
			;
		spool_continue(&recorder->spool);
	} else {
		segment_reader_allocate(&recorder->seg);
	}
	/* While there is much to read, check the process only every 16th time. */
	for (unsigned i = 0;; i++) {
		struct timespec pause = pause_of(recorder, busy);

		if ((!busy || pause.tv_nsec || i % 16 == 0) && !still_alive(recorder, pause))
			break;
		busy = poll_segment(recorder, false);
	}
	if (atomic_load(&recorder->stop) == RECORDER_STOP_LEFT ||
	    atomic_load(&recorder->stop) == RECORDER_STOP_TERMINATED)
		recorder->drain_until = handler_clock_ns() + DRAIN_NS;
	while (poll_segment(recorder, true) && !drained_enough(recorder))
		;
	while (apply_items(recorder))
		;
	segment_reader_beat(&recorder->seg, true);
	read_counts(recorder);
	store_spool_bytes(recorder);
	recording_end(&recorder->recording, why_ended(recorder));
	probe_store_on_busy(recorder->recording.store, NULL, NULL);
	recording_finish(&recorder->recording);
	atomic_store(&recorder->done, true);
	add_one(recorder->notify);
	return NULL;
}

void recorder_show_progress(const struct recorder *list)
{
	uint64_t taken = 0, written = 0;

	for (const struct recorder *recorder = list; recorder; recorder = recorder->next) {
		taken += atomic_load_explicit(&recorder->spool_taken, memory_order_relaxed);
		written += atomic_load_explicit(&recorder->spool_written, memory_order_relaxed);
	}
	probe_progress_amount(taken, written);
}

struct probe_err *recorder_start(struct recorder *recorder)
{
	int rc = pthread_create(&recorder->thread, NULL, run, recorder);

	return rc ? probe_err_create(
			    "cannot start a thread: %s; see the limits of memory (ulimit -v) and "
			    "of processes (ulimit -u)",
			    strerror(rc))
		  : NULL;
}

void recorder_stop(struct recorder *recorder, enum recorder_stop_reason why)
{
	atomic_store(&recorder->stop, why);
	add_one(recorder->wake);
}

void recorder_finish(struct recorder *recorder)
{
	const struct probe_store *store = recorder->recording.store;

	if (!probe_store_failure(store) || recorder->spool.broken) {
		spool_remove(&recorder->spool);
		return;
	}
	/* All was read from the segment; it could not be written to the database. */
	segment_reader_unlink(&recorder->seg);
	probe_log(PROBE_LOG_WARNING, "%s has all records: finish it with: probe-run --recover %s",
		  recorder->spool.path, recorder->spool.path);
}
