/* SPDX-License-Identifier: MIT */
#include "mem_access.h"

#include "memo.h"

/* Signed offsets and 32-bit lane offsets beside a scalar base: chapter "Flat Memory". */
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

/* Lines of `shift` bits that the lanes touch, each counted once. */
static unsigned int distinct(const u64 *line, unsigned int n)
{
	u64 table[256] = {0};
	unsigned int count = 0;

	for (unsigned int i = 0; i < n; i++) {
		u64 key = line[i] + 1; /* 0 means empty */
		unsigned int at = (unsigned int)((key * 0x9e3779b97f4a7c15u) >> 56);

		while (table[at] && table[at] != key)
			at = (at + 1) & 255;
		count += !table[at];
		table[at] = key;
	}
	return count;
}

/*
 * The 64-byte lines of all lanes in lane order, runs of equal ones dropped. *sorted: they rise,
 * so equal ones are neighbours. An access spans two lines at most per 16 bytes.
 */
static unsigned int collect_lines(const struct access *acc, u64 *line, bool *sorted)
{
	unsigned int n = 0;

	*sorted = true;
	EACH_LANE(l, acc->exec)
	{
		u64 first = acc->addr[l] >> 6, last = (acc->addr[l] + acc->bytes - 1) >> 6;

		if (acc->kind == MEM_MIXED && acc->space[l] != MEM_GLOBAL)
			continue;
		for (u64 at = first; at <= last; at++) {
			if (n && line[n - 1] == at)
				continue;
			if (n && line[n - 1] > at)
				*sorted = false;
			line[n++] = at;
		}
	}
	return n;
}

static void count_lines(const struct access *acc, u32 *lines64, u32 *lines128)
{
	unsigned int n, pairs = 0;
	u64 line[128];
	bool sorted;

	n = collect_lines(acc, line, &sorted);
	*lines64 = sorted ? n : distinct(line, n);
	for (unsigned int i = 0; i < n; i++)
		if (!pairs || line[pairs - 1] != line[i] >> 1)
			line[pairs++] = line[i] >> 1;
	*lines128 = sorted ? pairs : distinct(line, pairs);
}

/* As count_lines(), from memory if the lanes lie as they did last time. */
static void count_lines_memo(struct sim_wave *w, const struct sim_inst *ip,
			     const struct access *acc, u32 *lines64, u32 *lines128)
{
	struct sim_memo *memo = memo_slot(w->memo, ip->memo);
	u64 first = acc->addr[__builtin_ctzll(acc->exec)];
	_Alignas(64) u32 diff[64], masked[64] = {0};
	const u32 *row = diff;

	LANES diff[l] = (u32)(acc->addr[l] - first);
	if (acc->exec != ~0ull) {
		row_merge(masked, diff, acc->exec, 1);
		row = masked;
	}
	/* Moving all lanes by 128 bytes changes nothing. */
	if (memo->key != (uintptr_t)ip || memo->exec != acc->exec || memo->base != first % 128 ||
	    !row_equal(memo->diff, row)) {
		count_lines(acc, &memo->cost[0], &memo->cost[1]);
		memcpy(memo->diff, row, sizeof(memo->diff));
		memo->exec = acc->exec;
		memo->key = (uintptr_t)ip;
		memo->base = first % 128;
	}
	*lines64 = memo->cost[0];
	*lines128 = memo->cost[1];
}

/* span: the lanes' lowest and highest address differ by less than 4 GiB. */
static void add_lines(struct sim_wave *w, const struct sim_inst *ip, const struct access *acc,
		      bool span)
{
	struct sim_counters *counters = w->group->counters;
	u32 lines64, lines128;

	if (acc->contiguous) {
		u64 first = acc->addr[0], last = first + 64ull * acc->bytes - 1;

		counters->lines64 += (last >> 6) - (first >> 6) + 1;
		counters->lines128 += (last >> 7) - (first >> 7) + 1;
		return;
	}
	if (span && w->memo)
		count_lines_memo(w, ip, acc, &lines64, &lines128);
	else
		count_lines(acc, &lines64, &lines128);
	counters->lines64 += lines64;
	counters->lines128 += lines128;
}

static enum sim_fault_kind fault_of(u32 need)
{
	return need & SIM_MEM_WRITE ? SIM_FAULT_WRITE : SIM_FAULT_READ;
}

/* Some lane is out of every range: find the first. */
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

/* Lines were counted at the device's addresses; from here on the host's are needed. */
static void addresses_host(struct access *acc, u64 lo, u64 hi)
{
	if (!sim_mem_aliased(lo, hi))
		return;
	EACH_LANE(l, acc->exec)
	{
		if (acc->kind != MEM_MIXED || acc->space[l] == MEM_GLOBAL)
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

/* FLAT: the high half of the address selects LDS, scratch or global memory, lane by lane. */
static bool prepare_flat(struct sim_wave *w, const struct sim_inst *ip, struct access *acc,
			 u32 need)
{
	u64 shared = w->group->shared_base_hi, private = w->group->private_base_hi;
	const u32 *row = w->vgpr[ip->vsrc[0]];
	u64 special = 0;

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
		if (!check_window(w, ip, acc, (unsigned int)l, acc->space[l]))
			return false;
	}
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

	acc->kind = MEM_SCRATCH;
	acc->contiguous = false;
	EACH_LANE(l, acc->exec)
	{
		acc->addr[l] = (u32)(scalar + (ip->saddr ? 0 : row[l]) + (u32)ip->imm);
		if (!check_window(w, ip, acc, (unsigned int)l, MEM_SCRATCH))
			return false;
	}
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
