/* SPDX-License-Identifier: MIT */
/*
 * The simulated driver against the kernel's contract: what linux/kfd_ioctl.h says of sizes, and the
 * errors that the kernel driver returns.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "simgpu/base/device_parameters.h"
#include "simgpu/driver/device_files.h"
#include "simgpu/driver/ioctl_handlers.h"
#include "simgpu/driver/ioctl_table.h"
#include "simgpu/driver/kfd_abi.h"
#include "simgpu/driver/sysfs_files.h"
#include "simgpu/mem/gpu_allocations.h"

#define GPU sim_gpu_id(1)
#define BAD ((void *)(uintptr_t)8) /* no such address */

enum { VRAM = KFD_IOC_ALLOC_MEM_FLAGS_VRAM, GTT = KFD_IOC_ALLOC_MEM_FLAGS_GTT };

static int set_up(void **state)
{
	int fd = sim_device_open("/dev/kfd", O_RDWR | O_CLOEXEC);

	*state = NULL;
	return fd < 0;
}

static void every_call_checks_its_address(void **state)
{
	(void)state;
	for (unsigned nr = 0; nr < SIM_KFD_COMMANDS; nr++) {
		unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, 'K', nr, 16);
		int err = sim_kfd_ioctl(request, BAD);

		/* 0x80 and above are of AMD's own kernel driver. */
		assert_int_equal(err, nr && (nr < 0x27 || nr == 0x85) ? -EFAULT : -ENOTTY);
	}
	assert_int_equal(sim_kfd_ioctl(_IOC(_IOC_READ, 'K', SIM_KFD_COMMANDS, 8), BAD), -ENOTTY);
}

/* Callers of newer and older headers: their size counts, and nothing beyond it is touched. */
static void sizes_are_the_callers(void **state)
{
	struct {
		struct kfd_ioctl_get_version_args args;
		uint32_t beyond[2];
	} longer = {.beyond = {7, 7}};
	uint32_t half[2] = {0, 7};

	(void)state;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_GET_VERSION, &longer), 0);
	assert_int_equal(longer.args.major_version, 1);
	assert_int_equal(longer.args.minor_version, 15);
	assert_int_equal(longer.beyond[0], 7);
	assert_int_equal(sim_kfd_ioctl(_IOC(_IOC_READ, 'K', 1, 4), half), 0);
	assert_int_equal(half[0], 1);
	assert_int_equal(half[1], 7);
	assert_int_equal(sim_kfd_ioctl(_IOC(_IOC_READ, 'K', 1, 16), &longer), 0);
	/* A call that is read-only for the caller zeroes what it has not filled in. */
	assert_int_equal(longer.beyond[0], 0);
}

static uint64_t reserve(size_t size)
{
	void *pages = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	return (uint64_t)(uintptr_t)pages;
}

static struct kfd_ioctl_alloc_memory_of_gpu_args request_of(uint32_t flags, uint64_t size)
{
	return (struct kfd_ioctl_alloc_memory_of_gpu_args){
		.va_addr = reserve(2 << 20), .size = size, .gpu_id = GPU, .flags = flags};
}

static int alloc(struct kfd_ioctl_alloc_memory_of_gpu_args *args)
{
	return sim_kfd_ioctl(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, args);
}

