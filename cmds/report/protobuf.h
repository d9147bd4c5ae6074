/* SPDX-License-Identifier: MIT */
/*
 * Writes messages of protobuf's wire format into a buffer. Without memory the buffer stays unchanged
 * and `failed` is set.
 */
#ifndef PROBE_CMDS_REPORT_PROTOBUF_H
#define PROBE_CMDS_REPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initialised to zero. */
struct protobuf {
	unsigned char *bytes;
	size_t size, capacity;
	bool failed;
};

void protobuf_deinit(struct protobuf *buffer);

void protobuf_put_uint(struct protobuf *buffer, unsigned field, uint64_t value);
void protobuf_put_fixed64(struct protobuf *buffer, unsigned field, uint64_t value);
/* Bytes that are not UTF-8 become U+FFFD. */
void protobuf_put_text(struct protobuf *buffer, unsigned field, const char *text);

/* Fields between these are those of a message; its length is at most 256 MB. */
size_t protobuf_open(struct protobuf *buffer, unsigned field);
void protobuf_close(struct protobuf *buffer, size_t opened);

#endif
