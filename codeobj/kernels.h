/* SPDX-License-Identifier: MIT */
/* Kernels of a code object and their metadata (amd-comgr), and readable names. */
#ifndef PROBE_CODEOBJ_KERNELS_H
#define PROBE_CODEOBJ_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>

#include "common/selection.h"

struct probe_err;

struct probe_kernel {
	char *symbol;	  /* mangled, without ".kd" */
	char *name;	  /* demangled; the symbol again if it is not mangled */
	uint64_t address; /* of the first instruction in the ELF image; 0 = unknown */
	uint32_t kernarg_size, group_size, private_size;
	uint32_t sgprs, vgprs, agprs, wave_size;
	enum probe_kind kind; /* NONE = an original, else a clone "__probe_<kind>_<original>" */
	size_t original;      /* index of a clone's original; its own index if there is none */
};

struct probe_kernels {
	size_t count;
	struct probe_kernel *kernels;
};

void probe_kernels_destroy(struct probe_kernels *kernels);

/* The kind a symbol is a clone for, PROBE_KIND_NONE if it is none; `*original` follows the prefix.
 */
enum probe_kind probe_clone_kind(const char *symbol, const char **original);

/*
 * Demangle `count` names in one throw-away child; (*ret)[i] is the name itself where that is not
 * mangled, or if the child died. Free with probe_names_destroy().
 */
struct probe_err *probe_names_demangle(const char *const *names, size_t count, char ***ret);
void probe_names_destroy(char **names, size_t count);

#endif
