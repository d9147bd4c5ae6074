/* SPDX-License-Identifier: MIT */
/*
 * Kernels that were compiled for another GPU than those of the process. HIP loads no such code: it
 * returns an error for the launch, or ends the program, and libprobe-hsa.so sees nothing of it.
 */
#ifndef PROBE_CMDS_RECORD_FOREIGN_CODE_H
#define PROBE_CMDS_RECORD_FOREIGN_CODE_H

#include <sys/types.h>

struct recording;

/* The file that process `pid`, which must not have ended, executes. NULL: unknown. */
char *foreign_code_program(pid_t pid);

/*
 * After all records: a sentence if the program's file has kernels, none of them for one of the
 * process' GPUs, and no kernel ran except the runtime's own; NULL otherwise. The caller frees it.
 */
char *foreign_code_reason(const struct recording *recording);

#endif
