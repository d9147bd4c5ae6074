/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/memory/l1_lookups.h"

#include <stdbool.h>

struct l1_access {
	const uint64_t *addr;
	uint64_t exec;
	unsigned int bytes;
};

/* Bytes that one lane, or four lanes together, request from the L1. At most 16. */
struct l1_part {
	uint64_t first, last;
};

/*
 * Cycles of up to four parts that are looked up at once. The L1 has four banks of tags, for
 * consecutive lines, and sixteen banks of dwords, for consecutive dwords. Each serves one line per
 * cycle.
 */
static unsigned int lookup_cycles(const struct l1_part *part, unsigned int parts)
{
	unsigned char tags[4] = {0}, dwords[16] = {0}, most = 1;
	uint64_t line[8];
	unsigned int used[8], lines = 0;

	for (unsigned int i = 0; i < parts; i++) {
		for (uint64_t at = part[i].first >> 6; at <= part[i].last >> 6; at++) {
			uint64_t from = part[i].first >> 6 == at ? part[i].first / 4 % 16 : 0;
			uint64_t to = part[i].last >> 6 == at ? part[i].last / 4 % 16 : 15;
			unsigned int k = 0;

			while (k < lines && line[k] != at)
				k++;
			if (k == lines) {
				line[lines] = at;
				used[lines++] = 0;
				tags[at % 4]++;
				most = tags[at % 4] > most ? tags[at % 4] : most;
			}
			used[k] |= (2u << to) - (1u << from);
		}
	}
	for (unsigned int k = 0; k < lines && lines > 1; k++) {
		for (unsigned int left = used[k]; left; left &= left - 1) {
			unsigned char n = ++dwords[__builtin_ctz(left)];

			most = n > most ? n : most;
		}
	}
	return most;
}

/* Four lanes that access dwords in sequence, or the same one, are one part. */
static bool is_sequence(const struct l1_access *acc, unsigned int first, unsigned int lanes,
			struct l1_part *ret)
{
	uint64_t lo = ~0ull, hi = 0;

	for (; lanes; lanes &= lanes - 1) {
		uint64_t at = acc->addr[first + (unsigned int)__builtin_ctz(lanes)];

		lo = at < lo ? at : lo;
		hi = at > hi ? at : hi;
	}
	*ret = (struct l1_part){lo, hi + acc->bytes - 1};
	return hi - lo < 16;
}

/* Cycles of those of four lanes that are active: `first`, and each `step` lanes further. */
static unsigned int lane_cycles(const struct l1_access *acc, unsigned int first, unsigned int step)
{
	struct l1_part part[4];
	unsigned int n = 0;

	for (unsigned int l = first; l < first + 4 * step; l += step)
		if (acc->exec >> l & 1)
			part[n++] = (struct l1_part){acc->addr[l], acc->addr[l] + acc->bytes - 1};
	return n ? lookup_cycles(part, n) : 0;
}

/*
 * Sixteen lanes that access at most a dword each: one lookup if each four are in sequence, else one
 * of the first of each four, one of the second ones, and so on.
 */
static unsigned int dword_cycles(const struct l1_access *acc, unsigned int first)
{
	struct l1_part part[4];
	unsigned int n = 0, cycles = 0;
	bool sequence = true;

	for (unsigned int l = first; l < first + 16 && sequence; l += 4) {
		unsigned int lanes = (unsigned int)(acc->exec >> l) & 15;

		if (lanes)
			sequence = is_sequence(acc, l, lanes, &part[n++]);
	}
	if (sequence)
		return n ? lookup_cycles(part, n) : 0;
	for (unsigned int l = first; l < first + 4; l++)
		cycles += lane_cycles(acc, l, 4);
	return cycles;
}

unsigned int l1_lookup_cycles(const uint64_t *addr, uint64_t exec, unsigned int bytes)
{
	const struct l1_access acc = {addr, exec, bytes};
	unsigned int cycles = 0;

	for (unsigned int l = 0; l < 64; l += bytes <= 4 ? 16 : 4)
		cycles += bytes <= 4 ? dword_cycles(&acc, l) : lane_cycles(&acc, l, 1);
	return cycles;
}
