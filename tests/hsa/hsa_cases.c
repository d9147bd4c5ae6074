/* SPDX-License-Identifier: MIT */
/*
 * hsa_cases CODE_OBJECT CASE...: its output must be the same with and without the tool.
 */
#include "tests/hsa/hsa_app.h"
#include "tests/hsa/newer_runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct app app;

struct stamp_args {
	uint32_t *out;
	uint32_t index;
};

static void check_stamps(const uint32_t *out, uint32_t count)
{
	for (uint32_t i = 0; i < count * 64; i++)
		EXPECT(out[i] == i / 64 * 3 + i % 64);
}

/* Many more dispatches than any ring holds, no completion signals. */
static void burst(uint32_t size, hsa_queue_type32_t type, uint32_t count)
{
	struct app_kernel kernel = app_kernel(&app, "stamp");
	hsa_queue_t *queue = app_queue(&app, size, type);
	uint32_t *out = app_memory(&app, (size_t)count * 256);

	printf("burst %u of %u: ring %u\n", count, size, queue->size);
	for (uint32_t i = 0; i < count; i++) {
		struct stamp_args args = {out, i};

		app_dispatch(&app, queue,
			     &(struct app_launch){&kernel, &args, sizeof(args), 64, 64, 0, {0}, 0});
	}
	app_finish(queue);
	check_stamps(out, count);
	HSA(hsa_queue_destroy(queue));
}

static int refused(uint32_t size)
{
	hsa_queue_t *queue;
	hsa_status_t status = hsa_queue_create(app.gpu, size, HSA_QUEUE_TYPE_MULTI, NULL, NULL,
					       UINT32_MAX, UINT32_MAX, &queue);

	if (!status)
		HSA(hsa_queue_destroy(queue));
	else
		printf("ring of %u: status %d\n", size, status);
	return status != HSA_STATUS_SUCCESS;
}

static void case_burst(void)
{
	static const uint32_t sizes[] = {2, 4, 16, 64, 256, 1024};

	/* ROCr rejects, or rounds up, sizes below its minimum; so must the tool. */
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!refused(sizes[i]))
			burst(sizes[i], i % 2 ? HSA_QUEUE_TYPE_SINGLE : HSA_QUEUE_TYPE_MULTI, 2000);
	burst(64, HSA_QUEUE_TYPE_MULTI, 10000);
}

static hsa_signal_t signal_of(hsa_signal_value_t value)
{
	hsa_signal_t signal;

	HSA(hsa_signal_create(value, 0, NULL, &signal));
	return signal;
}

static void wait_for(hsa_signal_t signal)
{
	EXPECT(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
					 HSA_WAIT_STATE_BLOCKED) == 0);
}

/* Own signals: each counts down by exactly one, has plausible times, in order on one queue. */
static void case_signals(void)
{
	enum { COUNT = 300 };
	struct app_kernel kernel = app_kernel(&app, "stamp");
	hsa_queue_t *queue = app_queue(&app, 128, HSA_QUEUE_TYPE_MULTI);
	uint32_t *out = app_memory(&app, COUNT * 256);
	hsa_signal_t signals[COUNT], shared = signal_of(COUNT);
	const char *model = getenv("PROBE_SIM_MODEL");
	bool host_time = model && !strcmp(model, "0");
	uint64_t before, after, last = 0;

	HSA(hsa_amd_profiling_set_profiler_enabled(queue, 1));
	HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
	for (uint32_t i = 0; i < COUNT; i++) {
		struct stamp_args args = {out, i};

		signals[i] = signal_of(1);
		app_dispatch(&app, queue,
			     &(struct app_launch){&kernel, &args, sizeof(args), 64, 64, 0,
						  signals[i], 0});
		app_dispatch(
			&app, queue,
			&(struct app_launch){&kernel, &args, sizeof(args), 64, 64, 0, shared, 0});
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		hsa_amd_profiling_dispatch_time_t time;

		wait_for(signals[i]);
		HSA(hsa_amd_profiling_get_dispatch_time(app.gpu, signals[i], &time));
		HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
		EXPECT(time.start && time.start < time.end && time.start >= last);
		/* Simulated time begins with the process and is independent of the host. */
		if (host_time)
			EXPECT(time.start >= before && time.end <= after);
		last = time.end;
		EXPECT(hsa_signal_load_relaxed(signals[i]) == 0);
		HSA(hsa_signal_destroy(signals[i]));
	}
	wait_for(shared);
	check_stamps(out, COUNT);
	HSA(hsa_signal_destroy(shared));
	HSA(hsa_queue_destroy(queue));
	printf("signals: %d\n", COUNT);
}

