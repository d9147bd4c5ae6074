/* SPDX-License-Identifier: MIT */
/*
 * Samples of one dispatch by instruction and state, and a packed form for the database, so that
 * reports can select dispatches. Packed, a sample takes two bytes or less.
 *
 * Packed form: per dispatch the LEB128 numbers dispatch, code object, count of rows; then each row,
 * by instruction and state, as a byte 4..0 state (attribute.h), 5 same instruction as the row
 * before, 6 one sample only, 7 all of 64 lanes in each sample and LEB128 numbers for what these
 * bits leave open: instruction slots from the one before (from 0 for the first), samples, sum of
 * active lanes.
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

/* Reused between calls, so that small dispatches do not allocate. A zeroed struct is empty. */
struct probe_pcs_profile {
	struct probe_pcs_profile_row *rows; /* by index and state */
	size_t count;
	uint64_t *scratch;
	size_t room; /* capacity of both */
};

/*
 * Replaces the contents by the sums of `events`, which this function sorts. False without memory.
 */
bool probe_pcs_profile_make(struct probe_pcs_profile *profile, uint64_t *events, size_t count);
void probe_pcs_profile_destroy(struct probe_pcs_profile *profile);

/* Upper limit of the bytes for packing `rows` rows. */
#define PROBE_PCS_PACK_ROOM(rows) ((rows)*26 + 30)

/* Returns the size. */
size_t probe_pcs_profile_pack(const struct probe_pcs_profile *profile, uint64_t dispatch,
			      uint32_t code_object, uint8_t *out);

/*
 * Reads packed bytes, which are not trusted. Set pos and end; each call yields the next row. False
 * at the end, or, with `bad`, where the bytes are malformed.
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
