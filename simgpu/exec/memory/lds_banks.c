/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/memory/lds_banks.h"

enum {
	BANKS = 32,
};

/* Mask of lanes a to b of one phase. */
#define BITS(a, b) ((~0ull >> (63 - ((b) - (a)))) << (a))

struct phases {
	unsigned int count;
	uint64_t lanes[8];
};

static const struct phases halves = {2, {BITS(0, 31), BITS(32, 63)}};
static const struct phases quarters = {4, {BITS(0, 15), BITS(16, 31), BITS(32, 47), BITS(48, 63)}};
/* 16-byte reads: measured pairwise on gfx942. */
static const struct phases interleaved = {
	8,
	{BITS(0, 3) | BITS(20, 23), BITS(32, 35) | BITS(52, 55), BITS(4, 7) | BITS(16, 19),
	 BITS(36, 39) | BITS(48, 51), BITS(8, 11) | BITS(28, 31), BITS(40, 43) | BITS(60, 63),
	 BITS(12, 15) | BITS(24, 27), BITS(44, 47) | BITS(56, 59)}};
/* 16-byte writes: contiguous lanes, according to vendor documents. */
static const struct phases eighths = {8,
				      {BITS(0, 7), BITS(8, 15), BITS(16, 23), BITS(24, 31),
				       BITS(32, 39), BITS(40, 47), BITS(48, 55), BITS(56, 63)}};

static const struct phases *phases_of(unsigned int bytes, enum lds_kind kind)
{
	if (bytes <= 4)
		return &halves;
	if (bytes <= 8)
		return &quarters;
	return kind == LDS_READ ? &interleaved : &eighths;
}

/* Dwords requested from each bank during one phase. */
struct bank_use {
	uint32_t used; /* bit per bank */
	uint8_t count[BANKS];
	uint32_t dword[BANKS][64];
};

static void bank_add(struct bank_use *use, uint32_t dword, bool share)
{
	unsigned int bank = dword % BANKS;

	if (!(use->used >> bank & 1)) {
		use->used |= 1u << bank;
		use->count[bank] = 0;
	}
	for (unsigned int i = 0; share && i < use->count[bank]; i++)
		if (use->dword[bank][i] == dword)
			return;
	use->dword[bank][use->count[bank]++] = dword;
}

static unsigned int phase_cost(const uint32_t *offset, uint64_t lanes, unsigned int bytes,
			       enum lds_kind kind)
{
	struct bank_use use;
	unsigned int cost = 1;

	use.used = 0;
	for (; lanes; lanes &= lanes - 1) {
		unsigned int lane = (unsigned int)__builtin_ctzll(lanes);
		uint32_t first = offset[lane] / 4, last = (offset[lane] + bytes - 1) / 4;

		for (uint32_t dword = first; dword <= last; dword++)
			bank_add(&use, dword, kind != LDS_ATOMIC);
	}
	for (uint32_t used = use.used; used; used &= used - 1) {
		unsigned int bank = (unsigned int)__builtin_ctz(used);

		cost = use.count[bank] > cost ? use.count[bank] : cost;
	}
	return cost;
}

/*
 * True if all lanes are contiguous, or all access one dword: then no phase has a conflict.
 * (Contiguous 12-byte lanes do conflict within the interleaved groups.)
 */
static bool is_free(const uint32_t *offset, uint64_t exec, unsigned int bytes)
{
	uint32_t line = 0, same = 0;

	if (exec != ~0ull || bytes < 4 || bytes == 12 || offset[0] % 4)
		return false;
	for (unsigned int l = 0; l < 64; l++) {
		line |= offset[l] ^ (offset[0] + l * bytes);
		same |= offset[l] ^ offset[0];
	}
	return line == 0 || same == 0;
}

/*
 * Atomics of at most four bytes share nothing: they need as many passes as the busiest bank has
 * lanes. Their addresses mostly differ between executions, so histograms spend their time here.
 */
static unsigned int busiest_bank(const uint32_t *offset, uint64_t lanes)
{
	uint8_t count[BANKS] = {0};
	unsigned int cost = 1;

	for (; lanes; lanes &= lanes - 1) {
		unsigned int bank = offset[__builtin_ctzll(lanes)] / 4 % BANKS;
		unsigned int n = ++count[bank];

		cost = n > cost ? n : cost;
	}
	return cost;
}

struct lds_cost lds_bank_cost(const uint32_t *offset, uint64_t exec, unsigned int bytes,
			      enum lds_kind kind)
{
	const struct phases *phases = phases_of(bytes, kind);
	struct lds_cost cost = {phases->count, 0};

	if (kind != LDS_ATOMIC && is_free(offset, exec, bytes))
		return cost;
	for (unsigned int i = 0; i < phases->count; i++) {
		uint64_t lanes = exec & phases->lanes[i];
		bool simple = kind == LDS_ATOMIC && bytes <= 4;
		unsigned int extra = (simple ? busiest_bank(offset, lanes)
					     : phase_cost(offset, lanes, bytes, kind)) -
				     1;

		cost.passes += extra;
		cost.conflicts += extra;
	}
	return cost;
}
