/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/decode/instruction_timing.h"

#include <string.h>

#include "simgpu/base/timing_constants.h"

static const uint8_t units[C_COUNT] = {
	[C_NONE] = UNIT_NONE,	  [C_SALU] = UNIT_SCALAR,   [C_SMEM] = UNIT_SCALAR,
	[C_BRANCH] = UNIT_BRANCH, [C_INTERNAL] = UNIT_NONE, [C_MESSAGE] = UNIT_NONE,
	[C_VALU] = UNIT_VALU,	  [C_F64] = UNIT_VALU,	    [C_TRANS] = UNIT_VALU,
	[C_MUL32] = UNIT_VALU,	  [C_MFMA] = UNIT_VALU,	    [C_LDS] = UNIT_LDS,
	[C_GWS] = UNIT_LDS,	  [C_VMEM] = UNIT_VMEM,	    [C_FLAT] = UNIT_VMEM,
};

static void make_mfma(const struct sim_inst *ip, struct sim_timing *ret)
{
	const char *name = sim_op_name(ip->row->op);
	const struct sim_mfma_cost *cost =
		sim_instruction_set() == SIM_GFX942 ? sim_mfma_costs_gfx942 : sim_mfma_costs;

	ret->kind = TIMING_MFMA;
	ret->cycles = ret->arg = sim_time_cost.valu;
	for (; cost->shape; cost++) {
		if (!strstr(name, cost->shape))
			continue;
		ret->cycles = cost->valu;
		ret->arg = cost->matrix;
		return;
	}
}

static bool is_clock(const struct sim_inst *ip)
{
	return ip->row->op == OP_s_memtime || ip->row->op == OP_s_memrealtime;
}

static void make_scalar_memory(const struct sim_inst *ip, struct sim_timing *ret)
{
	const char *name = sim_op_name(ip->row->op);

	if (is_clock(ip))
		ret->kind = TIMING_CLOCK;
	else if (ip->row->op == OP_s_dcache_inv || ip->row->op == OP_s_dcache_inv_vol)
		ret->kind = TIMING_SCALAR_INVALIDATE;
	else if (strstr(name, "_load") || strstr(name, "_atomic"))
		ret->kind = TIMING_SMEM;
	else if (strstr(name, "_store"))
		ret->kind = TIMING_SMEM_STORE;
}

static void make_vector_memory(const struct sim_inst *ip, struct sim_timing *ret)
{
	uint8_t flags = ip->row->flags;

	ret->flags |= (ip->glc ? TIMING_BYPASS : 0) | (ip->cls == C_FLAT ? TIMING_FLAT : 0);
	if (ip->enc == ENC_FLAT || ip->enc == ENC_GLOBAL || ip->enc == ENC_SCRATCH)
		ret->flags |= TIMING_SEGMENT;
	if (flags & I_ATOMIC)
		ret->kind = ip->glc ? TIMING_ATOMIC_RETURN : TIMING_ATOMIC;
	else if (flags & I_LOAD)
		ret->kind = TIMING_LOAD;
	else if (flags & I_STORE)
		ret->kind = TIMING_STORE;
	else if (ip->row->op == OP_buffer_wbinvl1 || ip->row->op == OP_buffer_wbinvl1_vol)
		ret->kind = TIMING_L1_INVALIDATE;
	else if (ip->row->op == OP_buffer_inv && ip->glc) /* wider than the workgroup */
		ret->kind = TIMING_L1_INVALIDATE;
}

static void make_internal(const struct sim_inst *ip, struct sim_timing *ret)
{
	switch (ip->row->op) {
	case OP_s_nop: /* number of wait states, minus one */
		ret->cycles = (uint16_t)(SIM_SLOT * ((ip->imm & 0xf) + 1));
		break;
	case OP_s_sleep:
		ret->kind = TIMING_SLEEP;
		ret->arg = (uint16_t)(ip->imm & 0x7f);
		break;
	case OP_s_waitcnt:
		ret->kind = TIMING_WAITCNT;
		ret->arg = (uint16_t)ip->imm;
		break;
	default:
		break;
	}
}

void sim_timing_make(const struct sim_inst *ip, struct sim_timing *ret)
{
	*ret = (struct sim_timing){
		.unit = units[ip->cls],
		.words = ip->words,
		.cycles = SIM_SLOT,
	};
	if (sim_trace_marks(ip) & SIM_TRACE_DATA)
		ret->flags = TIMING_DATA;
	switch (ip->cls) {
	case C_F64:
		ret->cycles = sim_time_cost.f64;
		break;
	case C_TRANS:
		ret->cycles = sim_time_cost.trans;
		break;
	case C_MUL32:
		ret->cycles = sim_time_cost.mul32;
		break;
	case C_MFMA:
		make_mfma(ip, ret);
		break;
	case C_BRANCH:
		ret->kind = TIMING_BRANCH;
		break;
	case C_SMEM:
		make_scalar_memory(ip, ret);
		break;
	case C_INTERNAL:
		make_internal(ip, ret);
		break;
	case C_LDS:
		ret->kind = TIMING_LDS;
		break;
	case C_VMEM:
	case C_FLAT:
		make_vector_memory(ip, ret);
		break;
	default:
		break;
	}
}

static bool is_plain(const struct sim_timing *t)
{
	return t->kind == TIMING_PLAIN && (t->unit == UNIT_VALU || t->unit == UNIT_SCALAR) &&
	       t->cycles == SIM_SLOT && !(t->flags & TIMING_DATA);
}

void sim_timing_find_plain(struct sim_timing *at, const struct sim_timing *end)
{
	const struct sim_timing *t = at;

	at->plain_vector = 0;
	for (at->plain = 0; at->plain < SIM_PLAIN_MOST && t < end && is_plain(t); t += t->words) {
		at->plain_vector |= (uint32_t)(t->unit == UNIT_VALU) << at->plain++;
		at->plain_vectors += t->unit == UNIT_VALU;
		at->plain_last = (uint8_t)(t - at);
	}
	at->plain_words = (uint8_t)(t - at);
}

/* True for atomics without return whose combined effect is the same in every order. */
static bool commutes(const struct sim_inst *ip)
{
	static const char *const words[] = {"_add",  "_sub", "_smin", "_smax", "_umin",
					    "_umax", "_and", "_or",   "_xor"};
	const char *name = sim_op_name(ip->row->op);

	if (strstr(name, "_f16") || strstr(name, "_f32") || strstr(name, "_f64"))
		return false;
	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *at = strstr(name, words[i]);
		size_t length = strlen(words[i]);

		if (at && (!at[length] || !strcmp(at + length, "_x2")))
			return true;
	}
	return false;
}

uint8_t sim_trace_marks(const struct sim_inst *ip)
{
	bool vector = ip->cls == C_VMEM || ip->cls == C_FLAT;
	uint8_t marks = 0;

	if (!ip->row)
		return 0;
	if (vector || ip->cls == C_LDS || ip->cls == C_SMEM)
		marks = SIM_TRACE_DATA;
	if (ip->cls == C_GWS || (ip->cls == C_SMEM && is_clock(ip)))
		marks |= SIM_TRACE_HOLD;
	if (ip->cls == C_SMEM && ip->row->flags & I_ATOMIC)
		marks |= SIM_TRACE_HOLD;
	if (!vector || ip->enc == ENC_SCRATCH)
		return marks;
	if (ip->row->flags & I_ATOMIC)
		return ip->glc || !commutes(ip) ? marks | SIM_TRACE_HOLD : marks;
	return ip->row->flags & I_LOAD && ip->glc ? marks | SIM_TRACE_HOLD : marks;
}
