/* SPDX-License-Identifier: MIT */
/*
 * Computes when the data of a memory instruction arrive: address unit, vector and scalar L1, and
 * the unit's share of L2 and HBM. All are servers that process one request after the other; a
 * latency begins when the request is served.
 */
#include "simgpu/time/memory_latency.h"

#include <emmintrin.h>
#include <string.h>

#include "simgpu/mem/address_space.h"
#include "simgpu/time/l2_cache.h"
#include "simgpu/time/value_waits.h"

enum {
	SCALAR_SETS = SCALAR_LINES / L1_WAYS,
	FINE = 256, /* steps per cycle of the memory servers */
};

static uint32_t l1_sets(void)
{
	return sim_time_cost.l1_kib * (1024u / (L1_LINE * L1_WAYS));
}

void time_l1_invalidate(struct time_cu *cu)
{
	memset(cu->l1, 0, l1_sets() * sizeof(*cu->l1));
}

void time_scalar_invalidate(struct time_cu *cu)
{
	memset(cu->scalar, 0, sizeof(cu->scalar));
}

/* A bit for each of two elements that are equal. */
static inline int equal_pair(const uint64_t *two, __m128i key)
{
	__m128i same = _mm_cmpeq_epi32(_mm_load_si128((const __m128i *)two), key);

	return _mm_movemask_pd(_mm_castsi128_pd(
		_mm_and_si128(same, _mm_shuffle_epi32(same, _MM_SHUFFLE(2, 3, 0, 1)))));
}

static inline void set_first(struct time_set *set, int way, uint64_t line, uint64_t fill)
{
	for (; way; way--) {
		set->line[way] = set->line[way - 1];
		set->fill[way] = set->fill[way - 1];
	}
	set->line[0] = line;
	set->fill[0] = fill;
}

/* True if the line is cached; it becomes the most recently used one, which is the first. */
static inline bool l1_find(struct time_set *set, uint64_t line)
{
	const __m128i key = _mm_set1_epi64x((long long)(line + 1));
	int found = equal_pair(set->line, key) | equal_pair(set->line + 2, key) << 2, way;

	if (!found)
		return false;
	way = __builtin_ctz((unsigned int)found);
	set_first(set, way, line + 1, set->fill[way]);
	return true;
}

static inline void l1_insert(struct time_set *set, uint64_t line, uint64_t fill)
{
	set_first(set, L1_WAYS - 1, line + 1, fill);
}

/* Latencies are from issue to use; the s_waitcnt between them also takes an issue slot. */
static inline uint64_t use_after(uint64_t latency)
{
	return latency - SIM_SLOT;
}

/* A server with `cost` per request: when it begins a request that arrives at `at`. */
static inline uint64_t serve(uint64_t *free, uint64_t at, uint32_t cost)
{
	uint64_t start = later(*free, at * FINE);

	*free = start + cost;
	return (start + FINE - 1) / FINE;
}

/* ---- Line numbers of the L2 ------------------------------------------------------------- */

/*
 * Memory addresses differ between runs, so the L2 must not depend on them. The lines of each block
 * are numbered from a base of its own, in the order in which blocks were allocated. The factor
 * avoids that the first lines of many blocks are in one set.
 */
static struct time_block find_block(uint64_t addr)
{
	enum { BLOCK_SHIFT = 27 }; /* 16 GiB in lines of 128 bytes */
	struct sim_range range;
	uint64_t line;

	if (sim_mem_find(addr, &range))
		return (struct time_block){addr & ~(uint64_t)(L2_LINE - 1), addr | (L2_LINE - 1),
					   0};
	line = (range.serial << BLOCK_SHIFT) + range.serial * 1031;
	return (struct time_block){range.base, range.end, line - range.base / L2_LINE};
}

static const struct time_block *block_of(struct time_cu *cu, uint64_t addr)
{
	struct time_block *block = cu->block, found;
	int at = 0;

	while (++at < TIME_BLOCKS)
		if (addr >= block[at].base && addr < block[at].end)
			break;
	found = at < TIME_BLOCKS ? block[at] : find_block(addr);
	if (at == TIME_BLOCKS)
		at--;
	memmove(block + 1, block, (size_t)at * sizeof(*block));
	block[0] = found;
	return block;
}

