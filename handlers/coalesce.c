/* SPDX-License-Identifier: MIT */
/* Counting cache lines; see coalesce.h. */
#include "coalesce.h"

#include <string.h>

/* ---- Addresses that never fall, or never rise, from lane to lane ---------------------------- */

/*
 * Lines in such an order come in runs: a new one begins where a lane's first line is behind the
 * last line of the lane before. Falling addresses are the same, mirrored.
 */
struct run {
	uint64_t top64, top128; /* last line touched */
	uint64_t top_quad;
	unsigned quad; /* of the lane before */
	struct lines lines;
};

static inline uint32_t fresh(uint64_t low, uint64_t high, uint64_t *top, bool first)
{
	uint64_t from = first || low > *top ? low : *top + 1;
	uint32_t count = high >= from ? (uint32_t)(high - from + 1) : 0;

	*top = first || high > *top ? high : *top;
	return count;
}

static struct lines count_rising(unsigned wave, unsigned unit, uint64_t exec,
				 const uint64_t addr[64], bool mirror)
{
	struct run run = {.quad = ~0u};
	unsigned quads = 0;
	bool first = true;

	while (exec) {
		unsigned lane = mirror ? 63 - (unsigned)__builtin_clzll(exec)
				       : (unsigned)__builtin_ctzll(exec);
		uint64_t low = addr[lane], high = low + unit - 1;
		bool new_quad = lane / 4 != run.quad;

		exec ^= 1ull << lane;
		quads += new_quad;
		run.lines.used64 += fresh(low >> 6, high >> 6, &run.top64, first);
		run.lines.used128 += fresh(low >> 7, high >> 7, &run.top128, first);
		run.lines.quads += fresh(low >> 6, high >> 6, &run.top_quad, new_quad);
		run.quad = lane / 4;
		first = false;
	}
	run.lines.quads += wave / 4 - quads;
	return run.lines;
}

/* -1 falling, 1 rising (or equal), 0 neither. Also 0 where an address wraps. */
static int direction(uint64_t exec, const uint64_t addr[64], unsigned unit)
{
	bool rises = true, falls = true;
	uint64_t last = addr[__builtin_ctzll(exec)];

	for (uint64_t rest = exec; rest; rest &= rest - 1) {
		uint64_t at = addr[__builtin_ctzll(rest)];

		rises &= at >= last;
		falls &= at <= last;
		if (!(rises | falls) || at + unit - 1 < at)
			return 0;
		last = at;
	}
	return rises ? 1 : -1;
}

/* ---- Any order ------------------------------------------------------------------------------ */

#define STAMP_MAX  127u
#define SLOT_SHIFT (64 - 11) /* log2 of LINES_SLOTS */

/* What has been touched before: taken off the number of touches in the end. */
struct again {
	uint32_t lines64, lines128;
};

/* Note a 64-byte line. */
static inline void touch(struct lines_scratch *scratch, uint64_t line64, uint64_t stamp,
			 struct again *again)
{
	uint64_t want = line64 >> 1 << 7 | stamp;
	uint8_t half = (uint8_t)(1u << (line64 & 1));
	uint64_t slot = (line64 >> 1) * 0x9e3779b97f4a7c15ull >> SLOT_SHIFT;

	while ((scratch->slots[slot] & STAMP_MAX) == stamp) {
		if (scratch->slots[slot] == want) {
			again->lines128++;
			again->lines64 += scratch->halves[slot] & half ? 1 : 0;
			scratch->halves[slot] |= half;
			return;
		}
		slot = (slot + 1) & (LINES_SLOTS - 1);
	}
	scratch->slots[slot] = want;
	scratch->halves[slot] = half;
}

/* Distinct numbers among up to eight: two lines for each lane of a quad. */
static inline uint32_t distinct(const uint64_t *line, unsigned count)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < count; i++) {
		bool again = false;

		for (unsigned k = 0; k < i; k++)
			again |= line[k] == line[i];
		n += !again;
	}
	return n;
}

/* Four lanes, no unit over a line's end: the common case, without branches. */
static inline uint32_t distinct4(const uint64_t *addr)
{
	uint64_t a = addr[0] >> 6, b = addr[1] >> 6, c = addr[2] >> 6, d = addr[3] >> 6;

	return 1u + (b != a) + ((c != a) & (c != b)) + ((d != a) & (d != b) & (d != c));
}

