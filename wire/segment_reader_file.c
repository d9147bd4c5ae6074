/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "wire/segment_reader_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/err.h"

#define PAGE		  4096u
#define HOST_SIZE_MIN	  65536u
#define HOST_SIZE_MAX	  (1ull << 32)
#define RINGS_BYTES_MAX	  (1ull << 32)
#define SEGMENT_DIRECTORY "/dev/shm"

enum { GUARDS = 256 };

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static bool power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

static struct probe_err *check_rings(uint32_t count, uint32_t size)
{
	if (!count)
		return NULL;
	if (!power_of_two(count) || count > PROBE_SEG_RING_COUNT_MAX)
		return probe_err_create("segment: %u rings; a power of two up to %u is wanted",
					count, PROBE_SEG_RING_COUNT_MAX);
	if (!power_of_two(size) || size < PROBE_RING_SIZE_MIN ||
	    (uint64_t)count * size > RINGS_BYTES_MAX)
		return probe_err_create("segment: %u rings of %u bytes", count, size);
	return NULL;
}

static struct probe_err *check_shape(uint64_t host_size, const struct segment_rings *rings)
{
	struct probe_err *err;

	if (!power_of_two(host_size) || host_size < HOST_SIZE_MIN || host_size > HOST_SIZE_MAX)
		return probe_err_create("segment: host ring of %llu bytes",
					(unsigned long long)host_size);
	err = check_rings(rings->count, rings->size);
	return err ? err : check_rings(rings->count ? rings->large_count : 0, rings->large_size);
}

/*
 * ---- A mapping that shrinks ----
 *
 * A hostile application may truncate the named file: reading then raises SIGBUS. The handler puts
 * zeros there, which are records that were never committed.
 */
static struct guard {
	_Atomic uintptr_t base;
	size_t size;
} guards[GUARDS];