static inline uint64_t l2_line(struct time_cu *cu, uint64_t line)
{
	const struct time_block *block = cu->block;
	uint64_t addr = line * L1_LINE;

	if (__builtin_expect(addr < block->base || addr >= block->end, 0))
		block = block_of(cu, addr);
	return (line >> 1) + block->shift;
}

/*
 * A line's set in the vector L1; `number` is that of the L2. Rows of a matrix whose pitch is a
 * power of two do not collide there on hardware [gb: blocks].
 */
static inline struct time_set *vector_set(struct time_cu *cu, uint64_t number, uint64_t line)
{
	return &cu->l1[(line ^ number >> 7 ^ number >> 13) & (l1_sets() - 1)];
}

/* ---- L2 and memory -------------------------------------------------------------------------- */

/*
 * Channels interleave every 256 bytes. Bits 13 and 14 of the address spread rows of 8 KiB [HW lab
 * notes: kernel 6], and the hash larger powers of two over four of them [HW: yax, rows of 256 KiB].
 */
static inline uint32_t channel_of(uint64_t line)
{
	uint32_t hash = line >> 6 & 0x3fff;

	/* All pairs of bits. */
	hash ^= hash >> 8;
	hash ^= hash >> 4;
	hash ^= hash >> 2;
	return ((uint32_t)(line / 2) ^ (uint32_t)(line >> 6 & 3) << 3 ^ (hash & 3)) % TIME_CHANNELS;
}

/* The cost of 64 bytes in the unit's share of the L2; higher if the channel is crowded. */
static inline uint32_t channel_cost(struct time_cu *cu, uint64_t line, uint32_t cost)
{
	uint32_t channel = channel_of(line);

	cu->channel[channel]++;
	return cost * cu->time->contention[channel] / CONTENTION_NONE;
}

/*
 * The same in its share of memory: each channel of the L2 has its own path to its part of memory
 * [HW rpw: TCC_EA_RDREQ and TCC_EA_WRREQ of each channel].
 */
static inline uint32_t memory_cost(struct time_cu *cu, uint64_t line, uint32_t count, uint32_t cost)
{
	uint32_t channel = channel_of(line);

	cu->memory_channel[channel] += count;
	return count *
	       (uint32_t)((uint64_t)cost * cu->time->memory_contention[channel] / CONTENTION_NONE);
}

void time_l2_crowded(struct time_cu *cu, uint64_t addr, const struct time_crowd *crowd)
{
	uint32_t contention = cu->time->contention[channel_of(l2_line(cu, addr / L1_LINE))];
	uint64_t *free = crowd->writes ? &cu->l2_write : &cu->l2_read;
	uint64_t cost = crowd->writes ? cu->time->l2_write : cu->time->l2_read;

	cost = crowd->count * cost * contention / CONTENTION_NONE;
	if (cost > crowd->every * FINE)
		*free = later(*free, (cu->now - crowd->every) * FINE + cost);
}

void time_l2_requests(struct time_cu *cu, uint64_t addr, uint32_t count)
{
	cu->channel[channel_of(l2_line(cu, addr / L1_LINE))] += count;
}

/* Halves of one 128-byte line, bit 0 for the first. */
static inline uint32_t halves_of(uint64_t line, uint32_t count)
{
	return ((1u << count) - 1) << (line & 1);
}

/* Reads one or two halves from the L2, or through it from memory; returns when they can be used. */
static inline uint64_t l2_read(struct time_cu *cu, uint64_t number, uint32_t halves, uint64_t at)
{
	uint32_t count = count_halves(halves), missed;
	struct time_touch *touch = time_l2_touch(cu, number);
	uint64_t start =
		serve(&cu->l2_read, at, count * channel_cost(cu, number, cu->time->l2_read));

	missed = halves & ~(uint32_t)touch->valid;
	cu->counters.tcc_req++;
	if (!missed) {
		cu->counters.tcc_hit++;
		return start + use_after(sim_time_cost.l2);
	}
	touch->valid |= missed;
	touch->missed |= missed;
	count = count_halves(missed);
	cu->counters.tcc_miss++;
	cu->counters.tcc_ea_read += time_fetches(count);
	if (!(missed & ~(uint32_t)touch->in_mall)) {
		start = serve(&cu->mall, start, count * cu->time->mall_rate);
		return start + use_after(sim_time_cost.mall);
	}
	start = serve(&cu->hbm, start, memory_cost(cu, number, count, cu->time->hbm));
	return start + use_after(sim_time_cost.hbm);
}

