/* SPDX-License-Identifier: MIT */
/*
 * The line of the user's that an instruction belongs to. Its own, unless that is in a header of HIP
 * or of the compiler, in a function that the compiler made (the copy of a struct, which is at the
 * struct's declaration), or none: then the innermost call of it in the user's source.
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
	 * There is no line for the address: the line is that of preceding code, or of the
	 * function's declaration.
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
