/* SPDX-License-Identifier: MIT */
/*
 * How an address depends on the lane, for reports and advice: a class (enum probe_address_class),
 * an expression for readers, the load that an index comes from, and which accesses of a block are
 * at constant distances. None of it decides what is measured.
 *
 * Example: `out[idx[i]]` is a GATHER, "out + 4*(load at a.hip:12)", from "a.hip:12".
 */
#ifndef PROBE_ANALYSIS_ADDRESS_CLASS_H
#define PROBE_ANALYSIS_ADDRESS_CLASS_H

#include "llvm-plugin/analysis/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ADDRESS_TEXT = 200, ADDRESS_SOURCE = 256, ADDRESS_TERMS = 16 };

struct address_description {
	enum probe_address_class kind;
	unsigned flags; /* enum probe_address_flag */
	char text[ADDRESS_TEXT];
	char source[ADDRESS_SOURCE]; /* "file:line"; "" = no load, or without a line */
	/*
	 * The first access of the block at a constant distance, as long as no index wraps around,
	 * or the access itself.
	 */
	uint32_t near_access;
	int32_t distance;      /* from there */
	LLVMValueRef variable; /* in LDS, that contains the address; NULL = unknown */
	struct probe_site_term term[ADDRESS_TERMS]; /* `site` is not set */
	unsigned term_count;
};

struct address_classes;
/* For the analysed function, which must not change. */
struct address_classes *address_classes_create(const struct analysis *in);
void address_classes_destroy(struct address_classes *classes);
/* Add accesses in the order of their numbers. `proof`: NULL if the address is not proved affine. */
void address_classes_add(struct address_classes *classes, uint32_t number, LLVMValueRef inst,
			 LLVMValueRef pointer, const struct affine_address *proof,
			 struct address_description *ret);

#ifdef __cplusplus
}
#endif
#endif
