/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/recorder.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cmds/options/run_options.h"
#include "cmds/record/handler_channel.h"
#include "cmds/record/handler_workers.h"
#include "cmds/record/host_records.h"
#include "cmds/record/segment_size.h"
#include "common/err.h"

#define DRAIN_NS 2000000000ull /* time limit for reading what a live process has written */

struct probe_err *recorder_create(const struct recorder_process *process,
				  const struct run_config *config, struct probe_store *store,
				  struct recorder **ret)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	struct probe_err *err;

	if (!recorder) {
		probe_store_destroy(store);
		return probe_err_oom();
	}
	recorder->pid = process->pid;
	recorder->sock = process->sock;
	recorder->seg.fd = recorder->lock = -1;
	/* -1 if the process has already died; its socket shows that. */
	recorder->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	recorder->wake = eventfd(0, EFD_CLOEXEC);
	err = recorder->wake < 0 ? probe_err_create("cannot make an eventfd: %s", strerror(errno))
				 : segment_create(process->rings_wanted, &recorder->seg);
	if (err)
		probe_store_destroy(store);
	else
		err = recording_init(&recorder->recording, config, process->pid, store,
				     &recorder->seg);
	if (err) {
		recorder->sock = -1; /* the caller still owns it */
		recorder_destroy(recorder);
		return err;
	}
	*ret = recorder;
	return NULL;
}

void recorder_destroy(struct recorder *recorder)
{
	if (!recorder)
		return;
	handler_workers_destroy(recorder->workers);
	recording_deinit(&recorder->recording);
	segment_reader_destroy(&recorder->seg);
	if (recorder->lock >= 0)
		close(recorder->lock);
	if (recorder->sock >= 0)
		close(recorder->sock);
	if (recorder->pidfd >= 0)
		close(recorder->pidfd);
	if (recorder->wake >= 0)
		close(recorder->wake);
	free(recorder);
}

/* A live process may write forever. */
static bool drained_enough(const struct recorder *recorder)
{
	return recorder->drain_until && handler_clock_ns() > recorder->drain_until;
}

static bool drain_host(struct recorder *recorder, bool final)
{
	struct segment_record rec;
	enum segment_state state;
	bool any = false;

	while ((state = segment_reader_next(&recorder->seg, final, &rec)) == SEGMENT_RECORD) {
		host_record_apply(&recorder->recording, &rec);
		any = true;
		if (drained_enough(recorder))
			break;
	}
	recorder->waiting = state == SEGMENT_WAIT;
	return any;
}

/* A number from the process, or 0 if it cannot be right. */
static uint64_t stated(uint64_t count)
{
	return count <= RECORD_COUNT_MAX ? count : 0;
}

static void read_counts(struct recorder *recorder)
{
	struct record_counts *counts = &recorder->recording.counts;
	const struct segment_reader *seg = &recorder->seg;

	counts->host_emitted = stated(segment_reader_emitted(seg));
	counts->host_dropped = stated(segment_reader_dropped(seg));
	counts->host_corrupt = seg->loss.corrupt;
	counts->host_uncommitted = seg->loss.uncommitted;
	segment_reader_ring_counts(seg, &counts->trace_emitted, &counts->trace_dropped);
	counts->trace_emitted = stated(counts->trace_emitted);
	counts->trace_dropped = stated(counts->trace_dropped);
	/* The device counts only the records that it drops, in both words. */
	if (counts->trace_emitted < counts->trace_dropped)
		counts->trace_emitted = counts->trace_dropped;
	counts->trace_missing = counts->trace_emitted - counts->trace_dropped;
	counts->trace_emitted += counts->trace_read + counts->stored_lost;
	counts->trace_dropped += counts->stored_lost;
}

static void before_commit(void *user)
{
	struct recorder *recorder = user;

	read_counts(recorder);
	accounting_store(&recorder->recording, false);
}

/*
 * One poll of the segment. Ring heads are read before host records, so each dispatch that the rings
 * refer to is known. A completed dispatch is finished at the next poll, after the ring heads have
 * been read and drained once more.
 */
static bool poll_segment(struct recorder *recorder, bool final)
{
	struct recording *recording = &recorder->recording;
	struct process_objects *objects = &recording->objects;
	struct run_dispatch *complete = objects->complete;
	bool any;

	objects->complete = NULL;
	objects->complete_end = &objects->complete;
	if (final || complete || objects->traces_in_flight)
		segment_reader_snapshot(&recorder->seg);
	any = drain_host(recorder, final);
	any = trace_drain(recording, recorder->waiting) || any;
	host_records_finish(recording, complete);
	any = any || complete || objects->complete;
	probe_store_poll(recording->store, !any, before_commit, recorder);
	return any;
}

/*
 * How long to sleep if there is nothing to read: briefly while a kernel may be waiting for ring
 * space.
 */
static struct timespec idle_timeout(const struct process_objects *objects, bool busy)
{
	if (busy)
		return (struct timespec){0};
	if (objects->traces_in_flight)
		return (struct timespec){.tv_nsec = 100000};
	return (struct timespec){.tv_nsec = objects->in_flight ? 1000000 : 5000000};
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

	if (ppoll(fds, 3, &timeout, NULL) <= 0)
		return true;
	return !fds[0].revents && !fds[1].revents && !fds[2].revents;
}

static bool process_alive(const struct recorder *recorder)
{
	struct pollfd fd = {.fd = recorder->pidfd, .events = POLLIN};

	return recorder->pidfd >= 0 && !poll(&fd, 1, 0);
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
	return exited ? NULL : "the process was killed, or ended without an exit record";
}

static void *run(void *user)
{
	struct recorder *recorder = user;
	const struct process_objects *objects = &recorder->recording.objects;
	bool busy = false;

	recording_begin(&recorder->recording);
	/* While there is much to read, check the process only every 16th time. */
	for (unsigned i = 0; (busy && i % 16) || still_alive(recorder, idle_timeout(objects, busy));
	     i++)
		busy = poll_segment(recorder, false);
	if (atomic_load(&recorder->stop) == RECORDER_STOP_LEFT ||
	    atomic_load(&recorder->stop) == RECORDER_STOP_TERMINATED)
		recorder->drain_until = handler_clock_ns() + DRAIN_NS;
	while (poll_segment(recorder, true) && !drained_enough(recorder))
		;
	read_counts(recorder);
	recording_end(&recorder->recording, why_ended(recorder));
	atomic_store(&recorder->done, true);
	return NULL;
}

struct probe_err *recorder_start(struct recorder *recorder)
{
	int rc = pthread_create(&recorder->thread, NULL, run, recorder);

	return rc ? probe_err_create("cannot start a thread: %s", strerror(rc)) : NULL;
}

void recorder_stop(struct recorder *recorder, enum recorder_stop_reason why)
{
	uint64_t one = 1;

	atomic_store(&recorder->stop, why);
	if (write(recorder->wake, &one, sizeof(one)) < 0)
		return; /* an eventfd takes any number of ones */
}
