/* SPDX-License-Identifier: MIT */
#include "simgpu/driver/user_copy.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PART = 4096 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int file = -1;
static atomic_uint threads;
static _Thread_local unsigned own; /* index of this thread's page in the file, + 1 */

static void make_file(void)
{
	file = memfd_create("probe-sim-copy", MFD_CLOEXEC);
}

/*
 * Does not use the C library's functions: a sanitizer's definitions of them access the bytes first.
 */
static bool put(off_t page, const void *from, size_t size)
{
	return syscall(SYS_pwrite64, file, from, size, page) == (long)size;
}

static bool get(off_t page, void *to, size_t size)
{
	return syscall(SYS_pread64, file, to, size, page) == (long)size;
}

static off_t page_of_thread(void)
{
	if (!own)
		own = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
	return (off_t)(own - 1) * PART;
}

int sim_copy_from_user(void *to, uint64_t user, size_t size)
{
	off_t page = page_of_thread();

	pthread_once(&once, make_file);
	while (size) {
		size_t part = size < PART ? size : PART;

		if (!put(page, (const void *)(uintptr_t)user, part) || !get(page, to, part))
			return -EFAULT;
		user += part;
		to = (char *)to + part;
		size -= part;
	}
	return 0;
}

int sim_copy_to_user(uint64_t user, const void *from, size_t size)
{
	off_t page = page_of_thread();

	pthread_once(&once, make_file);
	while (size) {
		size_t part = size < PART ? size : PART;

		if (!put(page, from, part) || !get(page, (void *)(uintptr_t)user, part))
			return -EFAULT;
		user += part;
		from = (const char *)from + part;
		size -= part;
	}
	return 0;
}

bool sim_user_mapped(uint64_t user, uint64_t size)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t at = user & ~(page - 1), end = user + size;
	unsigned char present[4096];

	if (end < user)
		return false;
	while (at < end) {
		uint64_t part = sizeof(present) * page;

		if (end - at < part)
			part = end - at;
		if (mincore((void *)(uintptr_t)at, part, present))
			return false;
		at += part;
	}
	return true;
}

bool sim_user_readable(uint64_t user, uint64_t size)
{
	char byte;

	return !sim_copy_from_user(&byte, user, 1) &&
	       !sim_copy_from_user(&byte, user + size - 1, 1);
}
