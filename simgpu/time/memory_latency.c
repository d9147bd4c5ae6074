/* SPDX-License-Identifier: MIT */
/*
 * When the data of a memory instruction arrive: address unit, vector and scalar L1, and the
 * unit's share of L2 and HBM. All are servers that take one request after the other; a latency
 * begins when the request is served.
 */
#include "simgpu/time/memory_latency.h"

#include <string.h>

#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/time/l2_cache.h"

enum {
	/* [HW mt4g] 16 KiB of 64-byte lines each; [E] 4 ways. Two units share a scalar L1 on
	 * hardware; here each has its own. */
	L1_SETS = 64,
	L1_WAYS = 4,
	FINE = 256, /* steps per cycle of the memory servers */
};

void time_l1_invalidate(struct time_line *cache)
{
	memset(cache, 0, L1_SETS * L1_WAYS * sizeof(*cache));
}

/* The line's entry, now the most recent of its set; NULL if it is not cached. */
static struct time_line *l1_find(struct time_line *cache, uint64_t line)
{
	struct time_line *set = &cache[line % L1_SETS * L1_WAYS], found;
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

static void l1_insert(struct time_line *cache, uint64_t line, uint64_t fill)
{
	struct time_line *set = &cache[line % L1_SETS * L1_WAYS];

	memmove(set + 1, set, (L1_WAYS - 1) * sizeof(*set));
	set[0] = (struct time_line){line + 1, fill};
}

/* Latencies are from issue to use; the s_waitcnt between takes an issue slot too. */
static uint64_t use_after(uint64_t latency)
{
	return latency - SIM_SLOT;
}

/* A server of rate `cost` per request: when it begins a request that arrives at `at`. */
static uint64_t serve(uint64_t *free, uint64_t at, uint32_t cost)
{
	uint64_t start = later(*free, at * FINE);

	*free = start + cost;
	return (start + FINE - 1) / FINE;
}

/* ---- Line numbers of the L2 ------------------------------------------------------------- */

/*
 * Addresses of memory differ from run to run, so the L2 must not see its addresses: the lines of
 * each block are numbered from a base of its own, in the order in which blocks were allocated. The
 * factor keeps the first lines of many blocks out of one set.
 */
static struct time_block find_block(uint64_t addr)
{
	enum { BLOCK_SHIFT = 27 }; /* 16 GiB in lines of 128 bytes */
	uint64_t host = sim_mem_aliased(addr, addr + 1) ? sim_mem_host(addr) : addr, base, line;
	struct sim_block block;