struct producer {
	pthread_t thread;
	hsa_queue_t *queue;
	uint32_t *out;
	uint32_t first, count;
};

static void *produce(void *arg)
{
	struct producer *producer = arg;
	struct app_kernel kernel = app_kernel(&app, "stamp");
	hsa_signal_t signal = signal_of((hsa_signal_value_t)producer->count);

	for (uint32_t i = 0; i < producer->count; i++) {
		struct stamp_args args = {producer->out, producer->first + i};

		app_dispatch(&app, producer->queue,
			     &(struct app_launch){&kernel, &args, sizeof(args), 64, 64, 0, signal,
						  i % 2});
	}
	wait_for(signal);
	HSA(hsa_signal_destroy(signal));
	return NULL;
}

/* Several threads on one queue, and several queues at once. */
static void case_threads(void)
{
	enum { QUEUES = 3, THREADS = 3, EACH = 400 };
	uint32_t *out = app_memory(&app, QUEUES * THREADS * EACH * 256);
	struct producer producers[QUEUES * THREADS];
	hsa_queue_t *queues[QUEUES];

	for (uint32_t i = 0; i < QUEUES; i++)
		queues[i] = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);
	for (uint32_t i = 0; i < QUEUES * THREADS; i++) {
		producers[i] = (struct producer){0, queues[i % QUEUES], out, i * EACH, EACH};
		EXPECT(!pthread_create(&producers[i].thread, NULL, produce, &producers[i]));
	}
	for (uint32_t i = 0; i < QUEUES * THREADS; i++)
		pthread_join(producers[i].thread, NULL);
	check_stamps(out, QUEUES * THREADS * EACH);
	for (uint32_t i = 0; i < QUEUES; i++)
		HSA(hsa_queue_destroy(queues[i]));
	printf("threads: %d\n", QUEUES * THREADS * EACH);
}

/* A kernel that waits for another on the other queue, and for the host. */
static void case_gate(void)
{
	struct app_kernel gate = app_kernel(&app, "gate"), stamp = app_kernel(&app, "stamp");
	hsa_queue_t *held = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);
	hsa_queue_t *free_one = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);
	uint32_t *words = app_memory(&app, 4096), *out = app_memory(&app, 64 * 256);
	struct {
		volatile uint32_t *open;
		uint32_t *out;
	} args = {words, words + 64};

	app_dispatch(&app, held,
		     &(struct app_launch){&gate, &args, sizeof(args), 64, 64, 0, {0}, 0});
	for (uint32_t i = 0; i < 60; i++) {
		struct stamp_args later = {out, i};

		app_dispatch(
			&app, held,
			&(struct app_launch){&stamp, &later, sizeof(later), 64, 64, 0, {0}, 0});
	}
	for (uint32_t i = 60; i < 64; i++) {
		struct stamp_args other = {out, i};

		app_dispatch(
			&app, free_one,
			&(struct app_launch){&stamp, &other, sizeof(other), 64, 64, 0, {0}, 0});
	}
	app_finish(free_one);
	EXPECT(out[60 * 64 + 5] == 185 && out[5] == 0);
	__atomic_store_n(words, 77, __ATOMIC_RELEASE);
	app_finish(held);
	check_stamps(out, 64);
	EXPECT(words[64 + 63] == 77);
	HSA(hsa_queue_destroy(held));
	HSA(hsa_queue_destroy(free_one));
	printf("gate: open\n");
}

