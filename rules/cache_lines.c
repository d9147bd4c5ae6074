/* SPDX-License-Identifier: MIT */
/* Counting cache lines; see <probe/rules/cache_lines.h>. */
#include <probe/rules/cache_lines.h>

#include "rules/distinct.h"

#include <string.h>

/* ---- Addresses that ascend, or descend, from lane to lane ----------------------------------- */

/*
 * With ascending addresses, a lane touches a new line exactly if the line is after the last line of
 * the previous lanes. Descending addresses are mirrored.
 */
struct run {
	uint64_t top64, top128; /* last line touched */
	uint64_t top_quad;
	unsigned quad; /* of the previous lane */
	struct probe_cache_lines lines;
};

static inline uint32_t fresh(uint64_t low, uint64_t high, uint64_t *top, bool first)
{
	uint64_t from = first || low > *top ? low : *top + 1;
	uint32_t count = high >= from ? (uint32_t)(high - from + 1) : 0;

	*top = first || high > *top ? high : *top;
	return count;
}

static struct probe_cache_lines count_ascending(unsigned wave, unsigned unit, uint64_t exec,
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

/* -1 descending, 1 ascending (or equal), 0 neither. Also 0 if an address wraps around. */
static int direction(uint64_t exec, const uint64_t addr[64], unsigned unit)
{
	bool ascends = true, descends = true;
	uint64_t last = addr[__builtin_ctzll(exec)];

	for (uint64_t rest = exec; rest; rest &= rest - 1) {
		uint64_t at = addr[__builtin_ctzll(rest)];

		ascends &= at >= last;
		descends &= at <= last;
		if (!(ascends | descends) || at + unit - 1 < at)
			return 0;
		last = at;
	}
	return ascends ? 1 : -1;
}

/* ---- Any order ------------------------------------------------------------------------------ */

#define SLOT_SHIFT (64 - 12) /* log2 of PROBE_CACHE_LINES_SLOTS */
enum {
	LINES_ACCESS = 128, /* 64 lanes, two lines each at most */
	STAMP_MAX = UINT16_MAX / LINES_ACCESS,
};

/* Lines that one access has touched; all but the list stays in registers. */
struct touched {
	uint32_t touches, count; /* count: lines of 128 bytes */
	uint32_t twice;		 /* touches of a 64-byte line touched before */
	uint32_t quads;
	uint32_t base;	  /* of the slots of this access */
	uint64_t both[2]; /* bit per line of the list: both halves were touched */
	uint64_t *line;	  /* the first 64-byte line of each 128-byte line */
};

/* A 64 B line in a 128 B line that was touched before, at index `at` of the list. */
static inline void touch_again(struct touched *touched, unsigned at, uint64_t line64)
{
	uint64_t bit = 1ull << (at & 63), *both = &touched->both[at / 64];

	if (touched->line[at] == line64 || *both & bit)
		touched->twice++;
	else
		*both |= bit;
}

/* Add a 64-byte line. */
static inline void touch(uint16_t *slots, uint64_t line64, struct touched *touched)
{
	uint64_t slot = (line64 >> 1) * 0x9e3779b97f4a7c15ull >> SLOT_SHIFT;

	touched->touches++;
	for (;;) {
		uint32_t at = slots[slot] - touched->base;

		if (at >= LINES_ACCESS)
			break;
		if ((touched->line[at] ^ line64) <= 1) {
			touch_again(touched, at, line64);
			return;
		}
		slot = (slot + 1) & (PROBE_CACHE_LINES_SLOTS - 1);
	}
	slots[slot] = (uint16_t)(touched->base + touched->count);
	touched->line[touched->count++] = line64;
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

/* Four lanes, no unit crosses the end of a line: the common case, without branches. */
static inline uint32_t distinct4(const uint64_t *addr)
{
	uint64_t a = addr[0] >> 6, b = addr[1] >> 6, c = addr[2] >> 6, d = addr[3] >> 6;

	return 1u + (b != a) + ((c != a) & (c != b)) + ((d != a) & (d != b) & (d != c));
}

/* Any quad. */
static void count_quad(uint16_t *slots, unsigned unit, unsigned lanes, const uint64_t *addr,
		       struct touched *touched)
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
		touch(slots, line[i], touched);
	touched->quads += count ? distinct(line, count) : 1;
}

/* Is every unit naturally aligned, so that it is in one line? */
static inline bool all_inside(unsigned wave, unsigned unit, const uint64_t addr[64])
{
	uint64_t any = 0;

	for (unsigned lane = 0; lane < wave; lane++)
		any |= addr[lane];
	return !(unit & (unit - 1)) && !(any & (unit - 1));
}

static struct probe_cache_lines count_any(unsigned wave, unsigned unit, uint64_t exec,
					  const uint64_t addr[64],
					  struct probe_cache_lines_scratch *scratch)
{
	bool inside = all_inside(wave, unit, addr);
	uint64_t line[LINES_ACCESS];
	struct touched touched = {.line = line};

	for (unsigned lane = 0; lane < 64; lane++)
		line[lane] = addr[lane] >> 7;
	if (inside && exec == ~0ull && distinct_all(line))
		return (struct probe_cache_lines){.quads = 64, .used64 = 64, .used128 = 64};
	if (++scratch->stamp > STAMP_MAX) {
		memset(scratch->slots, 0, sizeof(scratch->slots));
		scratch->stamp = 1;
	}
	touched.base = scratch->stamp * LINES_ACCESS;
	for (unsigned lane = 0; lane < wave; lane += 4) {
		const uint64_t *at = addr + lane;
		unsigned lanes = exec >> lane & 15;

		if (lanes != 15 || !inside) {
			struct touched copy = touched;

			count_quad(scratch->slots, unit, lanes, at, &copy);
			touched = copy;
			continue;
		}
		for (unsigned l = 0; l < 4; l++)
			touch(scratch->slots, at[l] >> 6, &touched);
		touched.quads += distinct4(at);
	}
	return (struct probe_cache_lines){
		.quads = touched.quads,
		.used64 = touched.touches - touched.twice,
		.used128 = touched.count,
	};
}

struct probe_cache_lines probe_cache_lines_count(unsigned wave, unsigned unit, uint64_t exec,
						 const uint64_t addr[64],
						 struct probe_cache_lines_scratch *scratch)
{
	int way = direction(exec, addr, unit);

	if (way)
		return count_ascending(wave, unit, exec, addr, way < 0);
	return count_any(wave, unit, exec, addr, scratch);
}

/* ---- Closed forms --------------------------------------------------------------------------- */

/* Lines of `lanes` lanes at a stride of at most a line, which skips none. */
static inline uint32_t span(uint64_t base, uint64_t stride, unsigned lanes, unsigned unit,
			    unsigned shift)
{
	uint64_t last = base + stride * (lanes - 1) + unit - 1;

	return (uint32_t)((last >> shift) - (base >> shift) + 1);
}

/*
 * Quads of four active lanes, `step` bytes apart, a power of two up to 64, that do not overlap.
 * They have the same offsets in every line, and only the quad at the last offset can cross the end
 * of a line.
 */
static inline uint32_t quads_in_step(uint64_t base, uint64_t step, unsigned quads, uint64_t length)
{
	unsigned places = (unsigned)(64 / step), place = (unsigned)(base / step) & (places - 1);

	if ((base & (step - 1)) + length <= step)
		return quads;
	return quads + (place + quads) / places;
}

/* Sum over the quads of the lanes, at strides of at most 64 bytes. */
static inline uint32_t quad_spans(uint64_t base, uint64_t stride, unsigned first, unsigned lanes,
				  unsigned unit)
{
	uint32_t quads = 0;

	if (!((first | lanes) & 3) && stride && stride <= 16 && !(stride & (stride - 1)) &&
	    unit <= stride)
		return quads_in_step(base, 4 * stride, lanes / 4, 3 * stride + unit);
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

static inline uint64_t magnitude(int64_t stride)
{
	return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

bool probe_cache_lines_count_affine(unsigned wave, unsigned unit,
				    const struct probe_affine_lanes *run,
				    struct probe_cache_lines *ret)
{
	uint64_t base = run->base, step = magnitude(run->stride);
	unsigned first = run->first, lanes = run->count;
	unsigned reached = (first + lanes + 3) / 4 - first / 4;
	/* A naturally aligned unit does not cross the end of a line. */
	bool inside = !(unit & (unit - 1)) && !((base | step) & (unit - 1));
	bool skips64 = step > 64, skips128 = step > 128;
	uint64_t end;

	if (step >> 48 || base >> 62)
		return false;
	if ((skips64 || skips128) && !inside)
		return false;
	if (run->stride < 0) {
		/* Mirrored: the first lane becomes the last one of the wave. */
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
