/* SPDX-License-Identifier: MIT */
/* The floating-point part of the MODE register. */
#ifndef PROBE_SIMGPU_EXEC_SCALAR_MODE_REGISTER_H
#define PROBE_SIMGPU_EXEC_SCALAR_MODE_REGISTER_H

#include "simgpu/exec/inst.h"

/*
 * MODE[1:0] round f32, [3:2] round f64/f16 (0 = to nearest even); [5:4] denorm f32, [7:6] denorm
 * f64/f16 (bit 0 = keep those of sources, bit 1 = of results); [8] DX10_CLAMP, [9] IEEE, [23]
 * FP16_OVFL. Settings other than "nearest, keep, IEEE" use the slow path.
 */
enum {
	MODE_DX10_CLAMP = 1 << 8,
	MODE_IEEE = 1 << 9,
	MODE_FP16_OVFL = 1 << 23,
};

static inline void sim_mode_refresh(struct sim_wave *w)
{
	uint32_t single = w->mode & 0x33, other = w->mode & (0xcc | MODE_FP16_OVFL);

	w->fp_special = (single != 0x30 ? FP_F32 : 0) | (other != 0xc0 ? FP_F64 : 0) |
			(w->mode & MODE_IEEE ? 0 : FP_IEEE);
	w->gpr_idx = (w->mode >> 27 & 1 ? SIM_IDX_ON : 0) | (w->mode >> 28 & 1 ? SIM_IDX_VSKIP : 0);
}

#endif
