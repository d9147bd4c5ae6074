/* SPDX-License-Identifier: MIT */
/*
 * Records whether an allocation of this process has failed. Much code continues without the memory,
 * for example without a line or a name. At its end, a program reports that its output may be
 * incomplete. cmds/wrap_allocations.c records failures of a program's own calls, store/ those of
 * SQLite.
 */
#ifndef PROBE_COMMON_MEMORY_WATCH_H
#define PROBE_COMMON_MEMORY_WATCH_H

#include <stdbool.h>

void probe_memory_note_failure(void);
bool probe_memory_ran_out(void);

#endif
