/* SPDX-License-Identifier: MIT */
/*
 * A vector memory access: addresses of the lanes, their address space (global memory, LDS,
 * scratch), range checks and cache-line counts. Compiled per vector level.
 */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_VECTOR_ACCESS_H
#define PROBE_SIMGPU_EXEC_MEMORY_VECTOR_ACCESS_H

#include "simgpu/exec/vector/lane_rows.h"
#include "simgpu/exec/memory/range_cache.h"

enum mem_space {
	MEM_GLOBAL,
	MEM_LDS,
	MEM_SCRATCH,
	MEM_MIXED, /* flat: differs per lane */
};

struct access {
	u64 addr[64]; /* global address, or offset in LDS or scratch */
	u8 space[64]; /* of each lane, for MEM_MIXED */
	u64 exec;     /* lanes that access */
	enum mem_space kind;
	unsigned int bytes;
	bool contiguous; /* all 64 lanes are active and contiguous */
};

/*
 * Computes the addresses of a flat, global or scratch instruction, checks them and counts lines.
 * False if the wave was stopped with a fault.
 */
bool LEVEL(mem_prepare)(struct sim_wave *w, const struct sim_inst *ip, struct access *acc,
			unsigned int bytes, u32 need);

/* Checks acc->addr as global addresses and counts their lines. */
bool LEVEL(mem_check_global)(struct sim_wave *w, const struct sim_inst *ip, struct access *acc,
			     u32 need);

/* Writes the record of a scratch access to the wave's trace. */
void LEVEL(mem_trace_scratch)(struct sim_wave *w, const struct access *acc);

/*
 * The fast path for 64 contiguous lanes (`bytes` is 4, 8 or 16) in plain global memory. It does
 * everything mem_prepare() does, but computes no addresses per lane. Returns the host address of
 * lane 0's bytes, or 0 if the path does not apply; then nothing was done.
 */
u64 LEVEL(mem_contiguous)(struct sim_wave *w, const struct sim_inst *ip, unsigned int bytes,
			  u32 need);

/*
 * The fast path for 64 lanes at the same distances from lane 0 as last time (access_cost_cache.h).
 * It does everything mem_prepare() does. Returns the distances in bytes, as signed numbers, and
 * lane 0's host address, or NULL if the path does not apply; then nothing was done.
 */
const u32 *LEVEL(mem_pattern)(struct sim_wave *w, const struct sim_inst *ip, unsigned int bytes,
			      u32 need, u8 **first);

/* Scratch is interleaved by dword: byte `offset` of lane l. */
static inline u8 *scratch_byte(const struct sim_wave *w, unsigned int lane, u64 offset)
{
	return w->scratch + (offset >> 2) * 256 + 4 * lane + (offset & 3);
}

/*
 * Host address of byte `at` of lane l's access. In scratch, consecutive dwords of one lane are 256
 * bytes apart.
 */
static inline u8 *mem_byte(const struct sim_wave *w, const struct access *acc, unsigned int l,
			   unsigned int at)
{
	enum mem_space space = acc->kind == MEM_MIXED ? acc->space[l] : acc->kind;

	if (space == MEM_GLOBAL)
		return (u8 *)(acc->addr[l] + at);
	if (space == MEM_LDS)
		return w->group->lds + acc->addr[l] + at;
	return scratch_byte(w, l, acc->addr[l] + at);
}

/* Copies a lane's bytes from, or to, memory of any kind. */
static inline void mem_get(const struct sim_wave *w, const struct access *acc, unsigned int l,
			   void *to, unsigned int bytes)
{
	enum mem_space space = acc->kind == MEM_MIXED ? acc->space[l] : acc->kind;

	if (space != MEM_SCRATCH) {
		memcpy(to, mem_byte(w, acc, l, 0), bytes);
		return;
	}
	for (unsigned int i = 0; i < bytes; i++)
		((u8 *)to)[i] = *mem_byte(w, acc, l, i);
}

static inline void mem_put(const struct sim_wave *w, const struct access *acc, unsigned int l,
			   const void *from, unsigned int bytes)
{
	enum mem_space space = acc->kind == MEM_MIXED ? acc->space[l] : acc->kind;

	if (space != MEM_SCRATCH) {
		memcpy(mem_byte(w, acc, l, 0), from, bytes);
		return;
	}
	for (unsigned int i = 0; i < bytes; i++)
		*mem_byte(w, acc, l, i) = ((const u8 *)from)[i];
}

#define EACH_LANE(l, mask)                                                                         \
	for (u64 lanes_left = (mask), l = 0;                                                       \
	     lanes_left && (l = (u64)__builtin_ctzll(lanes_left), true);                           \
	     lanes_left &= lanes_left - 1)

#endif
