/* SPDX-License-Identifier: MIT */
/*
 * The cache lines of one vector access. Static functions, because they are compiled once per level
 * of host vector width, with the code that calls them for each access.
 */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_ACCESS_LINES_H
#define PROBE_SIMGPU_EXEC_MEMORY_ACCESS_LINES_H

#include "simgpu/exec/memory/l1_lookups.h"
#include "simgpu/exec/memory/vector_access.h"

/* Keeps the first of equal lines; returns the number that remain. */
static unsigned int distinct(u64 *line, unsigned int n)
{
	u64 table[256] = {0};
	unsigned int count = 0;

	for (unsigned int i = 0; i < n; i++) {
		u64 key = line[i] + 1; /* 0 means empty */
		unsigned int at = (unsigned int)((key * 0x9e3779b97f4a7c15u) >> 56);

		while (table[at] && table[at] != key)
			at = (at + 1) & 255;
		if (table[at])
			continue;
		table[at] = key;
		line[count++] = key - 1;
	}
	return count;
}

/* The distinct lines of one access, and their cost. */
struct lines {
	unsigned int count64, count128;
	unsigned int quads;  /* distinct lines of each 4 lanes */
	unsigned int cycles; /* of the address unit */
	bool rising;	     /* the lines never descend from lane to lane, so equal ones are
			      * adjacent */
	u64 line[128];
};

/*
 * Lists the 64-byte lines of all lanes in lane order, without runs of equal ones. An access spans
 * at most two lines per 16 bytes. The count of quads is valid for rising lines only.
 */
static void collect_lines(const struct access *acc, struct lines *ret)
{
	unsigned int n = 0;
	u64 quad = ~0ull;

	ret->rising = true;
	ret->quads = 0;
	EACH_LANE(l, acc->exec)
	{
		u64 first = acc->addr[l] >> 6, last = (acc->addr[l] + acc->bytes - 1) >> 6;

		if (acc->kind == MEM_MIXED && acc->space[l] != MEM_GLOBAL)
			continue;
		for (u64 at = first; at <= last; at++) {
			bool again = n && ret->line[n - 1] == at;

			ret->quads += !again || l / 4 != quad;
			quad = l / 4;
			if (again)
				continue;
			if (n && ret->line[n - 1] > at)
				ret->rising = false;
			ret->line[n++] = at;
		}
	}
	ret->count64 = n;
}

/* Sum of the distinct lines of each four lanes; four of them count at least `idle`. */
static unsigned int quads_of(const struct access *acc, unsigned int idle)
{
	unsigned int count = 0;

	for (unsigned int first = 0; first < 64; first += 4) {
		unsigned int n = 0;
		u64 seen[32];

		EACH_LANE(l, acc->exec & 15ull << first)
		{
			u64 at = acc->addr[l] >> 6, last = (acc->addr[l] + acc->bytes - 1) >> 6;

			if (acc->kind == MEM_MIXED && acc->space[l] != MEM_GLOBAL)
				continue;
			for (; at <= last; at++) {
				unsigned int i = 0;

				while (i < n && seen[i] != at)
					i++;
				if (i == n)
					seen[n++] = at;
			}
		}
		count += n > idle ? n : idle;
	}
	return count;
}

#if defined(__AVX512F__)
/*
 * Bit l: lane l's line differs from the previous one. False if a lane spans two lines, or if lines
 * descend.
 */
static bool line_steps(const struct access *acc, u64 *line, u64 *steps)
{
	const __m512i size = _mm512_set1_epi64((i64)acc->bytes - 1);
	__m512i across = _mm512_setzero_si512();
	u64 falls = 0;

	*steps = 0;
	for (unsigned int l = 0; l < 64; l += 8) {
		__m512i addr = _mm512_loadu_si512(acc->addr + l);
		__m512i at = _mm512_srli_epi64(addr, 6), before;

		across = _mm512_or_si512(
			across,
			_mm512_xor_si512(at, _mm512_srli_epi64(_mm512_add_epi64(addr, size), 6)));
		_mm512_storeu_si512(line + l, at);
		before = _mm512_srli_epi64(_mm512_loadu_si512(acc->addr + (l ? l - 1 : 0)), 6);
		if (!l) /* lane 0 has no previous lane */
			before = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 0, 1, 2, 3, 4, 5, 6),
							  at);
		*steps |= (u64)_mm512_cmpneq_epi64_mask(at, before) << l;
		falls |= _mm512_cmplt_epu64_mask(at, before);
	}
	return !falls && !_mm512_test_epi64_mask(across, across);
}
#else
static bool line_steps(const struct access *acc, u64 *line, u64 *steps)
{
	u64 across = 0, falls = 0;

	*steps = 0;
	LANES line[l] = acc->addr[l] >> 6;
	LANES across |= line[l] ^ ((acc->addr[l] + acc->bytes - 1) >> 6);
	for (unsigned int l = 1; l < 64; l++) {
		*steps |= (u64)(line[l] != line[l - 1]) << l;
		falls |= line[l] < line[l - 1];
	}
	return !falls && !across;
}
#endif

/*
 * The common case: all lanes active, no lane across two lines, and lines that rise with the lanes.
 */
static bool find_rising_lines(const struct access *acc, struct lines *ret)
{
	u64 line[64], steps, before = 0;
	unsigned int n = 0;

	if (acc->exec != ~0ull || acc->kind == MEM_MIXED || !line_steps(acc, line, &steps))
		return false;
	ret->rising = true;
	ret->quads = 16 + (unsigned int)__builtin_popcountll(steps & ~0x1111111111111111ull);
	ret->count128 = 0;
	for (u64 left = steps | 1; left; left &= left - 1) {
		ret->line[n] = line[__builtin_ctzll(left)];
		ret->count128 += !n || ret->line[n] >> 1 != before;
		before = ret->line[n++] >> 1;
	}
	ret->count64 = n;
	return true;
}

static void find_lines(const struct access *acc, struct lines *ret)
{
	unsigned int pairs = 0;
	u64 pair[128];

	ret->cycles = l1_lookup_cycles(acc->addr, acc->exec, acc->bytes);
	if (find_rising_lines(acc, ret))
		return;
	collect_lines(acc, ret);
	if (!ret->rising) {
		ret->count64 = distinct(ret->line, ret->count64);
		ret->quads = quads_of(acc, 0);
	}
	for (unsigned int i = 0; i < ret->count64; i++)
		if (!pairs || pair[pairs - 1] != ret->line[i] >> 1)
			pair[pairs++] = ret->line[i] >> 1;
	ret->count128 = ret->rising ? pairs : distinct(pair, pairs);
}

#endif
