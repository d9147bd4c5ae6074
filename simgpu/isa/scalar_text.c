/* SPDX-License-Identifier: MIT */
/* Text of the scalar encodings except SMEM. */
#include <string.h>

#include "simgpu/isa/operand_text.h"

struct name {
	uint16_t number;
	const char *name;
};

static const char *find_name(const struct name *names, uint32_t number)
{
	for (; names->name; names++)
		if (names->number == number)
			return names->name;
	return NULL;
}

static void hwreg(struct inst_text *t, uint32_t simm16)
{
	static const struct name names[] = {
		{1, "HW_REG_MODE"},
		{2, "HW_REG_STATUS"},
		{3, "HW_REG_TRAPSTS"},
		{4, "HW_REG_HW_ID"},
		{5, "HW_REG_GPR_ALLOC"},
		{6, "HW_REG_LDS_ALLOC"},
		{7, "HW_REG_IB_STS"},
		{15, "HW_REG_SH_MEM_BASES"},
		{16, "HW_REG_TBA_LO"},
		{17, "HW_REG_TBA_HI"},
		{18, "HW_REG_TMA_LO"},
		{19, "HW_REG_TMA_HI"},
		{0, NULL},
	};
	static const struct name gfx942_names[] = {
		{20, "HW_REG_XCC_ID"},
		{21, "HW_REG_SQ_PERF_SNAPSHOT_DATA"},
		{22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1"},
		{23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO"},
		{24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"},
		{0, NULL},
	};
	uint32_t id = simm16 & 63, offset = simm16 >> 6 & 31, width = (simm16 >> 11) + 1;
	const char *name = find_name(names, id);

	if (!name && sim_instruction_set() == SIM_GFX942)
		name = find_name(gfx942_names, id);
	if (name)
		text_put(t, "hwreg(%s", name);
	else
		text_put(t, "hwreg(%u", id);
	if (offset || width != 32)
		text_put(t, ", %u, %u", offset, width);
	text_put(t, ")");
}

/* Counters at their maximum are not waited for and not printed, unless all are at their maximum. */
static void waitcnt(struct inst_text *t, uint32_t simm16)
{
	uint32_t vm = (simm16 & 15) | (simm16 >> 14 & 3) << 4, exp = simm16 >> 4 & 7;
	uint32_t lgkm = simm16 >> 8 & 15;
	bool all = vm == 63 && exp == 7 && lgkm == 15;

	if (vm != 63 || all)
		text_put(t, " vmcnt(%u)", vm);
	if (exp != 7 || all)
		text_put(t, " expcnt(%u)", exp);
	if (lgkm != 15 || all)
		text_put(t, " lgkmcnt(%u)", lgkm);
}

static const struct name messages[] = {
	{1, "MSG_INTERRUPT"},	    {2, "MSG_GS"},
	{3, "MSG_GS_DONE"},	    {4, "MSG_SAVEWAVE"},
	{5, "MSG_STALL_WAVE_GEN"},  {6, "MSG_HALT_WAVES"},
	{7, "MSG_ORDERED_PS_DONE"}, {8, "MSG_EARLY_PRIM_DEALLOC"},
	{9, "MSG_GS_ALLOC_REQ"},    {10, "MSG_GET_DOORBELL"},
	{15, "MSG_SYSMSG"},	    {0, NULL},
};
static const char *const gs_ops[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
static const char *const sys_ops[] = {NULL, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD",
				      "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"};

/* Message, operation (bits 4..6), stream (bits 8..9); known messages ignore other bits. */
static void sendmsg(struct inst_text *t, uint32_t simm16)
{
	uint32_t id = simm16 & 15, op = simm16 >> 4 & 7, stream = simm16 >> 8 & 3;
	const char *name = find_name(messages, id);

	if ((id == 2 || id == 3) && op <= 3 && op >= (id == 2 ? 1u : 0u)) {
		if (op) {
			text_put(t, " sendmsg(%s, %s, %u)", name, gs_ops[op], stream);
			return;
		}
		if (!stream) {
			text_put(t, " sendmsg(%s, %s)", name, gs_ops[op]);
			return;
		}
	} else if (id == 15 && op >= 1 && op <= 4 && !stream) {
		text_put(t, " sendmsg(%s, %s)", name, sys_ops[op]);
		return;
	} else if (name && id != 2 && id != 3 && id != 15 && !op && !stream) {
		text_put(t, " sendmsg(%s)", name);
		return;
	}
	if (simm16 & ~0x37fu)
		text_put(t, " %u", simm16);
	else
		text_put(t, " sendmsg(%u, %u, %u)", id, op, stream);
}

static void gpr_index(struct inst_text *t, uint32_t value)
{
	static const char *const modes[] = {"SRC0", "SRC1", "SRC2", "DST"};
	bool first = true;

	if (value & ~15u) {
		text_put(t, "0x%x", value);
		return;
	}
	text_put(t, "gpr_idx(");
	for (unsigned int n = 0; n < 4; n++) {
		if (!(value >> n & 1))
			continue;
		text_put(t, first ? "%s" : ",%s", modes[n]);
		first = false;
	}
	text_put(t, ")");
}

static bool is_branch(const struct inst_text *t)
{
	return t->row->op == OP_s_branch || t->row->op == OP_s_call_b64 ||
	       !strncmp(sim_op_name(t->row->op), "s_cbranch", 9);
}

static void sopp(struct inst_text *t)
{
	uint32_t simm16 = t->w[0] & 0xffff;

	if (t->row->op == OP_s_waitcnt) {
		waitcnt(t, simm16);
	} else if (t->row->op == OP_s_sendmsg || t->row->op == OP_s_sendmsghalt) {
		sendmsg(t, simm16);
	} else if (t->row->op == OP_s_set_gpr_idx_mode) {
		text_put(t, " ");
		gpr_index(t, simm16);
	} else if (t->row->op == OP_s_endpgm) {
		if (simm16)
			text_put(t, " %u", simm16);
	} else if (is_branch(t)) {
		text_put(t, " %u", simm16);
	} else if ((t->bits->fixed & 0xffff) != 0xffff) {
		text_put(t, simm16 <= 64 ? " %u" : " 0x%x", simm16);
	}
}

static void sopk_value(struct inst_text *t)
{
	uint32_t simm16 = t->w[0] & 0xffff;

	if (t->row->op == OP_s_getreg_b32)
		hwreg(t, simm16);
	else
		text_put(t, is_branch(t) ? "%u" : "0x%x", simm16);
}

static void setreg(struct inst_text *t)
{
	text_next(t);
	hwreg(t, t->w[0] & 0xffff);
	text_next(t);
	if (t->row->op == OP_s_setreg_b32)
		text_scalar(t, text_field(t, 16, 7), 1);
	else
		text_literal(t, SHOW_32);
}

void text_scalar_operands(struct inst_text *t)
{
	if (t->enc == ENC_SOPP) {
		sopp(t);
		return;
	}
	if (t->row->op == OP_s_setreg_b32 || t->row->op == OP_s_setreg_imm32_b32) {
		setreg(t);
		return;
	}
	for (unsigned int i = 0; i < t->row->count; i++) {
		const struct sim_operand *o = &t->row->operand[i];

		if (o->field != F_TEXT)
			text_next(t);
		switch (o->field) {
		case F_SDST:
			text_scalar(t, text_field(t, 16, 7), o->dwords);
			break;
		case F_SRC0:
			text_source(t, t->w[0] & 0xff, o->dwords, t->bits->show[i]);
			break;
		case F_SRC1:
			if (o->dwords)
				text_source(t, t->w[0] >> 8 & 0xff, o->dwords, t->bits->show[i]);
			else
				gpr_index(t, t->w[0] >> 8 & 0xff);
			break;
		case F_SIMM16:
			sopk_value(t);
			break;
		default: /* the rest of hwreg(...) */
			break;
		}
	}
}
