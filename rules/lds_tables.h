/* SPDX-License-Identifier: MIT */
/*
 * Phase tables. Sources:
 *   shark  nod-ai/amd-shark-ai, docs/empirical-lds/ (PR #2919): measured on MI300X, MI350X, W7900,
 *          RX 9070 XT; docs/amdgpu_kernel_optimization_guide.md (PRs #136, #1970)
 *   HK     HazyResearch/HipKittens, analysis/paper_experiments/phases: measured on gfx950
 *   rpc    ROCm/rocm-systems, rocprofiler-compute LDS examples: measured on MI250, b32 only
 *   ck     ROCm composable_kernel, CK Tile documentation (lds_index_swapping)
 */
#ifndef PROBE_RULES_LDS_TABLES_H
#define PROBE_RULES_LDS_TABLES_H

#include <probe/rules/lds_model.h>

/* Lanes first..last. */
#define BITS(first, last) ((~0ull >> (63 - (last))) & (~0ull << (first)))

#define WAVE64_B32                                                                                 \
	{                                                                                          \
		BITS(0, 31), BITS(32, 63)                                                          \
	}
#define WAVE64_B64                                                                                 \
	{                                                                                          \
		BITS(0, 15), BITS(16, 31), BITS(32, 47), BITS(48, 63)                              \
	}
/* shark (pairwise), triton #11365, ck: quads q and q ^ 5 of a half wave share a phase. */
#define WAVE64_B128_INTERLEAVED                                                                    \
	{                                                                                          \
		BITS(0, 3) | BITS(20, 23), BITS(4, 7) | BITS(16, 19), BITS(8, 11) | BITS(28, 31),  \
			BITS(12, 15) | BITS(24, 27), BITS(32, 35) | BITS(52, 55),                  \
			BITS(36, 39) | BITS(48, 51), BITS(40, 43) | BITS(60, 63),                  \
			BITS(44, 47) | BITS(56, 59)                                                \
	}
#define WAVE64_B128_CONTIGUOUS                                                                     \
	{                                                                                          \
		BITS(0, 7), BITS(8, 15), BITS(16, 23), BITS(24, 31), BITS(32, 39), BITS(40, 47),   \
			BITS(48, 55), BITS(56, 63)                                                 \
	}

