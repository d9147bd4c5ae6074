/* SPDX-License-Identifier: MIT */
/* Memory without an address, dma-bufs, and libdrm's buffer objects of the simulated driver. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "simgpu/base/device_parameters.h"
#include "simgpu/driver/device_files.h"
#include "simgpu/driver/ioctl_handlers.h"
#include "simgpu/driver/ioctl_table.h"
#include "simgpu/driver/kfd_abi.h"
#include "simgpu/mem/gpu_allocations.h"

/* Of libdrm and its header amdgpu.h. */
struct amdgpu_device;
struct amdgpu_bo;
struct amdgpu_bo_import_result {
	struct amdgpu_bo *object;
	uint64_t size;
};
enum { KMS = 1, DMABUF = 2, MAP = 1, UNMAP = 2, READABLE = 2, WRITEABLE = 4, GEM_MMAP = 1 };
int amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor, struct amdgpu_device **ret);
int amdgpu_device_deinitialize(struct amdgpu_device *device);
int amdgpu_bo_import(struct amdgpu_device *device, unsigned type, uint32_t handle,
		     struct amdgpu_bo_import_result *ret);
int amdgpu_bo_export(struct amdgpu_bo *object, unsigned type, uint32_t *ret);
int amdgpu_bo_cpu_map(struct amdgpu_bo *object, void **ret);
int amdgpu_bo_free(struct amdgpu_bo *object);
int amdgpu_bo_va_op(struct amdgpu_bo *object, uint64_t offset, uint64_t size, uint64_t address,
		    uint64_t flags, uint32_t operation);
int drmCommandWriteRead(int fd, unsigned long command, void *data, unsigned long size);

enum { BYTES = 4 * SIM_PAGE };
#define GPU(n) sim_gpu_id(n)

static int render[2];
static struct amdgpu_device *devices[2];

static int set_up(void **state)
{
	uint32_t major, minor;

	(void)state;
	if (sim_device_open("/dev/kfd", O_RDWR | O_CLOEXEC) < 0)
		return -1;
	for (int i = 0; i < 2; i++) {
		render[i] = sim_device_open(i ? "/dev/dri/renderD129" : "/dev/dri/renderD128",
					    O_RDWR | O_CLOEXEC);
		if (render[i] < 0 ||
		    amdgpu_device_initialize(render[i], &major, &minor, &devices[i]))
			return -1;
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		amdgpu_device_deinitialize(devices[i]);
	return 0;
}

static uint64_t reserve(void)
{
	void *pages = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	return (uint64_t)(uintptr_t)pages;
}

static uint64_t alloc(void)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.size = BYTES,
		.gpu_id = GPU(1),
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | SIM_KFD_WRITABLE,
	};

	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), 0);
	return args.handle;
}

static void release(uint64_t handle)
{
	struct kfd_ioctl_free_memory_of_gpu_args args = {.handle = handle};

	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args), 0);
}

static int export(uint64_t handle)
{
	struct sim_kfd_export_dmabuf_args args = {.handle = handle, .flags = O_CLOEXEC};
	int err = sim_kfd_ioctl(SIM_KFD_IOC_EXPORT_DMABUF, &args);

	return err ? err : (int)args.dmabuf_fd;
}

static struct amdgpu_bo *import(struct amdgpu_device *device, uint64_t handle)
{
	struct amdgpu_bo_import_result got;
	int fd = export(handle);

	assert_true(fd >= 0);
	assert_int_equal(amdgpu_bo_import(device, DMABUF, (uint32_t)fd, &got), 0);
	assert_int_equal(got.size, BYTES);
	close(fd);
	return got.object;
}

static bool gpu_may(uint32_t node, uint64_t address, uint32_t flags)
{
	return sim_mem_allows(address, 8, flags | SIM_MEM_GPU(node), NULL);
}

static void memory_without_an_address(void **state)
{
	uint64_t before = sim_mem_available(1), first = alloc(), second = alloc();
	struct kfd_ioctl_map_memory_to_gpu_args map = {
		.handle = first,
		.device_ids_array_ptr = (uint64_t)(uintptr_t) & (uint32_t){GPU(1)},
		.n_devices = 1,
	};

	(void)state;
	assert_int_equal(before - sim_mem_available(1), 2 * BYTES);
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map), -EINVAL);
	release(first);
	release(second);
	assert_int_equal(sim_mem_available(1), before);
	assert_int_equal(export(first), -EINVAL);
	assert_int_equal(export(0), -EINVAL);
}

static void only_dmabufs_are_imported(void **state)
{
	struct amdgpu_bo_import_result got = {0};

	(void)state;
	assert_int_equal(amdgpu_bo_import(devices[0], DMABUF, (uint32_t)render[0], &got), -EINVAL);
	assert_int_equal(amdgpu_bo_import(devices[0], DMABUF, 1 << 20, &got), -EINVAL);
	assert_int_equal(amdgpu_bo_import(devices[0], KMS, 1, &got), -EINVAL);
	assert_null(got.object);
}

