/* SPDX-License-Identifier: MIT */
/*
 * Memory that is freed while kernels run. A wave keeps the ranges it found until it returns to the
 * scheduler, and uses them without a lock. The driver therefore removes a range, waits here, and
 * only then lets the runtime unmap the pages: later look-ups fault, as on hardware.
 */
#ifndef PROBE_SIMGPU_MEM_FREED_MEMORY_H
#define PROBE_SIMGPU_MEM_FREED_MEMORY_H

/*
 * Surround a short piece of work on the application's memory that waits for nothing: some thousand
 * instructions of a wave, or a copy. Pass the value from enter to leave. Any thread.
 */
unsigned sim_memory_enter(void);
void sim_memory_leave(unsigned epoch);

/* Returns when every thread that had entered has left. Not between enter and leave. */
void sim_memory_wait(void);

#endif
