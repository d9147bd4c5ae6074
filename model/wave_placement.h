/* SPDX-License-Identifier: MIT */
/*
 * Where the waves of a launch are: the wave classes of an access that every wave executes once, or
 * once behind branches, from expressions alone (codeobj/derived_sites.h). Nothing was counted.
 *
 * Example: a[i] behind `if (i < n)`, with i the global id. For workgroups whose ids are all below n
 * interval arithmetic says that every lane executes it, for those above that none does; only the
 * one in between is evaluated lane by lane. Of a's address the value modulo 128 in the first active
 * lane is the residue.
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
	uint32_t predicate; /* the last branch that the access is behind */
	uint32_t base;	    /* expression of the address that residues are of */
	uint32_t address;   /* expression of the address in each lane: classes have offsets */
	bool narrow;	    /* addresses have 32 bits, and residues do not matter: LDS */
};

/*
 * Adds the classes of all waves of the workgroups that counted. False: an expression has no value
 * (arguments were not recorded, for one), or there are too many waves.
 */
bool wave_placement_add(const struct probe_sites *table, const struct model_launch *launch,
			const struct placement_query *query, struct wave_classes *classes);

#endif
