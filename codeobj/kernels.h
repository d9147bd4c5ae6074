/* SPDX-License-Identifier: MIT */
/* Kernels of a code object and their metadata (amd-comgr). */
#ifndef PROBE_CODEOBJ_KERNELS_H
#define PROBE_CODEOBJ_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <probe/wire.h>

#include "common/selection.h"

struct probe_buf;
struct probe_err;

struct probe_kernel {
	char *symbol;	  /* mangled, without ".kd" */
	char *name;	  /* demangled; the symbol if it is not mangled */
	uint64_t address; /* of the first instruction in the ELF image; 0 = unknown */
	uint32_t kernarg_size, group_size, private_size;
	uint32_t sgprs, vgprs, agprs, wave_size;
	uint32_t vgpr_spills, sgpr_spills; /* registers that did not fit */
	enum probe_kind kind; /* NONE = an original, else the clone "__probe_<kind>_<original>" */
	size_t original;      /* index of a clone's original; its own index if there is none */
};

struct probe_kernels {
	size_t count;
	struct probe_kernel *kernels;
};

void probe_kernels_destroy(struct probe_kernels *kernels);

/* The kind of a clone's symbol, with `*original` the part after the prefix; NONE if it is no clone.
 */
enum probe_kind probe_clone_kind(const char *symbol, const char **original);

/* ---- For inspect.c and fuzz tests ----------------------------------------------------------- */

/* In the child: kernels in the metadata of a code object, with the addresses of their symbols. */
struct probe_err *probe_kernels_read(const char *name, const void *bytes, size_t size,
				     struct probe_kernels **ret);
void probe_kernels_send(const struct probe_kernels *kernels, FILE *out);

/* In the parent. Finds the original of each clone. */
struct probe_err *probe_kernels_receive(struct probe_buf *buf, struct probe_kernels **ret);

#endif
