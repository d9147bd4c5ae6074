/* SPDX-License-Identifier: MIT */
/*
 * Control flow: branches, calls, SOPP, hardware registers, VGPR index mode. "AMD Instinct MI200"
 * ISA manual, chapters "Program Flow Control" and "SOPP Instructions".
 */
#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/exec/fault.h"
#include "simgpu/exec/inst.h"

#include "simgpu/exec/scalar/scalar_operands.h"
#include "simgpu/exec/scalar/mode_register.h"
#include "simgpu/exec/translate.h"
#include "simgpu/mem/code_generation.h"

static const struct sim_inst *branch_if(struct sim_wave *w, const struct sim_inst *ip, bool taken)
{
	if (!taken)
		return sim_entered(w, ip + 1);
	return scalar_jump(w, inst_pc(w, ip) + 4 + (uint64_t)(4 * ip->imm));
}

#define BRANCH(name, cond)                                                                         \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		return branch_if(w, ip, cond);                                                     \
	}
BRANCH(s_branch, true)
BRANCH(s_cbranch_scc0, !w->scc)
BRANCH(s_cbranch_scc1, w->scc)
BRANCH(s_cbranch_vccz, w->vcc == 0)
BRANCH(s_cbranch_vccnz, w->vcc != 0)
BRANCH(s_cbranch_execz, w->exec == 0)
BRANCH(s_cbranch_execnz, w->exec != 0)

/* The debugger's condition bits are never set here. */
static const struct sim_inst *cdbg(struct sim_wave *w, const struct sim_inst *ip)
{
	return branch_if(w, ip, false);
}

static const struct sim_inst *s_getpc_b64(struct sim_wave *w, const struct sim_inst *ip)
{
	put_u64(w, ip, inst_pc(w, ip) + 4);
	return ip + 1;
}

static const struct sim_inst *s_setpc_b64(struct sim_wave *w, const struct sim_inst *ip)
{
	return scalar_jump(w, get_u64(w, ip, 0));
}

static const struct sim_inst *s_swappc_b64(struct sim_wave *w, const struct sim_inst *ip)
{
	uint64_t target = get_u64(w, ip, 0);

	put_u64(w, ip, inst_pc(w, ip) + 4u * ip->words);
	return scalar_jump(w, target);
}

static const struct sim_inst *s_call_b64(struct sim_wave *w, const struct sim_inst *ip)
{
	put_u64(w, ip, inst_pc(w, ip) + 4);
	return branch_if(w, ip, true);
}

/* Instructions without effect on results: timing, caches, performance counters. */
static const struct sim_inst *nothing(struct sim_wave *w, const struct sim_inst *ip)
{
	(void)w;
	return ip + ip->words;
}

static const struct sim_inst *stop(struct sim_wave *w, const struct sim_inst *ip, enum sim_stop why,
				   uint32_t arg)
{
	w->pc = inst_pc(w, ip) + 4u * ip->words;
	w->stop = why;
	w->stop_arg = arg;
	return NULL;
}

static const struct sim_inst *s_endpgm(struct sim_wave *w, const struct sim_inst *ip)
{
	return stop(w, ip, SIM_STOP_END, 0);
}

static const struct sim_inst *s_barrier(struct sim_wave *w, const struct sim_inst *ip)
{
	return stop(w, ip, SIM_STOP_BARRIER, 0);
}

static const struct sim_inst *s_sleep(struct sim_wave *w, const struct sim_inst *ip)
{
	return stop(w, ip, SIM_STOP_SLEEP, (uint32_t)ip->imm & 0x7f);
}

static const struct sim_inst *s_sendmsg(struct sim_wave *w, const struct sim_inst *ip)
{
	return stop(w, ip, SIM_STOP_SENDMSG, (uint16_t)ip->imm);
}

static const struct sim_inst *s_trap(struct sim_wave *w, const struct sim_inst *ip)
{
	return stop(w, ip, SIM_STOP_TRAP, (uint32_t)ip->imm & 0xff);
}

static const struct sim_inst *s_icache_inv(struct sim_wave *w, const struct sim_inst *ip)
{
	uint64_t pc = inst_pc(w, ip) + 4;

	sim_code_changed();
	return sim_fetch(w, pc);
}

/* Hardware registers of s_getreg/s_setreg ("HW_REG" operand names of LLVM's AMDGPU guide). */
enum {
	HWREG_MODE = 1,
	HWREG_STATUS = 2,
	HWREG_TRAPSTS = 3,
	HWREG_HW_ID = 4,
	HWREG_GPR_ALLOC = 5,
	HWREG_LDS_ALLOC = 6,
	HWREG_IB_STS = 7,
	HWREG_SH_MEM_BASES = 15,
	HWREG_XCC_ID = 20,
};

static uint32_t status_value(const struct sim_wave *w)
{
	/* STATUS: SCC bit 0, EXECZ bit 9, VCCZ bit 10; the rest as launched. */
	return (w->status & ~0x601u) | w->scc | (w->exec == 0) << 9 | (w->vcc == 0) << 10;
}

static bool hwreg_read(const struct sim_wave *w, unsigned int id, uint32_t *ret)
{
	switch (id) {
	case HWREG_MODE:
		*ret = w->mode;
		return true;
	case HWREG_STATUS:
		*ret = status_value(w);
		return true;
	case HWREG_TRAPSTS:
		*ret = w->trapsts;
		return true;
	case HWREG_HW_ID:
		*ret = w->hw_id;
		return true;
	case HWREG_GPR_ALLOC:
		*ret = w->gpr_alloc;
		return true;
	case HWREG_LDS_ALLOC:
		*ret = w->lds_alloc;
		return true;
	case HWREG_IB_STS: /* counters of outstanding work: always zero */
		*ret = 0;
		return true;
	case HWREG_SH_MEM_BASES:
		*ret = (w->group->shared_base_hi & 0xffff0000) | w->group->private_base_hi >> 16;
		return true;
	case HWREG_XCC_ID:
		*ret = w->xcc;
		return sim_instruction_set() == SIM_GFX942;
	default:
		return false;
	}
}

