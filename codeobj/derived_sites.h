/* SPDX-License-Identifier: MIT */
/*
 * Sites of a code object whose counters are derived, not measured: the contents of the site table
 * (wire_sites.h) for probe-run, in arrays that refer to each other by index.
 *
 * Example: `if (i < n) a[i] = b[i];` has two members in one group. The group is guarded by one
 * predicate, whose condition is the expression i < n.
 */
#ifndef PROBE_CODEOBJ_DERIVED_SITES_H
#define PROBE_CODEOBJ_DERIVED_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>

#include "common/expr.h"

#define DERIVED_NONE PROBE_EXPR_NONE /* not an element of an array */

/* The lanes of a wave that execute the block guarded by a branch. Waves execute it at most once. */
struct site_predicate {
	uint32_t row;	    /* PROBE_GROUP_SKIPPED: regular waves that do not execute the block */
	uint32_t parent;    /* the predicate that the branch is behind; NONE */
	uint32_t condition; /* expression, 1 in lanes that execute it, instead of counts; NONE */
	bool loop; /* the block is a loop's body: `condition` is the number of further iterations */
};

enum histogram_kind {
	HISTOGRAM_MASKS = 1, /* by execution mask and residues */
	HISTOGRAM_RESIDUES,  /* of full waves, for each residue by its value */
	HISTOGRAM_PREFIXES,  /* of masks of the first n lanes of a wave */
	HISTOGRAM_KINDS,
};
struct site_histogram {
	enum histogram_kind kind;
	uint32_t first_row, rows;
};

/* Accesses that execute together, with the same lanes, and are counted once. */
struct site_group {
	uint32_t row;	    /* enum probe_group_counter */
	uint32_t predicate; /* NONE = every wave executes it, or it is not ONCE */
	uint32_t flags;	    /* enum probe_group_flag */
	uint32_t first_histogram, histogram_count;
};

/* Sampled sites: one in how many executions is measured; 0 = they are not sampled. */
static inline uint32_t site_group_every(const struct site_group *group)
{
	return group->flags & PROBE_GROUP_SAMPLED ? PROBE_GROUP_EVERY(group->flags) : 0;
}

/*
 * A site of a group. The address in a lane is U + stride[0] * x + stride[1] * y + stride[2] * z +
 * bit fields, U the same in all lanes, x, y, z the work-item's id.
 *
 * A group has up to eight residues: addresses modulo 128 in the first active lane, of what several
 * members have at constant distances.
 */
enum { SITE_RESIDUES = 8 };
struct site_member {
	uint32_t site, group;
	/* In regular waves, no lane's address may be less than the first active lane's. */
	bool first_is_lowest;
	uint32_t residue; /* which of its group's the cost depends on; NONE = on none of them */
	uint32_t base;	  /* PROBE_GROUP_LAUNCH: expression of the address with that residue */
	int32_t base_distance;	  /* bytes from there to this site's address */
	uint32_t address;	  /* PROBE_GROUP_LANES: expression of the address per lane */
	int64_t address_distance; /* bytes from there to this site's address */
	/*
	 * PROBE_GROUP_LOOP: expression of the distance between iterations of loop `stepped`, where
	 * 0 is the outermost loop; NONE.
	 */
	uint32_t step, stepped;
	struct probe_site_stride stride[3];
	struct probe_site_bitfield field[PROBE_BITFIELDS];
};

/* `count` kind: basic blocks that execute together: a BLOCK site, or a row that others need. */
struct site_block {
	uint32_t row;
	bool complement; /* counted are executions of the parent without the block */
	uint32_t parent; /* a block before this one; NONE = the launch */
};

struct probe_err;
struct probe_sites;

/* Arrays of a site table, as stored in the code object. */
struct derived_source {
	struct probe_site_proof *proofs; /* by site; NULL = nothing is derived */
	struct probe_site_group *groups;
	struct probe_site_predicate *predicates;
	uint32_t group_count, predicate_count;
};

/*
 * Fills in the arrays of derived sites. Sites and expressions of `sites` are read already, and are
 * checked here as well. `name` is for messages.
 */
struct probe_err *derived_sites_read(const char *name, const struct derived_source *source,
				     struct probe_sites *sites);
void derived_sites_free(struct probe_sites *sites);

/* The site as a member of its group; NULL = it is measured. */
const struct site_member *probe_sites_member(const struct probe_sites *sites, uint32_t site);
/*
 * Indices of elements whose first word, a row or site in ascending order, is in [first_row,
 * first_row + rows): for arrays of predicates, groups, members and blocks.
 */
struct probe_sites_range {
	uint32_t first, end;
};
struct probe_sites_range probe_sites_rows(const void *array, uint32_t count, size_t element,
					  uint32_t first_row, uint32_t rows);

#endif
