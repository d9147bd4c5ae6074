/* SPDX-License-Identifier: MIT */
/*
 * The source line that an instruction is attributed to. It is the instruction's own line, unless
 * that is unknown, in a header of HIP or of the compiler, or in a function that the compiler
 * generated (such as the copy of a struct, which has the line of the struct's declaration).
 * Otherwise it is the innermost inlined call in one of the user's files.
 */
#ifndef PROBE_CODEOBJ_USERS_PLACE_H
#define PROBE_CODEOBJ_USERS_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct probe_inlines;
struct probe_lines;

struct probe_place {
	const char *file; /* of the tables; "" = unknown */
	uint32_t line;	  /* 0 = unknown */
	/*
	 * There is no line for the address: the line is that of preceding code, of the call of the
	 * user's function that was inlined, or of the function's declaration.
	 */
	bool approximate;
};

/*
 * `start`: start of the kernel or function that contains the address. Either table may be NULL.
 * False if nothing is known.
 */
bool probe_users_place(const struct probe_lines *lines, const struct probe_inlines *inlines,
		       uint64_t start, uint64_t address, struct probe_place *ret);

#endif
