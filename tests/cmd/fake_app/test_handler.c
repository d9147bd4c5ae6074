/* SPDX-License-Identifier: MIT */
/*
 * Handler for tests. It counts accesses, lanes and counter rows, checks the guarantees of
 * handler.h, and fails on request (fail=open|begin|batch|end|close) or breaks its process in
 * batch() (fail=crash|exit|overrun|eat|hang|fork), or kills the recorder there (fail=kill), or
 * stops it in open() (fail=stop-open), once in batch() (fail=stop), or again and again
 * (fail=stops), or writes rows or messages without end (fail=rows|logs), or more rows than its
 * buffer holds before it crashes or exits (fail=rows-crash|rows-exit), or three rows in open()
 * (fail=rows-open). As soon as it is loaded, it does what TEST_HANDLER_LOADS says: exit, crash or
 * print.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <probe/handler.h>

struct state {
	const struct probe_host *host;
	const char *fail;
	bool quick; /* quick=1: only count, to measure the delivery */
	int table;
	int64_t begun, ended, accesses, lanes, rows, executions, bad;
	uint64_t sum;
	bool run, run_ended;
};

__attribute__((constructor)) static void loaded(void)
{
	const char *what = getenv("TEST_HANDLER_LOADS");

	if (what && !strcmp(what, "exit"))
		exit(0);
	if (what && !strcmp(what, "crash"))
		abort();
	if (what && !strcmp(what, "print")) {
		puts("loaded");
		fflush(stdout);
	}
}

static bool asked(const struct state *state, const char *where)
{
	return state->fail && !strcmp(state->fail, where);
}

static void write_rows(const struct state *state, int64_t count)
{
	const union probe_value values[9] = {{0}};

	for (int64_t i = 0; i < count; i++)
		state->host->row(state->host->ctx, state->table, values, 9);
}

static int count_open(const struct probe_host *host, void **ret)
{
	static const struct probe_column columns[] = {
		{"begun", PROBE_TYPE_INTEGER},	   {"ended", PROBE_TYPE_INTEGER},
		{"accesses", PROBE_TYPE_INTEGER},  {"lanes", PROBE_TYPE_INTEGER},
		{"rows", PROBE_TYPE_INTEGER},	   {"executions", PROBE_TYPE_INTEGER},
		{"bad", PROBE_TYPE_INTEGER},	   {"address_sum", PROBE_TYPE_INTEGER},
		{"first_source", PROBE_TYPE_TEXT},
	};
	struct state *state = calloc(1, sizeof(*state));

	if (!state)
		return -ENOMEM;
	state->host = host;
	state->fail = host->arg(host->ctx, "fail");
	state->quick = host->arg(host->ctx, "quick") != NULL;
	state->table = host->table(host->ctx, "total", columns, sizeof(columns) / sizeof(*columns));
	if (state->table < 0 || asked(state, "open")) {
		free(state);
		return -EPERM;
	}
	if (asked(state, "rows-open"))
		write_rows(state, 3);
	if (asked(state, "stop-open"))
		kill(getppid(), SIGSTOP);
	*ret = state;
	return 0;
}

static int count_begin(void *user, const struct probe_dispatch_info *dispatch)
{
	struct state *state = user;

	state->begun++;
	state->bad += !state->run || state->run_ended;
	state->bad += dispatch->size != sizeof(*dispatch) || strcmp(dispatch->arch, "gfx90a") ||
		      strcmp(dispatch->kernel, "copy(float*)") || dispatch->wave_size != 64;
	return asked(state, "begin") ? -EINVAL : 0;
}

static void count_access(struct state *state, const struct probe_access *access)
{
	uint64_t addresses[64];
	unsigned n = probe_access_expand(access, addresses);

	state->accesses++;
	state->lanes += n;
	for (unsigned i = 0; i < n; i++)
		state->sum += addresses[i];
	state->bad += n != access->lanes || !access->wave || access->site > 2;
}

/* Writes beyond its end until the process dies; a sanitizer must not detect it earlier. */
__attribute__((no_sanitize_address)) static void overrun(struct state *state)
{
	volatile char *byte = (volatile char *)state;

	for (size_t i = 0; i < (size_t)1 << 40; i++)
		byte[i] = 0x5a;
}

/* Takes all memory there is, and like most programs does not expect the end of it. */
static void eat(void)
{
	const size_t size = 1 << 20;

	for (;;) {
		void *more = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);

		if (more == MAP_FAILED)
			abort();
		memset(more, 1, size);
	}
}