static const struct probe_lds_model models[] = {
	{
		.arch = "gfx90a",
		.wave = 64,
		.read =
			{
				[PROBE_LDS_B32] = {32, 2, PROBE_LDS_MEASURED, WAVE64_B32}, /* rpc */
				[PROBE_LDS_B64] = {32, 4, PROBE_LDS_DERIVED, WAVE64_B64},
				[PROBE_LDS_B96] = {32, 8, PROBE_LDS_DERIVED,
						   WAVE64_B128_INTERLEAVED},
				[PROBE_LDS_B128] = {32, 8, PROBE_LDS_DERIVED,
						    WAVE64_B128_INTERLEAVED},
			},
		.write =
			{
				[PROBE_LDS_B32] = {32, 2, PROBE_LDS_DERIVED, WAVE64_B32},
				[PROBE_LDS_B64] = {32, 4, PROBE_LDS_DERIVED, WAVE64_B64},
				[PROBE_LDS_B96] = {32, 8, PROBE_LDS_DERIVED,
						   WAVE64_B128_CONTIGUOUS},
				[PROBE_LDS_B128] = {32, 8, PROBE_LDS_DERIVED,
						    WAVE64_B128_CONTIGUOUS},
			},
		.note = "gfx90a LDS rules: derived from gfx942, not measured, except for reads of "
			"4 bytes",
	},
	{
		/* shark; b64 write as HK measured it on gfx950; b128 write: shark guide, ck. */
		.arch = "gfx942",
		.wave = 64,
		.read =
			{
				[PROBE_LDS_B32] = {32, 2, PROBE_LDS_MEASURED, WAVE64_B32},
				[PROBE_LDS_B64] = {32, 4, PROBE_LDS_MEASURED, WAVE64_B64},
				[PROBE_LDS_B96] = {32, 8, PROBE_LDS_DERIVED,
						   WAVE64_B128_INTERLEAVED},
				[PROBE_LDS_B128] = {32, 8, PROBE_LDS_MEASURED,
						    WAVE64_B128_INTERLEAVED},
			},
		.write =
			{
				[PROBE_LDS_B32] = {32, 2, PROBE_LDS_MEASURED, WAVE64_B32},
				[PROBE_LDS_B64] = {32, 4, PROBE_LDS_DERIVED, WAVE64_B64},
				[PROBE_LDS_B96] = {32, 8, PROBE_LDS_DERIVED,
						   WAVE64_B128_CONTIGUOUS},
				[PROBE_LDS_B128] = {32, 8, PROBE_LDS_DOCUMENTED,
						    WAVE64_B128_CONTIGUOUS},
			},
		.note = "gfx942 LDS rules: measured for reads of 4, 8 and 16 bytes; writes of 16 "
			"bytes documented, other writes of 8 bytes and more derived",
	},
	{
		/* Reads: shark and HK agree. 12-byte reads and 8-byte writes: HK. */
		.arch = "gfx950",
		.wave = 64,
		.read =
			{
				[PROBE_LDS_B32] = {64, 1, PROBE_LDS_MEASURED, {BITS(0, 63)}},
				[PROBE_LDS_B64] = {64, 2, PROBE_LDS_MEASURED, WAVE64_B32},
				[PROBE_LDS_B96] = {32, 8, PROBE_LDS_MEASURED,
						   WAVE64_B128_INTERLEAVED},
				[PROBE_LDS_B128] = {64,
						    4,
						    PROBE_LDS_MEASURED,
						    {BITS(0, 3) | BITS(12, 15) | BITS(20, 27),
						     BITS(4, 11) | BITS(16, 19) | BITS(28, 31),
						     BITS(32, 35) | BITS(44, 47) | BITS(52, 59),
						     BITS(36, 43) | BITS(48, 51) | BITS(60, 63)}},
			},
		.write =
			{
				[PROBE_LDS_B32] = {32, 2, PROBE_LDS_DERIVED, WAVE64_B32},
				[PROBE_LDS_B64] = {32, 4, PROBE_LDS_MEASURED, WAVE64_B64},
				[PROBE_LDS_B96] = {32, 8, PROBE_LDS_DERIVED,
						   WAVE64_B128_CONTIGUOUS},
				[PROBE_LDS_B128] = {32, 8, PROBE_LDS_DERIVED,
						    WAVE64_B128_CONTIGUOUS},
			},
		.note = "gfx950 LDS rules: measured for reads and for writes of 8 bytes; other "
			"writes derived from gfx942",
	},
	{
		/* shark, W7900. Directions were not distinguished. */
		.arch = "gfx1100",
		.wave = 32,
		.read =
			{
				[PROBE_LDS_B32] = {32, 1, PROBE_LDS_MEASURED, {BITS(0, 31)}},
				[PROBE_LDS_B64] =
					{32, 2, PROBE_LDS_MEASURED, {BITS(0, 15), BITS(16, 31)}},
				[PROBE_LDS_B96] = {32,
						   4,
						   PROBE_LDS_DERIVED,
						   {BITS(0, 3) | BITS(20, 23),
						    BITS(4, 7) | BITS(16, 19),
						    BITS(8, 11) | BITS(28, 31),
						    BITS(12, 15) | BITS(24, 27)}},
				[PROBE_LDS_B128] = {32,
						    4,
						    PROBE_LDS_MEASURED,
						    {BITS(0, 3) | BITS(20, 23),
						     BITS(4, 7) | BITS(16, 19),
						     BITS(8, 11) | BITS(28, 31),
						     BITS(12, 15) | BITS(24, 27)}},
			},
		.write =
			{
				[PROBE_LDS_B32] = {32, 1, PROBE_LDS_DERIVED, {BITS(0, 31)}},
				[PROBE_LDS_B64] =
					{32, 2, PROBE_LDS_DERIVED, {BITS(0, 15), BITS(16, 31)}},
				[PROBE_LDS_B96] = {32,
						   4,
						   PROBE_LDS_DERIVED,
						   {BITS(0, 7), BITS(8, 15), BITS(16, 23),
						    BITS(24, 31)}},
				[PROBE_LDS_B128] = {32,
						    4,
						    PROBE_LDS_DERIVED,
						    {BITS(0, 7), BITS(8, 15), BITS(16, 23),
						     BITS(24, 31)}},
			},
		.note = "gfx1100 LDS rules: measured for reads in waves of 32 lanes; the rest "
			"derived",
	},
	{
		/* shark, RX 9070 XT. */
		.arch = "gfx1201",
		.wave = 32,
		.read =
			{
				[PROBE_LDS_B32] = {32, 1, PROBE_LDS_MEASURED, {BITS(0, 31)}},
				[PROBE_LDS_B64] =
					{32, 2, PROBE_LDS_MEASURED, {BITS(0, 15), BITS(16, 31)}},
				[PROBE_LDS_B96] = {32,
						   4,
						   PROBE_LDS_DERIVED,
						   {BITS(0, 7), BITS(8, 15), BITS(16, 23),
						    BITS(24, 31)}},
				[PROBE_LDS_B128] = {32,
						    4,
						    PROBE_LDS_MEASURED,
						    {BITS(0, 7), BITS(8, 15), BITS(16, 23),
						     BITS(24, 31)}},
			},
		.write =
			{
				[PROBE_LDS_B32] = {32, 1, PROBE_LDS_DERIVED, {BITS(0, 31)}},
				[PROBE_LDS_B64] =
					{32, 2, PROBE_LDS_DERIVED, {BITS(0, 15), BITS(16, 31)}},
				[PROBE_LDS_B96] = {32,
						   4,
						   PROBE_LDS_DERIVED,
						   {BITS(0, 7), BITS(8, 15), BITS(16, 23),
						    BITS(24, 31)}},
				[PROBE_LDS_B128] = {32,
						    4,
						    PROBE_LDS_DERIVED,
						    {BITS(0, 7), BITS(8, 15), BITS(16, 23),
						     BITS(24, 31)}},
			},
		.note = "gfx1201 LDS rules: measured for reads in waves of 32 lanes; the rest "
			"derived",
	},
};

/* Family rows for other targets, by prefix of the name, longest first. */
static const struct {
	const char *prefix;
	const char *model;
	const char *note;
} families[] = {
	{"gfx940", "gfx942", "gfx940 LDS rules: derived from gfx942, not measured"},
	{"gfx941", "gfx942", "gfx941 LDS rules: derived from gfx942, not measured"},
	{"gfx12", "gfx1201", "gfx12 LDS rules: derived from gfx1201, not measured"},
	{"gfx11", "gfx1100", "gfx11 LDS rules: derived from gfx1100, not measured"},
	{"gfx10", "gfx1100", "gfx10 LDS rules: derived from gfx1100, not measured"},
	{"gfx9", "gfx90a", "gfx9 LDS rules: derived from gfx942, not measured"},
	{"", "gfx90a", "LDS rules of this target are unknown: those of gfx90a were used"},
};

#endif
