/* SPDX-License-Identifier: MIT */
/* Registers as values: scalar ones by pairs, vector ones inside a loop over slices of lanes. */
#include "simgpu/jit/emit_state.h"

value jit_i32(struct jit *j, uint32_t n)
{
	return LLVMConstInt(j->i32, n, false);
}

value jit_i64(struct jit *j, uint64_t n)
{
	return LLVMConstInt(j->i64, n, false);
}

value jit_wave_address(struct jit *j, LLVMBuilderRef b, uint64_t offset)
{
	value index = jit_i64(j, offset);

	return LLVMBuildGEP2(b, j->i8, j->wave, &index, 1, "");
}

unsigned int jit_code(uintptr_t offset)
{
	const uintptr_t vcc = offsetof(struct sim_wave, vcc),
			exec = offsetof(struct sim_wave, exec);

	if (offset - vcc < 8)
		return SIM_VCC + (unsigned int)(offset - vcc) / 4;
	if (offset - exec < 8)
		return SIM_EXEC + (unsigned int)(offset - exec) / 4;
	return (unsigned int)(offset - offsetof(struct sim_wave, sgpr)) / 4;
}

static uint64_t offset_of(unsigned int code)
{
	if (code / 2 == VCC_PAIR)
		return offsetof(struct sim_wave, vcc) + 4 * (code & 1);
	if (code / 2 == EXEC_PAIR)
		return offsetof(struct sim_wave, exec) + 4 * (code & 1);
	return offsetof(struct sim_wave, sgpr) + 4 * code;
}

/* A mask that the open loop makes becomes a scalar only after the loop. */
static void close_loop_of_mask(struct jit *j, unsigned int code)
{
	if (j->open && j->mask[code / 2])
		jit_loop_close(j);
}

static value load(struct jit *j, LLVMTypeRef type, unsigned int code)
{
	value v = LLVMBuildLoad2(j->s, type, jit_wave_address(j, j->s, offset_of(code)), "");

	LLVMSetAlignment(v, 4);
	return v;
}

static value half_of(struct jit *j, value whole, unsigned int half)
{
	if (half)
		whole = LLVMBuildLShr(j->s, whole, jit_i64(j, 32), "");
	return LLVMBuildTrunc(j->s, whole, j->i32, "");
}

value jit_get32(struct jit *j, unsigned int code)
{
	unsigned int p = code / 2, h = code & 1;

	close_loop_of_mask(j, code);
	if (!j->pair[p].half[h])
		j->pair[p].half[h] =
			j->pair[p].whole ? half_of(j, j->pair[p].whole, h) : load(j, j->i32, code);
	return j->pair[p].half[h];
}

value jit_get64(struct jit *j, unsigned int code)
{
	unsigned int p = code / 2;
	value low, high;

	close_loop_of_mask(j, code);
	if (!(code & 1) && j->pair[p].whole)
		return j->pair[p].whole;
	if (!(code & 1) && !j->pair[p].half[0] && !j->pair[p].half[1])
		return j->pair[p].whole = load(j, j->i64, code);
	low = LLVMBuildZExt(j->s, jit_get32(j, code), j->i64, "");
	high = LLVMBuildZExt(j->s, jit_get32(j, code + 1), j->i64, "");
	low = LLVMBuildOr(j->s, low, LLVMBuildShl(j->s, high, jit_i64(j, 32), ""), "");
	if (!(code & 1))
		j->pair[p].whole = low;
	return low;
}

/* Lanes counted so far used the old EXEC. */
static void exec_changes(struct jit *j)
{
	value exec, n;

	j->exec_changed = true;
	jit_loop_close(j);
	if (!j->exec_insts)
		return;
	exec = jit_get64(j, SIM_EXEC);
	n = jit_call1(j, j->s, "llvm.ctpop", j->i64, &exec, 1);
	n = LLVMBuildMul(j->s, n, jit_i64(j, j->exec_insts), "");
	j->lanes = j->lanes ? LLVMBuildAdd(j->s, j->lanes, n, "") : n;
	j->exec_insts = 0;
}

