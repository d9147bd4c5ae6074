/* SPDX-License-Identifier: MIT */
#include "simgpu/driver/device_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simgpu/base/device_clock.h"
#include "simgpu/base/device_parameters.h"
#include "simgpu/base/queue_timeline.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/base/simulated_device.h"
#include "simgpu/base/timing_constants.h"
#include "simgpu/diag/source_line.h"
#include "simgpu/driver/kfd_abi.h"
#include "simgpu/driver/runtime_version.h"
#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/isa/opcodes.h"
#include "simgpu/queue/queue_threads.h"

#define RENDER_BYTES  ((off_t)1 << 62) /* parts of the file are used once */
#define RENDER_PREFIX "/dev/dri/renderD"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int kfd = -1, render = -1;
static dev_t device;
static ino_t kfd_inode, render_inode;
static pid_t owner;
static _Atomic uint64_t next_offset = SIM_PAGE; /* 0 would mean none */

/* The GPU whose render node was opened last as each descriptor. All nodes are one file. */
enum { RENDER_DESCRIPTORS = 1024 };
static _Atomic uint8_t render_nodes[RENDER_DESCRIPTORS];

static int memory_file(const char *name, off_t size, ino_t *inode)
{
	struct stat status;
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, size) || fstat(fd, &status)) {
		int err = -errno;

		close(fd);
		return err;
	}
	device = status.st_dev;
	*inode = status.st_ino;
	return fd;
}

static int map_doorbells(void)
{
	void *page = mmap(NULL, SIM_KFD_DOORBELL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, kfd,
			  SIM_DOORBELL_OFFSET);

	if (page == MAP_FAILED)
		return -errno;
	sim_queue_set_doorbells(page);
	return 0;
}

/* Under the lock. */
static int make_files(void)
{
	int err;

	/*
	 * The kernel gives a forked child a GPU context of its own. Here the child has copies of
	 * the parent's tables but none of its threads.
	 */
	if (owner && owner != getpid()) {
		sim_print("a forked child cannot use the simulated GPU after its parent has; "
			  "use it in one of them, or exec");
		return -ENODEV;
	}
	if (kfd >= 0)
		return 0;
	render = memory_file("probe-sim-render", RENDER_BYTES, &render_inode);
	if (render < 0)
		return render;
	kfd = memory_file("probe-sim-kfd", SIM_DOORBELL_OFFSET + SIM_KFD_DOORBELL_BYTES,
			  &kfd_inode);
	err = kfd < 0 ? kfd : map_doorbells();
	if (err) {
		close(render);
		if (kfd >= 0)
			close(kfd);
		kfd = render = -1;
		return err;
	}
	owner = getpid();
	return 0;
}

/* Under the lock. */
static int duplicate_locked(const int *file, int flags)
{
	int fd, err = make_files();

	if (err)
		return err;
	fd = fcntl(*file, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
	return fd < 0 ? -errno : fd;
}

static int duplicate(const int *file, int flags)
{
	int fd;

	pthread_mutex_lock(&lock);
	fd = duplicate_locked(file, flags);
	pthread_mutex_unlock(&lock);
	return fd;
}

/* The minor number that a path names, or -1. */
static int render_minor(const char *path)
{
	char *end;
	long minor;

	if (strncmp(path, RENDER_PREFIX, sizeof(RENDER_PREFIX) - 1))
		return -1;
	path += sizeof(RENDER_PREFIX) - 1;
	minor = strtol(path, &end, 10);
	return *path < '0' || *path > '9' || *end || minor > 255 ? -1 : (int)minor;
}

bool sim_device_path(const char *path)
{
	return !strcmp(path, "/dev/kfd") || render_minor(path) >= 0;
}

/* The runtime opens the driver before it runs any kernel, so the machine is set up here. */
static void set_up_machine(void)
{
	if (sim_device() != sim_device_find("gfx90a")) {
		sim_choose_instruction_set(SIM_GFX942);
		sim_time_cost_of_gfx942();
	}
	sim_pc_counting(sim_options()->pc || sim_options()->pcs || sim_options()->fidelity);
	sim_source_prepare();
	sim_clock_open(sim_timeline_last());
}

static int open_render(int minor, int flags, int missing)
{
	uint32_t node = (uint32_t)(minor - SIM_RENDER_FIRST) + SIM_NODE_GPU;
	int fd;

	if (minor < SIM_RENDER_FIRST || !sim_is_gpu(node))
		return missing;
	fd = duplicate(&render, flags);
	if (fd >= 0 && fd < RENDER_DESCRIPTORS)
		atomic_store(&render_nodes[fd], (uint8_t)node);
	return fd;
}

static int open_kfd(int flags)
{
	int fd;

	if (!sim_runtime_knows_device()) {
		sim_print("this HSA runtime does not know %s, which ROCr 6 and later do: no GPU; "
			  "use gfx90a (probe-run --device=sim:gfx90a)",
			  sim_device()->target);
		return -ENODEV;
	}
	fd = duplicate(&kfd, flags);
	if (fd >= 0)
		set_up_machine();
	return fd;
}

int sim_device_open(const char *path, int flags)
{
	int minor = render_minor(path);

	if (minor < 0)
		return open_kfd(flags);
	return open_render(minor, flags, -ENOENT);
}

int sim_render_open(int minor)
{
	return open_render(minor, O_CLOEXEC, -ENODEV);
}

uint32_t sim_render_node(int fd)
{
	uint32_t node = fd < RENDER_DESCRIPTORS ? atomic_load(&render_nodes[fd]) : 0;

	return node ? node : SIM_NODE_GPU;
}

static bool is_file(int fd, ino_t inode)
{
	struct stat status;
	int saved = errno;
	bool same =
		inode && !fstat(fd, &status) && status.st_dev == device && status.st_ino == inode;

	errno = saved;
	return same;
}

bool sim_is_kfd(int fd)
{
	return is_file(fd, kfd_inode);
}

bool sim_is_render(int fd)
{
	return is_file(fd, render_inode);
}

uint64_t sim_render_take(uint64_t size)
{
	uint64_t offset = atomic_load_explicit(&next_offset, memory_order_relaxed);

	do {
		if (size > (uint64_t)RENDER_BYTES - offset)
			return UINT64_MAX;
	} while (!atomic_compare_exchange_weak_explicit(
		&next_offset, &offset, offset + size, memory_order_relaxed, memory_order_relaxed));
	return offset;
}

void sim_render_drop(uint64_t offset, uint64_t size)
{
	fallocate(render, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)size);
}

int sim_render_map(uint64_t address, uint64_t offset, uint64_t size)
{
	void *pages = mmap((void *)(uintptr_t)address, size, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_FIXED, render, (off_t)offset);

	return pages == MAP_FAILED ? -errno : 0;
}

void *sim_render_view(uint64_t offset, uint64_t size)
{
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, render, (off_t)offset);

	return pages == MAP_FAILED ? NULL : pages;
}
