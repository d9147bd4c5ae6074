/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/memory/vector_access.h"

#include "simgpu/exec/fault.h"
#include "simgpu/exec/memory/lds_banks.h"
#include "simgpu/exec/memory/access_cost_cache.h"
#include "simgpu/exec/memory/access_lines.h"
#include "simgpu/exec/memory/next_access.h"

/* Signed offsets and 32-bit lane offsets next to a scalar base: chapter "Flat Memory". */
static void addresses_global(const struct sim_wave *w, const struct sim_inst *ip,
			     struct access *acc)
{
	const u32 *row = w->vgpr[ip->vsrc[0]];
	u64 base = (u64)ip->imm;

	if (ip->saddr) {
		u64 scalar;

		memcpy(&scalar, inst_src(w, ip, 0), sizeof(scalar));
		base += scalar;
		LANES acc->addr[l] = base + row[l];
	} else {
		LANES acc->addr[l] = base + get_u64(row, l);
	}
}

static bool is_contiguous(const struct access *acc)
{
	u64 first = acc->addr[0], diff = 0;

	if (acc->exec != ~0ull)
		return false;
	LANES diff |= acc->addr[l] ^ (first + (u64)l * acc->bytes);
	return diff == 0;
}

/* ---- For the cost model --------------------------------------------------------------------- */

static u32 lane_bytes(const struct access *acc)
{
	return (u32)__builtin_popcountll(acc->exec) * acc->bytes;
}

static unsigned int put_entries(const struct lines *lines, u64 *to)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < lines->count64; i++) {
		if (n && (to[n - 1] >> 8) + (to[n - 1] & 255) == lines->line[i])
			to[n - 1]++;
		else
			to[n++] = lines->line[i] << 8 | 1;
	}
	return n;
}

/* 64 contiguous lanes, starting at `first`. */
static void trace_contiguous(struct sim_trace *trace, u64 first, unsigned int bytes)
{
	/* Of dwords in sequence sixteen lanes are one request [HW seis: L1 traffic], else a quad is. */
	unsigned int at_once = bytes <= 4 ? 16 : 4, part = at_once * bytes, quads = 64 / at_once;
	u64 lines = ((first + 64ull * bytes - 1) >> 6) - (first >> 6) + 1;

	if (64 % part) {
		quads = 0;
		for (unsigned int l = 0; l < 64; l += at_once)
			quads += (unsigned int)(((first + (l + at_once) * (u64)bytes - 1) >> 6) -
						((first + (u64)l * bytes) >> 6)) +
				 1;
	} else if (first % part) { /* every line boundary is within a part */
		quads += (unsigned int)lines - 1;
	}
	trace->word[trace->words++] = first >> 6 << 8 | lines;
	sim_trace_vector(trace, (struct sim_touched){
					.quads = quads,
					.cycles = bytes <= 4 ? 4 : 16,
					.entries = 1,
					.lines = (unsigned int)lines,
					.bytes = 64 * bytes,
				});
}

static void trace_lines(struct sim_trace *trace, const struct access *acc,
			const struct lines *lines)
{
	unsigned int n = put_entries(lines, &trace->word[trace->words]);

	trace->words += n;
	sim_trace_vector(trace, (struct sim_touched){
					.quads = lines->quads,
					.cycles = lines->cycles,
					.entries = n,
					.lines = lines->count64,
					.bytes = lane_bytes(acc),
				});
}

static void trace_memo(struct sim_trace *trace, u32 bytes, const struct sim_memo *memo, u64 first)
{
	u64 *to = &trace->word[trace->words];

	for (unsigned int i = 0; i < memo->entries; i++)
		to[i] = ((first >> 7 << 1) + (u64)(int64_t)memo->line[i]) << 8 | memo->lines[i];
	trace->words += memo->entries;
	sim_trace_vector(trace, (struct sim_touched){
					.quads = memo->quads,
					.cycles = memo->cycles,
					.entries = memo->entries,
					.lines = memo->cost[0],
					.bytes = bytes,
				});
}

