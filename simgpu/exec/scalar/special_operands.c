/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/scalar/special_operands.h"

/* Operands that are neither register nor constant ("Scalar operands", 235..253). */
static uint64_t special_value(const struct sim_wave *w, const struct sim_inst *ip, unsigned int n)
{
	uint64_t hi = 0;

	switch (ip->special[n]) {
	case 235: /* shared_base */
		hi = w->group->shared_base_hi;
		break;
	case 236: /* shared_limit */
		return ip->size[n] == 2 ? (uint64_t)w->group->shared_base_hi << 32 | 0xffffffff
					: w->group->shared_base_hi;
	case 237: /* private_base */
		hi = w->group->private_base_hi;
		break;
	case 238: /* private_limit */
		return ip->size[n] == 2 ? (uint64_t)w->group->private_base_hi << 32 | 0xffffffff
					: w->group->private_base_hi;
	case 251:
		return w->vcc == 0;
	case 252:
		return w->exec == 0;
	default:
		return w->scc;
	}
	return ip->size[n] == 2 ? hi << 32 : hi;
}

const struct sim_inst *sim_exec_special(struct sim_wave *w, const struct sim_inst *ip)
{
	for (unsigned int n = 0; n < 3; n++)
		if (ip->specials >> n & 1)
			w->special[n] = special_value(w, ip, n);
	return ip->inner(w, ip);
}
