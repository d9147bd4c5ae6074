/* SPDX-License-Identifier: MIT */
/*
 * Data-parallel primitives (DPP): from which lane a lane reads ("DPP_CTRL Enumeration" of the ISA
 * manual).
 */
#ifndef PROBE_SIMGPU_EXEC_VECTOR_DPP_H
#define PROBE_SIMGPU_EXEC_VECTOR_DPP_H

#include <stdbool.h>

/* The lane that lane l reads under dpp_ctrl; -1: none. */
static inline int dpp_source(unsigned int ctrl, int l)
{
	int row = l & 48, at = l & 15, n = (int)(ctrl & 15);

	if (ctrl < 0x100) /* quad_perm */
		return (l & 60) | (int)(ctrl >> 2 * (l & 3) & 3);
	switch (ctrl) {
	case 0x130: /* wave_shl:1 */
		return l < 63 ? l + 1 : -1;
	case 0x134: /* wave_rol:1 */
		return (l + 1) & 63;
	case 0x138: /* wave_shr:1 */
		return l - 1;
	case 0x13c: /* wave_ror:1 */
		return (l - 1) & 63;
	case 0x140: /* row_mirror */
		return row | (15 - at);
	case 0x141: /* row_half_mirror */
		return row | (at & 8) | (7 - (at & 7));
	case 0x142: /* row_bcast:15: last lane of the previous row */
		return row - 1;
	case 0x143: /* row_bcast:31: rows 2 and 3 read lane 31 */
		return l >= 32 ? 31 : -1;
	default:
		break;
	}
	switch (ctrl & 0x1f0) {
	case 0x100: /* row_shl */
		return at + n < 16 ? l + n : -1;
	case 0x110: /* row_shr */
		return at >= n ? l - n : -1;
	case 0x120: /* row_ror */
		return row | ((at - n) & 15);
	case 0x150: /* row_newbcast */
		return row | n;
	default:
		return -1;
	}
}

static inline bool dpp_lane_on(unsigned int row_mask, unsigned int bank_mask, int l)
{
	return row_mask >> l / 16 & 1 && bank_mask >> l % 16 / 4 & 1;
}

#endif