static void on_bus_error(int number, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;

	(void)context;
	for (int i = 0; i < GUARDS; i++) {
		uintptr_t base = atomic_load(&guards[i].base);

		if (base && at >= base && at - base < guards[i].size &&
		    mmap((void *)(at & ~(uintptr_t)(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
			return;
	}
	signal(number, SIG_DFL);
}

bool segment_reader_guard(const struct segment_reader *segment)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	for (int i = 0; i < GUARDS; i++) {
		uintptr_t none = 0;

		if (!atomic_compare_exchange_strong(&guards[i].base, &none, 1))
			continue;
		guards[i].size = segment->size;
		atomic_store(&guards[i].base, (uintptr_t)segment->map);
		return !sigaction(SIGBUS, &action, NULL);
	}
	return false;
}

static void unguard(const struct segment_reader *segment)
{
	for (int i = 0; i < GUARDS && segment->map; i++)
		if (atomic_load(&guards[i].base) == (uintptr_t)segment->map)
			atomic_store(&guards[i].base, 0);
}

/*
 * A file in shared memory that can get a name, with which it outlives all its processes. Not if
 * little space is left there (containers have 64 MB): a page that cannot be had would raise SIGBUS
 * in the application.
 */
static int shared_file(struct segment_reader *segment)
{
	struct statvfs space;
	uint64_t number;
	int fd;

	if (statvfs(SEGMENT_DIRECTORY, &space) ||
	    space.f_bavail * (uint64_t)space.f_frsize < 2 * segment->size ||
	    getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -1;
	fd = open(SEGMENT_DIRECTORY, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		snprintf(segment->path, sizeof(segment->path), SEGMENT_DIRECTORY "/probe-%016llx",
			 (unsigned long long)number);
	return fd;
}

/* A memory file cannot shrink: a named one needs segment_reader_guard(). */
static struct probe_err *make_file(struct segment_reader *segment, bool named)
{
	segment->fd = named ? shared_file(segment) : -1;
	if (segment->fd < 0)
		segment->fd = memfd_create("probe-segment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (segment->fd < 0)
		return probe_err_create("cannot make a memory file: %s", strerror(errno));
	if (ftruncate(segment->fd, (off_t)segment->size))
		return probe_err_create("cannot size a memory file to %llu bytes: %s",
					(unsigned long long)segment->size, strerror(errno));
	if (!*segment->path &&
	    fcntl(segment->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return probe_err_create("cannot seal a memory file: %s", strerror(errno));
	return NULL;
}

void segment_reader_allocate(const struct segment_reader *segment)
{
	if (*segment->path && fallocate(segment->fd, 0, 0, (off_t)segment->size))
		return; /* pages are then allocated by the first write to each */
}

static struct probe_err *map_file(struct segment_reader *segment)
{
	segment->map =
		mmap(NULL, segment->size, PROT_READ | PROT_WRITE, MAP_SHARED, segment->fd, 0);
	if (segment->map == MAP_FAILED) {
		segment->map = NULL;
		return probe_err_create("cannot map a segment of %llu bytes: %s",
					(unsigned long long)segment->size, strerror(errno));
	}
	return NULL;
}

/* The segment that the header describes, of which only the shape is used. */
static struct probe_err *place(const struct probe_seg_header *header, struct segment_reader *ret)
{
	const struct segment_rings rings = {
		.count = header->ring_count,
		.size = header->ring_size,
		.large_count = header->ring_count ? header->large_count : 0,
		.large_size = header->large_size,
	};
	struct probe_err *err = check_shape(header->host_size, &rings);

	if (err)
		return err;
	*ret = (struct segment_reader){
		.fd = -1,
		.host_size = header->host_size,
		.ring_count = rings.count + rings.large_count,
		.ring_size = rings.size,
		.large_count = rings.large_count,
		.large_size = rings.large_size,
	};
	ret->layout = *header;
	ret->layout.magic = PROBE_SEG_MAGIC;
	ret->layout.version = PROBE_SEG_VERSION;
	ret->layout.header_size = sizeof(struct probe_seg_header);
	ret->layout.large_count = rings.large_count;
	ret->layout.host_offset = PAGE;
	ret->layout.heads_offset =
		page_up(PAGE + sizeof(struct probe_host_ring) + header->host_size);
	ret->layout.data_offset =
		page_up(ret->layout.heads_offset + ret->ring_count * sizeof(struct probe_ring));
	ret->size =
		ret->layout.data_offset + page_up((uint64_t)rings.count * rings.size +
						  (uint64_t)rings.large_count * rings.large_size);
	ret->layout.total_size = ret->size;
	return NULL;
}

static struct probe_err *use_file(struct segment_reader *segment)
{
	struct probe_err *err = map_file(segment);

	if (err)
		return err;
	segment->rings = calloc(segment->ring_count + 1, sizeof(*segment->rings));
	if (!segment->rings)
		return probe_err_oom();
	segment->host = (struct probe_host_ring *)(segment->map + segment->layout.host_offset);
	segment->host_data = (unsigned char *)(segment->host + 1);
	segment->heads = (struct probe_ring *)(segment->map + segment->layout.heads_offset);
	segment->data = segment->map + segment->layout.data_offset;
	return NULL;
}

struct probe_err *segment_reader_create(uint64_t host_size, const struct segment_rings *rings,
					bool named, struct segment_reader *ret)
{
	const struct probe_seg_header shape = {
		.host_size = host_size,
		.ring_count = rings->count,
		.ring_size = rings->size,
		.large_count = rings->large_count,
		.large_size = rings->large_size,
	};
	struct segment_reader segment;
	struct probe_err *err = place(&shape, &segment);

	if (err)
		return err;
	err = make_file(&segment, named);
	err = err ? err : use_file(&segment);
	if (err) {
		segment_reader_destroy(&segment);
		return err;
	}
	*(struct probe_seg_header *)segment.map = segment.layout;
	*ret = segment;
	return NULL;
}

struct probe_err *segment_reader_open(const char *path, const struct probe_seg_header *layout,
				      struct segment_reader *ret)
{
	struct segment_reader segment;
	struct probe_err *err = place(layout, &segment);
	struct stat status;

	if (err)
		return err;
	segment.fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (segment.fd < 0 || fstat(segment.fd, &status))
		err = probe_err_create("%s: %s", path, strerror(errno));
	else if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
		 (uint64_t)status.st_size != segment.size || strlen(path) >= sizeof(segment.path))
		err = probe_err_create("%s: not the segment that was recorded", path);
	else
		err = use_file(&segment);
	if (err) {
		segment_reader_destroy(&segment);
		return err;
	}
	strcpy(segment.path, path);
	segment.linked = true;
	*ret = segment;
	return NULL;
}

bool segment_reader_link(struct segment_reader *segment)
{
	char file[32];

	snprintf(file, sizeof(file), "/proc/self/fd/%d", segment->fd);
	segment->linked = *segment->path &&
			  !linkat(AT_FDCWD, file, AT_FDCWD, segment->path, AT_SYMLINK_FOLLOW);
	if (!segment->linked)
		*segment->path = 0;
	return segment->linked;
}

void segment_reader_unlink(struct segment_reader *segment)
{
	if (segment->linked)
		unlink(segment->path);
	segment->linked = false;
	*segment->path = 0;
}

void segment_reader_destroy(struct segment_reader *segment)
{
	unguard(segment);
	if (segment->map)
		munmap(segment->map, segment->size);
	if (segment->fd >= 0)
		close(segment->fd);
	free(segment->rings);
	free(segment->copy);
	*segment = (struct segment_reader){.fd = -1};
}