static int release(uint64_t handle)
{
	struct kfd_ioctl_free_memory_of_gpu_args args = {.handle = handle};

	return sim_kfd_ioctl(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
}

static int map(uint64_t handle, uint32_t gpu, uint32_t devices, uint32_t *done)
{
	struct kfd_ioctl_map_memory_to_gpu_args args = {
		.handle = handle,
		.device_ids_array_ptr = (uint64_t)(uintptr_t)&gpu,
		.n_devices = devices,
		.n_success = *done,
	};
	int err = sim_kfd_ioctl(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args);

	*done = args.n_success;
	return err;
}

static bool gpu_may(uint64_t address, uint32_t flags)
{
	return sim_mem_allows(address, 8, flags | SIM_MEM_GPU(1), NULL);
}

static void memory_exists_when_mapped(void **state)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = request_of(VRAM | SIM_KFD_WRITABLE, 8192);
	struct kfd_ioctl_unmap_memory_from_gpu_args unmap = {.n_devices = 1};
	uint32_t gpu = GPU, done = 0;

	(void)state;
	assert_int_equal(alloc(&args), 0);
	assert_false(gpu_may(args.va_addr, SIM_MEM_READ));
	assert_int_equal(map(args.handle, GPU, 1, &done), 0);
	assert_int_equal(done, 1);
	assert_true(gpu_may(args.va_addr, SIM_MEM_WRITE));
	assert_false(gpu_may(args.va_addr, SIM_MEM_EXEC));
	/* Without PUBLIC the host has not mapped it; the machine has. */
	*(volatile uint32_t *)(uintptr_t)args.va_addr = 5;
	unmap.handle = args.handle;
	unmap.device_ids_array_ptr = (uint64_t)(uintptr_t)&gpu;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &unmap), 0);
	assert_int_equal(unmap.n_success, 1);
	assert_false(gpu_may(args.va_addr, SIM_MEM_READ));
	assert_int_equal(release(args.handle), 0);
	assert_int_equal(release(args.handle), -EINVAL);
}

static void host_and_gpu_share_pages(void **state)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = request_of(GTT, 4096);
	int render = sim_device_open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	uint32_t *pages;

	(void)state;
	assert_true(sim_is_render(render));
	assert_false(sim_is_kfd(render));
	assert_int_equal(alloc(&args), 0);
	pages = mmap((void *)(uintptr_t)args.va_addr, 4096, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_FIXED, render, (off_t)args.mmap_offset);
	assert_ptr_equal(pages, (void *)(uintptr_t)args.va_addr);
	assert_int_equal(*pages, 0);
	*pages = 3;
	assert_int_equal(release(args.handle), 0);
	/* A freed part is empty; another allocation has another one. */
	assert_int_equal(*pages, 0);
	close(render);
}

static void refused_allocations(void **state)
{
	const uint32_t doorbell = KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL,
		       mmio = KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP;
	const struct {
		uint32_t flags, gpu;
		uint64_t size;
		int err;
	} rows[] = {
		{VRAM, GPU, 0, -EINVAL},	  {VRAM, 1, 4096, -EINVAL},
		{0, GPU, 4096, -EINVAL},	  {VRAM | GTT, GPU, 4096, -EINVAL},
		{doorbell, GPU, 4096, -EINVAL},	  {mmio, GPU, 4096, -ENOMEM},
		{mmio, GPU, 8192, -EINVAL},	  {VRAM, GPU, (uint64_t)1 << 40, -ENOMEM},
		{VRAM, GPU, UINT64_MAX, -EINVAL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kfd_ioctl_alloc_memory_of_gpu_args args =
			request_of(rows[i].flags, rows[i].size);

		args.gpu_id = rows[i].gpu;
		assert_int_equal(alloc(&args), rows[i].err);
	}
}

static void refused_mappings(void **state)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = request_of(VRAM, 4096);
	struct kfd_ioctl_map_memory_to_gpu_args bad = {.n_devices = 1, .device_ids_array_ptr = 8};
	uint32_t done = 0;

	(void)state;
	assert_int_equal(alloc(&args), 0);
	assert_int_equal(map(args.handle, GPU, 0, &done), -EINVAL);
	assert_int_equal(map(args.handle, 99, 1, &done), -EINVAL);
	assert_int_equal(done, 0);
	assert_int_equal(map(args.handle + 1000, GPU, 1, &done), -ENOMEM);
	assert_int_equal(map(args.handle & 0xffffffff, GPU, 1, &done), -EINVAL);
	done = 2;
	assert_int_equal(map(args.handle, GPU, 1, &done), -EINVAL);
	bad.handle = args.handle;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &bad), -EFAULT);
	assert_int_equal(release(args.handle), 0);
}

