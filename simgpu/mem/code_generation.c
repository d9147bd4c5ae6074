/* SPDX-License-Identifier: MIT */
#include "simgpu/mem/code_generation.h"

_Atomic uint64_t sim_code_generation = 1;

void sim_code_changed(void)
{
	atomic_fetch_add_explicit(&sim_code_generation, 1, memory_order_release);
}
