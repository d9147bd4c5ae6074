/* SPDX-License-Identifier: MIT */
/*
 * The generation of code in memory: a number that is incremented when executable memory may have
 * changed. The cache of decoded code stores it with each page, and compares the page with memory
 * again if the number differs.
 */
#ifndef PROBE_SIMGPU_MEM_CODE_GENERATION_H
#define PROBE_SIMGPU_MEM_CODE_GENERATION_H

#include <stdatomic.h>
#include <stdint.h>

extern _Atomic uint64_t sim_code_generation;

/* Executable memory was freed, or the runtime invalidated the instruction cache. */
void sim_code_changed(void);

#endif
