/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/fault.h"

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
