/* SPDX-License-Identifier: MIT */
/*
 * Computes when the data of a memory instruction arrive: address unit, vector and scalar L1, and
 * the unit's share of L2 and HBM. All are servers that process one request after the other; a
 * latency begins when the request is served.
 */
#include "simgpu/time/memory_latency.h"

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
	memset(cu->l1, 0, l1_sets() * L1_WAYS * sizeof(*cu->l1));
}

void time_scalar_invalidate(struct time_cu *cu)
{
	memset(cu->scalar, 0, sizeof(cu->scalar));
}

static struct time_line *scalar_set(struct time_cu *cu, uint64_t line)
{
	return &cu->scalar[line % SCALAR_SETS * L1_WAYS];
}

/* The line's entry, which becomes the most recently used of its set; NULL if it is not cached. */
static struct time_line *l1_find(struct time_line *set, uint64_t line)
{
	struct time_line found;
	int at = 0;

	if (set[0].line == line + 1)
		return set;
	while (++at < L1_WAYS)
		if (set[at].line == line + 1)
			break;
	if (at == L1_WAYS)
		return NULL;
	found = set[at];
	memmove(set + 1, set, (size_t)at * sizeof(*set));
	set[0] = found;
	return set;
}

static void l1_insert(struct time_line *set, uint64_t line, uint64_t fill)
{
	memmove(set + 1, set, (L1_WAYS - 1) * sizeof(*set));
	set[0] = (struct time_line){line + 1, fill};
}

/* Latencies are from issue to use; the s_waitcnt between them also takes an issue slot. */
static uint64_t use_after(uint64_t latency)
{
	return latency - SIM_SLOT;
}

/* A server with `cost` per request: when it begins a request that arrives at `at`. */
static uint64_t serve(uint64_t *free, uint64_t at, uint32_t cost)
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

static uint64_t l2_line(struct time_cu *cu, uint64_t line)
{
	uint64_t addr = line * L1_LINE;
	struct time_block *block = cu->block, found;
	int at = 0;

	if (addr >= block[0].base && addr < block[0].end)
		return (line >> 1) + block[0].shift;
	while (++at < TIME_BLOCKS)
		if (addr >= block[at].base && addr < block[at].end)
			break;
	found = at < TIME_BLOCKS ? block[at] : find_block(addr);
	if (at == TIME_BLOCKS)
		at--;
	memmove(block + 1, block, (size_t)at * sizeof(*block));
	block[0] = found;
	return (line >> 1) + found.shift;
}

/*
 * A line's set in the vector L1; `number` is that of the L2. Rows of a matrix whose pitch is a
 * power of two do not collide there on hardware [gb: blocks].
 */
static struct time_line *vector_set(struct time_cu *cu, uint64_t number, uint64_t line)
{
	return &cu->l1[((line ^ number >> 7 ^ number >> 13) & (l1_sets() - 1)) * L1_WAYS];
}

/* ---- L2 and memory -------------------------------------------------------------------------- */

/*
 * Channels interleave every 256 bytes. The hash spreads large powers of two over four of them [HW:
 * yax, rows of 256 KiB].
 */
static uint32_t channel_of(uint64_t line)
{
	uint64_t high = line >> 6;
	uint32_t hash =
		(high ^ high >> 2 ^ high >> 4 ^ high >> 6 ^ high >> 8 ^ high >> 10 ^ high >> 12) &
		3;

	return (line / 2 ^ hash) % TIME_CHANNELS;
}

/* The cost of 64 bytes in the unit's share of the L2; higher if the channel is crowded. */
static uint32_t channel_cost(struct time_cu *cu, uint64_t line, uint32_t cost)
{
	uint32_t channel = channel_of(line);

	cu->channel[channel]++;
	return cost * cu->time->contention[channel] / CONTENTION_NONE;
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
static uint32_t halves_of(uint64_t line, uint32_t count)
{
	return ((1u << count) - 1) << (line & 1);
}

/* Reads one or two halves from the L2, or through it from memory; returns when they can be used. */
static uint64_t l2_read(struct time_cu *cu, uint64_t number, uint32_t halves, uint64_t at)
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
	start = serve(&cu->hbm, start, count * cu->time->hbm);
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
		start = serve(&cu->hbm, start, count_halves(clean) * cu->time->hbm_alone);
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
		struct time_line *set = vector_set(cu, number, half), *found = l1_find(set, half);

		if (found)
			found->fill = filled;
		else
			l1_insert(set, half, filled);
	}
	return filled;
}