static void case_odd(void)
{
	struct __attribute__((packed, aligned(8))) {
		uint8_t a, pad0;
		uint16_t b;
		uint32_t pad1;
		uint64_t *out;
		uint8_t c[13];
		uint8_t d, pad2[2];
		float e;
		uint32_t f;
	} args = {.a = 0xab,
		  .b = 0x1234,
		  .c = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13},
		  .d = 0xcd,
		  .e = 1000,
		  .f = 5};
	struct app_kernel kernel = app_kernel(&app, "oddly");
	hsa_queue_t *queue = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);
	uint64_t sum = 0;

	args.out = app_memory(&app, 256 * 8);
	app_dispatch(&app, queue,
		     &(struct app_launch){&kernel, &args, sizeof(args), 200, 64, 0, {0}, 0});
	app_finish(queue);
	/* In the last workgroup blockDim is 8, so that it writes 24..31, as the first one does. */
	for (int i = 32; i < 256; i++)
		sum = sum * 31 + args.out[i];
	printf("odd: %016llx %016llx\n", (unsigned long long)args.out[7], (unsigned long long)sum);
	HSA(hsa_queue_destroy(queue));
}

static void case_lds(void)
{
	static const uint32_t sizes[] = {0, 1, 64, 1000, 15000};
	struct app_kernel kernel = app_kernel(&app, "dynamic");
	hsa_queue_t *queue = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		struct {
			uint32_t *out;
			uint32_t n;
		} args = {app_memory(&app, 65536), sizes[k]};

		app_dispatch(&app, queue,
			     &(struct app_launch){
				     &kernel, &args, sizeof(args), 64, 64, sizes[k] * 4, {0}, 0});
		app_finish(queue);
		for (uint32_t i = 0; i < sizes[k]; i++)
			EXPECT(args.out[i] == ((sizes[k] - 1 - i) ^ 0x55) + i % 64 * 5);
	}
	HSA(hsa_queue_destroy(queue));
	printf("lds: ok\n");
}

/* The clone must work on the application's own variables. */
static void case_globals(void)
{
	struct app_kernel kernel = app_kernel(&app, "globals");
	hsa_queue_t *queue = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);
	uint32_t *out = app_memory(&app, 256);

	for (int i = 0; i < 3; i++) {
		app_dispatch(&app, queue,
			     &(struct app_launch){&kernel, &out, sizeof(out), 64, 64, 0, {0}, 0});
		app_finish(queue);
		printf("globals: %u\n", out[9]);
	}
	HSA(hsa_queue_destroy(queue));
}

/* A child that never touches the GPU, and one that becomes another program. */
static void case_fork(void)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		printf("child\n");
		exit(7);
	}
	EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
	child = fork();
	if (child == 0) {
		execl("/bin/echo", "echo", "executed", NULL);
		_exit(1);
	}
	EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 0);
	case_globals();
}

/* ---- Forks while threads dispatch ------------------------------------------------------------ */

static bool forks_end;

struct streamer {
	pthread_t thread;
	uint32_t *out;
	uint64_t count;
};

static void *stream(void *arg)
{
	enum { EACH = 64 };
	struct streamer *streamer = arg;
	struct app_kernel kernel = app_kernel(&app, "stamp");
	hsa_queue_t *queue = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);

	while (streamer->count < EACH || !__atomic_load_n(&forks_end, __ATOMIC_RELAXED)) {
		struct stamp_args args = {streamer->out, (uint32_t)(streamer->count++ % EACH)};

		app_dispatch(&app, queue,
			     &(struct app_launch){&kernel, &args, sizeof(args), 64, 64, 0, {0}, 0});
	}
	app_finish(queue);
	check_stamps(streamer->out, EACH);
	HSA(hsa_queue_destroy(queue));
	return NULL;
}

/* A child of its own kind each time; it ends at once. */
static pid_t start_child(int kind)
{
	char *const argv[] = {"true", NULL};
	char *const environment[] = {NULL};
	pid_t child = -1;

	switch (kind) {
	case 0:
		child = fork();
		break;
	case 1:
		child = vfork();
		if (!child)
			execve("/bin/true", argv, environment);
		break;
	case 2:
		EXPECT(!posix_spawn(&child, "/bin/true", NULL, NULL, argv, environment));
		break;
	case 3:
		child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
		break;
	default:
		/* A daemon, whose parent ends at once. */
		child = fork();
		if (!child) {
			setsid();
			fork();
		}
	}
	if (!child)
		_exit(0);
	return child;
}