/* The process's own memory is never replaced, nor used where there is none. */
static void only_reserved_addresses_are_mapped(void **state)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = request_of(VRAM, 4096);
	struct kfd_ioctl_alloc_memory_of_gpu_args user =
		request_of(KFD_IOC_ALLOC_MEM_FLAGS_USERPTR, 4096);
	uint32_t done = 0, *live = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	*live = 6;
	args.va_addr = (uint64_t)(uintptr_t)live;
	assert_int_equal(alloc(&args), 0);
	assert_int_equal(map(args.handle, GPU, 1, &done), 0);
	assert_int_equal(*live, 6);
	assert_int_equal(release(args.handle), 0);
	args.va_addr = 1 << 20;
	assert_int_equal(alloc(&args), 0);
	done = 0;
	assert_int_equal(map(args.handle, GPU, 1, &done), -EINVAL);
	assert_int_equal(release(args.handle), 0);
	user.mmap_offset = 1 << 20;
	assert_int_equal(alloc(&user), -EFAULT);
	munmap(live, 4096);
}

/* Neither refused allocations nor freed ones use up the file that the host maps. */
static void allocations_never_run_out(void **state)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args large = request_of(VRAM, (uint64_t)1 << 40);
	struct kfd_ioctl_get_available_memory_args all = {.gpu_id = GPU};
	struct kfd_ioctl_alloc_memory_of_gpu_args args = request_of(VRAM, 4096), next = args;

	(void)state;
	assert_int_equal(alloc(&args), 0);
	assert_int_equal(alloc(&large), -ENOMEM);
	next.va_addr = reserve(4096);
	assert_int_equal(alloc(&next), 0);
	assert_int_equal(next.mmap_offset, args.mmap_offset + 4096);
	assert_int_equal(release(args.handle), 0);
	assert_int_equal(release(next.handle), 0);
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_AVAILABLE_MEMORY, &all), 0);
	args.size = all.available;
	args.va_addr = reserve(all.available);
	for (uint64_t total = 0; total < (uint64_t)1 << 47; total += args.size) {
		assert_int_equal(alloc(&args), 0);
		assert_int_equal(release(args.handle), 0);
	}
	munmap((void *)(uintptr_t)args.va_addr, all.available);
}

static void memory_of_the_device_is_counted(void **state)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = request_of(VRAM, 1 << 20);
	struct kfd_ioctl_get_available_memory_args before = {.gpu_id = GPU}, after = before;

	(void)state;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_AVAILABLE_MEMORY, &before), 0);
	assert_int_equal(alloc(&args), 0);
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_AVAILABLE_MEMORY, &after), 0);
	assert_int_equal(before.available - after.available, 1 << 20);
	assert_int_equal(release(args.handle), 0);
	after.gpu_id = 1;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_AVAILABLE_MEMORY, &after), -EINVAL);
}

static uint32_t make_event(uint32_t type, uint32_t auto_reset)
{
	struct kfd_ioctl_create_event_args args = {.event_type = type, .auto_reset = auto_reset};

	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_CREATE_EVENT, &args), 0);
	assert_int_equal(args.event_slot_index, args.event_id);
	assert_int_equal(args.event_trigger_data, args.event_id);
	assert_int_equal(args.event_page_offset != 0, type == KFD_IOC_EVENT_SIGNAL);
	return args.event_id;
}

static int event_call(unsigned long request, uint32_t id)
{
	struct kfd_ioctl_set_event_args args = {.event_id = id};

	return sim_kfd_ioctl(request, &args);
}

static int wait_for(struct sim_kfd_event_data *data, uint32_t count, uint32_t all, uint32_t *result)
{
	struct kfd_ioctl_wait_events_args args = {
		.events_ptr = (uint64_t)(uintptr_t)data,
		.num_events = count,
		.wait_for_all = all,
	};
	int err = sim_kfd_ioctl(AMDKFD_IOC_WAIT_EVENTS, &args);

	*result = args.wait_result;
	return err;
}

