/* SPDX-License-Identifier: MIT */
/*
 * Has an allocation of this process failed? Much code can go on without one, with a line or a name
 * less. A program asks at its end, and says that its output may lack something. cmds/
 * wrap_allocations.c notes the failures of a program's own calls, store/ those of SQLite.
 */
#ifndef PROBE_COMMON_MEMORY_WATCH_H
#define PROBE_COMMON_MEMORY_WATCH_H

#include <stdbool.h>

void probe_memory_note_failure(void);
bool probe_memory_ran_out(void);

#endif
