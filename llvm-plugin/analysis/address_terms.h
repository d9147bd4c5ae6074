/* SPDX-License-Identifier: MIT */
/* An address as a sum of products, for advice (struct probe_site_term). */
#ifndef PROBE_ANALYSIS_ADDRESS_TERMS_H
#define PROBE_ANALYSIS_ADDRESS_TERMS_H

#include "llvm-plugin/analysis/address_class.h"
#include "llvm-plugin/analysis/function.h"

/*
 * The terms of an address except its pointer and its constant. Their number; only one, which is
 * unknown, if one of them is, or if there are more than ADDRESS_TERMS.
 */
unsigned address_terms(const analysis &in, const llvm::SCEV *expr,
		       struct probe_site_term ret[ADDRESS_TERMS]);

#endif
