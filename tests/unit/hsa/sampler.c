/* SPDX-License-Identifier: MIT */
/*
 * The sampler of the injected library, with a mock of ROCr's PC sampling that fulfils the contract
 * of AMD's header and has the known defects of ROCr 7.0.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hsa-plugin/runtime/sampler.h"

#define SECOND 1000000000ull

/* ---- The mock ------------------------------------------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* How it misbehaves. */
	hsa_status_t create_status;
	bool flush_hangs, destroy_hangs, start_hangs, copy_fails;
	/* Requested configuration, and state. */
	uint32_t method, units;
	size_t interval, buffer_size;
	probe_hsa_pcs_data_ready *ready;
	void *client;
	bool created, started;
	char calls[64]; /* a letter each */
	uint64_t taken; /* records sampled and not delivered */
	size_t lost;	/* as ROCr: of the last overrun only */
	uint64_t serial;
	size_t announced;
	bool returned; /* from a call that hung, or any other */
} rocr = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void note(char call)
{
	size_t length;

	pthread_mutex_lock(&rocr.lock);
	length = strlen(rocr.calls);
	if (length < sizeof(rocr.calls) - 1)
		rocr.calls[length] = call;
	pthread_mutex_unlock(&rocr.lock);
}

static void expect_calls(const char *wanted)
{
	pthread_mutex_lock(&rocr.lock);
	assert_string_equal(rocr.calls, wanted);
	pthread_mutex_unlock(&rocr.lock);
}

static hsa_status_t copy(void *hsa_data, size_t size, void *destination)
{
	uint64_t *words = destination;

	assert_ptr_equal(hsa_data, &rocr);
	/* The header allows parts of the data; ROCr 7.0 rejects them. */
	if (size != rocr.announced || rocr.copy_fails)
		return HSA_STATUS_ERROR_EXCEPTION;
	for (size_t i = 0; i < size / 64; i++) {
		memset(words, 0, 64);
		words[0] = ++rocr.serial;
		words += 8;
	}
	return HSA_STATUS_SUCCESS;
}

static void deliver(size_t records)
{
	rocr.announced = records * 64;
	rocr.taken -= records;
	rocr.ready(rocr.client, rocr.announced, rocr.lost, copy, &rocr);
	rocr.lost = 0;
}

/* The device took so many samples; delivered are whole buffers only. */
static void sample(uint64_t records)
{
	rocr.taken += records;
	while (rocr.taken * 64 >= rocr.buffer_size)
		deliver(rocr.buffer_size / 64);
}

/* Calls that hang. A thread of an earlier session may call at the same time, and not hang. */
static atomic_int hanging;

/* Hang until release(). */
static void hang(const bool *while_set)
{
	pthread_mutex_lock(&rocr.lock);
	if (*while_set) {
		atomic_fetch_add(&hanging, 1);
		while (*while_set)
			pthread_cond_wait(&rocr.changed, &rocr.lock);
		atomic_fetch_sub(&hanging, 1);
	}
	pthread_mutex_unlock(&rocr.lock);
}

int __real_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
				  const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
				  const struct timespec *until);

/* The sampler's time limits expire while a call hangs, and only then: a slow host changes nothing.
 */
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
				  const struct timespec *until)
{
	struct timespec poll;
	int err;

	(void)until;
	do {
		clock_gettime(CLOCK_MONOTONIC, &poll);
		poll.tv_nsec += 1000000;
		poll.tv_sec += poll.tv_nsec / 1000000000;
		poll.tv_nsec %= 1000000000;
		err = __real_pthread_cond_timedwait(condition, mutex, &poll);
	} while (err && !atomic_load(&hanging));
	return err;
}

/* Lets the call continue, and waits until it has returned. */
static void release(bool *flag)
{
	pthread_mutex_lock(&rocr.lock);
	*flag = false;
	pthread_cond_broadcast(&rocr.changed);
	while (!rocr.returned)
		pthread_cond_wait(&rocr.changed, &rocr.lock);
	pthread_mutex_unlock(&rocr.lock);
}

static hsa_status_t come_back(hsa_status_t status)
{
	pthread_mutex_lock(&rocr.lock);
	rocr.returned = true;
	pthread_cond_broadcast(&rocr.changed);
	pthread_mutex_unlock(&rocr.lock);
	return status;
}

