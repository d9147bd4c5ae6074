/* SPDX-License-Identifier: MIT */
/* The run loop, and the wrappers that apply a body to registers under EXEC. */
#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/exec/fault.h"
#include "simgpu/exec/vector/lane_rows.h"

#include "simgpu/exec/scalar/mode_register.h"
#include "simgpu/exec/memory/access_cost_cache.h"
#include "simgpu/exec/translate.h"
#include "simgpu/exec/vector/vector_source.h"
#include "simgpu/exec/memory/range_cache.h"

static void tally_add(struct sim_counters *to, const struct sim_tally *t)
{
	uint64_t valu =
		t->cls[C_VALU] + t->cls[C_F64] + t->cls[C_TRANS] + t->cls[C_MUL32] + t->cls[C_MFMA];
	uint64_t other = t->cls[C_INTERNAL] + t->cls[C_MESSAGE] + t->cls[C_GWS];

	to->valu += valu;
	to->salu += t->cls[C_SALU];
	to->smem += t->cls[C_SMEM];
	to->vmem += t->cls[C_VMEM];
	to->flat += t->cls[C_FLAT];
	to->lds += t->cls[C_LDS];
	to->branch += t->cls[C_BRANCH];
	to->other += other;
	to->insts += valu + other + t->cls[C_SALU] + t->cls[C_SMEM] + t->cls[C_VMEM] +
		     t->cls[C_FLAT] + t->cls[C_LDS] + t->cls[C_BRANCH];
	to->lane_ops += t->lanes;
}

/*
 * VSKIP skips vector instructions. VGPR index mode: M0[7:0] is added to the vector registers that
 * M0[15:12] enables (sources 0, 1, 2, destination); the instruction runs as a copy with other
 * register numbers.
 */
static const struct sim_inst *run_indexed(struct sim_wave *w, const struct sim_inst *ip)
{
	uint32_t index = w->sgpr[SIM_M0] & 0xff, enable = w->sgpr[SIM_M0] >> 12;
	uintptr_t first = offsetof(struct sim_wave, vgpr);
	struct sim_inst copy[3];
	const struct sim_inst *next;

	if (w->gpr_idx & SIM_IDX_VSKIP && ip->cls >= C_FIRST_VECTOR)
		return ip + ip->words;
	if (!(w->gpr_idx & SIM_IDX_ON) || ip->cls < C_VALU || ip->cls > C_MUL32)
		return ip->exec(w, ip);
	copy[0] = *ip;
	for (unsigned int n = 0; n < 3; n++)
		if (enable >> n & 1 && ip->rel >> n & 1 && ip->off[n] >= first)
			copy[0].off[n] += 256 * (uintptr_t)index;
	if (enable & 8)
		copy[0].dst = (uint16_t)(copy[0].dst + index);
	for (unsigned int n = 0; n < 3; n++)
		if (copy[0].rel >> n & 1 && copy[0].off[n] >= sizeof(*w))
			return sim_fault(w, ip, SIM_FAULT_UNKNOWN_OPCODE, index, 4, -1);
	if (copy[0].dst >= SIM_VGPRS)
		return sim_fault(w, ip, SIM_FAULT_UNKNOWN_OPCODE, index, 4, -1);
	next = copy[0].exec(w, &copy[0]);
	return next ? ip + (next - copy) : NULL;
}

static inline const struct sim_inst *step(struct sim_wave *w, const struct sim_inst *ip,
					  struct sim_tally *t)
{
	t->cls[ip->cls]++;
	if (ip->cls >= C_FIRST_VECTOR)
		t->lanes += (u64)__builtin_popcountll(w->exec);
	if (__builtin_expect(w->gpr_idx != 0, 0))
		return run_indexed(w, ip);
	return ip->exec(w, ip);
}

