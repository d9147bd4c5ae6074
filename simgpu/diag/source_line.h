/* SPDX-License-Identifier: MIT */
/*
 * Finds the source line of an address in a code object, for error messages. A separate program
 * (probe-sim-line) reads the debug information, because its bytes are untrusted and its libraries
 * must not be loaded into the application.
 */
#ifndef PROBE_SIMGPU_DIAG_SOURCE_LINE_H
#define PROBE_SIMGPU_DIAG_SOURCE_LINE_H

#include <stddef.h>
#include <stdint.h>

/* Called when the runtime starts, on its thread: finds the paths it needs. */
void sim_source_prepare(void);

/*
 * Writes "file.hip:12" or "file.h:3, inlined at file.hip:12". 0, or -errno with buf empty: -ENODATA
 * if the code was built without -g. It always returns within a few seconds, and the application
 * sees neither the child nor a signal.
 */
int sim_source_line(uint64_t pc, char *buf, size_t size);

#endif
