/* SPDX-License-Identifier: MIT */
#include "pcsample/profile.h"

#include <stdlib.h>

enum {
	SAME_INSTRUCTION = 1 << 5,
	ONE_SAMPLE = 1 << 6,
	ALL_LANES = 1 << 7,
	STATE = SAME_INSTRUCTION - 1,
	LANES = 64,
	DIGIT = 11, /* number of bits per pass of the sort */
};
_Static_assert((int)PROBE_PCS_STATES <= (int)SAME_INSTRUCTION, "a state has five bits");

void probe_pcs_profile_destroy(struct probe_pcs_profile *profile)
{
	free(profile->rows);
	free(profile->scratch);
	*profile = (struct probe_pcs_profile){0};
}

static bool make_room(struct probe_pcs_profile *profile, size_t count)
{
	if (count <= profile->room)
		return true;
	probe_pcs_profile_destroy(profile);
	profile->rows = malloc(count * sizeof(*profile->rows));
	profile->scratch = malloc(count * sizeof(*profile->scratch));
	if (profile->rows && profile->scratch) {
		profile->room = count;
		return true;
	}
	probe_pcs_profile_destroy(profile);
	return false;
}

/* One pass of a radix sort: stable, by the digit at `shift`. */
static void sort_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
	uint32_t at[1 << DIGIT] = {0}, sum = 0;

	for (size_t i = 0; i < count; i++)
		at[from[i] >> shift & ((1 << DIGIT) - 1)]++;
	for (size_t i = 0; i < 1 << DIGIT; i++) {
		uint32_t n = at[i];

		at[i] = sum;
		sum += n;
	}
	for (size_t i = 0; i < count; i++)
		to[at[from[i] >> shift & ((1 << DIGIT) - 1)]++] = from[i];
}

/* A few events are sorted in place: counting digits would cost more. */
static void sort_few(uint64_t *events, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint64_t event = events[i];
		size_t k = i;

		for (; k && events[k - 1] > event; k--)
			events[k] = events[k - 1];
		events[k] = event;
	}
}

/*
 * Sorts by index and state. Returns the array that contains the result: they alternate after each
 * pass.
 */
static uint64_t *sort(uint64_t *events, uint64_t *scratch, size_t count)
{
	uint64_t differ = 0;

	if (count <= 64) {
		sort_few(events, count);
		return events;
	}
	for (size_t i = 1; i < count; i++)
		differ |= events[i] ^ events[0];
	for (unsigned shift = PROBE_PCS_EVENT_STATE; shift < 64 && differ >> shift;
	     shift += DIGIT) {
		uint64_t *other = events;

		sort_digit(events, scratch, count, shift);
		events = scratch;
		scratch = other;
	}
	return events;
}

bool probe_pcs_profile_make(struct probe_pcs_profile *profile, uint64_t *events, size_t count)
{
	struct probe_pcs_profile_row *row = NULL;
	uint64_t last = 0;

	profile->count = 0;
	if (!make_room(profile, count))
		return false;
	events = sort(events, profile->scratch, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t event = events[i], key = event >> PROBE_PCS_EVENT_STATE;

		if (!i || key != last) {
			row = &profile->rows[profile->count++];
			*row = (struct probe_pcs_profile_row){
				.index = (uint32_t)(event >> PROBE_PCS_EVENT_INDEX),
				.state = key & STATE,
			};
		}
		last = key;
		row->samples++;
		row->lanes += event & 0x7f;
		row->waves += event >> PROBE_PCS_EVENT_WAVES & 0x3f;
		row->dual += event >> PROBE_PCS_EVENT_DUAL & 1;
	}
	return true;
}

/* ---- Packed --------------------------------------------------------------------------------- */

static uint8_t *put(uint8_t *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*out++ = (uint8_t)(value | 0x80);
	*out++ = (uint8_t)value;
	return out;
}

size_t probe_pcs_profile_pack(const struct probe_pcs_profile *profile, uint64_t dispatch,
			      uint32_t code_object, uint8_t *out)
{
	const uint8_t *start = out;
	uint32_t last = 0;

	if (!profile->count)
		return 0;
	out = put(put(put(out, dispatch), code_object), profile->count);
	for (size_t i = 0; i < profile->count; last = profile->rows[i++].index) {
		const struct probe_pcs_profile_row *row = &profile->rows[i];
		uint8_t head = row->state;

		if (i && row->index == last)
			head |= SAME_INSTRUCTION;
		if (row->samples == 1)
			head |= ONE_SAMPLE;
		if (row->lanes == LANES * row->samples)
			head |= ALL_LANES;
		*out++ = head;
		if (!(head & SAME_INSTRUCTION))
			out = put(out, row->index - last);
		if (!(head & ONE_SAMPLE))
			out = put(out, row->samples);
		if (!(head & ALL_LANES))
			out = put(out, row->lanes);
	}
	return (size_t)(out - start);
}

static uint64_t read_number(struct probe_pcs_unpack *unpack)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && unpack->pos < unpack->end; shift += 7) {
		uint8_t byte = *unpack->pos++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	unpack->bad = true;
	return 0;
}

static bool read_dispatch(struct probe_pcs_unpack *unpack)
{
	uint64_t code;

	unpack->dispatch = read_number(unpack);
	code = read_number(unpack);
	unpack->left = read_number(unpack);
	unpack->code_object = (uint32_t)code;
	unpack->row = (struct probe_pcs_profile_row){0};
	/* A row has at least one byte. */
	if (!unpack->left || unpack->left > (uint64_t)(unpack->end - unpack->pos) ||
	    code > UINT32_MAX)
		unpack->bad = true;
	return !unpack->bad;
}

bool probe_pcs_unpack_next(struct probe_pcs_unpack *unpack)
{
	struct probe_pcs_profile_row *row = &unpack->row;
	uint64_t index;
	uint8_t head;

	if (unpack->bad || unpack->pos == unpack->end)
		return false;
	if (!unpack->left && !read_dispatch(unpack))
		return false;
	if (unpack->pos == unpack->end) {
		unpack->bad = true;
		return false;
	}
	unpack->left--;
	head = *unpack->pos++;
	row->state = head & STATE;
	index = row->index;
	if (!(head & SAME_INSTRUCTION))
		index += read_number(unpack);
	row->samples = head & ONE_SAMPLE ? 1 : read_number(unpack);
	row->lanes = head & ALL_LANES ? LANES * row->samples : read_number(unpack);
	row->index = (uint32_t)index;
	if (row->state >= PROBE_PCS_STATES || index > UINT32_MAX || !row->samples ||
	    row->samples > INT64_MAX / LANES || row->lanes > LANES * row->samples)
		unpack->bad = true;
	return !unpack->bad;
}
