/* SPDX-License-Identifier: MIT */
#include "codeobj/range_lists.h"

#include <endian.h>
#include <string.h>

#include "codeobj/dwarf_sections.h"

/* DWARF 5, 7.25: kinds of entries. */
enum {
	END_OF_LIST = 0,
	BASE_ADDRESSX = 1,
	STARTX_ENDX = 2,
	STARTX_LENGTH = 3,
	OFFSET_PAIR = 4,
	BASE_ADDRESS = 5,
	START_END = 6,
	START_LENGTH = 7,
	HEADER = 12, /* unit_length, version, address size, segment size, offset count */
};

struct bytes {
	const uint8_t *pos, *end;
	bool bad;
};

static uint64_t read_fixed(struct bytes *bytes, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(bytes->end - bytes->pos) < size) {
		bytes->bad = true;
		bytes->pos = bytes->end;
		return 0;
	}
	memcpy(&value, bytes->pos, size);
	bytes->pos += size;
	return le64toh(value);
}

static uint64_t read_leb128(struct bytes *bytes)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && bytes->pos < bytes->end; shift += 7) {
		uint8_t byte = *bytes->pos++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	bytes->bad = true;
	return 0;
}

static uint64_t address_of(const struct probe_range_unit *unit, struct bytes *list, uint64_t index)
{
	size_t size = unit->addr->size;
	struct bytes bytes;

	if (!unit->addr->bytes || !unit->addr_base || unit->addr_base > size ||
	    index >= (size - unit->addr_base) / 8) {
		list->bad = true;
		return 0;
	}
	bytes = (struct bytes){unit->addr->bytes + unit->addr_base + 8 * index,
			       unit->addr->bytes + size, false};
	return read_fixed(&bytes, 8);
}

/* DWARF 4, 2.17.3. */
static bool read_old(const struct probe_range_unit *unit, uint64_t offset,
		     bool (*add)(void *user, uint64_t low, uint64_t high), void *user)
{
	const struct probe_dwarf_section *section = unit->ranges;
	uint64_t base = unit->low;
	struct bytes list;

	if (!section->bytes || offset >= section->size)
		return false;
	list = (struct bytes){section->bytes + offset, section->bytes + section->size, false};
	for (unsigned i = 0; i < PROBE_RANGES_MAX; i++) {
		uint64_t low = read_fixed(&list, 8), high = read_fixed(&list, 8);

		if (list.bad)
			return false;
		if (!low && !high)
			return true;
		if (low == UINT64_MAX)
			base = high;
		else if (low < high && !add(user, base + low, base + high))
			return true;
	}
	return false;
}

/* Read one entry; *more = false at the end of the list, or if `add` ended it. */
static bool read_entry(const struct probe_range_unit *unit, struct bytes *list, uint64_t *base,
		       bool *more, bool (*add)(void *user, uint64_t low, uint64_t high), void *user)
{
	uint64_t low = 0, high = 0;

	switch (read_fixed(list, 1)) {
	case END_OF_LIST:
		*more = false;
		break;
	case BASE_ADDRESSX:
		*base = address_of(unit, list, read_leb128(list));
		break;
	case BASE_ADDRESS:
		*base = read_fixed(list, 8);
		break;
	case STARTX_ENDX:
		low = address_of(unit, list, read_leb128(list));
		high = address_of(unit, list, read_leb128(list));
		break;
	case STARTX_LENGTH:
		low = address_of(unit, list, read_leb128(list));
		high = low + read_leb128(list);
		break;
	case OFFSET_PAIR:
		low = *base + read_leb128(list);
		high = *base + read_leb128(list);
		break;
	case START_END:
		low = read_fixed(list, 8);
		high = read_fixed(list, 8);
		break;
	case START_LENGTH:
		low = read_fixed(list, 8);
		high = low + read_leb128(list);
		break;
	default:
		list->bad = true;
	}
	if (list->bad)
		return false;
	if (low < high && !add(user, low, high))
		*more = false;
	return true;
}

/* The part of .debug_rnglists with the unit's lists, bounded by its own header. */
static bool find_part(const struct probe_range_unit *unit, uint64_t *count, uint64_t *end)
{
	const struct probe_dwarf_section *section = unit->rnglists;
	uint64_t base = unit->rnglists_base, length;
	struct bytes header;

	if (!section->bytes || base < HEADER || base > section->size)
		return false;
	header = (struct bytes){section->bytes + base - HEADER, section->bytes + base, false};
	length = read_fixed(&header, 4);
	if (read_fixed(&header, 2) != 5 || read_fixed(&header, 1) != 8 ||
	    read_fixed(&header, 1) != 0)
		return false;
	*count = read_fixed(&header, 4);
	*end = base - HEADER + 4 + length;
	return length >= HEADER - 4 && *end <= section->size && *count <= (*end - base) / 4;
}

static bool read_new(const struct probe_range_unit *unit, uint64_t offset, bool indexed,
		     bool (*add)(void *user, uint64_t low, uint64_t high), void *user)
{
	const struct probe_dwarf_section *section = unit->rnglists;
	uint64_t base = unit->low, count, end = section->size;
	struct bytes list;
	bool more = true;

	if (indexed) {
		if (!find_part(unit, &count, &end) || offset >= count)
			return false;
		list = (struct bytes){section->bytes + unit->rnglists_base + 4 * offset,
				      section->bytes + end, false};
		offset = unit->rnglists_base + read_fixed(&list, 4);
	}
	if (!section->bytes || offset >= end)
		return false;
	list = (struct bytes){section->bytes + offset, section->bytes + end, false};
	for (unsigned i = 0; i < PROBE_RANGES_MAX && more; i++)
		if (!read_entry(unit, &list, &base, &more, add, user))
			return false;
	return !more;
}

bool probe_ranges_read(const struct probe_range_unit *unit, uint64_t offset, bool indexed,
		       bool (*add)(void *user, uint64_t low, uint64_t high), void *user)
{
	return unit->version >= 5 ? read_new(unit, offset, indexed, add, user)
				  : read_old(unit, offset, add, user);
}
