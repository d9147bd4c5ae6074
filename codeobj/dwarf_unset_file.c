/* SPDX-License-Identifier: MIT */
/* Interprets the opcodes of a line program only as far as is needed to count rows. */
#include "codeobj/dwarf_unset_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* DWARF 5, 6.2.5.2 and 6.2.5.3. */
enum { LNS_COPY = 1, LNS_SET_FILE = 4, LNS_FIXED_ADVANCE_PC = 9, LNE_END_SEQUENCE = 1 };

struct reader {
	const uint8_t *at, *end;
	bool bad;
};

static uint64_t read_number(struct reader *reader, unsigned bytes)
{
	uint64_t value = 0;

	if ((size_t)(reader->end - reader->at) < bytes) {
		reader->bad = true;
		reader->at = reader->end;
		return 0;
	}
	memcpy(&value, reader->at, bytes); /* little-endian, as on every supported host */
	reader->at += bytes;
	return value;
}

/* A LEB128 number of either kind; its value only matters where it is a length. */
static uint64_t read_leb128(struct reader *reader)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)read_number(reader, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !reader->bad);
	return value;
}

static void skip(struct reader *reader, uint64_t bytes)
{
	if ((uint64_t)(reader->end - reader->at) < bytes) {
		reader->bad = true;
		reader->at = reader->end;
	} else {
		reader->at += bytes;
	}
}

static bool end_sequence(struct probe_unset_file *ret, uint32_t rows)
{
	if (ret->count == ret->capacity) {
		size_t capacity = ret->capacity ? 2 * ret->capacity : 16;
		uint32_t *grown = realloc(ret->rows, capacity * sizeof(*grown));

		if (!grown)
			return false;
		ret->rows = grown;
		ret->capacity = capacity;
	}
	ret->rows[ret->count++] = rows;
	return true;
}

struct header {
	uint8_t opcode_base;
	const uint8_t *lengths; /* of the standard opcodes from 1 on */
};

static void run(struct reader *reader, const struct header *header, struct probe_unset_file *ret)
{
	uint32_t rows = 0;
	bool set = false;

	while (reader->at < reader->end && !reader->bad) {
		uint8_t op = (uint8_t)read_number(reader, 1);
		uint64_t length;

		if (op >= header->opcode_base || op == LNS_COPY) {
			rows += !set;
		} else if (op == LNS_FIXED_ADVANCE_PC) {
			skip(reader, 2);
		} else if (op) {
			set = set || op == LNS_SET_FILE;
			for (unsigned i = 0; i < header->lengths[op - 1]; i++)
				read_leb128(reader);
		} else {
			length = read_leb128(reader);
			op = length ? (uint8_t)read_number(reader, 1) : 0;
			skip(reader, length ? length - 1 : 0);
			if (op != LNE_END_SEQUENCE)
				continue;
			if (!end_sequence(ret, rows))
				return;
			rows = 0;
			set = false;
		}
	}
}

void probe_unset_file_read(const uint8_t *section, size_t size, uint64_t offset,
			   struct probe_unset_file *ret)
{
	struct reader reader = {section + (offset < size ? offset : size), section + size, false};
	struct header header;
	unsigned width = 4;
	uint64_t length;

	*ret = (struct probe_unset_file){0};
	length = read_number(&reader, 4);
	if (length == UINT32_MAX) {
		width = 8;
		length = read_number(&reader, 8);
	}
	if (reader.bad || length > (uint64_t)(reader.end - reader.at))
		return;
	reader.end = reader.at + length;
	if (read_number(&reader, 2) != 5)
		return;
	read_number(&reader, 2); /* sizes of an address and a segment selector */
	length = read_number(&reader, width);
	if (reader.bad || length > (uint64_t)(reader.end - reader.at))
		return;
	section = reader.at + length; /* start of the line number program */
	skip(&reader, 5);	      /* minimum length, operations, is_stmt, line base and range */
	header.opcode_base = (uint8_t)read_number(&reader, 1);
	header.lengths = reader.at;
	skip(&reader, header.opcode_base ? header.opcode_base - 1u : 0);
	if (reader.bad || header.opcode_base < 10 || section < reader.at)
		return;
	reader.at = section;
	run(&reader, &header, ret);
}

void probe_unset_file_deinit(struct probe_unset_file *start)
{
	free(start->rows);
	*start = (struct probe_unset_file){0};
}
