/* SPDX-License-Identifier: MIT */
/*
 * A proved address is told by that of one lane, whatever lanes are active. Only strides known when
 * compiled are used: who reads records knows no more.
 */
#include "pass_trace_proof.h"

#include <stdlib.h>

#include "pass_asm.h"

/*
 * Ids are below 1024. Where all lanes' values are below 2^31 and none can be as far from another,
 * widening them to 64 bits changes nothing.
 */
#define STRIDE_MOST INT32_MAX
#define STRIDE_WRAP (1 << 19)

static void take(const struct pass_pattern *pattern, struct pass_trace_proof *ret)
{
	int64_t most = pattern->wrap_count ? STRIDE_WRAP : STRIDE_MOST;

	if (pattern->digits)
		return;
	for (int i = 0; i < 3; i++) {
		if (pattern->stride[i].factor || pattern->stride[i].constant > most ||
		    pattern->stride[i].constant < -most)
			return;
		ret->stride[i] = (int32_t)pattern->stride[i].constant;
	}
	for (unsigned i = 0; i < pattern->wrap_count; i++)
		ret->wraps[i] = pattern->wraps[i];
	ret->wrap_count = pattern->wrap_count;
	ret->proved = true;
}

struct pass_trace_proof *pass_trace_prove(LLVMValueRef function, bool kernel,
					  const struct pass_options *options, void *analyses)
{
	struct pass_trace_proof *proofs = NULL;
	size_t count = 0, capacity = 0;
	struct pass_prover *prover;

	if (!options->prove || options->portable || pass_is_plain(function, options))
		return NULL;
	prover = pass_prover_create(function, kernel, analyses);
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst)) {
			struct pass_pattern pattern;
			struct pass_site site;

			if (!pass_site_wanted(inst, options, &site))
				continue;
			if (count == capacity) {
				capacity = capacity ? 2 * capacity : 64;
				proofs = pass_alloc(proofs, capacity * sizeof(*proofs));
			}
			proofs[count] = (struct pass_trace_proof){0};
			if (pass_prove(prover, inst, site.pointer, &pattern))
				take(&pattern, &proofs[count]);
			count++;
		}
	pass_prover_destroy(prover);
	return proofs;
}

/* Go to `label` if nothing came of the call that makes room or tells EXEC, else on to `back`. */
static void put_call(struct pass_asm *code, const char *back)
{
	pass_asm_put(code, "s_swappc_b64 s[30:31], s[88:89]");
	pass_asm_put(code, "s_cmp_eq_u32 s92, 0");
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_%s${:uid}", back);
	pass_asm_put(code, "s_branch .Lprobe_end${:uid}");
}

/* What is rarely run: another EXEC than last told, no room, and each base for itself. */
static void put_rest(struct pass_asm *code, const struct pass_trace_proved *group, unsigned size,
		     const unsigned *operand)
{
	pass_asm_put(code, ".Lprobe_tell${:uid}:");
	pass_asm_put(code, "s_mov_b32 s92, 4");
	pass_asm_put(code, "v_mov_b32 v2, 0x%x", group->sites << 24);
	put_call(code, "told");
	pass_asm_put(code, ".Lprobe_full${:uid}:");
	pass_asm_put(code, "v_mov_b32 v0, %u", size);
	pass_asm_put(code, "v_mov_b32 v1, %u", group->sites);
	put_call(code, "room");
	if (!group->wraps)
		return;
	pass_asm_put(code, ".Lprobe_each${:uid}:");
	for (unsigned i = 0; i < group->bases; i++) {
		pass_asm_put(code, "v_lshlrev_b64 v[0:1], 0, $%u", operand[i]);
		pass_asm_put(code, "v_mov_b32 v2, 0x%x",
			     group->weight[i] << 24 | (group->id + 1 + i));
		pass_asm_put(code, "s_mov_b32 s92, 5");
		pass_asm_put(code, "s_swappc_b64 s[30:31], s[88:89]");
	}
}

/* What __probe_dev_trace_call() may use: CURSOR_CALL of devlib_cursor.h. */
static void put_clobbers(struct pass_asm *code)
{
	for (int i = 4; i < 32; i++)
		pass_asm_constrain(code, "~{s%d}", i);
	for (int i = 0; i < 12; i++)
		pass_asm_constrain(code, "~{v%d}", i);
	pass_asm_constrain(code, "~{vcc}");
	pass_asm_constrain(code, "~{scc}");
	pass_asm_constrain(code, "~{memory}");
}

/* s[80:81] are the lanes last told (devlib_cursor.h): the same as EXEC when the record is written.
 */
void pass_trace_write_proved(struct pass_ring *ring, const struct pass_trace_proved *group)
{
	unsigned size = 8 + 8 * group->bases, operand[PROBE_GROUP_BASES];
	struct pass_asm code = {0};

	for (unsigned i = 0; i < group->bases; i++)
		operand[i] = pass_asm_operand(&code, "v", group->address[i]);
	pass_asm_put(&code, "s_cmp_eq_u64 exec, s[80:81]");
	pass_asm_put(&code, "s_cbranch_scc0 .Lprobe_tell${:uid}");
	pass_asm_put(&code, ".Lprobe_told${:uid}:");
	if (group->wraps) {
		pass_asm_put(&code, "v_cmp_gt_i32 vcc, 0, $%u",
			     pass_asm_operand(&code, "v", group->wraps));
		pass_asm_put(&code, "s_cbranch_vccnz .Lprobe_each${:uid}");
	}
	pass_asm_put(&code, "s_sub_u32 s86, s86, %u", size);
	pass_asm_put(&code, "s_cbranch_scc1 .Lprobe_full${:uid}");
	pass_asm_put(&code, ".Lprobe_room${:uid}:");
	pass_asm_put(&code, "s_ff1_i32_b64 s6, exec");
	pass_asm_put(&code, "s_lshl_b64 exec, 1, s6");
	pass_asm_put(&code, "v_mov_b32 v0, 0");
	pass_asm_put(&code, "v_mov_b32 v1, 0x%x",
		     group->id | (unsigned)PROBE_FORM_PROVED << PROBE_FORM_SHIFT);
	pass_asm_put(&code, "global_store_dword v0, v1, s[84:85]");
	for (unsigned i = 0; i < group->bases; i++)
		pass_asm_put(&code, "global_store_dwordx2 v0, $%u, s[84:85] offset:%u", operand[i],
			     8 + 8 * i);
	pass_asm_put(&code, "s_mov_b64 exec, s[80:81]");
	pass_asm_put(&code, "s_add_u32 s84, s84, %u", size);
	pass_asm_put(&code, "s_addc_u32 s85, s85, 0");
	pass_asm_put(&code, "s_branch .Lprobe_end${:uid}");
	put_rest(&code, group, size, operand);
	pass_asm_put(&code, ".Lprobe_end${:uid}:");
	put_clobbers(&code);
	pass_asm_build(&code, ring->builder, ring->context);
}
