/* SPDX-License-Identifier: MIT */
#include "wire/trace_expand.h"

#include <string.h>

#include "common/kernel_argument.h"
#include "wire/trace_lanes.h"
#include "wire/trace_rows.h"

static const struct probe_trace_group *find_group(const struct probe_trace_groups *groups,
						  uint32_t id)
{
	return groups && id < groups->count ? groups->group[id] : NULL;
}

static uint32_t word_at(const unsigned char *at, unsigned i)
{
	return ((const uint32_t *)(const void *)at)[i];
}

static uint32_t form_at(const unsigned char *at)
{
	return word_at(at, 0) >> PROBE_FORM_SHIFT;
}

/* A record of the stream. */
struct record {
	const unsigned char *at;
	size_t left;			       /* from there to the end of the piece */
	const struct probe_trace_group *group; /* of its site; NULL = none */
};

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Reads addresses of the lanes in `rows`: from[k * bases] is that of the k-th lane. */
static void read_rows(const uint64_t *from, uint32_t bases, uint64_t rows, struct trace_lanes *ret)
{
	uint64_t *address = ret->address;

	trace_lanes_begin(ret, UINT64_MAX);
	for (unsigned lane = 0; lane < TRACE_LANES; lane++) {
		if (rows >> lane & 1) {
			address[lane] = *from;
			from += bases;
		} else {
			uint64_t below = address[lane - 1];

			address[lane] = (below & ~(uint64_t)UINT32_MAX) |
					(uint32_t)(2 * below - address[lane - 2]);
		}
	}
	trace_lanes_find_stride(ret);
}

/* If only lanes 0 and 1 are stored, they give the stride, unless a lower half wraps. */
static void read_pair(const uint64_t *from, uint32_t bases, struct trace_lanes *ret)
{
	uint64_t first = from[0], second = from[bases], step = second - first;
	int64_t stride = (int32_t)step;

	if (step != (uint64_t)stride || (second + (uint64_t)(62 * stride)) >> 32 != second >> 32) {
		read_rows(from, bases, 3, ret);
		return;
	}
	trace_lanes_begin(ret, UINT64_MAX);
	ret->affine = true;
	ret->stride = (int32_t)stride;
	ret->address[0] = first;
}

/* Size of a BLOCK record, 0 = malformed. */
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
	struct trace_lanes lanes[PROBE_GROUP_BASES];

	for (uint32_t i = 0; i < rec->bases; i++)
		if (rows == 3)
			read_pair(from + i, rec->bases, &lanes[i]);
		else
			read_rows(from + i, rec->bases, rows, &lanes[i]);
	return trace_put_sites(out, group, lanes);
}

/* ---- Proved blocks --------------------------------------------------------------------------- */

/* Ids of a lane's work-item. */
struct item {
	uint32_t id[3];
};

/* The item of the wave's first lane. */
static struct item first_item(const struct probe_trace_expander *state)
{
	return (struct item){
		{state->item & 0x3ff, state->item >> 10 & 0x3ff, state->item >> 20 & 0x3ff}};
}

/* The item of the next lane; rows are those of the wave's workgroup. */
static void next_item(const struct probe_trace_expander *state, struct item *item)
{
	if (++item->id[0] < state->size[0])
		return;
	item->id[0] = 0;
	if (++item->id[1] < state->size[1])
		return;
	item->id[1] = 0;
	item->id[2]++;
}

static uint64_t offset_of(const struct item *item, const int32_t stride[3])
{
	return (uint64_t)((int64_t)stride[0] * item->id[0] + (int64_t)stride[1] * item->id[1] +
			  (int64_t)stride[2] * item->id[2]);
}

/* False: the argument is unknown, or a value for which the device writes no such record. */
static bool stride_of(const struct probe_trace_key *key, const struct probe_trace_stride *stride,
		      int32_t *ret)
{
	uint32_t bytes = (stride->bits & ~PROBE_STRIDE_UNSIGNED) / 8;
	uint64_t value;
	int64_t sum;

	*ret = stride->constant;
	if (!stride->factor)
		return true;
	if (!probe_kernel_argument(key->arguments, key->argument_bytes, stride->offset, bytes,
				   &value) ||
	    value > INT32_MAX)
		return false;
	sum = (int64_t)value * stride->factor + stride->constant;
	*ret = (int32_t)sum;
	return sum == *ret;
}

