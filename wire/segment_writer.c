/* SPDX-License-Identifier: MIT */
#include "wire/segment_writer.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAYLOAD_LIMIT (1u << 20) /* sizes stay far below 2^32 */

/* Words of the mapping are not atomic types in wire.h, because the device code includes it. */
static uint64_t load_acquire(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void store_release(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static void count(uint64_t *word, uint64_t n)
{
	__atomic_fetch_add(word, n, __ATOMIC_RELAXED);
}

static bool in_bounds(uint64_t offset, uint64_t size, uint64_t total)
{
	return offset <= total && size <= total - offset;
}

static bool power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

static bool header_valid(const struct probe_seg_header *header, uint64_t size)
{
	uint64_t rings = (uint64_t)header->ring_count + header->large_count;
	uint64_t heads = rings * sizeof(struct probe_ring);
	uint64_t data = (uint64_t)header->ring_count * header->ring_size;
	uint64_t large = (uint64_t)header->large_count * header->large_size;

	if (header->magic != PROBE_SEG_MAGIC || header->version != PROBE_SEG_VERSION)
		return false;
	if (header->total_size != size || header->header_size < sizeof(*header))
		return false;
	if (!power_of_two(header->host_size) || header->host_size < 4096 ||
	    header->host_size > size || header->host_offset % 64 != 0)
		return false;
	if (!in_bounds(header->host_offset, sizeof(struct probe_host_ring) + header->host_size,
		       size))
		return false;
	if (!header->ring_count)
		return true;
	if (header->large_count &&
	    (!power_of_two(header->large_count) || !power_of_two(header->large_size) ||
	     header->large_size < 4096 || large > size))
		return false;
	return power_of_two(header->ring_count) && power_of_two(header->ring_size) &&
	       header->ring_size >= 4096 && header->heads_offset % 4096 == 0 &&
	       header->data_offset % 4096 == 0 && in_bounds(header->heads_offset, heads, size) &&
	       data <= size && in_bounds(header->data_offset, data + large, size);
}

int probe_segment_open(struct probe_segment *seg, int fd, uint64_t size)
{
	struct probe_seg_header header;
	struct stat status;
	uint8_t *base;

	if (size < sizeof(header) || size > SIZE_MAX / 2)
		return -EPROTO;
	/* A file shorter than its mapping would raise SIGBUS in the application. */
	if (fstat(fd, &status))
		return -errno;
	if (status.st_size < 0 || (uint64_t)status.st_size < size)
		return -EPROTO;
	base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	memcpy(&header, base, sizeof(header));
	if (!header_valid(&header, size)) {
		munmap(base, size);
		return -EPROTO;
	}
	memset(seg, 0, sizeof(*seg));
	seg->base = base;
	seg->size = size;
	seg->header = header;
	seg->ring = (struct probe_host_ring *)(base + header.host_offset);
	seg->data = base + header.host_offset + sizeof(struct probe_host_ring);
	seg->mask = header.host_size - 1;
	return 0;
}

void probe_segment_close(struct probe_segment *seg)
{
	if (seg->base)
		munmap(seg->base, seg->size);
	memset(seg, 0, sizeof(*seg));
}

size_t probe_segment_payload_max(const struct probe_segment *seg)
{
	size_t quarter = (size_t)(seg->mask + 1) / 4;
	size_t most = quarter < PAYLOAD_LIMIT ? quarter : PAYLOAD_LIMIT;

	return most - sizeof(struct probe_host_rec);
}

static uint64_t boottime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The initial-exec model keeps the first use on a thread from allocating its block. */
static uint32_t thread_id(void)
{
	static __thread uint32_t tid __attribute__((tls_model("initial-exec")));

	if (!tid)
		tid = (uint32_t)syscall(SYS_gettid);
	return tid;
}

/*
 * Reserve `size` bytes, with a PAD record in front if they would wrap. A rest of the ring too
 * short for a record's header stays zero: readers skip it by its size. NULL = full.
 */
static struct probe_host_rec *reserve(struct probe_segment *seg, uint32_t size)
{
	uint64_t head = __atomic_load_n(&seg->ring->head, __ATOMIC_RELAXED);
	struct probe_host_rec *pad;
	uint64_t rest;

	for (;;) {
		/* Pairs with the reader's release of tail: the bytes before it are zero again. */
		uint64_t used = head - load_acquire(&seg->ring->tail);

		rest = seg->mask + 1 - (head & seg->mask);
		if (rest >= size)
			rest = 0;
		/*
		 * A tail beyond head: either other threads have moved both, or the reader is
		 * broken: count as full.
		 */
		if (used > seg->mask + 1) {
			uint64_t now = __atomic_load_n(&seg->ring->head, __ATOMIC_RELAXED);

			if (now == head)
				return NULL;
			head = now;
			continue;
		}
		if (rest + size > seg->mask + 1 - used)
			return NULL;
		if (__atomic_compare_exchange_n(&seg->ring->head, &head, head + rest + size, true,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			break;
	}
	if (rest >= sizeof(*pad)) {
		pad = (struct probe_host_rec *)(seg->data + (head & seg->mask));
		store_release(&pad->size, (uint32_t)rest);
		pad->type = PROBE_HR_PAD;
		store_release(&pad->commit, probe_commit_word(0));
	}
	return (struct probe_host_rec *)(seg->data + ((head + rest) & seg->mask));
}

/* A reader may have to skip a record that is never committed: its size is stored first. */
static void fill(struct probe_host_rec *rec, uint32_t size, uint32_t type,
		 const struct iovec *parts, int count_parts)
{
	uint8_t *to = (uint8_t *)(rec + 1);
	size_t padding = size - sizeof(*rec);
	uint32_t crc;

	store_release(&rec->size, size);
	rec->type = type;
	rec->tid = thread_id();
	rec->time = boottime();
	for (int i = 0; i < count_parts; i++) {
		if (parts[i].iov_len)
			memcpy(to, parts[i].iov_base, parts[i].iov_len);
		to += parts[i].iov_len;
		padding -= parts[i].iov_len;
	}
	memset(to, 0, padding);
	crc = probe_crc32(0, rec + 1, size - sizeof(*rec));
	/* Pairs with the reader's acquire of commit: all of the record. */
	store_release(&rec->commit, probe_commit_word(crc));
}

static const char loss_reason[] = "host ring full";
enum {
	LOSS_SIZE = (sizeof(struct probe_host_rec) + sizeof(struct probe_hr_loss) +
		     sizeof(loss_reason) - 1 + 7) &
		    ~7
};

static void fill_loss(struct probe_host_rec *rec, uint64_t records)
{
	struct probe_hr_loss loss = {.records = records, .reason_len = sizeof(loss_reason) - 1};
	struct iovec parts[2] = {
		{&loss, sizeof(loss)},
		{(void *)loss_reason, sizeof(loss_reason) - 1},
	};

	fill(rec, LOSS_SIZE, PROBE_HR_LOSS, parts, 2);
}

/*
 * Reserve a record, preceded by a LOSS record if there was a loss. Both at once: a LOSS record on
 * its own would fill each gap of a full ring before another record can.
 */
static struct probe_host_rec *reserve_with_loss(struct probe_segment *seg, uint32_t size)
{
	struct probe_host_rec *rec;
	uint64_t lost;

	if (!atomic_load_explicit(&seg->unreported, memory_order_relaxed))
		return reserve(seg, size);
	rec = reserve(seg, LOSS_SIZE + size);
	if (!rec)
		return reserve(seg, size);
	/*
	 * Another thread may have reported it meanwhile: then this record reports 0, which is
	 * correct.
	 */
	lost = atomic_exchange_explicit(&seg->unreported, 0, memory_order_relaxed);
	count(&seg->ring->emitted, 1);
	fill_loss(rec, lost);
	return (struct probe_host_rec *)((uint8_t *)rec + LOSS_SIZE);
}

static void count_dropped(struct probe_segment *seg)
{
	count(&seg->ring->dropped, 1);
	atomic_fetch_add_explicit(&seg->unreported, 1, memory_order_relaxed);
}

static int payload_size(const struct probe_segment *seg, const struct iovec *parts, int n,
			uint32_t *ret)
{
	size_t most = probe_segment_payload_max(seg);
	size_t total = 0;

	for (int i = 0; i < n; i++) {
		if (parts[i].iov_len > most - total)
			return -EMSGSIZE;
		total += parts[i].iov_len;
	}
	*ret = (uint32_t)((sizeof(struct probe_host_rec) + total + 7) & ~(size_t)7);
	return 0;
}

/* Count a record, and how large it is; 0, -ENOTCONN or -EMSGSIZE. */
static int begin(struct probe_segment *seg, const struct iovec *parts, int n, uint32_t *ret_size)
{
	if (!seg->base || atomic_load_explicit(&seg->off, memory_order_relaxed))
		return -ENOTCONN;
	count(&seg->ring->emitted, 1);
	if (!payload_size(seg, parts, n, ret_size))
		return 0;
	count_dropped(seg);
	return -EMSGSIZE;
}

static struct probe_host_rec *wait_for_space(struct probe_segment *seg, uint32_t size,
					     uint64_t timeout_ns)
{
	const struct timespec interval = {.tv_nsec = 100000};
	uint64_t until = boottime() + timeout_ns;
	struct probe_host_rec *rec = NULL;

	if (atomic_load_explicit(&seg->stalled, memory_order_relaxed))
		return NULL;
	while (!rec && boottime() < until) {
		nanosleep(&interval, NULL);
		rec = reserve_with_loss(seg, size);
	}
	if (!rec)
		atomic_store_explicit(&seg->stalled, true, memory_order_relaxed);
	return rec;
}

/* `rec`: NULL = no space. */
static int finish(struct probe_segment *seg, struct probe_host_rec *rec, uint32_t size,
		  uint32_t type, const struct iovec *parts, int n)
{
	if (!rec) {
		count_dropped(seg);
		return -ENOSPC;
	}
	if (atomic_load_explicit(&seg->stalled, memory_order_relaxed))
		atomic_store_explicit(&seg->stalled, false, memory_order_relaxed);
	fill(rec, size, type, parts, n);
	return 0;
}

int probe_segment_put_wait(struct probe_segment *seg, uint32_t type, const struct iovec *parts,
			   int n, uint64_t timeout_ns)
{
	struct probe_host_rec *rec;
	int saved = errno;
	uint32_t size;
	int err;

	err = begin(seg, parts, n, &size);
	if (err)
		return err;
	rec = reserve_with_loss(seg, size);
	if (!rec && timeout_ns)
		rec = wait_for_space(seg, size, timeout_ns);
	errno = saved;
	return finish(seg, rec, size, type, parts, n);
}

int probe_segment_put(struct probe_segment *seg, uint32_t type, const struct iovec *parts, int n)
{
	uint32_t size;
	int err;

	err = begin(seg, parts, n, &size);
	return err ? err : finish(seg, reserve_with_loss(seg, size), size, type, parts, n);
}

static bool half_full(const struct probe_segment *seg)
{
	uint64_t head = __atomic_load_n(&seg->ring->head, __ATOMIC_RELAXED);

	return head - __atomic_load_n(&seg->ring->tail, __ATOMIC_RELAXED) > (seg->mask + 1) / 2;
}

int probe_segment_put_spare(struct probe_segment *seg, uint32_t type, const struct iovec *parts,
			    int n)
{
	uint32_t size;
	int err;

	err = begin(seg, parts, n, &size);
	if (err)
		return err;
	return finish(seg, half_full(seg) ? NULL : reserve_with_loss(seg, size), size, type, parts,
		      n);
}
