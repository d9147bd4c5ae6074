/* SPDX-License-Identifier: MIT */
/* Translates a block: which instructions are translated or called, its exits, its counters. */
#include "simgpu/jit/emit_block.h"

#include "simgpu/jit/emit_float.h"
#include "simgpu/jit/emit_salu.h"
#include "simgpu/jit/emit_state.h"
#include "simgpu/jit/emit_valu.h"

#include <errno.h>

#include "simgpu/exec/timing_trace.h"

enum {
	LONGEST = 96, /* in instructions */
};

static value constant_pointer(struct jit *j, const void *p)
{
	return LLVMConstIntToPtr(jit_i64(j, (uint64_t)(uintptr_t)p), j->ptr);
}

static void add_to(struct jit *j, size_t offset, value n)
{
	value index = jit_i64(j, offset);
	value at = LLVMBuildGEP2(j->s, j->i8, j->tally, &index, 1, "");
	value old = LLVMBuildLoad2(j->s, j->i64, at, "");

	LLVMBuildStore(j->s, LLVMBuildAdd(j->s, old, n, ""), at);
}

/*
 * Counts what was executed on this path and returns `next`. The registers are already in the wave.
 */
static void leave(struct jit *j, value next)
{
	value lanes = j->lanes, index;

	if (j->exec_insts) {
		value exec = jit_get64(j, SIM_EXEC);
		value n = jit_call1(j, j->s, "llvm.ctpop", j->i64, &exec, 1);

		n = LLVMBuildMul(j->s, n, jit_i64(j, j->exec_insts), "");
		lanes = lanes ? LLVMBuildAdd(j->s, lanes, n, "") : n;
	}
	if (lanes)
		add_to(j, offsetof(struct sim_tally, lanes), lanes);
	for (unsigned int c = 0; c < C_COUNT; c++)
		if (j->cls[c])
			add_to(j, offsetof(struct sim_tally, cls) + 8 * c, jit_i64(j, j->cls[c]));
	add_to(j, offsetof(struct sim_tally, insts), jit_i64(j, j->insts));
	index = jit_i64(j, offsetof(struct sim_tally, last));
	LLVMBuildStore(j->s, constant_pointer(j, j->last),
		       LLVMBuildGEP2(j->s, j->i8, j->tally, &index, 1, ""));
	LLVMBuildRet(j->s, next);
}

/*
 * Leaves the block if cond, else continues. Values made on the exit path are not available after
 * it.
 */
static void leave_if(struct jit *j, value cond, value next)
{
	LLVMBasicBlockRef out = LLVMAppendBasicBlockInContext(j->context, j->function, "out");
	LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(j->context, j->function, "");

	if (j->exec_insts)
		jit_get64(j, SIM_EXEC);
	LLVMBuildCondBr(j->s, cond, out, on);
	LLVMPositionBuilderAtEnd(j->s, out);
	leave(j, next);
	LLVMPositionBuilderAtEnd(j->s, on);
}

static value call_handler(struct jit *j, const struct sim_inst *ip)
{
	value args[2] = {j->wave, constant_pointer(j, ip)};
	value handler = constant_pointer(j, (const void *)(uintptr_t)ip->exec);

	return LLVMBuildCall2(j->s, j->handler, handler, args, 2, "");
}

static bool memory_class(const struct sim_inst *ip)
{
	return ip->cls == C_VMEM || ip->cls == C_FLAT || ip->cls == C_LDS;
}

static void count(struct jit *j, const struct sim_inst *ip)
{
	j->insts++;
	j->last = ip;
	j->cls[ip->cls]++;
	if (ip->cls >= C_FIRST_VECTOR)
		j->exec_insts++;
}

/*
 * The run loop opens a record before an instruction that writes one. Here the record is opened
 * before the instruction is counted, so that the block can be left before the instruction.
 */
static void open_record(struct jit *j, const struct sim_inst *ip)
{
	LLVMBasicBlockRef traced, on, full;
	value trace, room;

	if (!(ip->trace & SIM_TRACE_DATA))
		return;
	jit_flush(j);
	if (j->exec_insts)
		jit_get64(j, SIM_EXEC);
	traced = LLVMAppendBasicBlockInContext(j->context, j->function, "traced");
	full = LLVMAppendBasicBlockInContext(j->context, j->function, "full");
	on = LLVMAppendBasicBlockInContext(j->context, j->function, "");
	trace = LLVMBuildLoad2(j->s, j->ptr,
			       jit_wave_address(j, j->s, offsetof(struct sim_wave, trace)), "");
	LLVMBuildCondBr(j->s, LLVMBuildIsNull(j->s, trace, ""), on, traced);
	LLVMPositionBuilderAtEnd(j->s, traced);
	room = LLVMBuildCall2(j->s, LLVMFunctionType(j->i1, &j->ptr, 1, false),
			      constant_pointer(j, (const void *)(uintptr_t)j->job->trace_open),
			      &j->wave, 1, "");
	LLVMBuildCondBr(j->s, room, on, full);
	LLVMPositionBuilderAtEnd(j->s, full);
	leave(j, constant_pointer(j, ip));
	LLVMPositionBuilderAtEnd(j->s, on);
}