/* If there are too many runs, entries exceeds the capacity. */
static void memo_lines(struct sim_memo *memo, const struct lines *lines, u64 first)
{
	u64 entry[128];

	memo->cost[0] = lines->count64;
	memo->cost[1] = lines->count128;
	memo->quads = lines->quads;
	memo->cycles = lines->cycles;
	memo->entries = put_entries(lines, entry);
	for (unsigned int i = 0; i < memo->entries && i < SIM_MEMO_ENTRIES; i++) {
		memo->line[i] = (int32_t)((entry[i] >> 8) - (first >> 7 << 1));
		memo->lines[i] = (uint8_t)entry[i];
	}
}

/* For mem_pattern(). */
static void memo_extent(struct sim_memo *memo, const struct access *acc, u64 first)
{
	i64 lowest = 0, highest = 0;

	for (unsigned int l = 0; l < 64; l++) {
		i64 diff = (i64)(acc->addr[l] - first);

		lowest = diff < lowest ? diff : lowest;
		highest = diff > highest ? diff : highest;
	}
	memo->near = acc->exec == ~0ull && acc->kind == MEM_GLOBAL && lowest >= INT32_MIN &&
		     highest <= INT32_MAX;
	memo->lowest = (i32)lowest;
	memo->highest = (i32)highest;
}

/* Scratch is ordinary memory: rows of 64 dwords. */
void LEVEL(mem_trace_scratch)(struct sim_wave *w, const struct access *acc)
{
	struct sim_trace *trace = w->trace;
	unsigned int rows = (acc->bytes + 3) / 4, count = 0, n;
	u64 line[256], base = (u64)w->scratch >> 6;

	if (!trace)
		return;
	EACH_LANE(l, acc->exec)
	for (unsigned int row = 0; row < rows; row++) {
		u64 at = base + ((acc->addr[l] >> 2) + row) * 4 + l / 16;

		if (!count || line[count - 1] != at)
			line[count++] = at;
	}
	/*
	 * Lanes at one offset are contiguous rows; other lanes may touch lines twice, but few of
	 * them.
	 */
	n = 0;
	for (unsigned int i = 0; i < count; i++) {
		unsigned int k = 0;

		while (k < n && line[k] != line[i])
			k++;
		if (k == n)
			line[n++] = line[i];
	}
	for (unsigned int i = 0; i < n; i++)
		trace->word[trace->words + i] = line[i] << 8 | 1;
	trace->words += n;
	sim_trace_vector(trace, (struct sim_touched){
					.quads = 16 * rows,
					.cycles = n > 4 * rows ? n : 4 * rows,
					.entries = n,
					.lines = n,
					.bytes = lane_bytes(acc),
				});
}

/* ---- Counting ------------------------------------------------------------------------------- */

/* Counts and traces, from the cache if the lanes have the same pattern as last time. */
static void add_lines_memo(struct sim_wave *w, const struct sim_inst *ip, const struct access *acc)
{
	u64 first = acc->addr[__builtin_ctzll(acc->exec)];
	struct sim_memo *memo = memo_slot(w->memo, ip->memo, first % 128);
	struct sim_counters *counters = w->group->counters;
	_Alignas(64) u32 diff[64], masked[64] = {0};
	const u32 *row = diff;
	struct lines lines;

	LANES diff[l] = (u32)(acc->addr[l] - first);
	if (acc->exec != ~0ull) {
		row_merge(masked, diff, acc->exec, 1);
		row = masked;
	}
	/* Moving all lanes by multiples of 128 bytes does not change the cost. */
	if (memo->key != (uintptr_t)ip || memo->exec != acc->exec || memo->base != first % 128 ||
	    !row_equal(memo->diff, row)) {
		find_lines(acc, &lines);
		memo_lines(memo, &lines, first);
		memcpy(memo->diff, row, sizeof(memo->diff));
		memo->exec = acc->exec;
		memo->key = (uintptr_t)ip;
		memo->base = first % 128;
		memo_extent(memo, acc, first);
	} else if (w->trace && memo->entries > SIM_MEMO_ENTRIES) {
		find_lines(acc, &lines);
	}
	counters->lines64 += memo->cost[0];
	counters->lines128 += memo->cost[1];
	if (!w->trace)
		return;
	if (memo->entries > SIM_MEMO_ENTRIES)
		trace_lines(w->trace, acc, &lines);
	else
		trace_memo(w->trace, lane_bytes(acc), memo, first);
}