static uint32_t hwreg_mask(int64_t imm)
{
	return (uint32_t)((1ull << ((imm >> 11 & 31) + 1)) - 1);
}

static const struct sim_inst *s_getreg_b32(struct sim_wave *w, const struct sim_inst *ip)
{
	uint32_t value;

	if (!hwreg_read(w, ip->imm & 63, &value))
		return sim_exec_unimplemented(w, ip);
	put_u32(w, ip, value >> (ip->imm >> 6 & 31) & hwreg_mask(ip->imm));
	return ip + 1;
}

static const struct sim_inst *setreg(struct sim_wave *w, const struct sim_inst *ip, uint32_t bits)
{
	unsigned int id = ip->imm & 63, at = ip->imm >> 6 & 31;
	uint32_t mask = hwreg_mask(ip->imm) << at;

	if (id == HWREG_MODE)
		w->mode = (w->mode & ~mask) | (bits << at & mask);
	else if (id == HWREG_TRAPSTS)
		w->trapsts = (w->trapsts & ~mask) | (bits << at & mask);
	else
		return sim_exec_unimplemented(w, ip);
	sim_mode_refresh(w);
	return ip + ip->words;
}

static const struct sim_inst *s_setreg_b32(struct sim_wave *w, const struct sim_inst *ip)
{
	return setreg(w, ip, get_u32(w, ip, 0));
}

static const struct sim_inst *s_setreg_imm32_b32(struct sim_wave *w, const struct sim_inst *ip)
{
	return setreg(w, ip, ip->literal);
}

/* MODE.gpr_idx_en is bit 27; M0 holds the index in 7:0 and the enables in 15:12. */
static void gpr_idx_enable(struct sim_wave *w, bool on)
{
	w->mode = (w->mode & ~(1u << 27)) | (uint32_t)on << 27;
	sim_mode_refresh(w);
}

static const struct sim_inst *s_set_gpr_idx_on(struct sim_wave *w, const struct sim_inst *ip)
{
	uint32_t index = get_u32(w, ip, 0) & 0xff;

	w->sgpr[SIM_M0] = (w->sgpr[SIM_M0] & ~0xf0ffu) | index | ((uint32_t)ip->imm & 15) << 12;
	gpr_idx_enable(w, true);
	return ip + ip->words;
}

static const struct sim_inst *s_set_gpr_idx_off(struct sim_wave *w, const struct sim_inst *ip)
{
	gpr_idx_enable(w, false);
	return ip + 1;
}

static const struct sim_inst *s_set_gpr_idx_mode(struct sim_wave *w, const struct sim_inst *ip)
{
	w->sgpr[SIM_M0] = (w->sgpr[SIM_M0] & ~0xf000u) | ((uint32_t)ip->imm & 15) << 12;
	return ip + 1;
}

static const struct sim_inst *s_set_gpr_idx_idx(struct sim_wave *w, const struct sim_inst *ip)
{
	w->sgpr[SIM_M0] = (w->sgpr[SIM_M0] & ~0xffu) | (get_u32(w, ip, 0) & 0xff);
	return ip + ip->words;
}

#define E(name)                                                                                    \
	{                                                                                          \
		.op = OP_##name, .kind = X_DIRECT, .handler = name                                 \
	}
#define NOTHING(name)                                                                              \
	{                                                                                          \
		.op = OP_##name, .kind = X_DIRECT, .handler = nothing                              \
	}
#define CDBG(name)                                                                                 \
	{                                                                                          \
		.op = OP_##name, .kind = X_DIRECT, .handler = cdbg                                 \
	}
const struct sim_exec sim_exec_flow[] = {
	E(s_branch),
	E(s_cbranch_scc0),
	E(s_cbranch_scc1),
	E(s_cbranch_vccz),
	E(s_cbranch_vccnz),
	E(s_cbranch_execz),
	E(s_cbranch_execnz),
	CDBG(s_cbranch_cdbgsys),
	CDBG(s_cbranch_cdbguser),
	CDBG(s_cbranch_cdbgsys_or_user),
	CDBG(s_cbranch_cdbgsys_and_user),
	E(s_getpc_b64),
	E(s_setpc_b64),
	E(s_swappc_b64),
	E(s_call_b64),
	E(s_endpgm),
	{.op = OP_s_endpgm_saved, .kind = X_DIRECT, .handler = s_endpgm},
	{.op = OP_s_endpgm_ordered_ps_done, .kind = X_DIRECT, .handler = s_endpgm},
	E(s_barrier),
	E(s_sleep),
	E(s_sendmsg),
	E(s_trap),
	E(s_icache_inv),
	E(s_getreg_b32),
	E(s_setreg_b32),
	E(s_setreg_imm32_b32),
	E(s_set_gpr_idx_on),
	E(s_set_gpr_idx_off),
	E(s_set_gpr_idx_mode),
	E(s_set_gpr_idx_idx),
	NOTHING(s_nop),
	NOTHING(s_waitcnt),
	NOTHING(s_setprio),
	NOTHING(s_incperflevel),
	NOTHING(s_decperflevel),
	NOTHING(s_ttracedata),
	NOTHING(s_wakeup),
	{0},
};
