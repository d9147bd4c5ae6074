/* SPDX-License-Identifier: MIT */
/* The floating-point part of the MODE register. */
#ifndef PROBE_SIMGPU_EXEC_MODE_H
#define PROBE_SIMGPU_EXEC_MODE_H

#include "inst.h"

/*
 * MODE[1:0] round f32, [3:2] round f64/f16 (0 = to nearest even); [5:4] denorm f32, [7:6] denorm
 * f64/f16 (3 = keep). What differs from "nearest, keep" takes the careful path.
 */
static inline void sim_mode_refresh(struct sim_wave *w)
{
	w->fp_special = ((w->mode & 3) != 0 || (w->mode >> 4 & 3) != 3 ? FP_F32 : 0) |
			((w->mode >> 2 & 3) != 0 || (w->mode >> 6 & 3) != 3 ? FP_F64 : 0);
	w->gpr_idx = (w->mode >> 27 & 1 ? SIM_IDX_ON : 0) | (w->mode >> 28 & 1 ? SIM_IDX_VSKIP : 0);
}

#endif