static bool strides_of(const struct probe_trace_key *key, const struct probe_trace_stride from[3],
		       int32_t ret[3])
{
	return stride_of(key, &from[0], &ret[0]) && stride_of(key, &from[1], &ret[1]) &&
	       stride_of(key, &from[2], &ret[2]);
}

static void read_proved(const struct probe_trace_expander *state, const int32_t stride[3],
			uint64_t address, struct trace_lanes *ret)
{
	struct item item = first_item(state);
	uint64_t rest = state->exec;

	trace_lanes_begin(ret, rest);
	ret->address[0] = address;
	ret->stride = stride[0];
	/* All lanes are in one row of work-items, or the address is uniform. */
	ret->affine = (state->item & 0x3ff) + TRACE_LANES <= state->size[0] ||
		      !(stride[0] | stride[1] | stride[2]);
	if (ret->affine) {
		ret->stride = ret->count > 1 ? stride[0] : 0;
		return;
	}
	for (unsigned i = 0; rest; rest >>= 1, next_item(state, &item)) {
		if (!(rest & 1))
			continue;
		/* The address given is that of the first active lane. */
		if (!i)
			address -= offset_of(&item, stride);
		ret->address[i++] = address + offset_of(&item, stride);
	}
	trace_lanes_find_stride(ret);
}

static size_t put_proved(const struct record *record, const struct probe_trace_expander *state,
			 const struct probe_trace_key *key, unsigned char *out, size_t *ret_size)
{
	const uint64_t *from = (const void *)(record->at + sizeof(struct probe_rec_proved));
	const struct probe_trace_group *group = record->group;
	struct trace_lanes lanes[PROBE_GROUP_BASES];

	*ret_size = 0;
	if (!group || !group->proved || group->id != (word_at(record->at, 0) & PROBE_SITE_MASK) ||
	    !state->exec || !state->size[0] ||
	    record->left < sizeof(struct probe_rec_proved) + 8ul * group->bases)
		return 0;
	*ret_size = sizeof(struct probe_rec_proved) + 8ul * group->bases;
	for (uint32_t i = 0; i < group->bases; i++) {
		int32_t stride[3];

		if (!strides_of(key, group->stride[i], stride)) {
			*ret_size = 0;
			return 0;
		}
		read_proved(state, stride, from[i], &lanes[i]);
	}
	return trace_put_sites(out, group, lanes);
}

/* ---- Records of one base --------------------------------------------------------------------- */

/* Size of a record that is copied unchanged, 0 = unknown. */
static size_t plain_size(const unsigned char *at, size_t left)
{
	size_t size = 0;

	if (left < 8)
		return 0;
	switch (form_at(at)) {
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
		size = word_at(at, 1);
		if (size % 8 || size < sizeof(struct probe_rec_lanes))
			size = 0;
		break;
	}
	return size <= left && size <= PROBE_TRACE_EXPAND_MIN ? size : 0;
}

/* AFFINE, NEAR or FULL. Returns its size, 0 = malformed. */
static size_t read_long(const unsigned char *at, size_t left, struct trace_lanes *ret)
{
	const struct probe_rec_lanes *rec = (const void *)at;
	const struct probe_rec_affine *affine = (const void *)at;
	size_t size = plain_size(at, left);
	bool near = form_at(at) == PROBE_FORM_NEAR;

	if (!size || !rec->exec)
		return 0;
	trace_lanes_begin(ret, rec->exec);
	ret->address[0] = rec->base;
	if (form_at(at) == PROBE_FORM_AFFINE) {
		ret->affine = true;
		ret->stride = affine->stride;
		return size;
	}
	if (size < sizeof(*rec) + ret->count * (near ? sizeof(int32_t) : sizeof(uint64_t)))
		return 0;
	for (unsigned i = 0; i < ret->count; i++)
		ret->address[i] =
			near ? rec->base + (uint64_t)(int64_t)((const int32_t *)(rec + 1))[i]
			     : ((const uint64_t *)(rec + 1))[i];
	return size;
}

/* Bytes per active lane; 0 = none in this form. */
static size_t lane_bytes(uint32_t form)
{
	switch (form) {
	case PROBE_FORM_HALF:
		return 2;
	case PROBE_FORM_LOW:
		return 4;
	case PROBE_FORM_WHOLE:
		return 8;
	}
	return 0;
}

static size_t read_short(const unsigned char *at, size_t left, uint64_t exec,
			 struct trace_lanes *ret)
{
	const struct probe_rec_short *rec = (const void *)at;
	const unsigned char *from = at + sizeof(*rec);
	size_t each = lane_bytes(form_at(at)), size = sizeof(*rec) + sizeof(uint64_t);
	uint64_t high = each < sizeof(uint64_t) ? (uint64_t)rec->extra << each * 8 : 0;