static void pc_add(uint64_t *to, uint64_t n)
{
	__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

/* Like step(), with counters of the instruction. */
static const struct sim_inst *step_counted(struct sim_wave *w, const struct sim_inst *ip,
					   struct sim_tally *t)
{
	struct sim_pc_counters *pcs = ip->cls ? w->code->pcs : NULL;
	const struct sim_counters *c = w->group->counters;
	struct sim_counters before = *c;
	uint64_t lanes = (u64)__builtin_popcountll(w->exec);
	unsigned int index = ip->index;
	const struct sim_inst *next = step(w, ip, t);

	if (!pcs)
		return next;
	pcs += index;
	pc_add(&pcs->execs, 1);
	pc_add(&pcs->active, lanes != 0);
	pc_add(&pcs->lanes, lanes);
	pc_add(&pcs->lines64, c->lines64 - before.lines64);
	pc_add(&pcs->lines128, c->lines128 - before.lines128);
	pc_add(&pcs->lds_passes, c->lds_passes - before.lds_passes);
	pc_add(&pcs->lds_conflicts, c->lds_conflicts - before.lds_conflicts);
	pc_add(&pcs->quads, c->quads - before.quads);
	return next;
}

static inline void trace_begin_run(struct sim_wave *w, const struct sim_inst *first)
{
	struct sim_trace_run *run = &w->trace->run[w->trace->runs];

	run->page = sim_trace_page(w->trace, w->code);
	run->first = (uint16_t)first->index;
}

/*
 * Ends the run of straight-line code whose last instruction is ip. next: its successor; NULL: a
 * stop.
 */
static bool trace_end_run(struct sim_wave *w, const struct sim_inst *ip,
			  const struct sim_inst *next)
{
	struct sim_trace *trace = w->trace;
	struct sim_trace_run *run = &trace->run[trace->runs];
	bool ran = ip->cls != C_NONE && (next || w->stop != SIM_STOP_FAULT);

	run->end = (uint16_t)(ip->index + (ran ? ip->words : 0));
	run->jumps = ran && next;
	run->barrier = false;
	if (run->end > run->first)
		trace->runs++;
	if (!next || trace->runs == SIM_TRACE_RUNS)
		return false;
	trace_begin_run(w, next);
	return true;
}

/* Blocks do not support index mode, VSKIP or special rounding, and count per class only. */
static inline bool block_allowed(const struct sim_wave *w, const struct sim_block *block,
				 uint32_t budget)
{
	return block->insts <= budget && !(w->fp_special & block->fp) && !w->gpr_idx &&
	       !w->code->pcs;
}

/*
 * Runs the block at *ip, if there is one and it may run; t->last is then the last instruction
 * executed.
 */
static inline bool run_block(struct sim_wave *w, const struct sim_inst **ip, uint32_t *budget,
			     struct sim_tally *t)
{
	/* Pairs with the release in translate(): the block is complete. */
	const struct sim_block *block = atomic_load_explicit(&(*ip)->block, memory_order_acquire);
	uint64_t before = t->insts;

	if (!block || !block_allowed(w, block, *budget))
		return false;
	*ip = block->run(w, t);
	*budget -= (uint32_t)(t->insts - before);
	if (*ip)
		sim_entered(w, *ip);
	return true;
}

/* Like the loop in sim_run(), with a trace. */
static const struct sim_inst *run_traced(struct sim_wave *w, const struct sim_inst *ip,
					 uint32_t budget, struct sim_tally *t)
{
	struct sim_trace *trace = w->trace;
	struct sim_trace_run *run;
	bool pass = trace->pass;

	trace_begin_run(w, ip);
	while (budget) {
		const struct sim_inst *next, *last = ip;

		if (run_block(w, &ip, &budget, t)) {
			next = ip;
			last = t->last;
			/*
			 * No space for another record: the wave continues later with the remaining
			 * instructions.
			 */
			if (!last)
				break;
		} else {
			if (ip->trace) {
				if (ip->trace & SIM_TRACE_HOLD && !pass) {
					w->stop = SIM_STOP_HOLD;
					break;
				}
				if (ip->trace & SIM_TRACE_DATA && !sim_trace_open(trace))
					break;
			}
			next = w->code->pcs ? step_counted(w, ip, t) : step(w, ip, t);
			budget--;
		}
		pass = false;
		if (__builtin_expect(sim_trace_changed(w), 0) && next)
			sim_trace_exec(w, &w->code->timing[next->index],
				       trace->runs + (next != last + last->words));
		if (next != last + last->words) {
			if (!trace_end_run(w, last, next))
				return next;
		}
		ip = next;
	}
	run = &trace->run[trace->runs];
	run->end = (uint16_t)ip->index;
	run->jumps = run->barrier = false;
	trace->runs += run->end > run->first;
	return ip;
}

enum sim_stop LEVEL(sim_run)(struct sim_wave *w, uint32_t budget)
{
	struct sim_tally t = {0};
	const struct sim_inst *ip;

	sim_wave_ranges_refresh(w);
	sim_mode_refresh(w);
	w->memo = sim_memo_table();
	w->stop = SIM_STOP_QUANTUM;
	ip = sim_fetch(w, w->pc);
	if (w->trace && ip) {
		ip = run_traced(w, ip, budget, &t);
		budget = 0;
	}
	while (ip && budget) {
		if (run_block(w, &ip, &budget, &t))
			continue;
		budget--;
		ip = w->code->pcs ? step_counted(w, ip, &t) : step(w, ip, &t);
	}
	if (ip)
		w->pc = inst_pc(w, ip);
	tally_add(w->group->counters, &t);
	return w->stop;
}

static inline const struct sim_inst *apply(struct sim_wave *w, const struct sim_inst *ip,
					   const u32 *a, const u32 *b, const u32 *c)
{
	u32 *d = w->vgpr[ip->dst];
	_Alignas(64) u32 tmp[2 * 64];

	if (w->exec == ~0ull) {
		ip->body(d, a, b, c, 0);
	} else {
		ip->body(tmp, a, b, c, 0);
		row_merge(d, tmp, w->exec, ip->dsize);
	}
	return ip + ip->words;
}

const struct sim_inst *LEVEL(sim_valu)(struct sim_wave *w, const struct sim_inst *ip)
{
	if (__builtin_expect(w->fp_special & ip->fp, 0))
		return LEVEL(sim_valu_mods)(w, ip);
	return apply(w, ip, inst_src(w, ip, 0), inst_src(w, ip, 1), inst_src(w, ip, 2));
}

const struct sim_inst *LEVEL(sim_valu_any)(struct sim_wave *w, const struct sim_inst *ip)
{
	_Alignas(64) u32 tmp[3][128];

	if (__builtin_expect(w->fp_special & ip->fp, 0))
		return LEVEL(sim_valu_mods)(w, ip);
	return apply(w, ip, source_row(w, ip, 0, tmp[0]), source_row(w, ip, 1, tmp[1]),
		     source_row(w, ip, 2, tmp[2]));
}

static void mask_out(struct sim_wave *w, const struct sim_inst *ip, u64 mask)
{
	memcpy((char *)w + ip->sdst, &mask, sizeof(mask));
	/* v_cmpx also writes EXEC. */
	if (ip->row->op && ip->bits)
		w->exec = mask;
}

/* Compares: lanes not in EXEC become 0. */
const struct sim_inst *LEVEL(sim_vopc)(struct sim_wave *w, const struct sim_inst *ip)
{
	_Alignas(64) u32 tmp[3][128];
	u64 enabled = w->exec;

	if (ip->modded || w->fp_special & ip->fp) {
		u64 mask = LEVEL(sim_body_modified)(w, ip, NULL, &enabled, 0);

		mask_out(w, ip, mask & enabled);
		return ip + ip->words;
	}
	mask_out(w, ip,
		 enabled & ip->body(NULL, source_row(w, ip, 0, tmp[0]),
				    source_row(w, ip, 1, tmp[1]), NULL, 0));
	return ip + ip->words;
}

/* True for operations of kind X_MASK that write a mask in addition to vdst. */
static bool writes_mask(const struct sim_inst *ip)
{
	return ip->row->op != OP_v_cndmask_b32 && ip->row->op != OP_v_div_fmas_f32 &&
	       ip->row->op != OP_v_div_fmas_f64;
}

/*
 * Carries, selects, scaling: body(d, a, b, c, mask) with a mask from VCC or an SGPR pair (source
 * slot 2, or VCC for v_div_fmas), and a mask result for the carries.
 */
const struct sim_inst *LEVEL(sim_mask)(struct sim_wave *w, const struct sim_inst *ip)
{
	bool takes = ip->row->op == OP_v_cndmask_b32 || ip->row->op == OP_v_addc_co_u32 ||
		     ip->row->op == OP_v_subb_co_u32 || ip->row->op == OP_v_subbrev_co_u32;
	_Alignas(64) u32 tmp[4][128];
	u64 mask = w->vcc, enabled = w->exec;

	if (takes)
		memcpy(&mask, inst_src(w, ip, 2), sizeof(mask));
	if (ip->modded || w->fp_special & ip->fp)
		mask = LEVEL(sim_body_modified)(w, ip, tmp[3], &enabled, mask);
	else
		mask = ip->body(tmp[3], source_row(w, ip, 0, tmp[0]), source_row(w, ip, 1, tmp[1]),
				takes ? NULL : source_row(w, ip, 2, tmp[2]), mask);
	row_merge(w->vgpr[ip->dst], tmp[3], enabled, ip->dsize);
	if (writes_mask(ip))
		mask_out(w, ip, mask & enabled);
	return ip + ip->words;
}

static const struct sim_exec *const tables[] = {
	LEVEL(sim_exec_valu_int),    LEVEL(sim_exec_valu_f32),
	LEVEL(sim_exec_valu_f64),    LEVEL(sim_exec_valu_f16),
	LEVEL(sim_exec_valu_cvt),    LEVEL(sim_exec_valu_cmp),
	LEVEL(sim_exec_valu_mask),   LEVEL(sim_exec_vop3p),
	LEVEL(sim_exec_lane),	     LEVEL(sim_exec_mfma),
	LEVEL(sim_exec_mfma_gfx942), LEVEL(sim_exec_mem),
	LEVEL(sim_exec_atomic),	     LEVEL(sim_exec_buffer),
	LEVEL(sim_exec_lds),	     LEVEL(sim_exec_lds_atomic),
	LEVEL(sim_exec_format),	     LEVEL(sim_exec_smem_atomic),
	LEVEL(sim_exec_image),	     NULL,
};

#define TEXT_(x) #x
#define TEXT(x)	 TEXT_(x)
const struct sim_level LEVEL(sim_level) = {
	.name = TEXT(SIM_LEVEL),
	.run = LEVEL(sim_run),
	.valu = LEVEL(sim_valu),
	.valu_any = LEVEL(sim_valu_any),
	.valu_mods = LEVEL(sim_valu_mods),
	.vopc = LEVEL(sim_vopc),
	.mask = LEVEL(sim_mask),
	.load_lds = LEVEL(sim_load_lds),
	.tables = tables,
};
