/* SPDX-License-Identifier: MIT */
/* The host vector widths ("levels") for which the vector instructions are compiled. */
#ifndef PROBE_SIMGPU_EXEC_VECTOR_LEVEL_H
#define PROBE_SIMGPU_EXEC_VECTOR_LEVEL_H

#include "simgpu/exec/inst.h"

/* One level: the run loop, the wrappers around bodies, and all operations. */
struct sim_level {
	const char *name;
	enum sim_stop (*run)(struct sim_wave *w, uint32_t budget);
	sim_handler *valu;	/* no scalar sources, no modifiers */
	sim_handler *valu_any;	/* scalar sources */
	sim_handler *valu_mods; /* all forms */
	sim_handler *vopc;
	sim_handler *mask;
	sim_handler *load_lds;		      /* loads that write to LDS */
	const struct sim_exec *const *tables; /* terminated by NULL; each table by op 0 */
};

extern const struct sim_level sim_level_base;
extern const struct sim_level sim_level_avx2;
extern const struct sim_level sim_level_avx512;

/* The level in use: PROBE_SIM_ISA, or the best that the host supports. */
const struct sim_level *sim_level_get(void);

/* The execute entry of an operation at the level in use; NULL if there is none. */
const struct sim_exec *sim_exec_find(enum sim_op op);

#endif