	if (!exec)
		return 0;
	trace_lanes_begin(ret, exec);
	if (each)
		size = sizeof(*rec) + ((ret->count * each + 7) & ~(size_t)7);
	if (size > left)
		return 0;
	if (!each) {
		memcpy(&ret->address[0], from, sizeof(uint64_t));
		ret->affine = true;
		ret->stride = (int32_t)rec->extra;
		return size;
	}
	for (unsigned i = 0; i < ret->count; i++) {
		uint64_t low = 0;

		memcpy(&low, from + i * each, each);
		ret->address[i] = high | low;
	}
	trace_lanes_find_stride(ret);
	return size;
}

/* Reads a base's record of any form; 0 = not a base's record, or malformed. */
static size_t read_base(const unsigned char *at, size_t left, uint64_t exec,
			struct trace_lanes *ret)
{
	if (left < sizeof(struct probe_rec_short))
		return 0;
	switch (form_at(at)) {
	case PROBE_FORM_AFFINE:
	case PROBE_FORM_NEAR:
	case PROBE_FORM_FULL:
		return read_long(at, left, ret);
	case PROBE_FORM_HALF:
	case PROBE_FORM_LOW:
	case PROBE_FORM_WHOLE:
	case PROBE_FORM_STRIDE:
		return read_short(at, left, exec, ret);
	}
	return 0;
}

/*
 * Expands the record of a base to records of its sites. If the records of all bases are
 * consecutive, as the device writes them, the sites are written in program order.
 */
static size_t put_bases(const struct record *record, struct probe_trace_expander *state,
			unsigned char *out, size_t *ret_size)
{
	const struct probe_trace_group *group = record->group;
	const unsigned char *at = record->at;
	struct trace_lanes lanes[PROBE_GROUP_BASES];
	uint32_t base = (word_at(at, 0) & PROBE_SITE_MASK) - group->id - 1;
	uint32_t count = base ? 0 : group->bases, written = 0;
	size_t pos = 0, used = 0, left = record->left;

	for (uint32_t i = 0; i < count; i++) {
		size_t size = 0;

		if (left - pos >= 8 &&
		    (word_at(at + pos, 0) & PROBE_SITE_MASK) == group->id + 1 + i)
			size = read_base(at + pos, left - pos, state->exec, &lanes[i]);
		if (!size)
			count = 0;
		pos += size;
	}
	*ret_size = pos;
	if (count) {
		state->records += group->sites - 1;
		return trace_put_sites(out, group, lanes);
	}
	*ret_size = read_base(at, left, state->exec, &lanes[0]);
	for (uint32_t i = 0; i < group->sites && *ret_size; i++)
		if (group->site[i].base == base) {
			used += trace_put_site(out + used, group, i, &lanes[0]);
			written++;
		}
	state->records += written - 1;
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

	if (!span->lanes)
		return 0;
	memcpy(out, stamps, sizeof(stamps));
	return sizeof(stamps);
}

/* ---- Waves ----------------------------------------------------------------------------------- */

static const struct probe_rec_wave *wave_of(const unsigned char *at, size_t left)
{
	if (left < sizeof(struct probe_rec_wave) ||
	    (form_at(at) != PROBE_FORM_WAVE && form_at(at) != PROBE_FORM_WAVE_ITEM))
		return NULL;
	return (const void *)at;
}

uint64_t probe_trace_expand_dispatch(const struct trace_piece *piece,
				     const struct probe_trace_expander *state)
{
	const struct probe_rec_wave *wave =
		wave_of(piece->bytes + piece->pos, piece->size - piece->pos);

	return wave ? wave->dispatch : state->dispatch;
}

/* Work-items of a workgroup along an axis; the last workgroup may be partial. */
static uint32_t group_size_at(const struct probe_trace_key *key, int i, uint32_t number)
{
	uint64_t begin = (uint64_t)number * key->group[i];

	return begin + key->group[i] <= key->grid[i] || begin >= key->grid[i]
		       ? key->group[i]
		       : (uint32_t)(key->grid[i] - begin);
}

