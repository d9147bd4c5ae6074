/* SPDX-License-Identifier: MIT */
/* Operations on a bit field of a work-item's id (analysis.h): scale * (id >> shift & mask). */
#ifndef PROBE_LLVM_PLUGIN_ANALYSIS_BIT_FIELD_H
#define PROBE_LLVM_PLUGIN_ANALYSIS_BIT_FIELD_H

#include <algorithm>

#include <llvm/ADT/APInt.h>

#include "llvm-plugin/analysis/analysis.h"

/* Drops the bits of the value from `width` on. False: no bits remain. */
static inline bool bit_field_clip(affine_field &field, uint64_t width)
{
	unsigned low = (unsigned)__builtin_ctzll((uint64_t)field.scale);

	if (width <= low)
		return false;
	if (width - low < 32)
		field.mask &= (1u << (width - low)) - 1;
	return true;
}

/* False: no bits remain. */
static inline bool bit_field_shift_right(affine_field &field, uint64_t by)
{
	unsigned low = (unsigned)__builtin_ctzll((uint64_t)field.scale);

	if (by <= low) {
		field.scale >>= by;
		return true;
	}
	by -= low;
	field.scale = 1;
	if (field.shift + by > 31)
		return false;
	field.shift = (uint8_t)(field.shift + by);
	field.mask >>= by;
	return true;
}

/* Keeps only the bits in `mask`. Always true, so that calls can be chained. */
static inline bool bit_field_mask(affine_field &field, const llvm::APInt &mask)
{
	field.mask &= (uint32_t)mask.lshr((unsigned)__builtin_ctzll((uint64_t)field.scale))
			      .extractBitsAsZExtValue(std::min(32u, mask.getBitWidth()), 0);
	return true;
}

#endif
