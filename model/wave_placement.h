/* SPDX-License-Identifier: MIT */
/*
 * Derives the wave classes of an access from expressions alone (codeobj/derived_sites.h), for
 * accesses that every wave executes once, or once if branches are taken. No counters are needed.
 *
 * Example: a[i] guarded by `if (i < n)`, where i is the global id. Interval arithmetic proves that
 * all lanes execute it in workgroups whose ids are all less than n, and none in those above. Only
 * the workgroup in between is evaluated lane by lane. The residue is the address in the first
 * active lane modulo 128.
 *
 * Predicates may be loops, of which each iteration is evaluated, except where only addresses move
 * (`stepped`). There the lanes are known until the next of them leaves the loop. In these
 * iterations only the residue changes, and repeats itself after at most 128 of them.
 */
#ifndef PROBE_MODEL_WAVE_PLACEMENT_H
#define PROBE_MODEL_WAVE_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

struct model_launch;
struct probe_sites;
struct wave_classes;

/* Indices into the arrays of the site table, or DERIVED_NONE. */
struct placement_query {
	uint32_t predicate; /* the innermost branch that guards the access */
	uint32_t base;	    /* expression of the address, for residues */
	uint32_t address;   /* expression of the address per lane: classes have offsets */
	/* The distance between iterations of loop `stepped`, where 0 is the outermost loop. */
	uint32_t step, stepped;
	bool narrow; /* LDS: addresses have 32 bits, and residues are those modulo 4 */
};

/*
 * Adds the classes of all waves of the selected workgroups. False: an expression has no value (for
 * example because arguments were not recorded), or there are too many waves.
 */
bool wave_placement_add(const struct probe_sites *table, const struct model_launch *launch,
			const struct placement_query *query, struct wave_classes *classes);

#endif