void jit_put32(struct jit *j, unsigned int code, value v)
{
	unsigned int p = code / 2, h = code & 1;

	close_loop_of_mask(j, code);
	if (p == EXEC_PAIR)
		exec_changes(j);
	if (j->pair[p].whole && !j->pair[p].half[!h])
		j->pair[p].half[!h] = half_of(j, j->pair[p].whole, !h);
	j->pair[p].whole = NULL;
	j->pair[p].half[h] = v;
	j->pair[p].dirty |= (uint8_t)(1u << h);
}

void jit_put64(struct jit *j, unsigned int code, value v)
{
	unsigned int p = code / 2;

	if (code & 1) {
		jit_put32(j, code, half_of(j, v, 0));
		jit_put32(j, code + 1, half_of(j, v, 1));
		return;
	}
	if (p == EXEC_PAIR)
		exec_changes(j);
	j->mask[p] = NULL;
	j->pair[p].half[0] = j->pair[p].half[1] = NULL;
	j->pair[p].whole = v;
	j->pair[p].dirty = 3;
}

value jit_get_scc(struct jit *j)
{
	value byte;

	if (j->scc)
		return j->scc;
	byte = LLVMBuildLoad2(j->s, j->i8,
			      jit_wave_address(j, j->s, offsetof(struct sim_wave, scc)), "");
	j->scc = LLVMBuildTrunc(j->s, byte, j->i1, "");
	return j->scc;
}

void jit_put_scc(struct jit *j, value v)
{
	j->scc = v;
	j->scc_dirty = true;
}

void jit_flush(struct jit *j)
{
	jit_loop_close(j);
	for (unsigned int p = 0; p < PAIRS; p++) {
		if (j->pair[p].dirty == 3 && j->pair[p].whole)
			LLVMSetAlignment(
				LLVMBuildStore(j->s, j->pair[p].whole,
					       jit_wave_address(j, j->s, offset_of(2 * p))),
				4);
		else
			for (unsigned int h = 0; h < 2; h++)
				if (j->pair[p].dirty >> h & 1)
					LLVMBuildStore(
						j->s, jit_get32(j, 2 * p + h),
						jit_wave_address(j, j->s, offset_of(2 * p + h)));
		j->pair[p].dirty = 0;
	}
	if (j->scc_dirty)
		LLVMBuildStore(j->s, LLVMBuildZExt(j->s, j->scc, j->i8, ""),
			       jit_wave_address(j, j->s, offsetof(struct sim_wave, scc)));
	j->scc_dirty = false;
}

void jit_invalidate(struct jit *j)
{
	for (unsigned int p = 0; p < PAIRS; p++)
		j->pair[p].whole = j->pair[p].half[0] = j->pair[p].half[1] = NULL;
	j->scc = NULL;
}

/* ---- The loop */

void jit_loop_open(struct jit *j)
{
	value exec, incoming[1];
	LLVMBasicBlockRef from;

	if (j->open)
		return;
	exec = jit_get64(j, SIM_EXEC);
	from = LLVMGetInsertBlock(j->s);
	j->body = LLVMAppendBasicBlockInContext(j->context, j->function, "lanes");
	LLVMPositionBuilderAtEnd(j->v, j->body);
	j->lane64 = LLVMBuildPhi(j->v, j->i64, "");
	incoming[0] = jit_i64(j, 0);
	LLVMAddIncoming(j->lane64, incoming, &from, 1);
	j->open = true;
	j->parts = 0;
	j->touched_count = 0;
	j->enabled = jit_mask_slice(j, exec);
}

static value row_address(struct jit *j, unsigned int row)
{
	value base = jit_wave_address(j, j->v, offsetof(struct sim_wave, vgpr) + 256 * row);

	return LLVMBuildGEP2(j->v, j->i32, base, &j->lane64, 1, "");
}

static value row_load(struct jit *j, unsigned int row)
{
	value v = LLVMBuildLoad2(j->v, j->v32, row_address(j, row), "");

	LLVMSetAlignment(v, 4 * j->width);
	return v;
}

value jit_get_row(struct jit *j, unsigned int row)
{
	jit_loop_open(j);
	if (j->row[row])
		return j->row[row];
	j->touched[j->touched_count++] = (uint16_t)row;
	return j->row[row] = row_load(j, row);
}

void jit_put_row(struct jit *j, unsigned int row, value v)
{
	jit_loop_open(j);
	if (!j->row[row])
		j->touched[j->touched_count++] = (uint16_t)row;
	j->row[row] = v;
	j->row_dirty[row] = true;
}