	if (sim_mem_query(host, &block))
		return (struct time_block){addr & ~(uint64_t)(L2_LINE - 1), addr | (L2_LINE - 1),
					   0};
	base = addr - (host - block.base);
	line = (block.serial << BLOCK_SHIFT) + block.serial * 1031;
	return (struct time_block){base & ~(uint64_t)(L2_LINE - 1), base + block.size,
				   line - base / L2_LINE};
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

/* ---- L2 and memory -------------------------------------------------------------------------- */

/* 64 bytes out of the L2, or through it from memory; returns when they can be used. */
static uint64_t l2_read(struct time_cu *cu, uint64_t line, uint64_t at)
{
	uint64_t start = serve(&cu->l2_read, at, cu->time->l2_read);
	struct time_touch *touch;
	bool missed;

	touch = time_l2_touch(cu, l2_line(cu, line), line & 1, &missed);
	cu->counters.tcc_req++;
	if (!missed) {
		cu->counters.tcc_hit++;
		return start + use_after(sim_time_cost.l2);
	}
	touch->valid |= 1 << (line & 1);
	touch->missed |= 1 << (line & 1);
	cu->counters.tcc_miss++;
	cu->counters.tcc_ea_read++;
	start = serve(&cu->hbm_read, start, cu->time->hbm_read);
	return start + use_after(sim_time_cost.hbm);
}

/*
 * A write of (part of) 64 bytes. It is complete when the L2 has it. A half that was clean will be
 * written back later; its cost is counted now.
 */
static uint64_t l2_write(struct time_cu *cu, uint64_t line, uint64_t at)
{
	uint64_t start = serve(&cu->l2_write, at, cu->time->l2_write);
	uint8_t half = 1 << (line & 1);
	struct time_touch *touch;
	bool missed;

	touch = time_l2_touch(cu, l2_line(cu, line), line & 1, &missed);
	cu->counters.tcc_req++;
	if (missed)
		cu->counters.tcc_miss++;
	else
		cu->counters.tcc_hit++;
	if (!(touch->dirty & half))
		start = serve(&cu->hbm_write, start, cu->time->hbm_write);
	touch->valid |= half;
	touch->dirty |= half;
	return start + use_after(sim_time_cost.l2);
}

static uint64_t load_line(struct time_cu *cu, uint64_t line, uint64_t at, bool bypass)
{
	struct time_line *found = l1_find(cu->l1, line);
	uint64_t done;

	cu->counters.tcp_cache_accesses++;
	if (found && !bypass) {
		cu->counters.tcp_hits++;
		return later(at + use_after(sim_time_cost.vector_l1), found->fill);
	}
	cu->counters.tcp_tcc_read++;
	done = l2_read(cu, line, at);
	if (found)
		found->fill = done;
	else
		l1_insert(cu->l1, line, done);
	return done;
}

static uint64_t access_line(struct time_cu *cu, const struct sim_timing *t, uint64_t line,
			    uint64_t at)
{
	struct time_line *found;
	uint64_t done;

	switch (t->kind) {
	case TIMING_STORE:
		/* Written through; a cached line stays cached. */
		cu->counters.tcp_cache_accesses++;
		cu->counters.tcp_tcc_write++;
		return l2_write(cu, line, at);
	case TIMING_ATOMIC:
	case TIMING_ATOMIC_RETURN:
		found = l1_find(cu->l1, line);
		if (found)
			found->line = 0;
		cu->counters.tcp_cache_accesses++;
		cu->counters.tcp_tcc_atomic++;
		/* The L2 needs the old value first; it is one request nevertheless. */
		done = later(l2_read(cu, line, at), l2_write(cu, line, at));
		cu->counters.tcc_req--;
		cu->counters.tcc_hit--;
		return done;
	default:
		return load_line(cu, line, at, t->flags & TIMING_BYPASS);
	}
}

uint64_t time_vector(struct time_cu *cu, struct time_wave *w, const struct sim_timing *t,
		     uint64_t now)
{
	const uint64_t *record = &w->trace->word[w->word++];
	uint32_t quads = *record >> 8 & 0xff, entries = *record >> 16 & 0xffff;
	uint32_t lines = *record >> 32 & 0xffff, dwords = *record >> 48;
	uint32_t bytes = dwords * 4,
		 moved = (bytes + sim_time_cost.l1_return - 1) / sim_time_cost.l1_return;
	uint64_t start, at, done = 0;

	if ((*record & 0xff) != RECORD_VECTOR)
		return now;
	w->word += entries;
	quads += !quads; /* flat, and no lane in memory */
	cu->counters.ta_wavefronts++;
	cu->counters.ta_busy += quads;
	cu->counters.tcp_accesses += quads;
	start = later(now, cu->ta_free);
	cu->ta_free = start + quads;
	/* The L1 looks up a line per cycle and moves 64 bytes per cycle. */
	at = later(start, cu->l1_free);
	cu->l1_free = at + (lines > moved ? lines : moved);
	for (uint32_t i = 1; i <= entries; i++) {
		uint64_t line = record[i] >> 8;

		for (uint64_t n = record[i] & 0xff; n; n--, line++)
			done = later(done, access_line(cu, t, line, at++));
	}
	/* The address of the last quad is that much later than that of the first. */
	return later(done, start + quads - 1 + use_after(sim_time_cost.vector_l1));
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
			struct time_line *found;

			cu->counters.sqc_req++;
			if (t->kind == TIMING_SMEM_STORE) {
				done = later(done, l2_write(cu, line, now));
				continue;
			}
			found = l1_find(cu->scalar, line);
			if (found) {
				cu->counters.sqc_hits++;
				done = later(done, found->fill);
				continue;
			}
			cu->counters.sqc_misses++;
			l1_insert(cu->scalar, line, l2_read(cu, line, now));
			done = later(done, cu->scalar[line % L1_SETS * L1_WAYS].fill);
		}
	}
	return done;
}
