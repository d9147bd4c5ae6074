/* SPDX-License-Identifier: MIT */
/*
 * The environment contract: variables that probe-run sets, and that the library in the application
 * reads once when it is loaded. A user may set those marked (*) for probe-run, too, in place of the
 * option named, which wins. An empty value counts as unset. The values' grammars are in common/selection.h.
 */
#ifndef PROBE_ENV_H
#define PROBE_ENV_H

/* Address of the socket probe-run listens on; "@name" is an abstract one. Unset: record nothing. */
#define PROBE_ENV_SOCKET "PROBE_SOCKET"

/* (*) --no-instrumented: "0" runs the original kernels only. */
#define PROBE_ENV_INSTRUMENTED "PROBE_INSTRUMENTED"
/* (*) --kind: memory, trace, time or count. */
#define PROBE_ENV_KIND "PROBE_KIND"
/* (*) --when-full: block, drop, sample or sample:N. */
#define PROBE_ENV_WHEN_FULL "PROBE_WHEN_FULL"

/* (*) --hsa-trace and the like: what to record of PROBE_TRACED_TABLE, separated by commas. */
#define PROBE_ENV_TRACE "PROBE_TRACE"

/* (*) --filter-x, -y, -z: workgroups that record, N or N:M. */
#define PROBE_ENV_GROUPS_X "PROBE_GROUPS_X"
#define PROBE_ENV_GROUPS_Y "PROBE_GROUPS_Y"
#define PROBE_ENV_GROUPS_Z "PROBE_GROUPS_Z"
/* (*) --kernel-include-regex, --kernel-exclude-regex: POSIX extended, on the demangled name. */
#define PROBE_ENV_KERNEL_INCLUDE "PROBE_KERNEL_INCLUDE"
#define PROBE_ENV_KERNEL_EXCLUDE "PROBE_KERNEL_EXCLUDE"
/*
 * (*) --library-include, --library-exclude: globs, one per line, on the file that a code object comes
 * from ("memory" if from none). A glob without '/' is for the file's name. Exclude wins.
 */
#define PROBE_ENV_LIBRARY_INCLUDE "PROBE_LIBRARY_INCLUDE"
#define PROBE_ENV_LIBRARY_EXCLUDE "PROBE_LIBRARY_EXCLUDE"
/* (*) --dispatches: which dispatches of each kernel. */
#define PROBE_ENV_DISPATCHES "PROBE_DISPATCHES"

/* (*) --pc-sampling-method, -unit, -interval: all three, or no sampling. */
#define PROBE_ENV_SAMPLING_METHOD   "PROBE_PC_SAMPLING_METHOD"
#define PROBE_ENV_SAMPLING_UNIT	    "PROBE_PC_SAMPLING_UNIT"
#define PROBE_ENV_SAMPLING_INTERVAL "PROBE_PC_SAMPLING_INTERVAL"

/* (*) --device: auto, gpu or sim. For probe-run only: the library does not read it. */
#define PROBE_ENV_DEVICE "PROBE_DEVICE"

#endif
