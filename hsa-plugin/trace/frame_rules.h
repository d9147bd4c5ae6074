/* SPDX-License-Identifier: MIT */
/*
 * How to find the caller of a function, from the unwind information at a return address (x86-64).
 * A rule is decoded once and kept, so a frame takes a few ns, where the unwinder takes 80. Nothing
 * here allocates or waits.
 */
#ifndef PROBE_HSA_PLUGIN_TRACE_FRAME_RULES_H
#define PROBE_HSA_PLUGIN_TRACE_FRAME_RULES_H

#include <stdbool.h>
#include <stdint.h>

struct probe_frame_rule {
	bool other;    /* not of this form: only the unwinder finds the caller */
	bool last;     /* there is no caller */
	bool user;     /* for the user of this file: kept with the rule */
	bool from_bp;  /* the canonical frame address is rbp + cfa, else rsp + cfa */
	bool saves_bp; /* the caller's rbp is at the canonical frame address + bp */
	int32_t cfa;   /* the return address is 8 bytes below the canonical frame address */
	int32_t bp;
};

/*
 * The rule at a return address. `loads`: see probe_frame_loads(). If it was not known, `user` is
 * that of is_user(address).
 */
struct probe_frame_rule probe_frame_rule(uintptr_t address, uint64_t loads,
					 bool (*is_user)(uintptr_t address));

/* Differs when a library was loaded or removed since: an address may be of another function. */
uint64_t probe_frame_loads(void);

#endif
