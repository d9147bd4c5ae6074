/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/vector_level.h"

#include "simgpu/exec/handler_table.h"
#include "simgpu/exec/scalar/scalar_tables.h"
#include "simgpu/exec/translate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct sim_level *level;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct sim_level *level_choose(void)
{
	const char *name = getenv("PROBE_SIM_ISA");
	bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		    __builtin_cpu_supports("bmi2");
	bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
		      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
		      __builtin_cpu_supports("avx512vl");

	if (name && !strcmp(name, "base"))
		return &sim_level_base;
	if (name && !strcmp(name, "avx2") && avx2)
		return &sim_level_avx2;
	if (avx512)
		return &sim_level_avx512;
	return avx2 ? &sim_level_avx2 : &sim_level_base;
}

static void level_init(void)
{
	level = level_choose();
	sim_handler_table_add(sim_scalar_tables);
	sim_handler_table_add(level->tables);
	if (level != &sim_level_base)
		sim_translate_init(level->name);
}

const struct sim_level *sim_level_get(void)
{
	pthread_once(&once, level_init);
	return level;
}

const struct sim_exec *sim_exec_find(enum sim_op op)
{
	pthread_once(&once, level_init);
	return sim_handler_table_find(op);
}
