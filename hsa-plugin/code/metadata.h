/* SPDX-License-Identifier: MIT */
/*
 * Reads the kernel metadata of one code object ("AMDGPU Usage", code object v3 and later) with
 * amd-comgr, once, when the code object is loaded.
 *
 * comgr is looked up at run time, not linked. Its soname differs between releases (.so.2, .so.3), a
 * HIP program has it mapped already, and a program that never loads code then does not load comgr.
 */
#ifndef PROBE_HSA_PLUGIN_CODE_METADATA_H
#define PROBE_HSA_PLUGIN_CODE_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of arguments. Explicit ones are identified by their position. */
enum probe_arg_kind {
	PROBE_ARG_EXPLICIT = 0,
	PROBE_ARG_NONE, /* hidden_none: reserved bytes */
	PROBE_ARG_GLOBAL_OFFSET_X,
	PROBE_ARG_GLOBAL_OFFSET_Y,
	PROBE_ARG_GLOBAL_OFFSET_Z,
	PROBE_ARG_BLOCK_COUNT_X,
	PROBE_ARG_BLOCK_COUNT_Y,
	PROBE_ARG_BLOCK_COUNT_Z,
	PROBE_ARG_GROUP_SIZE_X,
	PROBE_ARG_GROUP_SIZE_Y,
	PROBE_ARG_GROUP_SIZE_Z,
	PROBE_ARG_REMAINDER_X,
	PROBE_ARG_REMAINDER_Y,
	PROBE_ARG_REMAINDER_Z,
	PROBE_ARG_GRID_DIMS,
	PROBE_ARG_DYNAMIC_LDS_SIZE,
	PROBE_ARG_PRIVATE_BASE,
	PROBE_ARG_SHARED_BASE,
	PROBE_ARG_QUEUE_PTR,
	/* Values that only the application knows; they are in the original's block. */
	PROBE_ARG_PRINTF_BUFFER,
	PROBE_ARG_HOSTCALL_BUFFER,
	PROBE_ARG_MULTIGRID_SYNC_ARG,
	PROBE_ARG_HEAP_V1,
	PROBE_ARG_DEFAULT_QUEUE,
	PROBE_ARG_COMPLETION_ACTION,
	PROBE_ARG_UNKNOWN, /* a hidden kind that a later compiler added */
};

struct probe_arg {
	uint32_t kind; /* enum probe_arg_kind */
	uint32_t offset, size;
};

struct probe_kernel_meta {
	char *symbol; /* mangled, without ".kd" */
	uint32_t kernarg_size, kernarg_align;
	uint32_t group_size, private_size;
	uint32_t sgprs, vgprs, agprs, wave_size;
	uint32_t max_group; /* maximum work-items per workgroup; 0 = not stated */
	bool dynamic_stack; /* the compiler estimated the stack of some calls */
	uint32_t arg_count;
	struct probe_arg *args;
};

struct probe_metadata {
	size_t count;
	struct probe_kernel_meta *kernels;
};

enum { PROBE_ARGS_MAX = 4096, PROBE_KERNARG_MAX = 1 << 16 };

enum probe_arg_kind probe_arg_kind_of(const char *value_kind);

/* Returns -ENOSYS without comgr, -EBADMSG if comgr cannot read the bytes, or -ENOMEM. */
int probe_metadata_read(const void *bytes, size_t size, struct probe_metadata *ret);
void probe_metadata_destroy(struct probe_metadata *metadata);

/*
 * The demangled name, which the caller frees; a copy of `symbol` if it is not mangled. NULL: no
 * memory.
 */
char *probe_demangle(const char *symbol);

#endif
