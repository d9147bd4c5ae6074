/* SPDX-License-Identifier: MIT */
/*
 * Names in files that are compiled once per vector level: SIM_LEVEL is base, avx2 or avx512
 * (CMakeLists.txt), and LEVEL(x) becomes x_base, x_avx2 or x_avx512.
 */
#ifndef PROBE_SIMGPU_EXEC_LEVEL_NAMES_H
#define PROBE_SIMGPU_EXEC_LEVEL_NAMES_H

#include "simgpu/exec/inst.h"
#include "simgpu/exec/vector_level.h"

#ifndef SIM_LEVEL
#error "compile with -DSIM_LEVEL=base, avx2 or avx512"
#endif

#define LEVEL_JOIN_(x, level) x##_##level
#define LEVEL_JOIN(x, level)  LEVEL_JOIN_(x, level)
#define LEVEL(x)	      LEVEL_JOIN(x, SIM_LEVEL)

extern const struct sim_exec LEVEL(sim_exec_valu_int)[];
extern const struct sim_exec LEVEL(sim_exec_valu_f32)[];
extern const struct sim_exec LEVEL(sim_exec_valu_f64)[];
extern const struct sim_exec LEVEL(sim_exec_valu_f16)[];
extern const struct sim_exec LEVEL(sim_exec_valu_cvt)[];
extern const struct sim_exec LEVEL(sim_exec_valu_cmp)[];
extern const struct sim_exec LEVEL(sim_exec_valu_mask)[];
extern const struct sim_exec LEVEL(sim_exec_vop3p)[];
extern const struct sim_exec LEVEL(sim_exec_lane)[];
extern const struct sim_exec LEVEL(sim_exec_mfma)[];
extern const struct sim_exec LEVEL(sim_exec_mfma_gfx942)[];
extern const struct sim_exec LEVEL(sim_exec_mem)[];
extern const struct sim_exec LEVEL(sim_exec_atomic)[];
extern const struct sim_exec LEVEL(sim_exec_buffer)[];
extern const struct sim_exec LEVEL(sim_exec_lds)[];
extern const struct sim_exec LEVEL(sim_exec_lds_atomic)[];
extern const struct sim_exec LEVEL(sim_exec_format)[];
extern const struct sim_exec LEVEL(sim_exec_smem_atomic)[];
extern const struct sim_exec LEVEL(sim_exec_image)[];

sim_handler LEVEL(sim_valu), LEVEL(sim_valu_any), LEVEL(sim_valu_mods), LEVEL(sim_vopc);
sim_handler LEVEL(sim_mask), LEVEL(sim_load_lds);
enum sim_stop LEVEL(sim_run)(struct sim_wave *w, uint32_t budget);

#endif
