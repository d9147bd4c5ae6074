/* SPDX-License-Identifier: MIT */
/*
 * hsa_hard CODE_OBJECT CASE: stress tests of queues, signals, loading and process exit. Exit status
 * 0 if all succeeded; the "leave" cases end as their name says.
 */
#include "tests/hsa/hsa_app.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct app app;
static const char *code_path;

struct stamp_args {
	uint32_t *out;
	uint32_t index;
};

struct pass_args {
	volatile uint32_t *from, *to, *started;
};

static void dispatch(hsa_queue_t *queue, const char *name, const void *args, uint32_t size,
		     hsa_signal_t signal)
{
	struct app_kernel kernel = app_kernel(&app, name);

	app_dispatch(&app, queue, &(struct app_launch){&kernel, args, size, 64, 64, 0, signal, 0});
}

static void run_stamp(hsa_queue_t *queue, uint32_t *out, uint32_t index)
{
	struct stamp_args args = {out, index};

	dispatch(queue, "stamp", &args, sizeof(args), (hsa_signal_t){0});
	app_finish(queue);
	for (uint32_t i = 0; i < 64; i++)
		EXPECT(out[index * 64 + i] == index * 3 + i);
}

static long resident_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	EXPECT(file && fscanf(file, "%*d %ld", &pages) == 1);
	fclose(file);
	return pages * 4;
}

static void wait_until_started(volatile uint32_t *started)
{
	while (!__atomic_load_n(started, __ATOMIC_ACQUIRE))
		sched_yield();
}

/* 64 kernels on 64 queues, each waiting for the next queue's; the host starts the last one. */
static void case_queues(void)
{
	enum { COUNT = 64 };
	volatile uint32_t *flags = app_memory(&app, (COUNT + 1) * 64 * 4);
	volatile uint32_t *started = app_memory(&app, COUNT * 64 * 4);
	hsa_queue_t *queues[COUNT];

	for (int i = 0; i < COUNT; i++) {
		struct pass_args args = {&flags[(i + 1) * 64], &flags[i * 64], &started[i * 64]};

		queues[i] = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);
		dispatch(queues[i], "pass_on", &args, sizeof(args), (hsa_signal_t){0});
	}
	for (int i = 0; i < COUNT; i++)
		wait_until_started(&started[i * 64]);
	EXPECT(!flags[0]);
	__atomic_store_n(&flags[COUNT * 64], 1, __ATOMIC_RELEASE);
	for (int i = 0; i < COUNT; i++)
		app_finish(queues[i]);
	EXPECT(flags[0] == COUNT + 1);
	for (int i = 0; i < COUNT; i++)
		HSA(hsa_queue_destroy(queues[i]));
}

/* One signal, counted down by 40 kernels; as many threads each wait for another value of it. */
enum { WAITERS = 40 };
static hsa_signal_t shared;

static void *wait_below(void *arg)
{
	hsa_signal_value_t below = (hsa_signal_value_t)(uintptr_t)arg;
	hsa_signal_value_t got = hsa_signal_wait_scacquire(
		shared, HSA_SIGNAL_CONDITION_LT, below, UINT64_MAX,
		below % 8 ? HSA_WAIT_STATE_BLOCKED : HSA_WAIT_STATE_ACTIVE);

	EXPECT(got < below);
	return NULL;
}

static void case_waiters(void)
{
	hsa_queue_t *queue = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);
	uint32_t *out = app_memory(&app, WAITERS * 256);
	pthread_t threads[WAITERS];

	HSA(hsa_signal_create(WAITERS, 0, NULL, &shared));
	for (uintptr_t i = 0; i < WAITERS; i++)
		EXPECT(!pthread_create(&threads[i], NULL, wait_below, (void *)(i + 1)));
	for (uint32_t i = 0; i < WAITERS; i++) {
		struct stamp_args args = {out, i};

		dispatch(queue, "stamp", &args, sizeof(args), shared);
	}
	for (int i = 0; i < WAITERS; i++)
		EXPECT(!pthread_join(threads[i], NULL));
	EXPECT(hsa_signal_load_scacquire(shared) == 0);
	HSA(hsa_signal_destroy(shared));
	HSA(hsa_queue_destroy(queue));
}

static void unload(void)
{
	HSA(hsa_executable_destroy(app.executable));
	HSA(hsa_shut_down());
}

/* The same code object loaded, run and unloaded: code at used addresses, nothing left behind. */
static void case_loads(void)
{
	enum { LOADS = 300 };
	hsa_queue_t *queue = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);
	uint32_t *out = app_memory(&app, LOADS * 256);
	long before = 0;

	for (uint32_t i = 0; i < LOADS; i++) {
		struct app first = app;

		if (i == LOADS / 3)
			before = resident_kib();
		app_start(&app, code_path); /* counts the runtime up */
		run_stamp(queue, out, i);
		unload();
		app = first;
	}
	EXPECT(resident_kib() < before + 16 * 1024);
	HSA(hsa_queue_destroy(queue));
}

/* What app_dispatch() keeps belongs to the thread, and goes with it. */
static void *life(void *unused)
{
	hsa_queue_t *queue;

	(void)unused;
	memset(&app, 0, sizeof(app));
	app_start_again(&app, code_path);
	queue = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);
	run_stamp(queue, app_memory(&app, 256), 0);
	HSA(hsa_queue_destroy(queue));
	unload();
	return NULL;
}

