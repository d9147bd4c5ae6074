/* SPDX-License-Identifier: MIT */
/*
 * The file a loaded code object came from, with its debug information, which is not loaded. ROCr
 * publishes for debuggers where each code object is and where its file is (a URI).
 */
#ifndef PROBE_SIMGPU_DIAG_CODE_OBJECT_FILE_H
#define PROBE_SIMGPU_DIAG_CODE_OBJECT_FILE_H

#include <stdint.h>

struct sim_code_file {
	int fd; /* readable from offset on; the caller closes it */
	uint64_t offset, size;
	uint64_t base; /* load address: pc - base is an address in the file */
};

/* Each time the runtime starts, on its thread: where its list is. */
void sim_code_file_prepare(void);

/*
 * The code object that holds pc. 0 or -errno. Touches no memory of the runtime directly and takes
 * no lock of the loader: what it reads may change or go away meanwhile.
 */
int sim_code_file_open(uint64_t pc, struct sim_code_file *ret);

/* Of a URI "file://PATH#offset=N&size=N" or "memory://PID#offset=N&size=N". For tests. */
int sim_code_file_open_uri(const char *uri, struct sim_code_file *ret);

#endif