/* Marks EXEC in the trace before `next`, if the wave records a trace with marks. */
static void mark_exec(struct jit *j, const struct sim_inst *next)
{
	LLVMBasicBlockRef traced, marked, on;
	value args[2] = {j->wave, constant_pointer(j, next)};
	LLVMTypeRef types[2] = {j->ptr, j->ptr};
	value trace, mark, offset = jit_i64(j, offsetof(struct sim_trace, mark));

	jit_flush(j);
	traced = LLVMAppendBasicBlockInContext(j->context, j->function, "traced");
	marked = LLVMAppendBasicBlockInContext(j->context, j->function, "marked");
	on = LLVMAppendBasicBlockInContext(j->context, j->function, "");
	trace = LLVMBuildLoad2(j->s, j->ptr,
			       jit_wave_address(j, j->s, offsetof(struct sim_wave, trace)), "");
	LLVMBuildCondBr(j->s, LLVMBuildIsNull(j->s, trace, ""), on, traced);
	LLVMPositionBuilderAtEnd(j->s, traced);
	mark = LLVMBuildGEP2(j->s, j->i8, trace, &offset, 1, "");
	mark = LLVMBuildLoad2(j->s, j->ptr, mark, "");
	LLVMBuildCondBr(j->s, LLVMBuildIsNull(j->s, mark, ""), on, marked);
	LLVMPositionBuilderAtEnd(j->s, marked);
	LLVMBuildCall2(j->s, LLVMFunctionType(LLVMVoidTypeInContext(j->context), types, 2, false),
		       constant_pointer(j, (const void *)(uintptr_t)j->job->trace_exec), args, 2,
		       "");
	LLVMBuildBr(j->s, on);
	LLVMPositionBuilderAtEnd(j->s, on);
}

/* True if a handler may have written EXEC. */
static bool may_change_exec(const struct sim_inst *ip)
{
	return ip->cls == C_SALU || (ip->cls >= C_VALU && ip->cls <= C_MUL32 &&
				     (ip->bits || jit_code(ip->sdst) / 2 == EXEC_PAIR));
}

/*
 * Calls the interpreter's own handler, which may stop the wave. Memory instructions do not change
 * scalars.
 */
static void call(struct jit *j, const struct sim_inst *ip)
{
	value next, stopped;

	jit_flush(j);
	if (j->exec_insts)
		jit_get64(j, SIM_EXEC); /* active lanes are counted with EXEC as it was before */
	next = call_handler(j, ip);
	stopped = LLVMBuildICmp(j->s, LLVMIntEQ, next, LLVMConstNull(j->ptr), "");
	leave_if(j, stopped, next);
	if (memory_class(ip))
		return;
	if (j->exec_insts) {
		value exec = jit_get64(j, SIM_EXEC);
		value n = jit_call1(j, j->s, "llvm.ctpop", j->i64, &exec, 1);

		n = LLVMBuildMul(j->s, n, jit_i64(j, j->exec_insts), "");
		j->lanes = j->lanes ? LLVMBuildAdd(j->s, j->lanes, n, "") : n;
		j->exec_insts = 0;
	}
	jit_invalidate(j);
}

static bool does_nothing(enum sim_op op)
{
	switch (op) {
	case OP_s_nop:
	case OP_s_waitcnt:
	case OP_s_setprio:
	case OP_s_incperflevel:
	case OP_s_decperflevel:
	case OP_s_ttracedata:
	case OP_s_wakeup:
		return true;
	default:
		return false;
	}
}

/*
 * True for instructions that change control flow or the meaning of later instructions; the
 * interpreter executes them.
 */
