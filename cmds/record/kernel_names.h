/* SPDX-License-Identifier: MIT */
/*
 * Demangled kernel names, from the C++ runtime's demangler in a short-lived child process.
 * amd-comgr has a demangler, too, but loading it costs probe-run some 40 ms at each start.
 */
#ifndef PROBE_CMDS_RECORD_KERNEL_NAMES_H
#define PROBE_CMDS_RECORD_KERNEL_NAMES_H

#include <stddef.h>

/*
 * `count` names, each malloc'ed: the name itself if it is not mangled or cannot be demangled. NULL
 * without memory.
 */
char **run_names_demangle(const char *const *symbols, size_t count);
void run_names_destroy(char **names, size_t count);

#endif
