/* SPDX-License-Identifier: MIT */
#include "simgpu/sampling/sampled_instruction.h"

#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/exec/inst.h"

struct row {
	uint8_t type, pipe;
};

/* Indexed by the unit of the cost model; vector memory is divided further below. */
static const struct row rows[UNIT_COUNT] = {
	[UNIT_VALU] = {SAMPLED_VALU, SAMPLED_PIPE_VALU},
	[UNIT_SCALAR] = {SAMPLED_SCALAR, SAMPLED_PIPE_SCALAR},
	[UNIT_VMEM] = {SAMPLED_TEX, SAMPLED_PIPE_TEX},
	[UNIT_LDS] = {SAMPLED_LDS, SAMPLED_PIPE_LDS},
	[UNIT_BRANCH] = {SAMPLED_NOT_TAKEN, SAMPLED_PIPE_MISC},
	[UNIT_NONE] = {SAMPLED_OTHER, SAMPLED_PIPE_NONE},
};

static bool flat_encoding(const struct sim_inst *ip)
{
	return ip->enc == ENC_FLAT || ip->enc == ENC_GLOBAL || ip->enc == ENC_SCRATCH;
}

static struct row row_of(const struct sim_inst *ip, const struct sim_timing *t)
{
	if (ip->cls == C_MFMA)
		return (struct row){SAMPLED_MATRIX, SAMPLED_PIPE_MATRIX};
	if (t->unit == UNIT_VMEM && flat_encoding(ip))
		return (struct row){SAMPLED_FLAT, SAMPLED_PIPE_FLAT};
	if (ip->cls == C_MESSAGE)
		return (struct row){SAMPLED_MESSAGE, SAMPLED_PIPE_MISC};
	switch (ip->row ? ip->row->op : SIM_OP_NONE) {
	case OP_s_barrier:
		return (struct row){SAMPLED_BARRIER, SAMPLED_PIPE_MISC};
	case OP_s_endpgm:
		return (struct row){SAMPLED_OTHER, SAMPLED_PIPE_MISC};
	case OP_s_branch:
		return (struct row){SAMPLED_TAKEN, SAMPLED_PIPE_MISC};
	case OP_s_setpc_b64:
	case OP_s_swappc_b64:
	case OP_s_call_b64:
		return (struct row){SAMPLED_JUMP, SAMPLED_PIPE_MISC};
	default:
		return rows[t->unit];
	}
}

void sim_sampled_at(const struct sim_code *code, const struct sim_timing *at,
		    struct sim_sampled_inst *ret)
{
	uint64_t index = (uint64_t)(at - code->timing);
	const struct sim_inst *ip = &code->inst[index];
	struct row row = row_of(ip, at);

	*ret = (struct sim_sampled_inst){
		.pc = code->base + 4 * index,
		.type = row.type,
		.pipe = row.pipe,
		.issues = row.pipe != SAMPLED_PIPE_NONE,
		.waits = at->kind == TIMING_WAITCNT,
		.conditional = row.type == SAMPLED_NOT_TAKEN,
	};
}

bool sim_sampled_pc(uint64_t pc, struct sim_sampled_inst *ret)
{
	const struct sim_code *code = sim_code_at(pc);

	if (!code)
		return false;
	sim_sampled_at(code, &code->timing[(pc - code->base) / 4], ret);
	return true;
}