static void events(void **state)
{
	uint32_t id = make_event(KFD_IOC_EVENT_SIGNAL, 1), result;
	uint32_t other = make_event(KFD_IOC_EVENT_SIGNAL, 0);
	uint32_t memory = make_event(KFD_IOC_EVENT_MEMORY, 1);
	struct sim_kfd_event_data data[2] = {{.event_id = id}, {.event_id = other}};

	(void)state;
	assert_int_equal(wait_for(data, 1, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_TIMEOUT);
	assert_int_equal(event_call(AMDKFD_IOC_SET_EVENT, id), 0);
	assert_int_equal(wait_for(data, 2, 1, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_TIMEOUT);
	assert_int_equal(wait_for(data, 2, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_COMPLETE);
	/* That reset it. */
	assert_int_equal(wait_for(data, 1, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_TIMEOUT);
	/* Its age is 2 now: a waiter that has seen 1 need not wait, one that has seen 2 must. */
	data[0].last_event_age = 1;
	assert_int_equal(wait_for(data, 1, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(data[0].last_event_age, 2);
	assert_int_equal(wait_for(data, 1, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_TIMEOUT);
	/* The host signals no other kind. */
	assert_int_equal(event_call(AMDKFD_IOC_SET_EVENT, memory), -EINVAL);
	assert_int_equal(event_call(AMDKFD_IOC_RESET_EVENT, memory), -EINVAL);
	assert_int_equal(event_call(AMDKFD_IOC_DESTROY_EVENT, id), 0);
	assert_int_equal(event_call(AMDKFD_IOC_DESTROY_EVENT, id), -EINVAL);
	assert_int_equal(event_call(AMDKFD_IOC_SET_EVENT, id), -EINVAL);
	assert_int_equal(wait_for(data, 1, 0, &result), -EINVAL);
	assert_int_equal(event_call(AMDKFD_IOC_DESTROY_EVENT, other), 0);
	assert_int_equal(event_call(AMDKFD_IOC_DESTROY_EVENT, memory), 0);
}

static void refused_queues(void **state)
{
	const struct kfd_ioctl_create_queue_args good = {.gpu_id = GPU,
							 .queue_type = KFD_IOC_QUEUE_TYPE_SDMA,
							 .ring_size = 4096,
							 .queue_percentage = 100};
	struct kfd_ioctl_create_queue_args args = good;
	struct kfd_ioctl_update_queue_args update = {.queue_id = 77, .queue_percentage = 101};
	struct kfd_ioctl_set_cu_mask_args mask = {.queue_id = 77, .num_cu_mask = 31};
	struct kfd_ioctl_destroy_queue_args destroy = {.queue_id = 77};

	(void)state;
	/* No memory of the GPU. */
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_CREATE_QUEUE, &args), -EFAULT);
	args = good;
	args.ring_size = 4097;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_CREATE_QUEUE, &args), -EINVAL);
	args = good;
	args.queue_percentage = 101;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_CREATE_QUEUE, &args), -EINVAL);
	args = good;
	args.queue_priority = 16;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_CREATE_QUEUE, &args), -EINVAL);
	args = good;
	args.gpu_id = 1;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_CREATE_QUEUE, &args), -EINVAL);
	args = good;
	args.queue_type = 5;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_CREATE_QUEUE, &args), -SIM_KFD_ENOTSUPP);
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_DESTROY_QUEUE, &destroy), -EINVAL);
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_UPDATE_QUEUE, &update), -EINVAL);
	update.queue_percentage = 0;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_UPDATE_QUEUE, &update), -EFAULT);
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_SET_CU_MASK, &mask), -EINVAL);
	mask.num_cu_mask = 32;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_SET_CU_MASK, &mask), -EFAULT);
}

struct svm_call {
	struct kfd_ioctl_svm_args args;
	struct kfd_ioctl_svm_attribute attributes[2];
};

static int svm(struct svm_call *call)
{
	return sim_kfd_ioctl(AMDKFD_IOC_SVM + (sizeof(call->attributes) << _IOC_SIZESHIFT), call);
}

