/* SPDX-License-Identifier: MIT */
/* Instructions of a code object as text, by amd-comgr in a sandboxed child (child.h). */
#ifndef PROBE_CODEOBJ_DISASSEMBLY_H
#define PROBE_CODEOBJ_DISASSEMBLY_H

#include <stddef.h>
#include <stdint.h>

struct probe_err;

struct probe_instruction {
	uint64_t address; /* in the ELF image */
	uint32_t size;	  /* bytes */
	const char *text; /* "s_waitcnt vmcnt(0)"; "" where no instruction could be decoded */
};

struct probe_disassembly {
	size_t count;
	struct probe_instruction *rows; /* by address, without gaps */
	uint8_t *answer;		/* holds the texts */
};

/*
 * Disassembles the whole executable section that contains `address`. `name` is for messages. Fails
 * if there is no such section, comgr does not know the target, or the child dies.
 */
struct probe_err *probe_disassemble(const char *name, const void *bytes, size_t size,
				    uint64_t address, struct probe_disassembly **ret);
void probe_disassembly_destroy(struct probe_disassembly *disassembly);

/* The instruction that begins at `address`, or NULL. */
const struct probe_instruction *probe_disassembly_find(const struct probe_disassembly *disassembly,
						       uint64_t address);

#endif