static void case_forks(void)
{
	enum { THREADS = 4, KINDS = 5 };
	const char *text = getenv("HSA_CASES_FORKS");
	int status, count = text ? atoi(text) : 100;
	struct streamer streamers[THREADS];
	uint64_t dispatches = 0;

	for (int i = 0; i < THREADS; i++) {
		streamers[i] = (struct streamer){.out = app_memory(&app, 64 * 256)};
		EXPECT(!pthread_create(&streamers[i].thread, NULL, stream, &streamers[i]));
	}
	for (int i = 0; i < count; i++) {
		pid_t child = start_child(i % KINDS);

		EXPECT(child > 0 && waitpid(child, &status, 0) == child && !status);
	}
	__atomic_store_n(&forks_end, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(streamers[i].thread, NULL);
		dispatches += streamers[i].count;
	}
	printf("forks: %d\n", count);
	fprintf(stderr, "own count: %llu dispatches\n", (unsigned long long)dispatches);
}

static void case_again(void)
{
	char *path = getenv("HSA_CASES_CODE");

	HSA(hsa_executable_destroy(app.executable));
	HSA(hsa_shut_down());
	memset(&app, 0, sizeof(app));
	app_start_again(&app, path);
	printf("again\n");
}

static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void *ret)
{
	bool allowed = false;
	hsa_amd_segment_t segment;

	HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
	HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
					 &allowed));
	if (segment != HSA_AMD_SEGMENT_GLOBAL || !allowed)
		return HSA_STATUS_SUCCESS;
	*(hsa_amd_memory_pool_t *)ret = pool;
	return HSA_STATUS_INFO_BREAK;
}

/*
 * Writes 16 KiB past the end of an allocation, which is harmless while no other allocation is
 * there. ROCr places the next small allocation of the process directly after it.
 */
static void case_overrun(void)
{
	struct app_kernel kernel = app_kernel(&app, "stamp");
	hsa_amd_memory_pool_t pool = {0};
	hsa_queue_t *queue;
	struct stamp_args args = {0};

	EXPECT(hsa_amd_agent_iterate_memory_pools(app.gpu, take_pool, &pool) ==
	       HSA_STATUS_INFO_BREAK);
	HSA(hsa_amd_memory_pool_allocate(pool, 4096, 0, (void **)&args.out));
	queue = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);
	for (; args.index < 80; args.index++)
		app_dispatch(&app, queue,
			     &(struct app_launch){&kernel, &args, sizeof(args), 64, 64, 0, {0}, 0});
	app_finish(queue);
	HSA(hsa_queue_destroy(queue));
	printf("overrun\n");
}

/* Ends with work in flight and with nothing destroyed. */
static void case_leave(void)
{
	struct app_kernel kernel = app_kernel(&app, "stamp");
	hsa_queue_t *queue = app_queue(&app, 256, HSA_QUEUE_TYPE_MULTI);
	uint32_t *out = app_memory(&app, 100 * 256);

	for (uint32_t i = 0; i < 100; i++) {
		struct stamp_args args = {out, i};

		app_dispatch(&app, queue,
			     &(struct app_launch){&kernel, &args, sizeof(args), 64, 64, 0, {0}, 0});
	}
	printf("leave\n");
	exit(0);
}

/* ---- Queues of runtimes after 7.2 (newer_runtime.c) -------------------------------------------
 */

static void *newer(const char *name)
{
	void *runtime = dlopen(getenv("NEWER_RUNTIME"), RTLD_NOW | RTLD_NOLOAD);

	EXPECT(runtime);
	return dlsym(runtime, name);
}

/* Dispatches on the queue; the kernels' results are those of the first `count` stamps. */
static void stamp_on(hsa_queue_t *queue, uint32_t count)
{
	struct app_kernel kernel = app_kernel(&app, "stamp");
	uint32_t *out = app_memory(&app, (size_t)count * 256);

	for (uint32_t i = 0; i < count; i++) {
		struct stamp_args args = {out, i};

		app_dispatch(&app, queue,
			     &(struct app_launch){&kernel, &args, sizeof(args), 64, 64, 0, {0}, 0});
	}
	app_finish(queue);
	check_stamps(out, count);
}

