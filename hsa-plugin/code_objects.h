/* SPDX-License-Identifier: MIT */
/*
 * Code objects as they come and go. When an executable is frozen each of its code objects is copied
 * into the segment, its kernels are entered in the kernel table with what shall become of their
 * dispatches; when it is destroyed they leave the table first.
 */
#ifndef PROBE_HSA_CODE_OBJECTS_H
#define PROBE_HSA_CODE_OBJECTS_H

#include <hsa/hsa.h>

hsa_status_t probe_executable_freeze(hsa_executable_t executable, const char *options);
hsa_status_t probe_executable_destroy(hsa_executable_t executable);

#endif