/* `count` halves of one line of the L2. */
static uint64_t load_lines(struct time_cu *cu, uint64_t number, uint64_t line, uint32_t count,
			   uint64_t at, bool bypass)
{
	struct time_line *found[2] = {NULL, NULL};
	uint64_t done = 0, filled;
	uint32_t halves = 0;

	for (uint32_t i = 0; i < count; i++) {
		found[i] = l1_find(vector_set(cu, number, line + i), line + i);
		if (found[i] && !bypass) {
			cu->counters.tcp_hits++;
			done = later(done, later(at + use_after(sim_time_cost.vector_l1),
						 found[i]->fill));
		} else {
			halves |= halves_of(line + i, 1);
		}
	}
	if (!halves)
		return done;
	if (sim_time_cost.l1_line != L1_LINE)
		return later(done, load_whole_line(cu, number, line, at));
	cu->counters.tcp_tcc_read += count_halves(halves);
	filled = l2_read(cu, number, halves, at);
	for (uint32_t i = 0; i < count; i++) {
		if (!(halves & halves_of(line + i, 1)))
			continue;
		if (found[i])
			found[i]->fill = filled;
		else
			l1_insert(vector_set(cu, number, line + i), line + i, filled);
	}
	return later(done, filled);
}

static uint64_t access_lines(struct time_cu *cu, const struct sim_timing *t, uint64_t line,
			     uint32_t count, uint64_t at)
{
	uint32_t halves = halves_of(line, count);
	uint64_t number = l2_line(cu, line), done;
	struct time_line *found;

	switch (t->kind) {
	case TIMING_STORE:
		/* Written through; a cached line remains cached. */
		cu->counters.tcp_tcc_write += count;
		return l2_write(cu, number, halves, at);
	case TIMING_ATOMIC:
	case TIMING_ATOMIC_RETURN:
		for (uint32_t i = 0; i < count; i++) {
			found = l1_find(vector_set(cu, number, line + i), line + i);
			if (found)
				found->line = 0;
		}
		cu->counters.tcp_tcc_atomic += count;
		/* The L2 first needs the old value; it is one request nevertheless. */
		done = later(l2_read(cu, number, halves, at), l2_write(cu, number, halves, at));
		cu->counters.tcc_req -= count;
		cu->counters.tcc_hit -= count;
		return done;
	default:
		return load_lines(cu, number, line, count, at, t->flags & TIMING_BYPASS);
	}
}

/*
 * Flat, global and scratch instructions count 64 accesses, one per lane; buffer instructions are
 * counted by quads.
 */
static void count_vector(struct time_cu *cu, const struct sim_timing *t, uint32_t quads,
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

	if ((*record & 0xff) != RECORD_SCALAR)
		return done;
	w->word += entries;
	for (uint32_t i = 1; i <= entries; i++) {
		uint64_t line = record[i] >> 8;

		for (uint64_t n = record[i] & 0xff; n; n--, line++) {
			struct time_line *found, *set = scalar_set(cu, line);

			cu->counters.sqc_req++;
			if (t->kind == TIMING_SMEM_STORE) {
				done = later(done, l2_write(cu, l2_line(cu, line),
							    halves_of(line, 1), now));
				continue;
			}
			found = l1_find(set, line);
			if (found) {
				cu->counters.sqc_hits++;
				done = later(done, found->fill);
				continue;
			}
			cu->counters.sqc_misses++;
			l1_insert(set, line,
				  l2_read(cu, l2_line(cu, line), halves_of(line, 1), now));
			done = later(done, set->fill);
		}
	}
	return done;
}