value jit_splat(struct jit *j, value scalar)
{
	LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), j->width);
	LLVMTypeRef order = LLVMVectorType(j->i32, j->width);
	value v = LLVMBuildInsertElement(j->s, LLVMGetUndef(type), scalar, jit_i32(j, 0), "");

	return LLVMBuildShuffleVector(j->s, v, LLVMGetUndef(type), LLVMConstNull(order), "");
}

value jit_mask_slice(struct jit *j, value whole)
{
	const unsigned int room = sizeof(j->part) / sizeof(j->part[0]);
	value bits;

	for (unsigned int i = 0; i < j->parts && i < room; i++)
		if (j->part[i].whole == whole)
			return j->part[i].part;
	bits = LLVMBuildLShr(j->v, whole, j->lane64, "");
	bits = LLVMBuildTrunc(j->v, bits, j->slice, "");
	bits = LLVMBuildBitCast(j->v, bits, j->v1, "");
	j->part[j->parts % room].whole = whole;
	j->part[j->parts++ % room].part = bits;
	return bits;
}

value jit_mask_of(struct jit *j, unsigned int code)
{
	value whole;

	if (j->open && !(code & 1) && j->mask[code / 2])
		return j->mask[code / 2];
	whole = jit_get64(j, code);
	jit_loop_open(j);
	return jit_mask_slice(j, whole);
}

void jit_put_mask(struct jit *j, unsigned int code, value bits)
{
	unsigned int p = code / 2;

	jit_loop_open(j);
	j->mask[p] = LLVMBuildAnd(j->v, bits, j->enabled, "");
	j->pair[p].whole = j->pair[p].half[0] = j->pair[p].half[1] = NULL;
	j->pair[p].dirty = 0;
}

static void rows_store(struct jit *j)
{
	for (unsigned int i = 0; i < j->touched_count; i++) {
		unsigned int row = j->touched[i];

		if (j->row_dirty[row]) {
			value v = LLVMBuildSelect(j->v, j->enabled, j->row[row], row_load(j, row),
						  "");

			LLVMSetAlignment(LLVMBuildStore(j->v, v, row_address(j, row)),
					 4 * j->width);
		}
		j->row[row] = NULL;
		j->row_dirty[row] = false;
	}
}

/* The slices of a mask, combined over the iterations of the loop. */
static value mask_gather(struct jit *j, value bits, LLVMBasicBlockRef from)
{
	LLVMBuilderRef top = LLVMCreateBuilderInContext(j->context);
	value phi, part, none = jit_i64(j, 0);

	LLVMPositionBuilderBefore(top, LLVMGetFirstInstruction(j->body));
	phi = LLVMBuildPhi(top, j->i64, "");
	LLVMDisposeBuilder(top);
	part = LLVMBuildBitCast(j->v, bits, j->slice, "");
	part = LLVMBuildZExt(j->v, part, j->i64, "");
	part = LLVMBuildOr(j->v, phi, LLVMBuildShl(j->v, part, j->lane64, ""), "");
	LLVMAddIncoming(phi, &none, &from, 1);
	LLVMAddIncoming(phi, &part, &j->body, 1);
	return part;
}

void jit_loop_close(struct jit *j)
{
	LLVMBasicBlockRef behind, from;
	value next, more;

	if (!j->open)
		return;
	j->open = false;
	from = LLVMGetInsertBlock(j->s);
	rows_store(j);
	for (unsigned int p = 0; p < PAIRS; p++) {
		if (!j->mask[p])
			continue;
		j->pair[p].whole = mask_gather(j, j->mask[p], from);
		j->pair[p].half[0] = j->pair[p].half[1] = NULL;
		j->pair[p].dirty = 3;
		j->mask[p] = NULL;
	}
	next = LLVMBuildAdd(j->v, j->lane64, jit_i64(j, j->width), "");
	LLVMAddIncoming(j->lane64, &next, &j->body, 1);
	more = LLVMBuildICmp(j->v, LLVMIntULT, next, jit_i64(j, SIM_LANES), "");
	behind = LLVMAppendBasicBlockInContext(j->context, j->function, "");
	LLVMBuildCondBr(j->v, more, j->body, behind);
	LLVMBuildBr(j->s, j->body);
	LLVMPositionBuilderAtEnd(j->s, behind);
}
