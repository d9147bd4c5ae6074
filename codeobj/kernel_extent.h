/* SPDX-License-Identifier: MIT */
/* The kernel or function that contains an address, and the instructions of a kernel. */
#ifndef PROBE_CODEOBJ_KERNEL_EXTENT_H
#define PROBE_CODEOBJ_KERNEL_EXTENT_H

#include <stddef.h>
#include <stdint.h>

struct probe_disassembly;
struct probe_functions;
struct probe_inlines;
struct probe_instruction;
struct probe_kernel;
struct probe_kernels;
struct probe_scope;
struct probe_symbol;

/* Tables about a code object's code; each may be NULL. */
struct probe_code {
	const struct probe_kernels *kernels;
	const struct probe_functions *functions; /* by the symbol table */
	const struct probe_inlines *inlines;	 /* by debug information */
};

/* By its symbol; NULL: there is none. */
const struct probe_kernel *probe_code_kernel(const struct probe_code *code, const char *symbol);

/* The symbol whose code is at the address, or NULL. */
const struct probe_symbol *probe_code_symbol(const struct probe_code *code, uint64_t address);

/*
 * The function that contains an address, ignoring inlined calls. NULL: unknown.
 */
const struct probe_scope *probe_code_function(const struct probe_code *code, uint64_t address);

/*
 * The kernel that contains the address. Functions that were not inlined have code of their own,
 * which any kernel may call. For these NULL is returned, and *function is the name, or "?" if
 * neither debug information nor a symbol names it.
 */
const struct probe_kernel *probe_code_kernel_at(const struct probe_code *code, uint64_t address,
						const char **function);

/* Start of the function that contains an address; 0: unknown. */
uint64_t probe_function_start(const struct probe_code *code,
			      const struct probe_disassembly *disassembly, uint64_t address);

/*
 * The instructions of the kernel or function that begins at the address: up to the next kernel or
 * function, without padding. Returns how many, from *first on.
 */
size_t probe_kernel_extent(const struct probe_code *code,
			   const struct probe_disassembly *disassembly, uint64_t address,
			   const struct probe_instruction **first);

#endif
