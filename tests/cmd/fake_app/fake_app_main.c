/* SPDX-License-Identifier: MIT */
/*
 * fake-app WORD...: acts in order. Words: connect[=RINGS], announce=SOURCE, memory=N with rows=N
 * (counter rows of each) before it, trace=N (waves) with records=N and form=F before it, stored=N
 * (records lost), refused=N, calls=N, begin[=N] (dispatches that never end), open=N (the same of
 * kind trace: N waves, each with some records that it does not publish), count=FILE (append its own
 * counts of what it has handed over), hole, begun=N (counts records that it never writes), garbage,
 * impossible (a dispatch that states impossible losses), huge-code (before announce), code=FILE
 * (before announce), sampler=METHOD, at=OFFSET, samples=N (of one dispatch), lost=N, exit-record,
 * out=TEXT, err=TEXT, drained (wait until probe-run has read everything), wait=FIFO (until another
 * process opens it for writing), close-fds, fork, kill=SIGNAL, kill-parent=SIGNAL, exec (itself,
 * with the words that follow), exit=STATUS.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cmd/fake_app/fake_app.h"

static struct fake_app app;
static uint64_t dispatches;
static uint32_t records = 10, rows = 3;
static unsigned form;

static void memory(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t id = ++dispatches;

		fake_dispatch(&app, id, PROBE_KIND_MEMORY, PROBE_V_SWAPPED);
		fake_counters(&app, id, rows);
		fake_complete(&app, id, rows, 0);
	}
}

static void trace(uint32_t waves)
{
	uint64_t id = ++dispatches;

	fake_dispatch(&app, id, PROBE_KIND_TRACE, PROBE_V_SWAPPED);
	for (uint32_t i = 0; i < waves; i++)
		fake_wave(&app, id, records, form);
	fake_complete(&app, id, 0, 0);
}

/* `trace`, but the waves do not end. */
static void open_trace(uint32_t waves)
{
	uint64_t id = ++dispatches;

	fake_dispatch(&app, id, PROBE_KIND_TRACE, PROBE_V_SWAPPED);
	for (uint32_t i = 0; i < waves; i++) {
		fake_wave(&app, id, records, form);
		fake_unpublished(&app, records);
	}
}

static void count(const char *path)
{
	FILE *file = fopen(path, "a");

	if (!file)
		return;
	fprintf(file, "%llu %llu %llu %llu\n", (unsigned long long)app.host,
		(unsigned long long)app.rows, (unsigned long long)app.traced,
		(unsigned long long)app.unpublished);
	fclose(file);
}

static void begin(uint32_t count)
{
	do
		fake_dispatch(&app, ++dispatches, PROBE_KIND_MEMORY, PROBE_V_SWAPPED);
	while (count-- > 1);
}

/* 8 workgroups of 4 waves: first announced with impossible values, then with valid ones. */
static void stored(uint32_t missing)
{
	uint64_t id = ++dispatches;

	fake_stored_waves(&app, id, 32, 64, 1, 32);
	fake_dispatch(&app, id, PROBE_KIND_TIME, PROBE_V_SWAPPED);
	fake_stored_waves(&app, id + 1, 32, 64, 1, 32);
	fake_stored_waves(&app, id, 32, 64, 2, 32);
	fake_stored_waves(&app, id, 32, 0, 1, 32);
	fake_stored_waves(&app, id, 32, 1u << 31, 1, 32);
	fake_stored_waves(&app, id, 32, 48 + 16 * 5, 5, 64);
	fake_stored_waves(&app, id, 31, 64, 1, 32);
	fake_stored_waves(&app, id, 32, 64, 1, 31);
	fake_stored_waves(&app, id, 0xffffffff, 64, 1, 32);
	fake_stored_waves(&app, id, 32, 64, 1, 32);
	fake_complete(&app, id, 0, missing);
	fake_stored_waves(&app, id, 32, 64, 1, 32);
	id = ++dispatches;
	fake_dispatch(&app, id, PROBE_KIND_MEMORY, PROBE_V_SWAPPED);
	fake_stored_waves(&app, id, 32, 64, 1, 32);
	fake_complete(&app, id, 0, 0);
}

static uint32_t method;

static void sampled(uint32_t count)
{
	uint64_t id = ++dispatches;

	fake_dispatch(&app, id, PROBE_KIND_NONE, PROBE_V_OFF);
	fake_complete(&app, id, 0, 0);
	fake_samples(&app, id, method, count);
}

static void refused(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t id = ++dispatches;

		fake_dispatch(&app, id, PROBE_KIND_NONE, PROBE_V_NO_CLONE);
		fake_complete(&app, id, 0, 0);
	}
}

/*
 * A record that was reserved, with its size written, but never completed: as if a thread was killed
 * in between.
 */
