/* SPDX-License-Identifier: MIT */
#include "cmds/report/protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "cmds/report/escape.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, LENGTH_BYTES = 4 };

void protobuf_deinit(struct protobuf *buffer)
{
	free(buffer->bytes);
	*buffer = (struct protobuf){0};
}

static void append(struct protobuf *buffer, const void *bytes, size_t size)
{
	if (buffer->capacity - buffer->size < size) {
		size_t capacity = 2 * (buffer->size + size) + 256;
		unsigned char *grown = realloc(buffer->bytes, capacity);

		buffer->failed = buffer->failed || !grown;
		if (!grown)
			return;
		buffer->bytes = grown;
		buffer->capacity = capacity;
	}
	memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
}

static void append_varint(struct protobuf *buffer, uint64_t value)
{
	unsigned char bytes[10];
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[n++] = (unsigned char)(value | 0x80);
	bytes[n++] = (unsigned char)value;
	append(buffer, bytes, n);
}

static void append_key(struct protobuf *buffer, unsigned field, unsigned type)
{
	append_varint(buffer, (uint64_t)field << 3 | type);
}

void protobuf_put_uint(struct protobuf *buffer, unsigned field, uint64_t value)
{
	append_key(buffer, field, VARINT);
	append_varint(buffer, value);
}

void protobuf_put_fixed64(struct protobuf *buffer, unsigned field, uint64_t value)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	append_key(buffer, field, FIXED64);
	append(buffer, bytes, sizeof(bytes));
}

/* The length is filled in later, so it has a fixed number of bytes. */
size_t protobuf_open(struct protobuf *buffer, unsigned field)
{
	append_key(buffer, field, BYTES);
	append(buffer, (const unsigned char[LENGTH_BYTES]){0}, LENGTH_BYTES);
	return buffer->size;
}

void protobuf_close(struct protobuf *buffer, size_t opened)
{
	size_t size = buffer->size - opened;

	if (buffer->failed)
		return;
	for (unsigned i = 0; i < LENGTH_BYTES; i++)
		buffer->bytes[opened - LENGTH_BYTES + i] =
			(unsigned char)((size >> 7 * i & 0x7f) | (i + 1 < LENGTH_BYTES ? 0x80 : 0));
}

/* Fields of text have to be UTF-8. */
void protobuf_put_text(struct protobuf *buffer, unsigned field, const char *text)
{
	size_t len = strlen(text), opened = protobuf_open(buffer, field);
	uint32_t code;

	for (size_t from = 0, to = 0; to <= len; from = to) {
		unsigned count = 0;

		while (to < len && (count = report_utf8(text + to, len - to, &code)))
			to += count;
		append(buffer, text + from, to - from);
		if (to == len)
			break;
		append(buffer, "\xef\xbf\xbd", 3); /* U+FFFD: the byte is not valid */
		to++;
	}
	protobuf_close(buffer, opened);
}
