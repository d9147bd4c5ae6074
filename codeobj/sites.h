/* SPDX-License-Identifier: MIT */
/*
 * The site table of a code object (wire_sites.h section 2), read from untrusted bytes. A table is
 * accepted as a whole or rejected: every range and string in it is checked.
 */
#ifndef PROBE_CODEOBJ_SITES_H
#define PROBE_CODEOBJ_SITES_H

#include <stdbool.h>
#include <stddef.h>

#include <probe/wire.h>

#include "codeobj/derived_sites.h"

struct probe_err;

struct probe_sites {
	uint32_t site_count, kernel_count, frame_count;
	uint32_t uncovered;		  /* memory accesses of the module that no probe covers */
	uint32_t uncovered_count;	  /* those of them that are listed */
	uint32_t code_before, code_after; /* IR instructions: originals, all clones; 0 = unknown */
	struct probe_site_uncovered *uncovered_list;
	uint32_t variable_count;
	struct probe_site_variable *variables;
	uint32_t operation_count;
	struct probe_site_operations *operations;
	uint32_t term_count;
	struct probe_site_term *terms; /* sorted by site */
	struct probe_site *sites;      /* the id of a site is its index */
	struct probe_site_kernel *kernels;
	struct probe_site_frame *frames;
	/* Derived sites: members sorted by site, the others by row (derived_sites.h). */
	struct probe_expr_node *expressions;
	struct site_predicate *predicates;
	struct site_group *groups;
	struct site_histogram *histograms;
	struct site_member *members;
	struct site_block *blocks;
	uint32_t expression_count, predicate_count, group_count, histogram_count, member_count;
	uint32_t block_count;
	char *strings; /* indexed by offsets, see probe_sites_string() */
	uint32_t strings_size;
};

/* `bytes` is section .probe_sites; `name` is for messages. */
struct probe_err *probe_sites_parse(const char *name, const void *bytes, size_t size,
				    struct probe_sites **ret);
void probe_sites_destroy(struct probe_sites *sites);

/* Is a site of this enum probe_access_kind a source location, but not an access? */
static inline bool probe_site_is_mark(uint8_t access)
{
	return access == PROBE_ACCESS_BLOCK ||
	       (access >= PROBE_ACCESS_REGION && access <= PROBE_ACCESS_GROUP &&
		!probe_site_is_row(access));
}

/* Why an access is not probed, as the end of a sentence. */
const char *probe_uncovered_text(uint32_t reason);

/* By its mangled name; NULL if the table has no such kernel. */
const struct probe_site_kernel *probe_sites_kernel(const struct probe_sites *sites,
						   const char *name);

/* First site and number of sites; both 0 if the table does not have the kernel. */
void probe_sites_of_kernel(const struct probe_sites *sites, const char *name, uint32_t *ret_first,
			   uint32_t *ret_count);

/* Never NULL; "" for an offset that is not in the table. */
const char *probe_sites_string(const struct probe_sites *sites, uint32_t offset);

#endif
