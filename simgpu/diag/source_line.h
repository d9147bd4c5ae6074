/* SPDX-License-Identifier: MIT */
/*
 * The source line of an address in a code object, for error messages. A program next to this
 * library (probe-sim-line) reads the debug information: untrusted bytes, and
 * libraries that have no business in the application.
 */
#ifndef PROBE_SIMGPU_DIAG_SOURCE_LINE_H
#define PROBE_SIMGPU_DIAG_SOURCE_LINE_H

#include <stddef.h>
#include <stdint.h>

/* Called when the runtime starts, on its thread: where everything is. */
void sim_source_prepare(void);

/*
 * "file.hip:12" or "file.h:3, inlined at file.hip:12". 0, or -errno with buf empty: -ENODATA if the
 * code was built without -g. Comes back within a few seconds whatever happens, and the application
 * sees neither the child nor a signal.
 */
int sim_source_line(uint64_t pc, char *buf, size_t size);

#endif