static void managed_ranges(void **state)
{
	uint64_t base = reserve(8192);
	struct svm_call call = {{.start_addr = base, .size = 8192, .nattr = 1},
				{{KFD_IOCTL_SVM_ATTR_ACCESS, GPU}, {0}}};

	(void)state;
	assert_int_equal(svm(&call), 0);
	assert_true(gpu_may(base, SIM_MEM_WRITE));
	call.args.op = KFD_IOCTL_SVM_OP_GET_ATTR;
	assert_int_equal(svm(&call), 0);
	assert_int_equal(call.attributes[0].type, KFD_IOCTL_SVM_ATTR_ACCESS);
	assert_int_equal(call.attributes[0].value, GPU);
	/* More attributes than were passed; odd ranges; an unknown GPU, type and operation. */
	call.args.nattr = 3;
	assert_int_equal(svm(&call), -EINVAL);
	call.args.nattr = 1;
	call.args.start_addr = base + 1;
	assert_int_equal(svm(&call), -EINVAL);
	call.args.start_addr = base;
	call.args.size = 0;
	assert_int_equal(svm(&call), -EINVAL);
	call.args.size = 8192;
	call.attributes[0].value = 1;
	assert_int_equal(svm(&call), -EINVAL);
	call.attributes[0].value = GPU;
	call.args.op = KFD_IOCTL_SVM_OP_SET_ATTR;
	call.args.start_addr = 1 << 20; /* where nothing is */
	assert_int_equal(svm(&call), -EFAULT);
	call.args.start_addr = base;
	call.attributes[0] = (struct kfd_ioctl_svm_attribute){99, 0};
	assert_int_equal(svm(&call), -EINVAL);
	call.attributes[0] = (struct kfd_ioctl_svm_attribute){KFD_IOCTL_SVM_ATTR_NO_ACCESS, GPU};
	call.args.op = 2;
	assert_int_equal(svm(&call), -EINVAL);
	call.args.op = KFD_IOCTL_SVM_OP_SET_ATTR;
	assert_int_equal(svm(&call), 0);
	assert_false(gpu_may(base, SIM_MEM_READ));
}

static void the_process(void **state)
{
	struct kfd_process_device_apertures aperture;
	struct kfd_ioctl_get_process_apertures_new_args apertures = {0};
	struct kfd_ioctl_set_xnack_mode_args mode = {.xnack_enabled = -1};
	struct kfd_ioctl_acquire_vm_args vm = {.drm_fd = UINT32_MAX, .gpu_id = GPU};
	struct kfd_ioctl_set_memory_policy_args policy = {.gpu_id = GPU, .default_policy = 2};

	(void)state;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &apertures), 0);
	assert_int_equal(apertures.num_of_nodes, 1);
	apertures.kfd_process_device_apertures_ptr = (uint64_t)(uintptr_t)&aperture;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &apertures), 0);
	assert_int_equal(aperture.gpu_id, GPU);
	assert_true(aperture.lds_base >> 32 && aperture.scratch_base >> 32);
	apertures.kfd_process_device_apertures_ptr = 8;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &apertures), -EFAULT);
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_SET_XNACK_MODE, &mode), 0);
	assert_int_equal(mode.xnack_enabled, 0);
	mode.xnack_enabled = 1;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_SET_XNACK_MODE, &mode), -EPERM);
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_ACQUIRE_VM, &vm), -EINVAL);
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_SET_MEMORY_POLICY, &policy), -EINVAL);
	policy.default_policy = 0;
	assert_int_equal(sim_kfd_ioctl(AMDKFD_IOC_SET_MEMORY_POLICY, &policy), 0);
}

static void check_text(const char *path, const char *expected)
{
	char text[8192] = "";
	int fd = sim_sysfs_open(path);

	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	assert_non_null(strstr(text, expected));
}

#define TOPOLOGY "/sys/devices/virtual/kfd/kfd/topology"