/* Any quad; returns its distinct lines and adds what it touched. */
static uint32_t count_quad(struct lines_scratch *scratch, unsigned unit, unsigned lanes,
			   const uint64_t *addr, struct again *again, uint32_t *touched)
{
	uint64_t line[8];
	unsigned count = 0;

	for (unsigned l = 0; l < 4; l++) {
		uint64_t low = addr[l] >> 6, high = (addr[l] + unit - 1) >> 6;

		if (!(lanes >> l & 1))
			continue;
		line[count++] = low;
		if (high != low)
			line[count++] = high;
	}
	for (unsigned i = 0; i < count; i++)
		touch(scratch, line[i], scratch->stamp, again);
	*touched += count;
	return count ? distinct(line, count) : 1;
}

static struct lines count_any(unsigned wave, unsigned unit, uint64_t exec, const uint64_t addr[64],
			      struct lines_scratch *scratch)
{
	/* Low bits beyond which a unit reaches into the next line. */
	unsigned room = 64 - unit;
	struct again again = {0};
	uint32_t touched = 0, quads = 0;

	if (++scratch->stamp > STAMP_MAX) {
		memset(scratch->slots, 0, sizeof(scratch->slots));
		scratch->stamp = 1;
	}
	for (unsigned lane = 0; lane < wave; lane += 4) {
		const uint64_t *at = addr + lane;
		unsigned lanes = exec >> lane & 15;
		bool inside = ((at[0] & 63) <= room) & ((at[1] & 63) <= room) &
			      ((at[2] & 63) <= room) & ((at[3] & 63) <= room);

		if (lanes != 15 || !inside) {
			quads += count_quad(scratch, unit, lanes, at, &again, &touched);
			continue;
		}
		for (unsigned l = 0; l < 4; l++)
			touch(scratch, at[l] >> 6, scratch->stamp, &again);
		touched += 4;
		quads += distinct4(at);
	}
	return (struct lines){
		.quads = quads,
		.used64 = touched - again.lines64,
		.used128 = touched - again.lines128,
	};
}

struct lines lines_count(unsigned wave, unsigned unit, uint64_t exec, const uint64_t addr[64],
			 struct lines_scratch *scratch)
{
	int way = direction(exec, addr, unit);

	if (way)
		return count_rising(wave, unit, exec, addr, way < 0);
	return count_any(wave, unit, exec, addr, scratch);
}

/* ---- Closed forms --------------------------------------------------------------------------- */

/* Lines of one size touched by `lanes` lanes at steps no longer than a line: no line is skipped. */
static inline uint32_t span(uint64_t base, uint64_t stride, unsigned lanes, unsigned unit,
			    unsigned shift)
{
	uint64_t last = base + stride * (lanes - 1) + unit - 1;

	return (uint32_t)((last >> shift) - (base >> shift) + 1);
}

/* Sum over the quads that the lanes reach into; steps no longer than 64 bytes. */
static inline uint32_t quad_spans(uint64_t base, uint64_t stride, unsigned first, unsigned lanes,
				  unsigned unit)
{
	uint32_t quads = 0;

	/* Whole quads of neighbours inside one line each. */
	if (!(first & 3) && !(lanes & 3) && 4 * stride <= 64 && !(64 % (4 * stride + !stride)) &&
	    !(base % (4 * stride + !stride)) && unit <= stride)
		return lanes / 4;
	while (lanes) {
		unsigned part = 4 - (first & 3);

		part = part < lanes ? part : lanes;
		quads += span(base, stride, part, unit, 6);
		base += stride * part;
		first += part;
		lanes -= part;
	}
	return quads;
}

bool lines_count_affine(unsigned wave, unsigned unit, unsigned first, unsigned lanes, uint64_t base,
			int64_t stride, struct lines *ret)
{
	uint64_t step = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
	unsigned reached = (first + lanes + 3) / 4 - first / 4;
	/* A unit of 1, 2, 4, 8 or 16 bytes at its own multiple does not reach over a line's end. */
	bool inside = !(unit & (unit - 1)) && !((base | step) & (unit - 1));
	bool skips64 = step > 64, skips128 = step > 128;
	uint64_t end;

	if (step >> 48 || base >> 62)
		return false;
	if ((skips64 || skips128) && !inside)
		return false;
	if (stride < 0) {
		/* Mirror: the lowest lane becomes the last one of the wave. */
		end = base - step * (lanes - 1);
		if (end > base)
			return false;
		base = end;
		first = wave - first - lanes;
	}
	ret->used64 = skips64 ? lanes : span(base, step, lanes, unit, 6);
	ret->used128 = skips128 ? lanes : span(base, step, lanes, unit, 7);
	ret->quads =
		wave / 4 - reached + (skips64 ? lanes : quad_spans(base, step, first, lanes, unit));
	return true;
}
