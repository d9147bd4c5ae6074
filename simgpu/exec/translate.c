/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "simgpu/exec/translate.h"

#include "simgpu/exec/timing_trace.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	HOT = 4000,    /* interpreting a block that often costs as much as translating it */
	WAITING = 256, /* requests in the queue; further ones are dropped, and their code stays
			* interpreted */
};

struct request {
	const struct sim_code *code;
	struct sim_inst *ip;
};

/* Until level_init() has read the option, no code counts as hot. */
uint32_t sim_translate_after;

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wanted;
	struct request queue[WAITING];
	unsigned int first, count;
	bool started, failed;
	bool at_once; /* for tests: translate before the code runs, on the thread that runs it */
	sim_jit_translate *translate;
	const char *level;
} jit = {.lock = PTHREAD_MUTEX_INITIALIZER, .wanted = PTHREAD_COND_INITIALIZER};

/*
 * Held while the translator is loaded or working. A child of fork() destroys the translator's
 * namespace including libLLVM when it exits, and has no thread that would release a lock held in
 * it. So a child is created only while no lock in it is held. The wait is bounded, because the
 * forking thread may hold what loading waits for.
 */
static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;
static __thread bool forking;

static void before_fork(void)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 10;
	forking = !pthread_mutex_timedlock(&busy, &end);
}

static void after_fork(void)
{
	if (forking)
		pthread_mutex_unlock(&busy);
}

/*
 * The translator is next to this library or, for test programs, in the library directory of the
 * same tree. It is loaded into a namespace of its own for two reasons. libamd_comgr uses the same
 * libLLVM and destroys its globals when the process ends, perhaps during a translation. And the
 * application's LLVM must not be shared.
 */
static void *library_open(void)
{
	static const char *const places[] = {"", "../lib/probe/sim/"};
	char path[PATH_MAX];
	void *library = NULL;
	Dl_info self;
	char *slash;

	if (!dladdr(&jit, &self) || !self.dli_fname)
		return NULL;
	slash = strrchr(self.dli_fname, '/');
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !library; i++) {
		int length = slash ? (int)(slash - self.dli_fname) + 1 : 0;

		if (snprintf(path, sizeof(path), "%.*s%slibprobe-sim-jit.so", length,
			     self.dli_fname, places[i]) < (int)sizeof(path))
			library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
	}
	return library;
}

/* Under the lock. */
static sim_jit_translate *translator(void)
{
	void *library;

	if (jit.translate || jit.failed)
		return jit.translate;
	pthread_mutex_lock(&busy);
	library = library_open();
	pthread_mutex_unlock(&busy);
	if (library)
		*(void **)&jit.translate = dlsym(library, SIM_JIT_SYMBOL);
	jit.failed = !jit.translate;
	return jit.translate;
}

static bool trace_open(struct sim_wave *w)
{
	return sim_trace_open(w->trace);
}

static void trace_exec(struct sim_wave *w, const struct sim_inst *next)
{
	if (sim_trace_changed(w))
		sim_trace_exec(w, &w->code->timing[next->index], w->trace->runs);
}

static void translate(sim_jit_translate *function, const struct request *request)
{
	struct sim_block *block = calloc(1, sizeof(*block));
	struct sim_jit_job job = {
		.abi = SIM_JIT_ABI,
		.inst_size = sizeof(struct sim_inst),
		.wave_size = sizeof(struct sim_wave),
		.level = jit.level,
		.first = request->ip,
		.base = request->code->inst,
		.end = request->code->inst + SIM_PAGE_DWORDS,
		.trace_open = trace_open,
		.trace_exec = trace_exec,
	};
	int err = -ENOMEM;

	if (block) {
		pthread_mutex_lock(&busy);
		err = function(&job, block);
		pthread_mutex_unlock(&busy);
	}
	if (err) {
		free(block);
		return;
	}
	/* Pairs with the acquire in the run loop. Blocks are never freed, like their pages. */
	atomic_store_explicit(&request->ip->block, block, memory_order_release);
}

static void *work(void *arg)
{
	sim_jit_translate *function;

	(void)arg;
	pthread_mutex_lock(&jit.lock);
	function = translator();
	while (function) {
		struct request request;

		while (!jit.count)
			pthread_cond_wait(&jit.wanted, &jit.lock);
		request = jit.queue[jit.first];
		jit.first = (jit.first + 1) % WAITING;
		jit.count--;
		pthread_mutex_unlock(&jit.lock);
		translate(function, &request);
		pthread_mutex_lock(&jit.lock);
	}
	pthread_mutex_unlock(&jit.lock);
	return NULL;
}

/* Signals belong to the application, so this thread blocks them. Under the lock. */
static void start(void)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;

	jit.started = true;
	pthread_atfork(before_fork, after_fork, after_fork);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	jit.failed = pthread_create(&thread, &attr, work, NULL) != 0;
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!jit.failed)
		pthread_setname_np(thread, "sim-translate");
}

void sim_translate_request(const struct sim_code *code, struct sim_inst *ip)
{
	struct request request = {code, ip};

	pthread_mutex_lock(&jit.lock);
	if (jit.at_once) {
		sim_jit_translate *function = translator();

		if (!function) {
			fprintf(stderr, "probe-sim: no libprobe-sim-jit.so: %s\n", dlerror());
			abort();
		}
		translate(function, &request);
	} else {
		if (!jit.started)
			start();
		if (!jit.failed && jit.count < WAITING) {
			jit.queue[(jit.first + jit.count) % WAITING] = request;
			jit.count++;
			pthread_cond_signal(&jit.wanted);
		}
	}
	pthread_mutex_unlock(&jit.lock);
}

/*
 * PROBE_SIM_JIT: 1 translates hot code, 0 nothing, 2 everything before it runs (for tests: a
 * missing translator is then an error). Called once, before any code is decoded.
 */
void sim_translate_init(const char *level)
{
	const char *text = getenv("PROBE_SIM_JIT");

	jit.level = level;
	jit.at_once = text && !strcmp(text, "2");
	if (text && *text && strcmp(text, "0") && strcmp(text, "1") && !jit.at_once)
		fprintf(stderr,
			"probe-sim: invalid value '%s' for PROBE_SIM_JIT; expected 0, 1 or 2; "
			"using 1\n",
			text);
	if (text && !strcmp(text, "0"))
		sim_translate_after = 0;
	else
		sim_translate_after = jit.at_once ? 1 : HOT;
}