/*
 * Writes (parts of) one or two halves, a request each. They are complete when the L2 has them. A
 * half that was clean will be written back later; the cost of that is counted now.
 */
static uint64_t l2_write(struct time_cu *cu, uint64_t number, uint32_t halves, uint64_t at)
{
	uint32_t count = count_halves(halves), clean;
	struct time_touch *touch = time_l2_touch(cu, number);
	uint64_t start =
		serve(&cu->l2_write, at, count * channel_cost(cu, number, cu->time->l2_write));

	cu->counters.tcc_req += count;
	cu->counters.tcc_miss += !touch->valid;
	cu->counters.tcc_hit += count - !touch->valid;
	clean = halves & ~(uint32_t)touch->dirty;
	if (clean && !(clean & ~(uint32_t)touch->in_mall))
		start = serve(&cu->mall, start, count_halves(clean) * cu->time->mall_rate);
	else if (clean)
		start = serve(&cu->hbm, start,
			      memory_cost(cu, number, count_halves(clean), cu->time->hbm_alone));
	touch->valid |= halves;
	touch->dirty |= halves;
	return start + use_after(sim_time_cost.store);
}

/* ---- The vector L1 -------------------------------------------------------------------------- */

/* Where a line of the L1 is one of the L2: both halves in one request. */
static uint64_t load_whole_line(struct time_cu *cu, uint64_t number, uint64_t line, uint64_t at)
{
	uint64_t filled = l2_read(cu, number, 3, at);

	cu->counters.tcp_tcc_read++;
	for (uint64_t half = line & ~(uint64_t)1; half <= (line | 1); half++) {
		struct time_set *set = vector_set(cu, number, half);

		if (l1_find(set, half))
			set->fill[0] = filled;
		else
			l1_insert(set, half, filled);
	}
	return filled;
}

/* `count` halves of one line of the L2. */
static inline uint64_t load_lines(struct time_cu *cu, uint64_t number, uint64_t line,
				  uint32_t count, uint64_t at, bool bypass)
{
	struct time_set *set[2] = {NULL, NULL};
	uint32_t missed = 0, cached = 0;
	uint64_t done = 0, filled;

	for (uint32_t i = 0; i < count; i++) {
		bool found;

		set[i] = vector_set(cu, number, line + i);
		found = l1_find(set[i], line + i);
		cached |= (uint32_t)found << i;
		if (found && !bypass) {
			cu->counters.tcp_hits++;
			done = later(done, later(at + use_after(sim_time_cost.vector_l1),
						 set[i]->fill[0]));
		} else {
			missed |= 1u << i;
		}
	}
	if (!missed)
		return done;
	if (sim_time_cost.l1_line != L1_LINE)
		return later(done, load_whole_line(cu, number, line, at));
	cu->counters.tcp_tcc_read += count_halves(missed);
	filled = l2_read(cu, number, missed << (line & 1), at);
	for (uint32_t i = 0; i < count; i++) {
		if (!(missed >> i & 1))
			continue;
		if (cached >> i & 1)
			set[i]->fill[0] = filled;
		else
			l1_insert(set[i], line + i, filled);
	}
	return later(done, filled);
}

/* Integer atomics are executed in the L2, which first needs the old value. */
static uint64_t access_atomic(struct time_cu *cu, uint64_t number, uint64_t line, uint32_t count,
			      uint64_t at)
{
	uint32_t halves = halves_of(line, count);
	uint64_t done;

	for (uint32_t i = 0; i < count; i++) {
		struct time_set *set = vector_set(cu, number, line + i);

		if (l1_find(set, line + i))
			set->line[0] = 0;
	}
	cu->counters.tcp_tcc_atomic += count;
	done = later(l2_read(cu, number, halves, at), l2_write(cu, number, halves, at));
	/* It is one request nevertheless. */
	cu->counters.tcc_req -= count;
	cu->counters.tcc_hit -= count;
	return done;
}