static void topology(void **state)
{
	static const char *const missing[] = {
		TOPOLOGY "/nodes/2/properties",	 TOPOLOGY "/nodes/1/caches/2/properties",
		TOPOLOGY "/nodes/1/mem_banks/0", TOPOLOGY "/nodes/1/p2p_links/0/properties",
		TOPOLOGY "/nodes/-1/gpu_id",	 TOPOLOGY "/nodes/1x/gpu_id",
		TOPOLOGY "/nodes/1/gpu_idx",	 TOPOLOGY "x",
	};
	struct sim_directory *nodes = sim_sysfs_open_directory(TOPOLOGY "/nodes");

	(void)state;
	check_text(TOPOLOGY "/generation_id", "1\n");
	check_text(TOPOLOGY "/nodes/0/gpu_id", "0\n");
	check_text(TOPOLOGY "/nodes/1/properties", "\ngfx_target_version 90010\n");
	check_text(TOPOLOGY "/nodes/1/properties", "\nsimd_count 416\n");
	check_text(TOPOLOGY "/nodes/1/mem_banks/0/properties", "heap_type 1\n");
	check_text(TOPOLOGY "/nodes/1/caches/1/properties", "\ntype 9\n");
	check_text("/sys/class/kfd/kfd/topology/nodes/0/io_links/0/properties", "\nnode_to 1\n");
	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		assert_true(sim_sysfs_open(missing[i]) < 0);
	assert_non_null(nodes);
	assert_true(sim_is_directory(nodes));
	assert_string_equal(sim_sysfs_read_directory(nodes)->d_name, "0");
	assert_string_equal(sim_sysfs_read_directory(nodes)->d_name, "1");
	assert_null(sim_sysfs_read_directory(nodes));
	sim_sysfs_close_directory(nodes);
}

static void device_paths(void **state)
{
	(void)state;
	assert_true(sim_device_path("/dev/kfd"));
	assert_true(sim_device_path("/dev/dri/renderD128"));
	assert_false(sim_device_path("/dev/dri/renderD"));
	assert_false(sim_device_path("/dev/dri/renderD128x"));
	assert_false(sim_device_path("/dev/kfdx"));
	assert_int_equal(sim_device_open("/dev/dri/renderD129", O_RDWR), -ENOENT);
}

/*
 * Any bytes in any call: an error or a result, never a crash, and the driver still works
 * afterwards.
 */
static void any_bytes(void **state)
{
	unsigned seed = 3;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		unsigned nr = 1 + (unsigned)rand_r(&seed) % (SIM_KFD_COMMANDS + 1);
		unsigned size = (unsigned)rand_r(&seed) % 128;
		uint32_t bytes[64];

		/* Waits could last. */
		if (nr == _IOC_NR(AMDKFD_IOC_WAIT_EVENTS))
			continue;
		for (size_t word = 0; word < 64; word++) {
			unsigned kind = (unsigned)rand_r(&seed) % 4;

			bytes[word] = kind == 0	  ? 0
				      : kind == 1 ? GPU
				      : kind == 2 ? (uint32_t)rand_r(&seed) & 0xff
						  : (uint32_t)rand_r(&seed) << 1;
		}
		sim_kfd_ioctl(_IOC(_IOC_READ | _IOC_WRITE, 'K', nr, size), bytes);
	}
	events(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call_checks_its_address),
		cmocka_unit_test(sizes_are_the_callers),
		cmocka_unit_test(memory_exists_when_mapped),
		cmocka_unit_test(host_and_gpu_share_pages),
		cmocka_unit_test(refused_allocations),
		cmocka_unit_test(allocations_never_run_out),
		cmocka_unit_test(refused_mappings),
		cmocka_unit_test(only_reserved_addresses_are_mapped),
		cmocka_unit_test(memory_of_the_device_is_counted),
		cmocka_unit_test(events),
		cmocka_unit_test(refused_queues),
		cmocka_unit_test(managed_ranges),
		cmocka_unit_test(the_process),
		cmocka_unit_test(topology),
		cmocka_unit_test(device_paths),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
