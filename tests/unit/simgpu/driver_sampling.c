/* SPDX-License-Identifier: MIT */
/*
 * PC sampling as the simulated driver offers it: the kernel driver's errors, and the double buffer
 * that ROCr's trap handler fills. The test fetches samples as ROCr does.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <hsa/amd_hsa_signal.h>

#include "simgpu/base/simulated_device.h"
#include "simgpu/driver/device_files.h"
#include "simgpu/driver/ioctl_handlers.h"
#include "simgpu/driver/ioctl_table.h"
#include "simgpu/driver/kfd_abi.h"
#include "simgpu/sampling/trap_buffers.h"

#define GPU sim_gpu_id(1)

enum { BYTES = 16384, SLOTS = 10, WATERMARK = 8, INTERVAL = 7, SAMPLES = 5000 };

/* Memory that host and GPU share. */
struct shared {
	uint64_t handler[2]; /* the trap handler's: addresses of the buffers of each method */
	_Alignas(64) amd_signal_t done[2];
	_Alignas(64) struct sim_trap_buffers buffers;
};

static struct shared *shared;

static struct shared *gpu_memory(void)
{
	void *at = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = (uint64_t)(uintptr_t)at,
		.size = BYTES,
		.gpu_id = GPU,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT | SIM_KFD_WRITABLE,
	};
	struct kfd_ioctl_map_memory_to_gpu_args map = {.n_devices = 1};
	int render = sim_device_open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	uint32_t gpu = GPU;

	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), 0);
	map.handle = args.handle;
	map.device_ids_array_ptr = (uint64_t)(uintptr_t)&gpu;
	assert_ptr_equal(mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, render,
			      (off_t)args.mmap_offset),
			 at);
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map), 0);
	return at;
}

static int set_up(void **state)
{
	struct kfd_ioctl_set_trap_handler_args handler = {.gpu_id = GPU};

	(void)state;
	if (sim_device_open("/dev/kfd", O_RDWR | O_CLOEXEC) < 0)
		return 1;
	shared = gpu_memory();
	shared->handler[0] = (uint64_t)(uintptr_t)&shared->buffers;
	shared->buffers.size = SLOTS;
	for (int i = 0; i < 2; i++) {
		shared->done[i].value = 1;
		shared->buffers.half[i].watermark = WATERMARK;
		shared->buffers.half[i].done.handle = (uint64_t)(uintptr_t)&shared->done[i];
	}
	handler.tma_addr = (uint64_t)(uintptr_t)shared->handler;
	return sim_kfd_ioctl(AMDKFD_IOC_SET_TRAP_HANDLER, &handler);
}

static int sample(uint32_t op, struct sim_kfd_pc_sample_info *info, uint32_t count, uint32_t *trace)
{
	struct sim_kfd_pc_sample_args args = {
		.sample_info_ptr = (uint64_t)(uintptr_t)info,
		.num_sample_info = count,
		.op = op,
		.gpu_id = GPU,
		.trace_id = *trace,
	};
	int err = sim_kfd_ioctl(SIM_KFD_IOC_PC_SAMPLE, &args);

	*trace = args.trace_id;
	return err;
}

static struct sim_kfd_pc_sample_info every(uint64_t interval)
{
	return (struct sim_kfd_pc_sample_info){.interval = interval,
					       .method = SIM_KFD_PCS_HOST_TRAP};
}

static bool stochastic(void)
{
	return sim_device()->stochastic_sampling;
}

static void capabilities(void **state)
{
	struct kfd_ioctl_get_version_args version;
	struct sim_kfd_runtime_enable_args enable = {.mode_mask = SIM_KFD_RUNTIME_ENABLE};
	struct sim_kfd_pc_sample_args query = {.gpu_id = GPU, .num_sample_info = 3};
	struct sim_kfd_pc_sample_info info, both[2];

	(void)state;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_GET_VERSION, &version), 0);
	assert_int_equal(version.minor_version, 16);
	assert_int_equal(sim_kfd_ioctl(SIM_KFD_IOC_RUNTIME_ENABLE, &enable), 0);
	assert_int_equal(sim_kfd_ioctl(SIM_KFD_IOC_RUNTIME_ENABLE, &enable), -EBUSY);
	enable.mode_mask = 0;
	assert_int_equal(sim_kfd_ioctl(SIM_KFD_IOC_RUNTIME_ENABLE, &enable), 0);
	assert_int_equal(sim_kfd_ioctl(SIM_KFD_IOC_PC_SAMPLE, &query), 0);
	assert_int_equal(query.num_sample_info, stochastic() ? 2 : 1);
	if (stochastic()) {
		query.num_sample_info = 1;
		query.sample_info_ptr = (uint64_t)(uintptr_t)both;
		assert_int_equal(sim_kfd_ioctl(SIM_KFD_IOC_PC_SAMPLE, &query), -ENOSPC);
		assert_int_equal(query.num_sample_info, 2);
		assert_int_equal(sim_kfd_ioctl(SIM_KFD_IOC_PC_SAMPLE, &query), 0);
		assert_int_equal(both[1].method, SIM_KFD_PCS_STOCHASTIC);
		assert_int_equal(both[1].type, SIM_KFD_PCS_CYCLES);
		assert_int_equal(both[1].flags, SIM_KFD_PCS_POWER_OF_2);
		info = both[0];
	} else {
		query.sample_info_ptr = (uint64_t)(uintptr_t)&info;
		assert_int_equal(sim_kfd_ioctl(SIM_KFD_IOC_PC_SAMPLE, &query), 0);
	}
	assert_int_equal(info.method, SIM_KFD_PCS_HOST_TRAP);
	assert_int_equal(info.type, SIM_KFD_PCS_MICROSECONDS);
	assert_int_equal(info.interval_min, 1);
	query.sample_info_ptr = 8;
	assert_int_equal(sim_kfd_ioctl(SIM_KFD_IOC_PC_SAMPLE, &query), -EFAULT);
	query.gpu_id = 1;
	assert_int_equal(sim_kfd_ioctl(SIM_KFD_IOC_PC_SAMPLE, &query), -EINVAL);
}

