/* SPDX-License-Identifier: MIT */
/*
 * The site table of a code object (wire.h section 2), read from bytes that anybody may have made.
 * A table is accepted whole or not at all: every range and string in it has been checked.
 */
#ifndef PROBE_CODEOBJ_SITES_H
#define PROBE_CODEOBJ_SITES_H

#include <stdbool.h>
#include <stddef.h>

#include <probe/wire.h>

struct probe_err;

struct probe_sites {
	uint32_t site_count, kernel_count, frame_count;
	uint32_t uncovered;		  /* memory accesses of the module that no probe covers */
	uint32_t uncovered_count;	  /* those of them that are listed */
	uint32_t code_before, code_after; /* IR instructions: originals, all clones; 0 = unknown */
	struct probe_site_uncovered *uncovered_list;
	struct probe_site *sites;	 /* the id of a site is its index */
	struct probe_site_proof *proofs; /* by site id; NULL = nothing is proved */
	struct probe_site_group *groups; /* by rising row, as the next */
	uint32_t group_count;
	struct probe_site_predicate *predicates;
	uint32_t predicate_count;
	struct probe_expr_op *exprs; /* expressions, one after the other */
	uint32_t expr_ops;
	struct probe_site_kernel *kernels;
	struct probe_site_frame *frames;
	char *strings; /* offsets in the structs are good for probe_sites_string() */
	uint32_t strings_size;
};

/* `bytes` is section .probe_sites; `name` is for messages. */
struct probe_err *probe_sites_parse(const char *name, const void *bytes, size_t size,
				    struct probe_sites **ret);
void probe_sites_destroy(struct probe_sites *sites);

/* Is a site of this enum probe_access_kind a place and no access? */
static inline bool probe_site_is_mark(uint8_t access)
{
	return access == PROBE_ACCESS_BLOCK ||
	       (access >= PROBE_ACCESS_REGION && access <= PROBE_ACCESS_GROUP &&
		!probe_site_is_row(access));
}

/* What keeps an access from being probed, as a sentence's end. */
const char *probe_uncovered_text(uint32_t reason);

/* By its mangled name; NULL if the table has no such kernel. */
const struct probe_site_kernel *probe_sites_kernel(const struct probe_sites *sites,
						   const char *name);

/* Its first site and how many follow; 0 and 0 if the table has no such kernel. */
void probe_sites_of_kernel(const struct probe_sites *sites, const char *name, uint32_t *ret_first,
			   uint32_t *ret_count);

/* The group, or the predicate, whose counters are this row; NULL = it is none's. */
const struct probe_site_group *probe_sites_group(const struct probe_sites *sites, uint32_t row);
const struct probe_site_predicate *probe_sites_predicate(const struct probe_sites *sites,
							 uint32_t row);

/* Never NULL; "" for an offset that is not in the table. */
const char *probe_sites_string(const struct probe_sites *sites, uint32_t offset);

#endif
