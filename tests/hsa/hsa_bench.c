/* SPDX-License-Identifier: MIT */
/*
 * hsa_bench CODE_OBJECT: host time of one dispatch, from writing the packet to the doorbell's
 * return, in thread CPU time. The queue is held by a barrier meanwhile, so no kernel runs: the
 * difference with and without the tool is what the tool costs the application's thread. Median of
 * rounds, since others use the machine too.
 */
#include "tests/hsa/hsa_app.h"

#include <string.h>
#include <time.h>

enum { ROUNDS = 41, DISPATCHES = 1000, SYNCS = 1001 };

static struct app app;

static double thread_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double round_trip(hsa_queue_t *queue, const struct app_kernel *kernel, uint32_t *out)
{
	hsa_signal_t hold, end;
	double start, time;

	HSA(hsa_signal_create(1, 0, NULL, &hold));
	HSA(hsa_signal_create(DISPATCHES, 0, NULL, &end));
	app_wait_for(queue, hold);
	start = thread_now();
	for (uint32_t i = 0; i < DISPATCHES; i++) {
		struct {
			uint32_t *out;
			uint32_t index;
		} args = {out, 0};

		app_dispatch(&app, queue,
			     &(struct app_launch){kernel, &args, sizeof(args), 64, 64, 0, {0}, 0});
	}
	time = thread_now() - start;
	hsa_signal_store_screlease(hold, 0);
	app_finish(queue);
	HSA(hsa_signal_destroy(hold));
	HSA(hsa_signal_destroy(end));
	return time / DISPATCHES;
}

/* Wall time from dispatch to the return of the wait for its own signal. */
static double sync_time(hsa_queue_t *queue, const struct app_kernel *kernel, uint32_t *out)
{
	double start = app_now();
	struct {
		uint32_t *out;
		uint32_t index;
	} args = {out, 0};
	hsa_signal_t signal;

	HSA(hsa_signal_create(1, 0, NULL, &signal));
	app_dispatch(&app, queue,
		     &(struct app_launch){kernel, &args, sizeof(args), 64, 64, 0, signal, 0});
	EXPECT(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
					 HSA_WAIT_STATE_ACTIVE) == 0);
	HSA(hsa_signal_destroy(signal));
	return 1e6 * (app_now() - start);
}

int main(int argc, char **argv)
{
	static double times[ROUNDS], syncs[SYNCS];
	struct app_kernel kernel;
	hsa_queue_t *queue;
	uint32_t *out;

	EXPECT(argc == 2);
	app_start(&app, argv[1]);
	kernel = app_kernel(&app, "stamp");
	out = app_memory(&app, 4096);
	queue = app_queue(&app, 2048, HSA_QUEUE_TYPE_MULTI);
	for (int i = 0; i < ROUNDS; i++)
		times[i] = round_trip(queue, &kernel, out);
	qsort(times, ROUNDS, sizeof(times[0]), by_value);
	printf("dispatch: median %.3f us, best %.3f us\n", times[ROUNDS / 2], times[0]);
	for (int i = 0; i < SYNCS; i++)
		syncs[i] = sync_time(queue, &kernel, out);
	qsort(syncs, SYNCS, sizeof(syncs[0]), by_value);
	printf("dispatch and wait: median %.1f us, best %.1f us\n", syncs[SYNCS / 2], syncs[0]);
	HSA(hsa_queue_destroy(queue));
	HSA(hsa_shut_down());
	return 0;
}
