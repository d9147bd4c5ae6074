/* SPDX-License-Identifier: MIT */
/* Bounded reading; see buf.h. */
#include "common/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/err.h"

#define MESSAGE_MAX 512

void probe_buf_init(struct probe_buf *buf, const char *name, const void *data, size_t size)
{
	static const uint8_t none[1];
	const uint8_t *bytes = size ? data : none; /* NULL + 0 is not defined */

	*buf = (struct probe_buf){
		.pos = bytes, .end = bytes + size, .prev = bytes, .start = bytes, .name = name};
}

static uint64_t offset_of(const struct probe_buf *buf, const uint8_t *at)
{
	return buf->base + (uint64_t)(at - buf->start);
}

struct probe_err *probe_buf_error(const struct probe_buf *buf, const char *format, ...)
{
	char text[MESSAGE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return probe_err_at(buf->name, offset_of(buf, buf->prev), "%s", text);
}

struct probe_err *probe_buf_bytes(struct probe_buf *buf, uint64_t size, const uint8_t **ret)
{
	if (size > probe_buf_left(buf))
		return probe_err_at(buf->name, offset_of(buf, buf->pos),
				    "%llu bytes expected, %zu left", (unsigned long long)size,
				    probe_buf_left(buf));
	*ret = buf->prev = buf->pos;
	buf->pos += size;
	return NULL;
}

struct probe_err *probe_buf_copy(struct probe_buf *buf, void *ret, size_t size)
{
	const uint8_t *bytes;
	struct probe_err *err = probe_buf_bytes(buf, size, &bytes);

	if (err)
		return err;
	memcpy(ret, bytes, size);
	return NULL;
}

struct probe_err *probe_buf_skip(struct probe_buf *buf, uint64_t size)
{
	const uint8_t *bytes;

	return probe_buf_bytes(buf, size, &bytes);
}

struct probe_err *probe_buf_u8(struct probe_buf *buf, uint8_t *ret)
{
	return probe_buf_copy(buf, ret, sizeof(*ret));
}

/* Shifts, not memcpy: the bytes are little-endian on any host. */
static uint64_t little(const uint8_t *bytes, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

struct probe_err *probe_buf_u16(struct probe_buf *buf, uint16_t *ret)
{
	const uint8_t *bytes;
	struct probe_err *err = probe_buf_bytes(buf, sizeof(*ret), &bytes);

	if (err)
		return err;
	*ret = (uint16_t)little(bytes, sizeof(*ret));
	return NULL;
}

struct probe_err *probe_buf_u32(struct probe_buf *buf, uint32_t *ret)
{
	const uint8_t *bytes;
	struct probe_err *err = probe_buf_bytes(buf, sizeof(*ret), &bytes);

	if (err)
		return err;
	*ret = (uint32_t)little(bytes, sizeof(*ret));
	return NULL;
}

struct probe_err *probe_buf_u64(struct probe_buf *buf, uint64_t *ret)
{
	const uint8_t *bytes;
	struct probe_err *err = probe_buf_bytes(buf, sizeof(*ret), &bytes);

	if (err)
		return err;
	*ret = little(bytes, sizeof(*ret));
	return NULL;
}

struct probe_err *probe_buf_string(struct probe_buf *buf, const char **ret)
{
	const uint8_t *nul = memchr(buf->pos, '\0', probe_buf_left(buf));

	if (!nul)
		return probe_err_at(buf->name, offset_of(buf, buf->pos),
				    "string of %zu bytes or more without an end",
				    probe_buf_left(buf));
	*ret = (const char *)buf->pos;
	buf->prev = buf->pos;
	buf->pos = nul + 1;
	return NULL;
}

struct probe_err *probe_buf_window(const struct probe_buf *buf, uint64_t offset, uint64_t size,
				   struct probe_buf *ret)
{
	uint64_t total = (uint64_t)(buf->end - buf->start);

	if (offset > total || size > total - offset)
		return probe_err_at(buf->name, buf->base,
				    "part of %llu bytes at 0x%llx reaches past the end at 0x%llx",
				    (unsigned long long)size, (unsigned long long)offset,
				    (unsigned long long)total);
	*ret = (struct probe_buf){
		.pos = buf->start + offset,
		.end = buf->start + offset + size,
		.prev = buf->start + offset,
		.start = buf->start + offset,
		.base = buf->base + offset,
		.name = buf->name,
	};
	return NULL;
}
