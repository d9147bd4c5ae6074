/* SPDX-License-Identifier: MIT */
/* Short records written out; see trace_widen.h. */
#include "common/trace_widen.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 64 };

/* ---- Groups ---------------------------------------------------------------------------------- */

/* A decimal number up to `most`, and the character behind it; false = there is none. */
static bool read_number(const char **at, unsigned long most, unsigned long *ret)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*ret = strtoul(*at, &end, 10);
	*at = end;
	return *ret <= most;
}

bool probe_trace_group_read(uint32_t id, const char *name, struct probe_trace_group *ret)
{
	struct probe_trace_group group = {.id = id};
	unsigned long number;

	if (!read_number(&name, PROBE_SITE_MASK, &number) || *name != ':')
		return false;
	group.first_site = (uint32_t)number;
	while (*name) {
		bool minus;

		name++;
		if (group.sites == PROBE_GROUP_SITES ||
		    !read_number(&name, PROBE_GROUP_BASES - 1, &number) ||
		    (*name != '+' && *name != '-'))
			return false;
		group.site[group.sites].base = (uint8_t)number;
		group.bases = number >= group.bases ? (uint32_t)number + 1 : group.bases;
		minus = *name++ == '-';
		if (!read_number(&name, (unsigned long)INT32_MAX + minus, &number) ||
		    (*name && *name != ','))
			return false;
		group.site[group.sites++].distance =
			(int32_t)(minus ? 0 - (int64_t)number : (int64_t)number);
	}
	if (!group.sites)
		return false;
	*ret = group;
	return true;
}

static const struct probe_trace_group *find_group(const struct probe_trace_groups *groups,
						  uint32_t id)
{
	return groups && id < groups->count ? groups->group[id] : NULL;
}