static void case_lives(void)
{
	pthread_t thread;

	unload();
	for (int i = 0; i < 10; i++)
		EXPECT(!pthread_create(&thread, NULL, life, NULL) && !pthread_join(thread, NULL));
	app_start(&app, code_path);
}

/* Device memory to the end, and again after it was given back. */
static hsa_status_t see_device_pool(hsa_amd_memory_pool_t pool, void *data)
{
	hsa_amd_segment_t segment;

	HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
	if (segment == HSA_AMD_SEGMENT_GLOBAL)
		*(hsa_amd_memory_pool_t *)data = pool;
	return HSA_STATUS_SUCCESS;
}

static void case_memory(void)
{
	enum { PIECES = 200 };
	const size_t piece = (size_t)1 << 30;
	hsa_amd_memory_pool_t pool = {0};
	void *pieces[PIECES], *too_much;
	int count[2] = {0, 0};
	hsa_status_t status;

	HSA(hsa_amd_agent_iterate_memory_pools(app.gpu, see_device_pool, &pool));
	for (int round = 0; round < 2; round++) {
		int *n = &count[round];

		while (*n < PIECES &&
		       !(status = hsa_amd_memory_pool_allocate(pool, piece, 0, &pieces[*n])))
			++*n;
		EXPECT(*n > 0 && *n < PIECES && status == HSA_STATUS_ERROR_OUT_OF_RESOURCES);
		EXPECT(hsa_amd_memory_pool_allocate(pool, piece * 100, 0, &too_much));
		for (int i = 0; i < *n; i++)
			HSA(hsa_amd_memory_pool_free(pieces[i]));
	}
	EXPECT(count[0] == count[1]);
}

static volatile uint32_t *start_endless(hsa_queue_t **queue)
{
	volatile uint32_t *flags = app_memory(&app, 4096);
	struct pass_args args = {&flags[0], &flags[64], &flags[128]};

	*queue = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);
	dispatch(*queue, "pass_on", &args, sizeof(args), (hsa_signal_t){0});
	wait_until_started(&flags[128]);
	return flags;
}

static void expect_child(pid_t child, int status)
{
	int got;

	EXPECT(child > 0 && waitpid(child, &got, 0) == child);
	EXPECT(WIFEXITED(got) && WEXITSTATUS(got) == status);
}

/*
 * Children of a process whose kernel runs: they end in different ways, and the parent is not
 * affected.
 */
static void case_fork(void)
{
	hsa_queue_t *queue;
	volatile uint32_t *flags = start_endless(&queue);
	pid_t child;

	for (int i = 0; i < 10; i++) {
		child = fork();
		if (!child)
			exit(i);
		expect_child(child, i);
		child = fork();
		if (!child)
			_exit(i);
		expect_child(child, i);
		child = fork();
		if (!child) {
			execl("/bin/sh", "sh", "-c", "exit 5", NULL);
			_exit(1);
		}
		expect_child(child, 5);
	}
	EXPECT(!flags[64]);
	__atomic_store_n(&flags[0], 7, __ATOMIC_RELEASE);
	app_finish(queue);
	EXPECT(flags[64] == 8);
	run_stamp(queue, app_memory(&app, 256), 0);
	HSA(hsa_queue_destroy(queue));
}

/* ---- Process exit while a kernel runs that never ends ---------------------------------------- */

static void leave_exit(void)
{
	hsa_queue_t *queue;

	start_endless(&queue);
	exit(3);
}

static void leave_shut_down(void)
{
	hsa_queue_t *queue;

	start_endless(&queue);
	HSA(hsa_shut_down());
	exit(3);
}

static void leave_destroy(void)
{
	hsa_queue_t *queue;

	start_endless(&queue);
	HSA(hsa_queue_destroy(queue));
	HSA(hsa_shut_down());
	exit(3);
}

static void leave_quick(void)
{
	hsa_queue_t *queue;

	start_endless(&queue);
	quick_exit(3);
}

static void leave_abort(void)
{
	hsa_queue_t *queue;

	start_endless(&queue);
	abort();
}

static void leave_kill(void)
{
	hsa_queue_t *queue;

	start_endless(&queue);
	kill(getpid(), SIGKILL);
}

/* Once the main thread has submitted the packet that it waits for. */
static void *leave_from_thread(void *queue)
{
	while (hsa_queue_load_write_index_scacquire(queue) < 2)
		sched_yield();
	exit(3);
}

/* exit() while the main thread waits for the kernel. */
static void leave_waiting(void)
{
	hsa_queue_t *queue;
	pthread_t thread;

	start_endless(&queue);
	EXPECT(!pthread_create(&thread, NULL, leave_from_thread, queue));
	app_finish(queue);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"queues", case_queues},
	{"waiters", case_waiters},
	{"loads", case_loads},
	{"lives", case_lives},
	{"memory", case_memory},
	{"fork", case_fork},
	{"leave_exit", leave_exit},
	{"leave_shut_down", leave_shut_down},
	{"leave_destroy", leave_destroy},
	{"leave_quick", leave_quick},
	{"leave_abort", leave_abort},
	{"leave_kill", leave_kill},
	{"leave_waiting", leave_waiting},
};

int main(int argc, char **argv)
{
	size_t k = 0;

	EXPECT(argc == 3);
	code_path = argv[1];
	app_start(&app, code_path);
	while (k < sizeof(cases) / sizeof(cases[0]) && strcmp(cases[k].name, argv[2]))
		k++;
	EXPECT(k < sizeof(cases) / sizeof(cases[0]));
	cases[k].run();
	HSA(hsa_shut_down());
	return 0;
}
