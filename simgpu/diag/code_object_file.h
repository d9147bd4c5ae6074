/* SPDX-License-Identifier: MIT */
/*
 * Finds the file that a loaded code object came from, for its debug information, which is not
 * loaded. For debuggers, ROCr publishes where each code object is and where its file is (a URI).
 */
#ifndef PROBE_SIMGPU_DIAG_CODE_OBJECT_FILE_H
#define PROBE_SIMGPU_DIAG_CODE_OBJECT_FILE_H

#include <stdint.h>

struct sim_code_file {
	int fd; /* readable from offset on; the caller closes it */
	uint64_t offset, size;
	uint64_t base; /* load address: pc - base is an address in the file */
};

/* To be called each time the runtime starts, on its thread: finds its list of code objects. */
void sim_code_file_prepare(void);

/*
 * Opens the code object that contains pc. 0 or -errno. It reads the runtime's memory only through
 * system calls and takes no lock of the loader, because what it reads may change or disappear
 * concurrently.
 */
int sim_code_file_open(uint64_t pc, struct sim_code_file *ret);

/* Opens a URI "file://PATH#offset=N&size=N" or "memory://PID#offset=N&size=N". For tests. */
int sim_code_file_open_uri(const char *uri, struct sim_code_file *ret);

#endif
