/* SPDX-License-Identifier: MIT */
/*
 * What was seen of one dispatch: samples by instruction and state, and the same as few bytes, so
 * that reports can choose dispatches. Packed, a sample costs two bytes or less.
 *
 * Packed form: per dispatch LEB128 numbers dispatch, code object, count of rows; then each row, by
 * instruction and state, as a byte
 *   4..0 state (attribute.h), 5 same instruction as the row before, 6 one sample only, 7 all of 64
 *   lanes in each sample
 * and LEB128 numbers for what these bits do not say: instructions of 4 bytes from the one before
 * (from 0 for the first), samples, sum of active lanes.
 */
#ifndef PROBE_PCSAMPLE_PROFILE_H
#define PROBE_PCSAMPLE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pcsample/attribute.h"

struct probe_pcs_profile_row {
	uint32_t index; /* of the instruction slot */
	uint8_t state;
	uint64_t samples, lanes;
	uint64_t dual, waves; /* not in the packed form */
};

/* Kept from call to call, so that small dispatches do not allocate. A zeroed struct is empty. */
struct probe_pcs_profile {
	struct probe_pcs_profile_row *rows; /* by index and state */
	size_t count;
	uint64_t *scratch;
	size_t room; /* of both */
};

/* Replace what the profile holds by the sums of `events`, which are put in order by it. False: out
 * of memory. */
bool probe_pcs_profile_make(struct probe_pcs_profile *profile, uint64_t *events, size_t count);
void probe_pcs_profile_destroy(struct probe_pcs_profile *profile);

/* Room that packing `rows` rows may need, at most. */
#define PROBE_PCS_PACK_ROOM(rows) ((rows)*26 + 30)

/* Returns the size. */
size_t probe_pcs_profile_pack(const struct probe_pcs_profile *profile, uint64_t dispatch,
			      uint32_t code_object, uint8_t *out);

/*
 * Reading packed bytes, which may be anybody's. Set pos and end; each call yields the next row.
 * False at the end, or, with `bad`, where the bytes make no sense.
 */
struct probe_pcs_unpack {
	const uint8_t *pos, *end;
	uint64_t dispatch;
	uint32_t code_object;
	struct probe_pcs_profile_row row;
	uint64_t left; /* rows of this dispatch */
	bool bad;
};

bool probe_pcs_unpack_next(struct probe_pcs_unpack *unpack);

#endif