static uint64_t move(const struct probe_trace_group *group, uint32_t i, uint64_t address)
{
	address += (uint64_t)(int64_t)group->site[i].distance;
	return group->site[i].lds ? (uint32_t)address : address;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* The addresses of a base: at one stride, or each. */
struct lanes {
	bool affine;
	int32_t stride;
	uint64_t address[LANES]; /* only the first if affine */
};

static size_t put_affine(unsigned char *out, uint32_t site, int32_t stride, uint64_t base)
{
	const struct probe_rec_affine rec = {
		.word0 = site | (uint32_t)PROBE_FORM_AFFINE << PROBE_FORM_SHIFT,
		.stride = stride,
		.exec = UINT64_MAX,
		.base = base,
	};

	memcpy(out, &rec, sizeof(rec));
	return sizeof(rec);
}

static size_t put_site(unsigned char *out, const struct probe_trace_group *group, uint32_t i,
		       const struct lanes *lanes)
{
	uint64_t first = move(group, i, lanes->address[0]), address[LANES];
	struct probe_rec_lanes rec = {.exec = UINT64_MAX, .base = first};
	uint32_t site = group->first_site + i;
	int32_t offset[LANES];
	bool near = true;
	size_t size;

	if (lanes->affine)
		return put_affine(out, site, lanes->stride, first);
	for (unsigned lane = 0; lane < LANES; lane++) {
		address[lane] = move(group, i, lanes->address[lane]);
		offset[lane] = (int32_t)(address[lane] - first);
		near = near && address[lane] - first == (uint64_t)(int64_t)offset[lane];
	}
	rec.base = near ? first : 0;
	rec.word0 = site | (uint32_t)(near ? PROBE_FORM_NEAR : PROBE_FORM_FULL) << PROBE_FORM_SHIFT;
	size = near ? sizeof(offset) : sizeof(address);
	rec.size = (uint32_t)(sizeof(rec) + size);
	memcpy(out, &rec, sizeof(rec));
	memcpy(out + sizeof(rec), near ? (const void *)offset : (const void *)address, size);
	return rec.size;
}

/* from[k * bases] is the address of the k-th lane of `rows`. */
static void read_rows(const uint64_t *from, uint32_t bases, uint64_t rows, struct lanes *ret)
{
	uint64_t *address = ret->address, step;

	for (unsigned lane = 0; lane < LANES; lane++) {
		if (rows >> lane & 1) {
			address[lane] = *from;
			from += bases;
		} else {
			uint64_t below = address[lane - 1];

			address[lane] = (below & ~(uint64_t)UINT32_MAX) |
					(uint32_t)(2 * below - address[lane - 2]);
		}
	}
	step = address[1] - address[0];
	ret->stride = (int32_t)step;
	ret->affine = step == (uint64_t)(int64_t)ret->stride;
	for (unsigned lane = 2; lane < LANES; lane++)
		ret->affine = ret->affine && address[lane] - address[lane - 1] == step;
}

/* Lanes 0 and 1 tell all: at one stride unless a low half wraps. */
static void read_pair(const uint64_t *from, uint32_t bases, struct lanes *ret)
{
	uint64_t first = from[0], second = from[bases], step = second - first;
	int64_t stride = (int32_t)step;

	if (step != (uint64_t)stride || (second + (uint64_t)(62 * stride)) >> 32 != second >> 32) {
		read_rows(from, bases, 3, ret);
		return;
	}
	ret->affine = true;
	ret->stride = (int32_t)stride;
	ret->address[0] = first;
}

/* A block record's bytes, 0 = it makes no sense. */
static size_t block_size(const struct probe_rec_block *rec, size_t left, uint64_t rows,
			 const struct probe_trace_group *group)
{
	size_t size;

	if (!group || group->id != (rec->word0 & PROBE_SITE_MASK) || rec->bases != group->bases ||
	    (rows & 3) != 3)
		return 0;
	size = sizeof(*rec) + 8ul * rec->bases * (unsigned)__builtin_popcountll(rows);
	return size <= left ? size : 0;
}

static size_t put_block(unsigned char *out, const struct probe_rec_block *rec, uint64_t rows,
			const struct probe_trace_group *group)
{
	const uint64_t *from = (const void *)(rec + 1);
	struct lanes lanes[PROBE_GROUP_BASES];
	size_t used = 0;

	for (uint32_t i = 0; i < rec->bases; i++)
		if (rows == 3)
			read_pair(from + i, rec->bases, &lanes[i]);
		else
			read_rows(from + i, rec->bases, rows, &lanes[i]);
	for (uint32_t i = 0; i < group->sites; i++)
		used += put_site(out + used, group, i, &lanes[group->site[i].base]);
	return used;
}

/* ---- Records of one base --------------------------------------------------------------------- */

/* Bytes of a record that is copied, 0 = unknown. */
static size_t plain_size(const unsigned char *at, size_t left)
{
	const uint32_t *words = (const void *)at;
	size_t size = 0;

	if (left < 8)
		return 0;
	switch (words[0] >> PROBE_FORM_SHIFT) {
	case PROBE_FORM_WAVE:
		size = sizeof(struct probe_rec_wave);
		break;
	case PROBE_FORM_AFFINE:
		size = sizeof(struct probe_rec_affine);
		break;
	case PROBE_FORM_BEGIN:
	case PROBE_FORM_END:
		size = sizeof(struct probe_rec_stamp);
		break;
	case PROBE_FORM_WAVE_END:
		size = sizeof(struct probe_rec_wave_end);
		break;
	case PROBE_FORM_NEAR:
	case PROBE_FORM_FULL:
	case PROBE_FORM_MESSAGE:
		size = words[1] % 8 || words[1] < sizeof(struct probe_rec_lanes) ? 0 : words[1];
		break;
	}
	/* Longer ones than 64 lanes have do not exist, and might not fit. */
	return size <= left && size <= PROBE_TRACE_WIDE_ROOM / PROBE_GROUP_SITES + 64 ? size : 0;
}

/* A base's record as that of a site. */
static size_t put_moved(unsigned char *out, const unsigned char *at, size_t size,
			const struct probe_trace_group *group, uint32_t i)
{
	struct probe_rec_lanes *rec = (void *)out;

	memcpy(out, at, size);
	rec->word0 = (rec->word0 & ~PROBE_SITE_MASK) | (group->first_site + i);
	if (rec->word0 >> PROBE_FORM_SHIFT != PROBE_FORM_FULL) {
		rec->base = move(group, i, rec->base);
		return size;
	}
	for (uint64_t *address = (void *)(rec + 1); (unsigned char *)address < out + size;
	     address++)
		*address = move(group, i, *address);
	return size;
}

static bool is_access(uint32_t word0)
{
	uint32_t form = word0 >> PROBE_FORM_SHIFT;

	return form == PROBE_FORM_AFFINE || form == PROBE_FORM_NEAR || form == PROBE_FORM_FULL;
}

/*
 * The record of a base: as those of its sites. If all bases' records follow one another, as the
 * device writes them, the sites are written in their own order.
 */
static size_t put_bases(unsigned char *out, const unsigned char *at, size_t left,
			const struct probe_trace_group *group, size_t *ret_size)
{
	const unsigned char *rec[PROBE_GROUP_BASES];
	size_t size[PROBE_GROUP_BASES], used = 0, pos = 0;
	uint32_t base = (*(const uint32_t *)(const void *)at & PROBE_SITE_MASK) - group->id - 1;
	uint32_t count = 0;

	while (!base && count < group->bases) {
		rec[count] = at + pos;
		size[count] = plain_size(at + pos, left - pos);
		if (!size[count] || !is_access(*(const uint32_t *)(const void *)rec[count]) ||
		    (*(const uint32_t *)(const void *)rec[count] & PROBE_SITE_MASK) !=
			    group->id + 1 + count)
			break;
		pos += size[count++];
	}
	*ret_size = count == group->bases ? pos : plain_size(at, left);
	for (uint32_t i = 0; i < group->sites && *ret_size; i++) {
		uint32_t of = group->site[i].base;

		if (count == group->bases)
			used += put_moved(out + used, rec[of], size[of], group, i);
		else if (of == base)
			used += put_moved(out + used, at, *ret_size, group, i);
	}
	return used;
}

/* A span as its two stamps. */
static size_t put_span(unsigned char *out, const struct probe_rec_span *span)
{
	uint32_t site = span->word0 & PROBE_SITE_MASK, lanes = span->lanes | PROBE_STAMP_SPAN;
	const struct probe_rec_stamp stamps[] = {
		{site | (uint32_t)PROBE_FORM_BEGIN << PROBE_FORM_SHIFT, lanes, span->begin},
		{site | (uint32_t)PROBE_FORM_END << PROBE_FORM_SHIFT, lanes, span->end},
	};

	memcpy(out, stamps, sizeof(stamps));
	return sizeof(stamps);
}

/* One record; *ret_size is 0 if it makes no sense. */
static size_t put_record(const unsigned char *at, size_t left,
			 const struct probe_trace_groups *groups, struct probe_trace_wide *wide,
			 unsigned char *out, size_t *ret_size)
{
	uint32_t word0 = *(const uint32_t *)(const void *)at;
	const struct probe_trace_group *group = find_group(groups, word0 & PROBE_SITE_MASK);

	switch (word0 >> PROBE_FORM_SHIFT) {
	case PROBE_FORM_ROWS:
		*ret_size =
			left < sizeof(struct probe_rec_rows) ? 0 : sizeof(struct probe_rec_rows);
		if (*ret_size)
			wide->rows = ((const struct probe_rec_rows *)(const void *)at)->lanes;
		return 0;
	case PROBE_FORM_BLOCK:
		*ret_size = block_size((const void *)at, left, wide->rows, group);
		return *ret_size ? put_block(out, (const void *)at, wide->rows, group) : 0;
	case PROBE_FORM_BARRIER:
		*ret_size = 8;
		return put_affine(out, PROBE_SITE_BARRIER, 0, 0);
	case PROBE_FORM_SPAN:
		*ret_size =
			left < sizeof(struct probe_rec_span) ? 0 : sizeof(struct probe_rec_span);
		return *ret_size ? put_span(out, (const void *)at) : 0;
	}
	if (group && is_access(word0) && (word0 & PROBE_SITE_MASK) > group->id)
		return put_bases(out, at, left, group, ret_size);
	*ret_size = plain_size(at, left);
	memcpy(out, at, *ret_size);
	return *ret_size;
}

static const struct probe_rec_wave *wave_of(const unsigned char *at, size_t left)
{
	const struct probe_rec_wave *wave = (const void *)at;

	return left >= sizeof(*wave) && wave->word0 >> PROBE_FORM_SHIFT == PROBE_FORM_WAVE ? wave
											   : NULL;
}

uint64_t probe_trace_wide_dispatch(const unsigned char *bytes, size_t len,
				   const struct probe_trace_wide *wide)
{
	const struct probe_rec_wave *wave = wave_of(bytes, len);

	return wave ? wave->dispatch : wide->dispatch;
}

size_t probe_trace_widen(const unsigned char *bytes, size_t len, size_t *pos,
			 const struct probe_trace_groups *groups, struct probe_trace_wide *wide,
			 unsigned char *out, size_t room)
{
	size_t used = 0, size;

	/* Words are read in place: pieces begin at multiples of 8 and so do records. */
	while (len - *pos >= 8 && room - used >= PROBE_TRACE_WIDE_ROOM) {
		const unsigned char *at = bytes + *pos;
		const struct probe_rec_wave *wave = wave_of(at, len - *pos);

		if (wave && used && wave->dispatch != wide->dispatch)
			return used;
		if (wave)
			*wide = (struct probe_trace_wide){.dispatch = wave->dispatch};
		used += put_record(at, len - *pos, groups, wide, out + used, &size);
		if (!size) {
			/* PAD is among these: nothing behind it counts. */
			size = len - *pos < room - used ? len - *pos : room - used;
			if (*(const uint32_t *)(const void *)at == PROBE_FORM_PAD)
				size = 8;
			memcpy(out + used, at, size);
			*pos = len;
			return used + (size & ~(size_t)7);
		}
		*pos += size;
	}
	return used;
}
