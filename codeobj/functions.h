/* SPDX-License-Identifier: MIT */
/* Functions in the symbol table of a code object, and a look-up by address. */
#ifndef PROBE_CODEOBJ_FUNCTIONS_H
#define PROBE_CODEOBJ_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct probe_buf;
struct probe_err;

struct probe_symbol {
	char *symbol;	  /* mangled */
	char *name;	  /* demangled */
	uint64_t address; /* in the ELF image */
	uint64_t size;	  /* 0: up to the next function */
};

struct probe_functions {
	size_t count;
	struct probe_symbol *symbols; /* by address */
};

void probe_functions_destroy(struct probe_functions *functions);

/* The function that contains the address, or NULL. */
const struct probe_symbol *probe_functions_find(const struct probe_functions *functions,
						uint64_t address);

/* In a sandboxed child: read and send them; in the parent: receive them, not demangled yet. */
struct probe_err *probe_functions_send(const char *name, const void *bytes, size_t size, FILE *out);
struct probe_err *probe_functions_receive(struct probe_buf *buf, struct probe_functions **ret);

#endif
