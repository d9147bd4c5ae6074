/* SPDX-License-Identifier: MIT */
#include "simgpu/driver/user_copy.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PART = 4096 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int file = -1;
static atomic_uint threads;
static _Thread_local unsigned own; /* this thread's page of the file, + 1 */

static void make_file(void)
{
	file = memfd_create("probe-sim-copy", MFD_CLOEXEC);
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

		if (pwrite(file, (const void *)(uintptr_t)user, part, page) != (ssize_t)part ||
		    pread(file, to, part, page) != (ssize_t)part)
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

		if (pwrite(file, from, part, page) != (ssize_t)part ||
		    pread(file, (void *)(uintptr_t)user, part, page) != (ssize_t)part)
			return -EFAULT;
		user += part;
		from = (const char *)from + part;
		size -= part;
	}
	return 0;
}