/* span: the lanes' lowest and highest addresses differ by less than 4 GiB. */
static void add_lines(struct sim_wave *w, const struct sim_inst *ip, const struct access *acc,
		      bool span)
{
	struct sim_counters *counters = w->group->counters;
	struct lines lines;

	if (w->code->pcs && quads_of(acc, 0))
		counters->quads += quads_of(acc, 1);
	if (acc->contiguous) {
		u64 first = acc->addr[0], last = first + 64ull * acc->bytes - 1;

		counters->lines64 += (last >> 6) - (first >> 6) + 1;
		counters->lines128 += (last >> 7) - (first >> 7) + 1;
		if (w->trace)
			trace_contiguous(w->trace, first, acc->bytes);
		return;
	}
	if (span && w->memo) {
		add_lines_memo(w, ip, acc);
		return;
	}
	find_lines(acc, &lines);
	counters->lines64 += lines.count64;
	counters->lines128 += lines.count128;
	if (w->trace)
		trace_lines(w->trace, acc, &lines);
}

static enum sim_fault_kind fault_of(u32 need)
{
	return need & SIM_MEM_WRITE ? SIM_FAULT_WRITE : SIM_FAULT_READ;
}

/* Some lane is outside of every range: finds the first. */
static bool check_lanes(struct sim_wave *w, const struct sim_inst *ip, const struct access *acc,
			u32 need)
{
	EACH_LANE(l, acc->exec)
	{
		if (acc->kind == MEM_MIXED && acc->space[l] != MEM_GLOBAL)
			continue;
		if (!wave_may(w, acc->addr[l], acc->addr[l] + acc->bytes, need)) {
			sim_fault(w, ip, fault_of(need), acc->addr[l], acc->bytes, (int)l);
			return false;
		}
	}
	return true;
}

/* Lines were counted at the device's addresses; from here on host addresses are used. */
static void addresses_host(struct access *acc, u64 lo, u64 hi)
{
	if (!sim_mem_aliased(lo, hi))
		return;
	EACH_LANE(l, acc->exec)
	{
		if ((acc->kind != MEM_MIXED || acc->space[l] == MEM_GLOBAL) &&
		    sim_mem_aliased(acc->addr[l], acc->addr[l] + 1))
			acc->addr[l] = sim_mem_host(acc->addr[l]);
	}
}

bool LEVEL(mem_check_global)(struct sim_wave *w, const struct sim_inst *ip, struct access *acc,
			     u32 need)
{
	u64 lo = ~0ull, hi = 0;

	acc->contiguous = is_contiguous(acc);
	if (acc->contiguous) {
		lo = acc->addr[0];
		hi = acc->addr[63];
	} else if (acc->exec == ~0ull) {
		for (unsigned int l = 0; l < 64; l++) {
			lo = acc->addr[l] < lo ? acc->addr[l] : lo;
			hi = acc->addr[l] > hi ? acc->addr[l] : hi;
		}
	} else {
		EACH_LANE(l, acc->exec)
		{
			lo = acc->addr[l] < lo ? acc->addr[l] : lo;
			hi = acc->addr[l] > hi ? acc->addr[l] : hi;
		}
	}
	if (!wave_may(w, lo, hi + acc->bytes, need) && !check_lanes(w, ip, acc, need))
		return false;
	add_lines(w, ip, acc, hi - lo < UINT32_MAX);
	addresses_host(acc, lo, hi + acc->bytes);
	return true;
}

static bool check_window(struct sim_wave *w, const struct sim_inst *ip, const struct access *acc,
			 unsigned int l, enum mem_space space)
{
	u64 limit = space == MEM_LDS ? w->group->lds_size : w->scratch_lane_size;

	if (acc->addr[l] + acc->bytes <= limit)
		return true;
	sim_fault(w, ip, space == MEM_LDS ? SIM_FAULT_LDS : SIM_FAULT_SCRATCH, acc->addr[l],
		  acc->bytes, (int)l);
	return false;
}

