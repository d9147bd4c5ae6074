/* SPDX-License-Identifier: MIT */
/*
 * Bounded little-endian reading of untrusted bytes. A read that does not fit fails with the number
 * of bytes expected and left, and does not move.
 */
#ifndef PROBE_COMMON_BUF_H
#define PROBE_COMMON_BUF_H

#include <stddef.h>
#include <stdint.h>

struct probe_err;

struct probe_buf {
	const uint8_t *pos;
	const uint8_t *end;
	const uint8_t *prev;  /* start of the last read, for probe_buf_error() */
	const uint8_t *start; /* offsets in messages count from here ... */
	uint64_t base;	      /* ... plus this */
	const char *name;     /* of the file or section; not owned, outlives the buffer */
};

void probe_buf_init(struct probe_buf *buf, const char *name, const void *data, size_t size);

static inline size_t probe_buf_left(const struct probe_buf *buf)
{
	return (size_t)(buf->end - buf->pos);
}

struct probe_err *probe_buf_u8(struct probe_buf *buf, uint8_t *ret);
struct probe_err *probe_buf_u16(struct probe_buf *buf, uint16_t *ret);
struct probe_err *probe_buf_u32(struct probe_buf *buf, uint32_t *ret);
struct probe_err *probe_buf_u64(struct probe_buf *buf, uint64_t *ret);

/* Copy `size` bytes out. */
struct probe_err *probe_buf_copy(struct probe_buf *buf, void *ret, size_t size);

/* Point at `size` bytes in place, of any alignment. */
struct probe_err *probe_buf_bytes(struct probe_buf *buf, uint64_t size, const uint8_t **ret);
struct probe_err *probe_buf_skip(struct probe_buf *buf, uint64_t size);

/* A NUL-terminated string in place. */
struct probe_err *probe_buf_string(struct probe_buf *buf, const char **ret);

/* A window of `size` bytes at `offset` from the start; its messages keep this buffer's offsets. */
struct probe_err *probe_buf_window(const struct probe_buf *buf, uint64_t offset, uint64_t size,
				   struct probe_buf *ret);

/* An error about the bytes of the last read. */
struct probe_err *probe_buf_error(const struct probe_buf *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

#endif