static void misbehave_in_output(const struct state *state)
{
	const struct probe_host *host = state->host;

	if (asked(state, "rows"))
		write_rows(state, INT64_MAX);
	while (asked(state, "logs"))
		host->log(host->ctx, PROBE_LOG_INFO, "%s", "again");
	if (!asked(state, "rows-crash") && !asked(state, "rows-exit"))
		return;
	write_rows(state, 10000);
	host->log(host->ctx, PROBE_LOG_INFO, "%s", "rows are written");
	if (asked(state, "rows-exit"))
		exit(0);
	abort();
}

static int count_batch(void *user, const struct probe_batch *batch)
{
	struct state *state = user;

	if (asked(state, "crash"))
		abort();
	if (asked(state, "exit"))
		exit(42);
	if (asked(state, "fork") && !fork())
		for (;;)
			pause();
	if (asked(state, "fork"))
		abort();
	if (asked(state, "forks"))
		(void)!fork(); /* both return */
	if (asked(state, "kill"))
		kill(getppid(), SIGKILL);
	if (asked(state, "stop"))
		kill(getppid(), SIGSTOP);
	while (asked(state, "stops"))
		kill(getppid(), SIGSTOP);
	if (asked(state, "overrun"))
		overrun(state);
	if (asked(state, "eat"))
		eat();
	while (asked(state, "hang"))
		;
	misbehave_in_output(state);
	if (state->quick) {
		for (size_t i = 0; i < batch->count; i++)
			state->lanes += batch->access[i].lanes;
		state->accesses += (int64_t)batch->count;
	} else if (batch->stream == PROBE_STREAM_ACCESS) {
		for (size_t i = 0; i < batch->count; i++)
			count_access(state, &batch->access[i]);
	} else {
		state->rows += (int64_t)batch->count;
		for (size_t i = 0; i < batch->count; i++)
			state->executions += (int64_t)batch->counters[i].value[PROBE_C_EXECUTIONS];
	}
	state->bad += state->ended >= state->begun; /* the dispatch has begun and has not ended */
	return asked(state, "batch") ? -EINVAL : 0;
}

static int count_end(void *user, const struct probe_dispatch_info *dispatch)
{
	struct state *state = user;

	state->ended++;
	state->bad += dispatch->end_ns < dispatch->start_ns;
	return asked(state, "end") ? -EINVAL : 0;
}

static int count_run_begin(void *user, const struct probe_run_info *run)
{
	struct state *state = user;

	state->bad += state->run || state->begun || run->size != sizeof(*run) || !*run->command ||
		      !run->pid || run->flags & PROBE_RUN_REPLAY;
	state->run = true;
	return asked(state, "run_begin") ? -EINVAL : 0;
}

static int count_run_end(void *user, const struct probe_run_info *run)
{
	struct state *state = user;

	state->bad += !state->run || state->run_ended || !*run->command;
	state->run_ended = true;
	return asked(state, "run_end") ? -EINVAL : 0;
}

static int count_close(void *user)
{
	struct state *state = user;
	const struct probe_host *host = state->host;
	const struct probe_site_info *site = host->site(host->ctx, 1, 2);
	union probe_value values[] = {
		{.integer = state->begun},
		{.integer = state->ended},
		{.integer = state->accesses},
		{.integer = state->lanes},
		{.integer = state->rows},
		{.integer = state->executions},
		{.integer = state->bad},
		{.integer = (int64_t)state->sum},
		{.text = site ? site->function : NULL},
	};
	int err;

	if (state->run && !state->run_ended && !state->fail)
		values[6].integer++;
	err = host->row(host->ctx, state->table, values, sizeof(values) / sizeof(*values));

	if (asked(state, "close"))
		err = -EINVAL;
	host->log(host->ctx, PROBE_LOG_INFO, "%d sites", (int)host->site_count(host->ctx, 1));
	free(state);
	return err;
}

#ifndef TEST_ABI
#define TEST_ABI PROBE_HANDLER_ABI
#endif
/* The same under a name that probe-run does not look for: a library that is no handler. */
#ifdef TEST_NO_SYMBOL
#define HANDLER static const struct probe_handler __attribute__((used)) hidden
#else
#define HANDLER PROBE_HANDLER struct probe_handler probe_handler
#endif

HANDLER = {
	.size = sizeof(struct probe_handler),
	.abi = TEST_ABI,
	.name = "count",
	.summary = "totals of everything, for tests",
	.streams = PROBE_STREAM_COUNTERS | PROBE_STREAM_ACCESS,
	.open = count_open,
	.dispatch_begin = count_begin,
	.batch = count_batch,
	.dispatch_end = count_end,
	.close = count_close,
	.run_begin = count_run_begin,
	.run_end = count_run_end,
};