static void errors(void **state)
{
	struct sim_kfd_pc_sample_info good = every(INTERVAL), other = every(INTERVAL + 1);
	struct sim_kfd_pc_sample_info none = every(0), method = good, cycles = good, flags = good;
	uint32_t trace = 0, unknown = 77;

	(void)state;
	method.method = SIM_KFD_PCS_STOCHASTIC;
	cycles.type = 1;
	flags.flags = 1;
	assert_int_equal(sample(SIM_KFD_PCS_CREATE, &none, 1, &trace), -EINVAL);
	assert_int_equal(sample(SIM_KFD_PCS_CREATE, &method, 1, &trace), -EINVAL);
	assert_int_equal(sample(SIM_KFD_PCS_CREATE, &cycles, 1, &trace), -EINVAL);
	assert_int_equal(sample(SIM_KFD_PCS_CREATE, &flags, 1, &trace), -EINVAL);
	assert_int_equal(sample(SIM_KFD_PCS_CREATE, &good, 2, &trace), -EINVAL);
	assert_int_equal(sample(SIM_KFD_PCS_CREATE, NULL, 1, &trace), -EFAULT);
	assert_int_equal(sample(5, &good, 1, &trace), -EINVAL);
	assert_int_equal(sample(SIM_KFD_PCS_CREATE, &good, 1, &trace), 0);
	assert_int_not_equal(trace, 0);
	assert_int_equal(sample(SIM_KFD_PCS_CREATE, &other, 1, &unknown), -EEXIST);
	assert_int_equal(sample(SIM_KFD_PCS_START, NULL, 0, &unknown), -EINVAL);
	assert_int_equal(sample(SIM_KFD_PCS_STOP, NULL, 0, &trace), -EALREADY);
	assert_int_equal(sim_sampling_get(0).session, 0);
	assert_int_equal(sample(SIM_KFD_PCS_START, NULL, 0, &trace), 0);
	assert_int_equal(sim_sampling_get(0).period, (uint64_t)INTERVAL * sim_device()->core_mhz);
	assert_int_equal(sim_sampling_get(0).method, SIM_SAMPLING_HOST_TRAP);
	assert_int_equal(sample(SIM_KFD_PCS_START, NULL, 0, &trace), -EALREADY);
	assert_int_equal(sample(SIM_KFD_PCS_DESTROY, NULL, 0, &trace), -EBUSY);
	assert_int_equal(sample(SIM_KFD_PCS_STOP, NULL, 0, &trace), 0);
	assert_int_equal(sample(SIM_KFD_PCS_DESTROY, NULL, 0, &trace), 0);
	assert_int_equal(sample(SIM_KFD_PCS_DESTROY, NULL, 0, &trace), -EINVAL);
}

