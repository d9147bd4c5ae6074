/* SPDX-License-Identifier: MIT */
/* Choice of the vector level, look-up of execute entries, faults, and the wrapper for specials. */
#include "simgpu/exec/translate.h"
#include "simgpu/exec/instruction_trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct sim_level *level;
static const struct sim_exec *entries[SIM_OP_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct sim_level *level_choose(void)
{
	const char *name = getenv("PROBE_SIM_ISA");
	bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		    __builtin_cpu_supports("bmi2");
	bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
		      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
		      __builtin_cpu_supports("avx512vl");

	if (name && !strcmp(name, "base"))
		return &sim_level_base;
	if (name && !strcmp(name, "avx2") && avx2)
		return &sim_level_avx2;
	if (avx512)
		return &sim_level_avx512;
	return avx2 ? &sim_level_avx2 : &sim_level_base;
}

static void tables_add(const struct sim_exec *const *tables)
{
	for (; *tables; tables++)
		for (const struct sim_exec *e = *tables; e->op; e++)
			entries[e->op] = e;
}

static void level_init(void)
{
	level = level_choose();
	tables_add(sim_scalar_tables);
	tables_add(level->tables);
	if (level != &sim_level_base)
		sim_translate_init();
}

const struct sim_level *sim_level_get(void)
{
	pthread_once(&once, level_init);
	return level;
}

const struct sim_exec *sim_exec_find(enum sim_op op)
{
	pthread_once(&once, level_init);
	return entries[op];
}

enum sim_stop sim_wave_run(struct sim_wave *wave, uint32_t budget)
{
	if (wave == atomic_load_explicit(&sim_logged_wave, memory_order_relaxed))
		return sim_wave_log_run(wave, budget);
	/* Code was decoded before, which chose the level. */
	return (level ? level : sim_level_get())->run(wave, budget);
}

const struct sim_inst *sim_fault(struct sim_wave *w, const struct sim_inst *ip,
				 enum sim_fault_kind kind, uint64_t addr, uint32_t size, int lane)
{
	w->pc = inst_pc(w, ip);
	w->fault = (struct sim_fault){
		.kind = kind,
		.addr = addr,
		.size = size,
		.lane = lane,
		.word = {w->code->word[ip->index],
			 ip->words > 1 ? w->code->word[ip->index + 1] : 0},
		.name = ip->row ? sim_op_name(ip->row->op) : NULL,
	};
	w->stop = SIM_STOP_FAULT;
	return NULL;
}

const struct sim_inst *sim_exec_unknown(struct sim_wave *w, const struct sim_inst *ip)
{
	return sim_fault(w, ip, SIM_FAULT_UNKNOWN_OPCODE, inst_pc(w, ip), 4, -1);
}

const struct sim_inst *sim_exec_unimplemented(struct sim_wave *w, const struct sim_inst *ip)
{
	return sim_fault(w, ip, SIM_FAULT_UNIMPLEMENTED, inst_pc(w, ip), 4u * ip->words, -1);
}

const struct sim_inst *sim_exec_nofetch(struct sim_wave *w, const struct sim_inst *ip)
{
	return sim_fault(w, ip, SIM_FAULT_FETCH, inst_pc(w, ip), 4, -1);
}

/* The end of a page of code: go on in the next. */
const struct sim_inst *sim_exec_seam(struct sim_wave *w, const struct sim_inst *ip)
{
	return sim_fetch(w, inst_pc(w, ip));
}

/* Operands that are neither register nor constant ("Scalar operands", 235..253). */
static uint64_t special_value(const struct sim_wave *w, const struct sim_inst *ip, unsigned int n)
{
	uint64_t hi = 0;

	switch (ip->special[n]) {
	case 235: /* shared_base */
		hi = w->group->shared_base_hi;
		break;
	case 236: /* shared_limit */
		return ip->size[n] == 2 ? (uint64_t)w->group->shared_base_hi << 32 | 0xffffffff
					: w->group->shared_base_hi;
	case 237: /* private_base */
		hi = w->group->private_base_hi;
		break;
	case 238: /* private_limit */
		return ip->size[n] == 2 ? (uint64_t)w->group->private_base_hi << 32 | 0xffffffff
					: w->group->private_base_hi;
	case 251:
		return w->vcc == 0;
	case 252:
		return w->exec == 0;
	default:
		return w->scc;
	}
	return ip->size[n] == 2 ? hi << 32 : hi;
}

const struct sim_inst *sim_exec_special(struct sim_wave *w, const struct sim_inst *ip)
{
	for (unsigned int n = 0; n < 3; n++)
		if (ip->specials >> n & 1)
			w->special[n] = special_value(w, ip, n);
	return ip->inner(w, ip);
}