static hsa_status_t fake_create(hsa_agent_t agent, uint32_t method, uint32_t units, size_t interval,
				size_t latency, size_t buffer_size, probe_hsa_pcs_data_ready *ready,
				void *client, probe_hsa_pcs_t *ret)
{
	(void)latency;
	note('c');
	assert_int_equal(agent.handle, 77);
	if (rocr.create_status)
		return rocr.create_status;
	/* The header says 64, the code 128. */
	if (!buffer_size || buffer_size % 128)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	rocr.method = method;
	rocr.units = units;
	rocr.interval = interval;
	rocr.buffer_size = buffer_size;
	rocr.ready = ready;
	rocr.client = client;
	rocr.created = true;
	ret->handle = 5;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t known(probe_hsa_pcs_t sampling)
{
	return rocr.created && sampling.handle == 5 ? HSA_STATUS_SUCCESS
						    : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

static hsa_status_t fake_start(probe_hsa_pcs_t sampling)
{
	note('s');
	hang(&rocr.start_hangs);
	rocr.started = !known(sampling);
	return come_back(known(sampling));
}

static hsa_status_t fake_stop(probe_hsa_pcs_t sampling)
{
	note('t');
	rocr.started = false; /* drains nothing */
	return known(sampling);
}

static hsa_status_t fake_flush(probe_hsa_pcs_t sampling)
{
	note('f');
	hang(&rocr.flush_hangs);
	if (rocr.taken)
		deliver(rocr.taken);
	return come_back(known(sampling));
}

static hsa_status_t fake_destroy(probe_hsa_pcs_t sampling)
{
	hsa_status_t status = known(sampling);

	note('d');
	hang(&rocr.destroy_hangs);
	rocr.taken = 0;
	rocr.created = false;
	return come_back(status);
}

static hsa_status_t fake_iterate(hsa_agent_t agent, probe_hsa_pcs_visit *visit, void *data)
{
	(void)agent;
	(void)visit;
	(void)data;
	return HSA_STATUS_SUCCESS;
}

static const struct probe_sampler_api api = {
	.iterate = fake_iterate,
	.create = fake_create,
	.start = fake_start,
	.stop = fake_stop,
	.flush = fake_flush,
	.destroy = fake_destroy,
	.provider = "ROCr",
	.buffer_bytes = PROBE_SAMPLER_BYTES,
	.flushes = 1,
};

/* ---- The other side ------------------------------------------------------------------------- */

static struct {
	uint64_t received, lost, next, flushes;
	uint32_t refuse; /* of the next records, so many are not taken */
	int begun;
	bool in_order;
} sink;

static void begun(void *ctx)
{
	(void)ctx;
	assert_false(rocr.started);
	sink.begun++;
}

static uint32_t samples(void *ctx, const uint8_t *records, uint32_t count, uint64_t lost,
			bool flushed)
{
	uint32_t refused = sink.refuse < count ? sink.refuse : count;

	assert_ptr_equal(ctx, &sink);
	sink.lost += lost;
	sink.flushes += flushed;
	sink.refuse -= refused;
	for (uint32_t i = 0; i < count - refused; i++) {
		uint64_t serial;

		memcpy(&serial, records + 64 * (size_t)i, sizeof(serial));
		sink.in_order = sink.in_order && serial > sink.next;
		sink.next = serial;
	}
	sink.received += count - refused;
	errno = EIO;
	return refused;
}

static const struct probe_sampler_request request = {true, 1, 1, 65536};
static const struct probe_sampler_sink to_sink = {&sink, begun, samples};
static const hsa_agent_t agent = {77};

static int set_up(void **state)
{
	(void)state;
	memset(&rocr.create_status, 0, sizeof(rocr) - offsetof(__typeof__(rocr), create_status));
	memset(&sink, 0, sizeof(sink));
	sink.in_order = true;
	return 0;
}

static struct probe_sampler *started(uint64_t limit)
{
	struct probe_sampler *sampler = NULL;

	assert_int_equal(probe_sampler_start(&api, agent, &request, &to_sink, limit, &sampler), 0);
	assert_non_null(sampler);
	return sampler;
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void whole_life(void **state)
{
	struct probe_sampler *sampler = started(10 * SECOND);
	uint64_t whole = rocr.buffer_size / 64;

	(void)state;
	assert_true(rocr.started && sink.begun == 1);
	assert_int_equal(rocr.method, 1);
	assert_int_equal(rocr.units, 1);
	assert_int_equal(rocr.interval, 65536);
	assert_int_equal(rocr.buffer_size % 128, 0);
	/* A short kernel: a flush delivers all samples, nothing else does. */
	sample(100);
	assert_int_equal(sink.received, 0);
	assert_true(probe_sampler_flush(sampler));
	assert_int_equal(sink.received, 100);
	assert_int_equal(sink.flushes, 1);
	/* Whole buffers come when they are full. */
	sample(2 * whole + 5);
	assert_int_equal(sink.received, 100 + 2 * whole);
	assert_true(probe_sampler_finish(sampler));
	assert_int_equal(sink.received, 105 + 2 * whole);
	assert_int_equal(sink.flushes, 2);
	assert_true(sink.in_order && !sink.lost);
	expect_calls("csfftd");
}

/* ROCr assigns its lost count; ours are summed, with what we could not take or hand on. */
static void sums_losses(void **state)
{
	struct probe_sampler *sampler = started(10 * SECOND);
	uint64_t whole = rocr.buffer_size / 64;

	(void)state;
	rocr.lost = 7;
	sample(whole);
	rocr.lost = 3;
	sample(whole);
	assert_int_equal(sink.lost, 10);
	sink.refuse = 11;
	sample(whole);
	rocr.copy_fails = true;
	sample(whole);
	rocr.copy_fails = false;
	assert_true(probe_sampler_finish(sampler));
	assert_int_equal(sink.lost, 10 + 11 + whole);
	assert_int_equal(sink.received, 3 * whole - 11);
}

static void keeps_errno(void **state)
{
	struct probe_sampler *sampler = started(10 * SECOND);

	(void)state;
	errno = ENOENT;
	sample(rocr.buffer_size / 64);
	assert_int_equal(errno, ENOENT);
	assert_true(probe_sampler_finish(sampler));
}

/* A failed create leaves a stale session behind: it is not tried again, and nothing else called. */
static void failed_create_is_final(void **state)
{
	static const hsa_status_t busy[] = {PROBE_HSA_STATUS_ERROR_RESOURCE_BUSY,
					    HSA_STATUS_ERROR_OUT_OF_RESOURCES,
					    HSA_STATUS_ERROR_INVALID_ARGUMENT};
	struct probe_sampler *sampler = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(busy) / sizeof(busy[0]); i++) {
		set_up(NULL);
		rocr.create_status = busy[i];
		assert_int_equal(
			probe_sampler_start(&api, agent, &request, &to_sink, 10 * SECOND, &sampler),
			busy[i]);
		assert_null(sampler);
		expect_calls("c");
		assert_int_equal(sink.begun, 0);
	}
}

static void flush_may_hang(void **state)
{
	struct probe_sampler *sampler = started(SECOND / 20);

	(void)state;
	sample(10);
	rocr.flush_hangs = true;
	rocr.returned = false;
	assert_false(probe_sampler_flush(sampler));
	assert_false(probe_sampler_flush(sampler));
	assert_false(probe_sampler_finish(sampler));
	/* One call hangs; there was no other. */
	expect_calls("csf");
	assert_int_equal(sink.received, 0);
	/* Samples delivered after that are dropped: the sink may be gone. */
	release(&rocr.flush_hangs);
	assert_int_equal(sink.received, 0);
}

static void destroy_may_hang(void **state)
{
	struct probe_sampler *sampler = started(SECOND / 20);

	(void)state;
	sample(10);
	rocr.destroy_hangs = true;
	rocr.returned = false;
	assert_false(probe_sampler_finish(sampler));
	/* What was sampled is there all the same. */
	assert_int_equal(sink.received, 10);
	expect_calls("csftd");
	release(&rocr.destroy_hangs);
}

static void start_may_hang(void **state)
{
	struct probe_sampler *sampler = NULL;

	(void)state;
	rocr.start_hangs = true;
	rocr.returned = false;
	assert_int_equal(
		probe_sampler_start(&api, agent, &request, &to_sink, SECOND / 20, &sampler),
		HSA_STATUS_ERROR);
	assert_null(sampler);
	release(&rocr.start_hangs);
}

/* As with ROCr's functions: small buffers, and each flush is two. */
static void rocr_buffers(void **state)
{
	struct probe_sampler_api safe = api;
	struct probe_sampler *sampler = NULL;

	(void)state;
	safe.buffer_bytes = PROBE_SAMPLER_BYTES_SAFE;
	safe.flushes = 2;
	assert_int_equal(
		probe_sampler_start(&safe, agent, &request, &to_sink, 10 * SECOND, &sampler), 0);
	assert_int_equal(rocr.buffer_size, 65536);
	sample(3);
	assert_true(probe_sampler_flush(sampler));
	assert_int_equal(sink.received, 3);
	assert_int_equal(sink.flushes, 1);
	expect_calls("csff");
	assert_true(probe_sampler_finish(sampler));
	expect_calls("csfffftd");
}

static void *flush_often(void *sampler)
{
	for (int i = 0; i < 50; i++)
		assert_true(probe_sampler_flush(sampler));
	return NULL;
}

/* Flushes from several threads take turns. */
static void many_flush(void **state)
{
	struct probe_sampler *sampler = started(10 * SECOND);
	pthread_t threads[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, flush_often, sampler), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_true(probe_sampler_finish(sampler));
	assert_int_equal(sink.flushes, 201);
}

static void no_library_offers_it(void **state)
{
	struct probe_sampler_api found = {0};

	(void)state;
	/* Neither library is loaded here. */
	assert_false(probe_sampler_find(agent, true, &found));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(whole_life, set_up),
		cmocka_unit_test_setup(sums_losses, set_up),
		cmocka_unit_test_setup(keeps_errno, set_up),
		cmocka_unit_test_setup(failed_create_is_final, set_up),
		cmocka_unit_test_setup(many_flush, set_up),
		cmocka_unit_test_setup(rocr_buffers, set_up),
		cmocka_unit_test_setup(no_library_offers_it, set_up),
		/* These tests leave threads behind, as expected. */
		cmocka_unit_test_setup(destroy_may_hang, set_up),
		cmocka_unit_test_setup(flush_may_hang, set_up),
		cmocka_unit_test_setup(start_may_hang, set_up),
	};

	return cmocka_run_group_tests_name("hsa.sampler", tests, NULL, NULL);
}