/*
 * The instruction, and LDS passes of the lanes that a flat instruction sends to LDS; the cost model
 * treats it as vector memory.
 */
static void count_flat_lds(struct sim_wave *w, const struct access *acc, u64 lanes, u32 need)
{
	enum lds_kind kind = need == SIM_MEM_READ    ? LDS_READ
			     : need == SIM_MEM_WRITE ? LDS_WRITE
						     : LDS_ATOMIC;
	u32 offset[64] = {0};
	struct lds_cost cost;

	EACH_LANE(l, lanes)
	offset[l] = (u32)acc->addr[l];
	cost = lds_bank_cost(offset, lanes, acc->bytes, kind);
	w->group->counters->lds_passes += cost.passes;
	w->group->counters->lds_conflicts += cost.conflicts;
	w->group->counters->flat_lds++;
}

/* FLAT: the high half of the address selects LDS, scratch or global memory, lane by lane. */
static bool prepare_flat(struct sim_wave *w, const struct sim_inst *ip, struct access *acc,
			 u32 need)
{
	u64 shared = w->group->shared_base_hi, private = w->group->private_base_hi;
	const u32 *row = w->vgpr[ip->vsrc[0]];
	u64 special = 0, lds = 0;

	acc->kind = MEM_GLOBAL;
	LANES special |= (u64)(row[64 + l] == shared) | (row[64 + l] == private);
	if (!special)
		return LEVEL(mem_check_global)(w, ip, acc, need);
	acc->kind = MEM_MIXED;
	acc->contiguous = false;
	EACH_LANE(l, acc->exec)
	{
		u64 high = row[64 + l];

		acc->space[l] = high == shared	  ? MEM_LDS
				: high == private ? MEM_SCRATCH
						  : MEM_GLOBAL;
		if (acc->space[l] == MEM_GLOBAL)
			continue;
		acc->addr[l] = (u32)acc->addr[l];
		lds |= (u64)(high == shared) << l;
		if (!check_window(w, ip, acc, (unsigned int)l, acc->space[l]))
			return false;
	}
	if (lds)
		count_flat_lds(w, acc, lds, need);
	if (!check_lanes(w, ip, acc, need))
		return false;
	add_lines(w, ip, acc, false);
	addresses_host(acc, 0, ~0ull);
	return true;
}

/* SCRATCH: 32-bit offsets into the wave's private memory. */
static bool prepare_scratch(struct sim_wave *w, const struct sim_inst *ip, struct access *acc)
{
	const u32 *row = w->vgpr[ip->vsrc[0]];
	u32 scalar = ip->saddr ? *inst_src(w, ip, 0) : 0;
	bool vector = ip->bits & SIM_SCRATCH_VECTOR;

	acc->kind = MEM_SCRATCH;
	acc->contiguous = false;
	EACH_LANE(l, acc->exec)
	{
		acc->addr[l] = (u32)(scalar + (vector ? row[l] : 0) + (u32)ip->imm);
		if (!check_window(w, ip, acc, (unsigned int)l, MEM_SCRATCH))
			return false;
	}
	LEVEL(mem_trace_scratch)(w, acc);
	return true;
}

bool LEVEL(mem_prepare)(struct sim_wave *w, const struct sim_inst *ip, struct access *acc,
			unsigned int bytes, u32 need)
{
	acc->exec = w->exec;
	acc->bytes = bytes;
	if (ip->enc == ENC_SCRATCH)
		return prepare_scratch(w, ip, acc);
	addresses_global(w, ip, acc);
	if (ip->enc == ENC_FLAT)
		return prepare_flat(w, ip, acc, need);
	acc->kind = MEM_GLOBAL;
	return LEVEL(mem_check_global)(w, ip, acc, need);
}

