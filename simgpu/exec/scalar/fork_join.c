/* SPDX-License-Identifier: MIT */
/*
 * Control flow that compilers no longer emit: the fork/join stack, VSKIP, halting and the return
 * from trap handlers. "AMD Instinct MI200" ISA manual, chapter "Program Flow Control".
 */
#include "simgpu/exec/fault.h"
#include "simgpu/exec/inst.h"

#include "simgpu/exec/scalar/mode_register.h"
#include "simgpu/exec/scalar/scalar_operands.h"

enum {
	MODE_VSKIP = 28,
	MODE_CSP = 29, /* three bits: entries on the stack of four SGPRs each, from s0 on */
	CSP_MAX = 7,
	FORK_SGPRS = 4,
};

static const struct sim_inst *mode_update(struct sim_wave *w, const struct sim_inst *ip,
					  uint32_t mode)
{
	w->mode = mode;
	sim_mode_refresh(w);
	return ip + ip->words;
}

static unsigned int csp_of(const struct sim_wave *w)
{
	return w->mode >> MODE_CSP;
}

/* Pushes the other path; false if the stack would overflow its three bits or the SGPRs. */
static bool fork_push(struct sim_wave *w, uint64_t mask, uint64_t pc)
{
	unsigned int csp = csp_of(w);

	if (csp == CSP_MAX)
		return false;
	memcpy(&w->sgpr[FORK_SGPRS * csp], &mask, sizeof(mask));
	memcpy(&w->sgpr[FORK_SGPRS * csp + 2], &pc, sizeof(pc));
	w->mode += 1u << MODE_CSP;
	return true;
}

/* Lanes of `pass` jump to target, the others continue; the smaller set runs first. */
static const struct sim_inst *fork_lanes(struct sim_wave *w, const struct sim_inst *ip,
					 uint64_t pass, uint64_t target)
{
	uint64_t next = inst_pc(w, ip) + 4u * ip->words, fail = ~pass & w->exec;

	pass &= w->exec;
	if (pass == w->exec)
		return scalar_jump(w, target);
	if (fail == w->exec)
		return ip + ip->words;
	if (__builtin_popcountll(fail) < __builtin_popcountll(pass)) {
		if (!fork_push(w, pass, target))
			return sim_exec_unknown(w, ip);
		w->exec = fail;
		return ip + ip->words;
	}
	if (!fork_push(w, fail, next))
		return sim_exec_unknown(w, ip);
	w->exec = pass;
	return scalar_jump(w, target);
}

static const struct sim_inst *s_cbranch_g_fork(struct sim_wave *w, const struct sim_inst *ip)
{
	return fork_lanes(w, ip, get_u64(w, ip, 0), get_u64(w, ip, 1));
}

static const struct sim_inst *s_cbranch_i_fork(struct sim_wave *w, const struct sim_inst *ip)
{
	return fork_lanes(w, ip, get_u64(w, ip, 0), inst_pc(w, ip) + 4 + (uint64_t)(4 * ip->imm));
}

/*
 * The source is the stack depth before the fork: when it is reached again, both paths are complete.
 */
static const struct sim_inst *s_cbranch_join(struct sim_wave *w, const struct sim_inst *ip)
{
	uint64_t pc;

	if (csp_of(w) == get_u32(w, ip, 0))
		return ip + ip->words;
	w->mode -= 1u << MODE_CSP;
	memcpy(&w->exec, &w->sgpr[FORK_SGPRS * csp_of(w)], sizeof(w->exec));
	memcpy(&pc, &w->sgpr[FORK_SGPRS * csp_of(w) + 2], sizeof(pc));
	return scalar_jump(w, pc);
}

/* While VSKIP is set, vector instructions are skipped; the run loop checks gpr_idx. */
static const struct sim_inst *s_setvskip(struct sim_wave *w, const struct sim_inst *ip)
{
	uint32_t bit = get_u32(w, ip, 0) >> (get_u32(w, ip, 1) & 31) & 1;

	return mode_update(w, ip, (w->mode & ~(1u << MODE_VSKIP)) | bit << MODE_VSKIP);
}

/* Only a trap handler may return from one, and none runs here. */
static const struct sim_inst *privileged(struct sim_wave *w, const struct sim_inst *ip)
{
	return sim_exec_unknown(w, ip);
}

/* A halted wave would never wake: report it instead of hanging. */
static const struct sim_inst *s_sethalt(struct sim_wave *w, const struct sim_inst *ip)
{
	return ip->imm & 1 ? sim_exec_unimplemented(w, ip) : ip + ip->words;
}

static const struct sim_inst *s_sendmsghalt(struct sim_wave *w, const struct sim_inst *ip)
{
	return sim_exec_unimplemented(w, ip);
}

static const struct sim_inst *s_setkill(struct sim_wave *w, const struct sim_inst *ip)
{
	if (!(ip->imm & 1))
		return ip + ip->words;
	w->pc = inst_pc(w, ip) + 4u * ip->words;
	w->stop = SIM_STOP_END;
	w->stop_arg = 0;
	return NULL;
}

#define E(name, fn)                                                                                \
	{                                                                                          \
		.op = OP_##name, .kind = X_DIRECT, .handler = fn                                   \
	}
const struct sim_exec sim_exec_fork[] = {
	E(s_cbranch_g_fork, s_cbranch_g_fork),
	E(s_cbranch_i_fork, s_cbranch_i_fork),
	E(s_cbranch_join, s_cbranch_join),
	E(s_setvskip, s_setvskip),
	E(s_rfe_b64, privileged),
	E(s_rfe_restore_b64, privileged),
	E(s_sethalt, s_sethalt),
	E(s_sendmsghalt, s_sendmsghalt),
	E(s_setkill, s_setkill),
	{0},
};