static void case_described(void)
{
	newer_queue_create_fn *create = (newer_queue_create_fn *)newer("newer_queue_create");
	const uint32_t mask[4] = {0xff, 0, 0, 0};
	struct newer_descriptor d[3] = {
		{.version = 1,
		 .queue_size_bytes = 64 * 64,
		 .priority = HSA_AMD_QUEUE_PRIORITY_HIGH,
		 .compute = {.cu_mask = mask,
			     .private_segment_size = UINT32_MAX,
			     .cu_mask_count = 128}},
		{.version = 1, .engine_type = 1, .queue_size_bytes = 4096},
		{.version = 1,
		 .flags = 1,
		 .queue_size_bytes = 256 * 64,
		 .priority = HSA_AMD_QUEUE_PRIORITY_NORMAL,
		 .compute = {.type = HSA_QUEUE_TYPE_SINGLE, .private_segment_size = UINT32_MAX}},
	};

	printf("described: status %d\n", create(app.gpu, d, 3));
	for (int i = 0; i < 3; i++) {
		printf("queue %d: %u packets, type %u\n", i, d[i].queue ? d[i].queue->size : 0,
		       d[i].queue ? d[i].queue->type : 0);
		if (!d[i].queue)
			continue;
		stamp_on(d[i].queue, 600);
		HSA(hsa_queue_destroy(d[i].queue));
	}
	d[0].priority = (hsa_amd_queue_priority_t)7;
	d[2].version = 2;
	printf("wrong priority: status %d\n", create(app.gpu, d, 1));
	printf("wrong version: status %d\n", create(app.gpu, d + 2, 1));
	printf("nothing: status %d\n", create(app.gpu, NULL, 0));
	fprintf(stderr, "own count: 1200 dispatches\n");
}

static void case_counted(void)
{
	newer_counted_acquire_fn *acquire =
		(newer_counted_acquire_fn *)newer("newer_counted_acquire");
	newer_counted_release_fn *give_back =
		(newer_counted_release_fn *)newer("newer_counted_release");
	hsa_queue_t *queues[6] = {NULL};

	for (uint32_t i = 0; i < 6; i++) {
		HSA(acquire(app.gpu, HSA_QUEUE_TYPE_MULTI, i % 3, NULL, NULL, 0, &queues[i]));
		for (uint32_t k = 0; k < i; k++)
			EXPECT(queues[k] != queues[i]);
	}
	for (uint32_t i = 0; i < 6; i++)
		stamp_on(queues[i], 50);
	for (uint32_t i = 0; i < 6; i++)
		HSA(give_back(queues[i]));
	printf("cooperative: status %d\n",
	       acquire(app.gpu, HSA_QUEUE_TYPE_COOPERATIVE, 1, NULL, NULL, 0, queues));
	printf("wrong priority: status %d\n",
	       acquire(app.gpu, HSA_QUEUE_TYPE_MULTI, 9, NULL, NULL, 0, queues));
	printf("no queue: status %d\n", give_back(NULL));
	fprintf(stderr, "own count: 300 dispatches\n");
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"burst", case_burst},	       {"signals", case_signals}, {"threads", case_threads},
	{"gate", case_gate},	       {"odd", case_odd},	  {"lds", case_lds},
	{"globals", case_globals},     {"fork", case_fork},	  {"again", case_again},
	{"leave", case_leave},	       {"overrun", case_overrun}, {"forks", case_forks},
	{"described", case_described}, {"counted", case_counted},
};

int main(int argc, char **argv)
{
	EXPECT(argc > 2);
	setenv("HSA_CASES_CODE", argv[1], 1);
	app_start(&app, argv[1]);
	for (int i = 2; i < argc; i++) {
		size_t k = 0;

		while (k < sizeof(cases) / sizeof(cases[0]) && strcmp(cases[k].name, argv[i]))
			k++;
		EXPECT(k < sizeof(cases) / sizeof(cases[0]));
		cases[k].run();
	}
	HSA(hsa_shut_down());
	return 0;
}