static void hole(void)
{
	uint64_t head = __atomic_fetch_add(&app.seg.ring->head, 64, __ATOMIC_RELAXED);

	__atomic_fetch_add(&app.seg.ring->emitted, 1, __ATOMIC_RELAXED);
	app.host++;
	*(uint32_t *)(app.seg.data + (head & app.seg.mask)) = 64;
}

/* A dispatch that completes with 2^64 - 1 records lost, and then a valid one. */
static void impossible(void)
{
	uint64_t id = ++dispatches;

	fake_dispatch(&app, id, PROBE_KIND_MEMORY, PROBE_V_SWAPPED);
	fake_counters(&app, id, 3);
	fake_complete(&app, id, 3, UINT64_MAX);
	fake_complete(&app, id, 3, 1ull << 49);
	fake_complete(&app, id, 3, 0);
}

static void garbage(void)
{
	struct iovec part = {"nonsense", 8};

	app.host++;
	probe_segment_put(&app.seg, 4711, &part, 1);
}

static void begun(int64_t count)
{
	__atomic_fetch_add(&app.seg.ring->emitted, (uint64_t)count, __ATOMIC_RELAXED);
	if (count > 0)
		app.host += (uint64_t)count;
}

static void lost(uint32_t count)
{
	__atomic_fetch_add(&app.seg.ring->emitted, count, __ATOMIC_RELAXED);
	__atomic_fetch_add(&app.seg.ring->dropped, count, __ATOMIC_RELAXED);
	app.host += count;
}

/* Also ends if probe-run ends. */
static void drained(void)
{
	pid_t parent = getppid();

	while (getppid() == parent &&
	       __atomic_load_n(&app.seg.ring->tail, __ATOMIC_ACQUIRE) !=
		       __atomic_load_n(&app.seg.ring->head, __ATOMIC_RELAXED))
		sched_yield();
}

static void act_on_process(const char *word, const char *value)
{
	if (!strcmp(word, "drained"))
		drained();
	else if (!strcmp(word, "wait"))
		close(open(value, O_RDONLY));
	else if (!strcmp(word, "out"))
		dprintf(1, "%s", value);
	else if (!strcmp(word, "err"))
		dprintf(2, "%s", value);
	else if (!strcmp(word, "close-fds"))
		close_range(3, ~0u, 0);
	else if (!strcmp(word, "fork") && fork() == 0)
		probe_segment_close(&app.seg);
	else if (!strcmp(word, "kill"))
		raise(atoi(value));
	else if (!strcmp(word, "kill-parent"))
		kill(getppid(), atoi(value));
	else if (!strcmp(word, "exit"))
		_exit(atoi(value));
}

static int act(const char *word, const char *value)
{
	uint32_t number = (uint32_t)strtoul(value, NULL, 0);

	if (!strcmp(word, "connect"))
		return fake_connect(&app, number);
	if (!strcmp(word, "code"))
		return fake_image(&app, value);
	if (!strcmp(word, "at"))
		app.sample_at = number;
	else if (!strcmp(word, "announce"))
		fake_announce(&app, value);
	else if (!strcmp(word, "records"))
		records = number;
	else if (!strcmp(word, "form"))
		form = number;
	else if (!strcmp(word, "memory"))
		memory(number);
	else if (!strcmp(word, "rows"))
		rows = number;
	else if (!strcmp(word, "calls"))
		fake_calls(&app, number);
	else if (!strcmp(word, "trace"))
		trace(number);
	else if (!strcmp(word, "open"))
		open_trace(number);
	else if (!strcmp(word, "count"))
		count(value);
	else if (!strcmp(word, "stored"))
		stored(number);
	else if (!strcmp(word, "refused"))
		refused(number);
	else if (!strcmp(word, "sampler"))
		fake_sampler(&app, method = number);
	else if (!strcmp(word, "samples"))
		sampled(number);
	else if (!strcmp(word, "begin"))
		begin(number);
	else if (!strcmp(word, "hole"))
		hole();
	else if (!strcmp(word, "huge-code"))
		app.load_size = 1ull << 62;
	else if (!strcmp(word, "begun"))
		begun(strtoll(value, NULL, 0));
	else if (!strcmp(word, "impossible"))
		impossible();
	else if (!strcmp(word, "garbage"))
		garbage();
	else if (!strcmp(word, "lost"))
		lost(number);
	else if (!strcmp(word, "exit-record"))
		fake_exit_record(&app, dispatches);
	else
		act_on_process(word, value);
	return 0;
}

/*
 * probe-run preloads the simulated GPU. The address sanitizer otherwise requires to be the first
 * library; the stand-in has no functions that it would intercept.
 */
extern const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		char *equals = strchr(argv[i], '=');
		int err;

		if (!strcmp(argv[i], "exec")) {
			argv[i] = argv[0];
			execv("/proc/self/exe", argv + i);
		}
		if (equals)
			*equals = 0;
		err = act(argv[i], equals ? equals + 1 : "0");
		if (err) {
			dprintf(2, "fake-app: %s: %s\n", argv[i], strerror(-err));
			return 99;
		}
	}
	return 0;
}