/* Distances of lanes that are adjacent, by dwords per lane; for 0: that are at one place. */
#define FOUR(l, n)    (l) * 4 * (n), ((l) + 1) * 4 * (n), ((l) + 2) * 4 * (n), ((l) + 3) * 4 * (n)
#define SIXTEEN(l, n) FOUR(l, n), FOUR((l) + 4, n), FOUR((l) + 8, n), FOUR((l) + 12, n)
#define DISTANCES(n)                                                                               \
	{                                                                                          \
		SIXTEEN(0, n), SIXTEEN(16, n), SIXTEEN(32, n), SIXTEEN(48, n)                      \
	}
static const _Alignas(64) u32 adjacent[][64] = {
	[0] = DISTANCES(0), [1] = DISTANCES(1), [2] = DISTANCES(2), [4] = DISTANCES(4)};

u64 LEVEL(mem_contiguous)(struct sim_wave *w, const struct sim_inst *ip, unsigned int bytes,
			  u32 need)
{
	const u32 *low = w->vgpr[ip->vsrc[0]], *high = low + SIM_LANES;
	struct sim_counters *counters = w->group->counters;
	u64 first = (u64)ip->imm, last, scalar;

	if (ip->enc != ENC_GLOBAL || w->exec != ~0ull || w->code->pcs)
		return 0;
	/* Low halves that wrap around are not contiguous. */
	if (low[63] < low[0] || !row_moved(low, low[0], adjacent[bytes / 4]))
		return 0;
	if (ip->saddr) {
		memcpy(&scalar, inst_src(w, ip, 0), sizeof(scalar));
		first += scalar + low[0];
	} else {
		if (!row_moved(high, high[0], adjacent[0]))
			return 0;
		first += get_u64(low, 0);
	}
	last = first + SIM_LANES * bytes - 1;
	if (!wave_may(w, first, last + 1, need) || sim_mem_aliased(first, last + 1))
		return 0;
	counters->lines64 += (last >> 6) - (first >> 6) + 1;
	counters->lines128 += (last >> 7) - (first >> 7) + 1;
	if (w->trace)
		trace_contiguous(w->trace, first, bytes);
	fetch_next_contiguous(w, ip, first, SIM_LANES * bytes);
	return first;
}

/* True if the lanes' addresses, rows of low and high halves, differ from lane 0's by diff. */
static bool same_distances(const u32 *low, const u32 *high, const u32 *diff)
{
	return row_moved(low, low[0], diff) && (!high || row_moved(high, high[0], adjacent[0]));
}

const u32 *LEVEL(mem_pattern)(struct sim_wave *w, const struct sim_inst *ip, unsigned int bytes,
			      u32 need, u8 **ret)
{
	const u32 *low = w->vgpr[ip->vsrc[0]], *high = ip->saddr ? NULL : low + SIM_LANES;
	struct sim_counters *counters = w->group->counters;
	u64 first = (u64)ip->imm + low[0], from, to, scalar;
	const struct sim_memo *memo;

	if (!w->memo || w->exec != ~0ull || w->code->pcs || ip->enc != ENC_GLOBAL)
		return NULL;
	if (high) {
		first += (u64)high[0] << 32;
	} else {
		memcpy(&scalar, inst_src(w, ip, 0), sizeof(scalar));
		first += scalar;
	}
	memo = memo_slot(w->memo, ip->memo, first % 128);
	if (memo->key != (uintptr_t)ip || !memo->near || memo->exec != ~0ull ||
	    memo->base != first % 128 || memo->entries > SIM_MEMO_ENTRIES)
		return NULL;
	/* Low halves that wrap around are at other distances. */
	if ((i64)low[0] + memo->lowest < 0 || (i64)low[0] + memo->highest > UINT32_MAX ||
	    !same_distances(low, high, memo->diff))
		return NULL;
	from = first + (u64)(i64)memo->lowest;
	to = first + (u64)(i64)memo->highest + bytes;
	if (!wave_may(w, from, to, need) || sim_mem_aliased(from, to))
		return NULL;
	counters->lines64 += memo->cost[0];
	counters->lines128 += memo->cost[1];
	if (w->trace)
		trace_memo(w->trace, SIM_LANES * bytes, memo, first);
	fetch_next_pattern(w, ip, first, memo);
	*ret = (u8 *)first;
	return memo->diff;
}