static bool ends_before(const struct sim_inst *ip)
{
	if (!ip->row || !ip->cls || ip->trace & SIM_TRACE_HOLD)
		return true;
	switch (ip->row->op) {
	case OP_s_getpc_b64:
	case OP_s_setpc_b64:
	case OP_s_swappc_b64:
	case OP_s_call_b64:
	case OP_s_rfe_b64:
	case OP_s_icache_inv:
	case OP_s_setreg_b32:
	case OP_s_setreg_imm32_b32:
	case OP_s_set_gpr_idx_on:
	case OP_s_set_gpr_idx_off:
	case OP_s_set_gpr_idx_mode:
	case OP_s_set_gpr_idx_idx:
	case OP_s_setvskip:
	case OP_s_cbranch_g_fork:
	case OP_s_cbranch_i_fork:
	case OP_s_cbranch_join:
		return true;
	default:
		break;
	}
	return ip->cls == C_INTERNAL || ip->cls == C_MESSAGE || ip->cls == C_GWS ||
	       ip->cls == C_BRANCH;
}

/* The condition of a branch, NULL if it is not a branch; always: s_branch. */
static value condition(struct jit *j, const struct sim_inst *ip, bool *always)
{
	bool zero = false;
	value v;

	*always = false;
	switch (ip->row->op) {
	case OP_s_branch:
		*always = true;
		return LLVMConstInt(j->i1, 1, false);
	case OP_s_cbranch_scc0:
		return LLVMBuildNot(j->s, jit_get_scc(j), "");
	case OP_s_cbranch_scc1:
		return jit_get_scc(j);
	case OP_s_cbranch_vccz:
		zero = true;
		__attribute__((fallthrough));
	case OP_s_cbranch_vccnz:
		v = jit_get64(j, SIM_VCC);
		break;
	case OP_s_cbranch_execz:
		zero = true;
		__attribute__((fallthrough));
	case OP_s_cbranch_execnz:
		v = jit_get64(j, SIM_EXEC);
		break;
	default:
		return NULL;
	}
	return LLVMBuildICmp(j->s, zero ? LLVMIntEQ : LLVMIntNE, v, jit_i64(j, 0), "");
}

/* True if the block ends here; its last exit has been emitted. */
static bool branch(struct jit *j, const struct sim_inst *ip)
{
	const struct sim_inst *target = ip + 1 + ip->imm;
	value cond;
	bool always;

	if (target < j->job->base || target >= j->job->end)
		return false;
	jit_flush(j);
	cond = condition(j, ip, &always);
	if (!cond)
		return false;
	count(j, ip);
	if (always) {
		leave(j, constant_pointer(j, target));
		return true;
	}
	leave_if(j, cond, constant_pointer(j, target));
	return false;
}

static bool is_branch(const struct sim_inst *ip)
{
	switch (ip->row ? ip->row->op : SIM_OP_NONE) {
	case OP_s_branch:
	case OP_s_cbranch_scc0:
	case OP_s_cbranch_scc1:
	case OP_s_cbranch_vccz:
	case OP_s_cbranch_vccnz:
	case OP_s_cbranch_execz:
	case OP_s_cbranch_execnz:
		return ip->exec && ip->words == 1;
	default:
		return false;
	}
}

static bool translated(struct jit *j, const struct sim_inst *ip)
{
	if (ip->specials)
		return false;
	if (ip->cls == C_SALU)
		return jit_salu(j, ip);
	if (ip->cls < C_VALU || ip->cls >= C_MFMA || !ip->body)
		return false;
	if (jit_valu(j, ip))
		return true;
	if (!jit_valu_float(j, ip) && !jit_compare(j, ip))
		return false;
	j->fp |= ip->fp;
	return true;
}

int jit_block(struct jit *j, struct sim_block *ret)
{
	const struct sim_inst *ip = j->job->first;

	while (ip < j->job->end && j->insts < LONGEST) {
		unsigned int before = j->insts;

		if (is_branch(ip)) {
			if (branch(j, ip))
				goto done;
			if (j->insts == before)
				break;
			ip++;
			continue;
		}
		if (ip->row && (ip->row->op == OP_s_endpgm || ip->row->op == OP_s_barrier)) {
			jit_flush(j);
			count(j, ip);
			leave(j, call_handler(j, ip));
			goto done;
		}
		if (ip->row && does_nothing(ip->row->op)) {
			count(j, ip);
			ip += ip->words;
			continue;
		}
		if (ends_before(ip))
			break;
		open_record(j, ip);
		count(j, ip);
		j->exec_changed = false;
		if (!translated(j, ip)) {
			call(j, ip);
			j->exec_changed = may_change_exec(ip);
		}
		ip += ip->words;
		if (j->exec_changed)
			mark_exec(j, ip);
	}
	jit_flush(j);
	leave(j, constant_pointer(j, ip));
done:
	ret->insts = j->insts;
	ret->fp = j->fp;
	return j->insts ? 0 : -ENOTSUP;
}