/* Its interval is a power of two of cycles; its samples go to the handler's second buffers. */
static void stochastic_sampling(void **state)
{
	struct sim_kfd_pc_sample_info good = {
		.interval = 4096,
		.method = SIM_KFD_PCS_STOCHASTIC,
		.type = SIM_KFD_PCS_CYCLES,
	};
	struct sim_kfd_pc_sample_info odd = good, small = good, time = good, host = every(4096);
	static const uint8_t record[SIM_SAMPLE_BYTES];
	uint64_t buffers = shared->handler[0];
	uint32_t trace = 0, other = 0;

	(void)state;
	if (!stochastic())
		skip();
	odd.interval = 4097;
	small.interval = 128;
	time.type = SIM_KFD_PCS_MICROSECONDS;
	assert_int_equal(sample(SIM_KFD_PCS_CREATE, &odd, 1, &trace), -EINVAL);
	assert_int_equal(sample(SIM_KFD_PCS_CREATE, &small, 1, &trace), -EINVAL);
	assert_int_equal(sample(SIM_KFD_PCS_CREATE, &time, 1, &trace), -EINVAL);
	assert_int_equal(sample(SIM_KFD_PCS_CREATE, &good, 1, &trace), 0);
	assert_int_equal(sample(SIM_KFD_PCS_CREATE, &host, 1, &other), -EEXIST);
	assert_int_equal(sample(SIM_KFD_PCS_START, NULL, 0, &trace), 0);
	assert_int_equal(sim_sampling_get(0).method, SIM_SAMPLING_STOCHASTIC);
	assert_int_equal(sim_sampling_get(0).period, 4096);
	atomic_store(&shared->buffers.write, 0);
	sim_sampling_deliver(0, sim_sampling_get(0).session, record, 1, 0);
	assert_int_equal(atomic_load(&shared->buffers.write), 0);
	shared->handler[0] = 0;
	shared->handler[1] = buffers;
	sim_sampling_deliver(0, sim_sampling_get(0).session, record, 1, 0);
	assert_int_equal(atomic_load(&shared->buffers.write), 1);
	shared->handler[0] = buffers;
	shared->handler[1] = 0;
	atomic_store(&shared->buffers.write, 0);
	atomic_store(&shared->buffers.half[0].written, 0);
	assert_int_equal(sample(SIM_KFD_PCS_STOP, NULL, 0, &trace), 0);
	assert_int_equal(sample(SIM_KFD_PCS_DESTROY, NULL, 0, &trace), 0);
}

/* ---- The buffers ---------------------------------------------------------------------------- */

static void *deliver(void *session)
{
	uint64_t(*records)[8] = calloc(SAMPLES, sizeof(*records));

	for (uint64_t i = 0; i < SAMPLES; i++)
		records[i][0] = i;
	sim_sampling_deliver(0, *(uint64_t *)session, (const uint8_t *)records, SAMPLES, 0);
	free(records);
	return NULL;
}

static void begin(uint32_t *trace, uint64_t *session)
{
	struct sim_kfd_pc_sample_info info = every(INTERVAL);

	assert_int_equal(sample(SIM_KFD_PCS_CREATE, &info, 1, trace), 0);
	assert_int_equal(sample(SIM_KFD_PCS_START, NULL, 0, trace), 0);
	*session = sim_sampling_get(0).session;
}

static void end(uint32_t *trace)
{
	assert_int_equal(sample(SIM_KFD_PCS_STOP, NULL, 0, trace), 0);
	assert_int_equal(sample(SIM_KFD_PCS_DESTROY, NULL, 0, trace), 0);
}

/* Exchanges the halves and reads the one that was filled. Returns how many samples it has. */
static uint64_t fetch(unsigned half, uint64_t first)
{
	struct sim_trap_buffers *from = &shared->buffers;
	uint64_t count = atomic_exchange(&from->write, half ? 0 : SIM_TRAP_HALF);

	assert_int_equal(count >> 63, half);
	count &= ~SIM_TRAP_HALF;
	assert_true(count <= SLOTS);
	while (atomic_load(&from->half[half].written) != count)
		sched_yield();
	for (uint64_t i = 0; i < count; i++) {
		uint64_t number;

		memcpy(&number, from->sample[half * SLOTS + i], sizeof(number));
		assert_int_equal(number, first + i);
	}
	atomic_store(&from->half[half].written, 0);
	return count;
}

static int64_t value(const amd_signal_t *signal)
{
	return atomic_load((_Atomic int64_t *)(uintptr_t)&signal->value);
}

/* All samples arrive, in order, however slowly they are fetched. */
static void nothing_is_lost(void **state)
{
	uint64_t session, got = 0;
	unsigned half = 0;
	uint32_t trace = 0;
	pthread_t thread;

	(void)state;
	begin(&trace, &session);
	pthread_create(&thread, NULL, deliver, &session);
	for (; got + SLOTS <= SAMPLES; half = !half) {
		while (value(&shared->done[half]))
			sched_yield();
		atomic_store((_Atomic int64_t *)(uintptr_t)&shared->done[half].value, 1);
		got += fetch(half, got);
	}
	pthread_join(thread, NULL);
	got += fetch(half, got);
	assert_int_equal(got, SAMPLES);
	end(&trace);
}

/* A runtime that stops the session need not fetch; afterwards nothing is stored. */
static void stop_ends_the_wait(void **state)
{
	uint64_t session, before;
	uint32_t trace = 0;
	pthread_t thread;

	(void)state;
	atomic_store(&shared->buffers.write, 0);
	begin(&trace, &session);
	pthread_create(&thread, NULL, deliver, &session);
	while (atomic_load(&shared->buffers.write) != SLOTS)
		sched_yield();
	end(&trace);
	pthread_join(thread, NULL);
	before = atomic_load(&shared->buffers.write);
	assert_int_equal(before, SLOTS);
	deliver(&session);
	assert_int_equal(atomic_load(&shared->buffers.write), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capabilities),	       cmocka_unit_test(errors),
		cmocka_unit_test(stochastic_sampling), cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(stop_ends_the_wait),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
