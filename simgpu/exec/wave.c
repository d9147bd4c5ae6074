/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/wave.h"

#include "simgpu/exec/instruction_trace.h"
#include "simgpu/exec/vector_level.h"

enum sim_stop sim_wave_run(struct sim_wave *wave, uint32_t budget)
{
	if (wave == atomic_load_explicit(&sim_traced_wave, memory_order_relaxed))
		return sim_instruction_trace_run(wave, budget);
	return sim_level_get()->run(wave, budget);
}