static inline uint64_t access_lines(struct time_cu *cu, const struct sim_timing *t, uint64_t line,
				    uint32_t count, uint64_t at)
{
	uint64_t number = l2_line(cu, line);

	switch (t->kind) {
	case TIMING_STORE:
		/* Written through; a cached line remains cached. */
		cu->counters.tcp_tcc_write += count;
		return l2_write(cu, number, halves_of(line, count), at);
	case TIMING_ATOMIC:
	case TIMING_ATOMIC_RETURN:
		return access_atomic(cu, number, line, count, at);
	default:
		return load_lines(cu, number, line, count, at, t->flags & TIMING_BYPASS);
	}
}

/*
 * Flat, global and scratch instructions count 64 accesses, one per lane; buffer instructions are
 * counted by quads.
 */
static inline void count_vector(struct time_cu *cu, const struct sim_timing *t, uint32_t quads,
				uint32_t cycles)
{
	bool segment = t->flags & TIMING_SEGMENT;

	cu->counters.insts_flat += segment;
	cu->counters.ta_wavefronts++;
	cu->counters.ta_busy += cycles;
	cu->counters.tcp_accesses += segment ? SIM_LANES : quads;
	cu->counters.tcp_cache_accesses += quads;
}

uint64_t time_vector(struct time_cu *cu, struct time_wave *w, const struct sim_timing *t,
		     uint64_t now)
{
	const uint64_t *record = &w->trace->word[w->word++];
	struct sim_touched touched = sim_trace_touched(*record);
	uint32_t moved = (touched.bytes + sim_time_cost.l1_return - 1) / sim_time_cost.l1_return;
	uint32_t cycles = touched.cycles + sim_time_cost.ta_once;
	uint64_t start, at, done = 0;

	if ((*record & 0xff) != RECORD_VECTOR) {
		cu->counters.insts_flat += !!(t->flags & TIMING_SEGMENT);
		return now;
	}
	w->word += touched.entries;
	count_vector(cu, t, touched.quads, cycles);
	start = later(now, cu->ta_free);
	cu->ta_free = start + cycles;
	at = later(start, cu->l1_free);
	cu->l1_free = at + moved;
	for (uint32_t i = 1; i <= touched.entries; i++) {
		uint64_t line = record[i] >> 8, end = line + (record[i] & 0xff);

		if (t->kind != TIMING_LOAD)
			cu->stored |= time_values_waited(cu->time, line, end);
		while (line < end) {
			uint32_t count = line & 1 || line + 1 == end ? 1 : 2;

			done = later(done, access_lines(cu, t, line, count, at));
			line += count;
		}
	}
	return later(done, start + use_after(sim_time_cost.vector_l1));
}

uint64_t time_scalar(struct time_cu *cu, struct time_wave *w, const struct sim_timing *t,
		     uint64_t now)
{
	const uint64_t *record = &w->trace->word[w->word++];
	uint32_t entries = *record >> 16 & 0xffff;
	uint64_t done = now + use_after(sim_time_cost.scalar_l1);
	uint64_t sooner_by = sim_time_cost.l2 - sim_time_cost.scalar_l2;

	if ((*record & 0xff) != RECORD_SCALAR)
		return done;
	w->word += entries;
	for (uint32_t i = 1; i <= entries; i++) {
		uint64_t line = record[i] >> 8;

		for (uint64_t n = record[i] & 0xff; n; n--, line++) {
			struct time_set *set = &cu->scalar[line % SCALAR_SETS];

			cu->counters.sqc_req++;
			if (t->kind == TIMING_SMEM_STORE) {
				done = later(done, l2_write(cu, l2_line(cu, line),
							    halves_of(line, 1), now));
				continue;
			}
			if (l1_find(set, line)) {
				cu->counters.sqc_hits++;
				done = later(done, set->fill[0]);
				continue;
			}
			cu->counters.sqc_misses++;
			l1_insert(set, line,
				  l2_read(cu, l2_line(cu, line), halves_of(line, 1), now) -
					  sooner_by);
			done = later(done, set->fill[0]);
		}
	}
	return done;
}
