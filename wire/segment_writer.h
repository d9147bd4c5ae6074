/* SPDX-License-Identifier: MIT */
/*
 * Writes host records to the segment, from any number of threads (wire_segment.h section 6).
 *
 * Putting a record takes no lock, allocates nothing, preserves errno and does not wait, except for
 * _wait. If a record finds the ring full, it is counted as dropped. The next record that fits is
 * preceded by a PROBE_HR_LOSS record with that number. After the process has ended, a reader can
 * check: emitted = committed + dropped + reserved but never committed.
 */
#ifndef PROBE_WIRE_SEGMENT_WRITER_H
#define PROBE_WIRE_SEGMENT_WRITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <probe/wire.h>

#include "common/crc32.h"

struct probe_segment {
	uint8_t *base; /* NULL = closed: puts fail with -ENOTCONN and are not counted */
	size_t size;
	struct probe_seg_header header; /* checked copy; the mapping is not read again */
	struct probe_host_ring *ring;
	uint8_t *data;
	uint64_t mask;		     /* host_size - 1 */
	_Atomic uint64_t unreported; /* dropped, not yet in a LOSS record */
	_Atomic bool off;	     /* set in a forked child */
	_Atomic bool stalled;	     /* the last wait timed out: do not wait again */
};

/*
 * Map the segment behind `fd` (of `size` bytes, from the supervisor). The descriptor may be
 * closed afterwards. 0, -EPROTO if the header is malformed, or another -errno.
 */
int probe_segment_open(struct probe_segment *seg, int fd, uint64_t size);
void probe_segment_close(struct probe_segment *seg);

/* Largest payload of a record: a quarter of the ring, so that large ones cannot starve. */
size_t probe_segment_payload_max(const struct probe_segment *seg);

/*
 * Put one record. Its payload is the concatenation of the parts. 0, -ENOSPC (counted as dropped),
 * -EMSGSIZE (counted as dropped), or -ENOTCONN.
 */
int probe_segment_put(struct probe_segment *seg, uint32_t type, const struct iovec *parts,
		      int count);

/*
 * The same, but half of the ring stays free for other records: for those of which a program makes
 * more than anybody reads.
 */
int probe_segment_put_spare(struct probe_segment *seg, uint32_t type, const struct iovec *parts,
			    int count);

/*
 * As probe_segment_put(), but when the ring is full wait up to `timeout_ns` for the reader. After a
 * timeout later calls do not wait until a record has fitted again.
 */
int probe_segment_put_wait(struct probe_segment *seg, uint32_t type, const struct iovec *parts,
			   int count, uint64_t timeout_ns);

/* The commit word of a payload with this CRC: never 0. */
static inline uint32_t probe_commit_word(uint32_t crc)
{
	uint32_t word = PROBE_COMMIT ^ crc;

	return word ? word : PROBE_COMMIT;
}

#endif
