/* SPDX-License-Identifier: MIT */
/* Source locations of accesses, also of those from which optimisations removed the line. */
#ifndef PROBE_LLVM_PLUGIN_SITES_SITE_LOCATION_H
#define PROBE_LLVM_PLUGIN_SITES_SITE_LOCATION_H

#include <stdbool.h>
#include <llvm-c/Core.h>

/*
 * The location of an instruction, or of the innermost call with a line by which it was inlined.
 * LLVM sets the line to 0 where it merges instructions of several lines or moves one to another
 * block. NULL: no debug information.
 */
LLVMMetadataRef site_location_known(LLVMValueRef inst);
/*
 * The same. If there is no line either, and the instruction is an access: the location of, in the
 * same function,
 *
 * 1. the pointer operations that compute its address, and nothing else;
 * 2. or the nearest access of its kind to the same array in its block;
 * 3. or index arithmetic of its address, and nothing else;
 * 4. or what computes the stored value, and nothing else.
 *
 * *likely: is it another location than the instruction's own? Must be called before probes are
 * inserted, which use addresses, too.
 */
LLVMMetadataRef site_location(LLVMValueRef inst, bool *likely);

#endif