static void host_and_gpus_share_pages(void **state)
{
	uint64_t before = sim_mem_available(1), memory = alloc(), args = 0;
	uint64_t address = reserve(), other = reserve();
	struct amdgpu_bo *object = import(devices[0], memory), *peer = import(devices[1], memory);
	uint32_t *pages, id = 0;
	void *view;

	(void)state;
	assert_int_equal(amdgpu_bo_export(object, KMS, &id), 0);
	args = id;
	assert_int_equal(drmCommandWriteRead(render[0], GEM_MMAP, &args, sizeof(args)), 0);
	pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, render[0], (off_t)args);
	assert_ptr_not_equal(pages, MAP_FAILED);
	pages[5] = 55;
	assert_int_equal(amdgpu_bo_cpu_map(object, &view), 0);
	assert_int_equal(((uint32_t *)view)[5], 55);

	assert_int_equal(amdgpu_bo_va_op(object, 0, BYTES, address, READABLE | WRITEABLE, MAP), 0);
	assert_true(gpu_may(1, address, SIM_MEM_WRITE));
	assert_false(gpu_may(1, address, SIM_MEM_EXEC));
	assert_false(gpu_may(2, address, SIM_MEM_READ));
	assert_int_equal(((volatile uint32_t *)(uintptr_t)address)[5], 55);
	/* Mapped memory is counted once. */
	assert_int_equal(before - sim_mem_available(1), BYTES);

	assert_int_equal(amdgpu_bo_va_op(peer, 0, BYTES, address, READABLE, MAP), 0);
	assert_true(gpu_may(2, address, SIM_MEM_READ));
	/* A part of it at another address. */
	assert_int_equal(
		amdgpu_bo_va_op(object, SIM_PAGE, SIM_PAGE, other, READABLE | WRITEABLE, MAP), 0);
	((volatile uint32_t *)(uintptr_t)other)[1] = 66;
	assert_int_equal(pages[SIM_PAGE / 4 + 1], 66);

	assert_int_equal(amdgpu_bo_va_op(object, 0, BYTES, address, 0, UNMAP), 0);
	assert_false(gpu_may(1, address, SIM_MEM_READ));
	assert_true(gpu_may(2, address, SIM_MEM_READ));
	assert_int_equal(amdgpu_bo_va_op(peer, 0, BYTES, address, 0, UNMAP), 0);
	assert_false(gpu_may(2, address, SIM_MEM_READ));
	assert_int_equal(amdgpu_bo_va_op(peer, 0, BYTES, address, 0, UNMAP), -EINVAL);
	assert_int_equal(amdgpu_bo_va_op(object, SIM_PAGE, SIM_PAGE, other, 0, UNMAP), 0);
	assert_int_equal(amdgpu_bo_free(object), 0);
	assert_int_equal(amdgpu_bo_free(peer), 0);
	assert_int_equal(drmCommandWriteRead(render[0], GEM_MMAP, &args, sizeof(args)), -ENOENT);
	release(memory);
	assert_int_equal(sim_mem_available(1), before);
}

static void refused_mappings(void **state)
{
	uint64_t memory = alloc(), address = reserve();
	struct amdgpu_bo *object = import(devices[0], memory);

	(void)state;
	assert_int_equal(amdgpu_bo_va_op(object, 0, 0, address, READABLE, MAP), -EINVAL);
	assert_int_equal(amdgpu_bo_va_op(object, 8, SIM_PAGE, address, READABLE, MAP), -EINVAL);
	assert_int_equal(amdgpu_bo_va_op(object, 0, 8, address, READABLE, MAP), -EINVAL);
	assert_int_equal(amdgpu_bo_va_op(object, 0, BYTES, address + 8, READABLE, MAP), -EINVAL);
	assert_int_equal(amdgpu_bo_va_op(object, SIM_PAGE, BYTES, address, READABLE, MAP), -EINVAL);
	assert_int_equal(amdgpu_bo_va_op(object, UINT64_MAX - SIM_PAGE + 1, SIM_PAGE, address,
					 READABLE, MAP),
			 -EINVAL);
	assert_int_equal(amdgpu_bo_va_op(object, 0, BYTES, address, READABLE, 9), -EINVAL);
	/* Not reserved. */
	munmap((void *)(uintptr_t)address, BYTES);
	assert_int_equal(amdgpu_bo_va_op(object, 0, BYTES, address, READABLE, MAP), -EINVAL);
	assert_int_equal(amdgpu_bo_free(object), 0);
	release(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_without_an_address),
		cmocka_unit_test(only_dmabufs_are_imported),
		cmocka_unit_test(host_and_gpus_share_pages),
		cmocka_unit_test(refused_mappings),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
