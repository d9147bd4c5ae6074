/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/trace/copies.h"

#include <pthread.h>
#include <string.h>

#include <hsa/amd_hsa_signal.h>

#include "hsa-plugin/process/tool.h"

enum {
	COPIES = 256, /* maximum number in flight; a multiple of 64 */
	WORDS = COPIES / 64,
	TIMES = 4096, /* application signals whose times are kept; a power of two */
};

static struct probe_copy copies[COPIES];
static _Atomic uint64_t taken[WORDS]; /* the bits of copies without a signal are all set */
static _Atomic uint64_t begun[WORDS];
static _Atomic uint64_t untraced, done;
static bool ready;

static struct times {
	uint64_t signal;
	hsa_amd_profiling_async_copy_time_t time;
} times[TIMES];
static pthread_mutex_t times_lock = PTHREAD_MUTEX_INITIALIZER;

void probe_copies_init(void)
{
	if (!(probe_tool.config.traced & PROBE_TRACED_COPIES) || ready)
		return;
	for (unsigned i = 0; i < COPIES; i++) {
		bool made = !probe_tool.hsa.signal_create(1, 0, NULL, &copies[i].signal);

		if (!made)
			atomic_fetch_or(&taken[i / 64], 1ull << i % 64);
	}
	ready = !probe_tool.hsa.profiling_async_copy_enable(true);
}

struct probe_copy *probe_copy_take(void)
{
	if (!ready || !probe_tool_recording())
		return NULL;
	for (unsigned word = 0; word < WORDS; word++) {
		uint64_t used = atomic_load_explicit(&taken[word], memory_order_relaxed);

		while (~used) {
			unsigned bit = (unsigned)__builtin_ctzll(~used);
			struct probe_copy *copy = &copies[word * 64 + bit];

			/* Pairs with the release in probe_copy_release(). */
			if (!atomic_compare_exchange_weak_explicit(
				    &taken[word], &used, used | 1ull << bit, memory_order_acquire,
				    memory_order_relaxed))
				continue;
			probe_tool.hsa.signal_store_relaxed(copy->signal, 1);
			return copy;
		}
	}
	atomic_fetch_add_explicit(&untraced, 1, memory_order_relaxed);
	return NULL;
}

void probe_copy_begin(struct probe_copy *copy)
{
	unsigned i = (unsigned)(copy - copies);

	/* Pairs with the acquire in probe_copies_collect(): all fields are visible. */
	atomic_fetch_or_explicit(&begun[i / 64], 1ull << i % 64, memory_order_release);
}

void probe_copy_release(struct probe_copy *copy)
{
	unsigned i = (unsigned)(copy - copies);

	atomic_fetch_and_explicit(&taken[i / 64], ~(1ull << i % 64), memory_order_release);
}

/* The row of a signal, or one that it may have. Under the lock. */
static struct times *row_of(uint64_t signal)
{
	size_t first = (size_t)(signal * 0x9e3779b97f4a7c15u >> 32);

	for (size_t i = 0; i < 16; i++) {
		struct times *row = &times[(first + i) & (TIMES - 1)];

		if (!row->signal || row->signal == signal)
			return row;
	}
	return &times[first & (TIMES - 1)];
}

static void keep_times(hsa_signal_t signal, const hsa_amd_profiling_async_copy_time_t *time)
{
	pthread_mutex_lock(&times_lock);
	*row_of(signal.handle) = (struct times){signal.handle, *time};
	pthread_mutex_unlock(&times_lock);
}

bool probe_copy_times(hsa_signal_t application, hsa_amd_profiling_async_copy_time_t *ret)
{
	struct times *row;
	bool found;

	pthread_mutex_lock(&times_lock);
	row = row_of(application.handle);
	found = application.handle && row->signal == application.handle;
	if (found)
		*ret = row->time;
	pthread_mutex_unlock(&times_lock);
	return found;
}

/* Time stamps first: once its value changes, the application may reuse the signal. */
static void complete_application(const struct probe_copy *copy, hsa_signal_value_t value,
				 const hsa_amd_profiling_async_copy_time_t *time)
{
	const amd_signal_t *ours = (const amd_signal_t *)(uintptr_t)copy->signal.handle;
	amd_signal_t *theirs = (amd_signal_t *)(uintptr_t)copy->application.handle;

	if (!theirs)
		return;
	theirs->start_ts = ours->start_ts;
	theirs->end_ts = ours->end_ts;
	keep_times(copy->application, time);
	if (value < 0)
		probe_tool.hsa.signal_store_screlease(copy->application, value);
	else
		probe_tool.hsa.signal_subtract_screlease(copy->application, 1);
}

static uint64_t to_ns(uint64_t system)
{
	if (probe_tool.tick_hz == 1000000000u || !probe_tool.tick_hz)
		return system;
	return (uint64_t)((__uint128_t)system * 1000000000u / probe_tool.tick_hz);
}

static bool collect(struct probe_copy *copy)
{
	hsa_signal_value_t value = probe_tool.hsa.signal_load_scacquire(copy->signal);
	hsa_amd_profiling_async_copy_time_t time = {0};
	struct iovec part = {&copy->row, sizeof(copy->row)};

	if (value > 0)
		return false;
	if (value < 0 || probe_tool.hsa.profiling_get_async_copy_time(copy->signal, &time))
		memset(&time, 0, sizeof(time));
	copy->row.start = to_ns(time.start < time.end ? time.start : time.end);
	copy->row.end = to_ns(time.start < time.end ? time.end : time.start);
	copy->row.failed = value < 0;
	probe_segment_put(&probe_tool.segment, PROBE_HR_COPY, &part, 1);
	complete_application(copy, value, &time);
	return true;
}

bool probe_copies_collect(void)
{
	bool progress = false;

	for (unsigned word = 0; word < WORDS; word++) {
		/* Pairs with the release in probe_copy_begin(). */
		uint64_t left = atomic_load_explicit(&begun[word], memory_order_acquire);

		for (; left; left &= left - 1) {
			unsigned bit = (unsigned)__builtin_ctzll(left);
			struct probe_copy *copy = &copies[word * 64 + bit];

			if (!collect(copy))
				continue;
			atomic_fetch_and_explicit(&begun[word], ~(1ull << bit),
						  memory_order_relaxed);
			probe_copy_release(copy);
			atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
			progress = true;
		}
	}
	return progress;
}

bool probe_copies_in_flight(void)
{
	uint64_t any = 0;

	for (unsigned word = 0; word < WORDS; word++)
		any |= atomic_load_explicit(&begun[word], memory_order_acquire);
	return any != 0;
}

uint64_t probe_copies_done(void)
{
	return atomic_load_explicit(&done, memory_order_relaxed);
}

uint64_t probe_copies_untraced(void)
{
	return atomic_load_explicit(&untraced, memory_order_relaxed);
}

void probe_copies_forget(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	ready = false;
	times_lock = fresh;
	for (unsigned word = 0; word < WORDS; word++) {
		atomic_store(&begun[word], 0);
		atomic_store(&taken[word], 0);
	}
}