static size_t put_wave(unsigned char *out, const struct probe_rec_wave *wave,
		       const struct probe_trace_key *key, struct probe_trace_expander *state)
{
	struct probe_rec_wave rec = *wave;

	state->dispatch = wave->dispatch;
	state->exec = wave->exec;
	state->rows = 0;
	state->size[0] = 0;
	if (form_at((const void *)wave) == PROBE_FORM_WAVE_ITEM) {
		state->rows = key->rows;
		state->item = wave->wave;
		state->size[0] = group_size_at(key, 0, wave->group[0]);
		state->size[1] = group_size_at(key, 1, wave->group[1]);
		if (!state->size[1])
			state->size[0] = 0;
		rec.word0 = (rec.word0 & PROBE_SITE_MASK) | (uint32_t)PROBE_FORM_WAVE
								    << PROBE_FORM_SHIFT;
		rec.wave = probe_trace_wave(key->group, wave->wave);
	}
	memcpy(out, &rec, sizeof(rec));
	return sizeof(rec);
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Takes a ROWS or EXEC record; nothing is written. Returns its size, 0 = incomplete. */
static size_t read_state(const unsigned char *at, size_t left, struct probe_trace_expander *state)
{
	const struct probe_rec_exec *rec = (const void *)at;

	if (left < sizeof(*rec))
		return 0;
	if (form_at(at) == PROBE_FORM_EXEC)
		state->exec = rec->exec;
	else
		state->rows = ((const struct probe_rec_rows *)(const void *)at)->lanes;
	return sizeof(*rec);
}

/* Expands one record; *ret_size is 0 if it is malformed. */
static size_t put_record(const unsigned char *at, size_t left, const struct probe_trace_key *key,
			 struct probe_trace_expander *state, unsigned char *out, size_t *ret_size)
{
	const struct probe_trace_group *group =
		find_group(key->groups, word_at(at, 0) & PROBE_SITE_MASK);
	const struct record record = {at, left, group};
	struct trace_lanes lanes;
	size_t used;

	switch (form_at(at)) {
	case PROBE_FORM_ROWS:
	case PROBE_FORM_EXEC:
		*ret_size = read_state(at, left, state);
		return 0;
	case PROBE_FORM_BLOCK:
		*ret_size = block_size((const void *)at, left, state->rows, group);
		state->records += *ret_size ? group->sites : 0;
		return *ret_size ? put_block(out, (const void *)at, state->rows, group) : 0;
	case PROBE_FORM_PROVED:
		used = put_proved(&record, state, key, out, ret_size);
		state->records += *ret_size ? group->sites : 0;
		return used;
	}
	if (form_at(at) == PROBE_FORM_SPAN) {
		*ret_size =
			left < sizeof(struct probe_rec_span) ? 0 : sizeof(struct probe_rec_span);
		used = *ret_size ? put_span(out, (const void *)at) : 0;
		state->records += used / sizeof(struct probe_rec_stamp);
		return used;
	}
	state->records++;
	if (form_at(at) == PROBE_FORM_BARRIER) {
		*ret_size = 8;
		return trace_put_affine(out, PROBE_SITE_BARRIER, 0, UINT64_MAX, 0);
	}
	if (wave_of(at, left)) {
		*ret_size = sizeof(struct probe_rec_wave);
		return put_wave(out, (const void *)at, key, state);
	}
	if (group && (word_at(at, 0) & PROBE_SITE_MASK) > group->id &&
	    read_base(at, left, state->exec, &lanes))
		return put_bases(&record, state, out, ret_size);
	*ret_size = plain_size(at, left);
	state->records -= !*ret_size;
	memcpy(out, at, *ret_size);
	return *ret_size;
}

size_t probe_trace_expand(struct trace_piece *piece, const struct probe_trace_key *key,
			  struct probe_trace_expander *state, unsigned char *out, size_t capacity)
{
	size_t used = 0, size;

	state->rest = 0;
	/* Words are read in place. */
	while (piece->size - piece->pos >= 8 && capacity - used >= PROBE_TRACE_EXPAND_MIN) {
		const unsigned char *at = piece->bytes + piece->pos;
		size_t left = piece->size - piece->pos;
		const struct probe_rec_wave *wave = wave_of(at, left);

		if (wave && used && wave->dispatch != state->dispatch)
			return used;
		used += put_record(at, left, key, state, out + used, &size);
		if (!size) {
			/* Also for PAD: the rest of the piece is unused. */
			state->rest = left;
			size = left < capacity - used ? left : capacity - used;
			if (word_at(at, 0) == PROBE_FORM_PAD)
				size = 8;
			else
				state->bad_bytes += left;
			memcpy(out + used, at, size);
			piece->pos = piece->size;
			return used + (size & ~(size_t)7);
		}
		piece->pos += size;
	}
	return used;
}
