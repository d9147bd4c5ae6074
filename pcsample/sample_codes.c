/* SPDX-License-Identifier: MIT */
#include "pcsample/sample_codes.h"

#include <stddef.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const uint8_t gfx9_types[] = {
	PROBE_PCS_TYPE_VALU,	     PROBE_PCS_TYPE_MATRIX,
	PROBE_PCS_TYPE_SCALAR,	     PROBE_PCS_TYPE_TEX,
	PROBE_PCS_TYPE_LDS,	     PROBE_PCS_TYPE_FLAT,
	PROBE_PCS_TYPE_EXPORT,	     PROBE_PCS_TYPE_MESSAGE,
	PROBE_PCS_TYPE_BARRIER,	     PROBE_PCS_TYPE_BRANCH_NOT_TAKEN,
	PROBE_PCS_TYPE_BRANCH_TAKEN, PROBE_PCS_TYPE_JUMP,
	PROBE_PCS_TYPE_OTHER,	     PROBE_PCS_TYPE_NO_INST,
};

static const uint8_t gfx12_types[] = {
	PROBE_PCS_TYPE_VALU,	     PROBE_PCS_TYPE_SCALAR,	PROBE_PCS_TYPE_TEX,
	PROBE_PCS_TYPE_LDS,	     PROBE_PCS_TYPE_LDS_DIRECT, PROBE_PCS_TYPE_EXPORT,
	PROBE_PCS_TYPE_MESSAGE,	     PROBE_PCS_TYPE_BARRIER,	PROBE_PCS_TYPE_BRANCH_NOT_TAKEN,
	PROBE_PCS_TYPE_BRANCH_TAKEN, PROBE_PCS_TYPE_JUMP,	PROBE_PCS_TYPE_OTHER,
	PROBE_PCS_TYPE_NO_INST,	     PROBE_PCS_TYPE_DUAL_VALU,	PROBE_PCS_TYPE_FLAT,
	PROBE_PCS_TYPE_MATRIX,
};

static const uint8_t gfx9_reasons[] = {
	PROBE_PCS_REASON_NO_INSTRUCTION,
	PROBE_PCS_REASON_ALU_DEPENDENCY,
	PROBE_PCS_REASON_WAITCNT,
	PROBE_PCS_REASON_INTERNAL,
	PROBE_PCS_REASON_BARRIER,
	PROBE_PCS_REASON_ARBITER_NOT_WIN,
	PROBE_PCS_REASON_ARBITER_WIN_EX_STALL,
	PROBE_PCS_REASON_OTHER,
};

static const uint8_t gfx12_reasons[] = {
	PROBE_PCS_REASON_NO_INSTRUCTION,  PROBE_PCS_REASON_ALU_DEPENDENCY, PROBE_PCS_REASON_WAITCNT,
	PROBE_PCS_REASON_ARBITER_NOT_WIN, PROBE_PCS_REASON_SLEEP,	   PROBE_PCS_REASON_BARRIER,
	PROBE_PCS_REASON_OTHER,		  PROBE_PCS_REASON_INTERNAL,
};

static const struct {
	const uint8_t *types, *reasons;
	size_t type_count, reason_count;
} families[] = {
	[PROBE_PCS_GFX9] = {gfx9_types, gfx9_reasons, COUNT(gfx9_types), COUNT(gfx9_reasons)},
	[PROBE_PCS_GFX12] = {gfx12_types, gfx12_reasons, COUNT(gfx12_types), COUNT(gfx12_reasons)},
	[PROBE_PCS_GFX1250] = {gfx12_types, gfx12_reasons, COUNT(gfx12_types),
			       COUNT(gfx12_reasons)},
};

uint8_t probe_pcs_type_of(enum probe_pcs_family family, unsigned raw)
{
	return raw < families[family].type_count ? families[family].types[raw]
						 : PROBE_PCS_TYPE_NONE;
}

uint8_t probe_pcs_reason_of(enum probe_pcs_family family, unsigned raw)
{
	return raw < families[family].reason_count ? families[family].reasons[raw]
						   : PROBE_PCS_REASON_NONE;
}

static unsigned raw_of(const uint8_t *codes, size_t count, unsigned code)
{
	for (unsigned raw = 0; raw < count; raw++)
		if (codes[raw] == code)
			return raw;
	return 0;
}

unsigned probe_pcs_type_raw(enum probe_pcs_family family, unsigned type)
{
	return raw_of(families[family].types, families[family].type_count, type);
}

unsigned probe_pcs_reason_raw(enum probe_pcs_family family, unsigned reason)
{
	return raw_of(families[family].reasons, families[family].reason_count, reason);
}

static const char *const type_names[PROBE_PCS_TYPES] = {
#define WORD(name, number, word, text) [number] = word,
	PROBE_PCS_TYPE_TABLE(WORD)
#undef WORD
};

static const char *const reason_names[PROBE_PCS_REASONS] = {
#define TEXT(name, number, word, text) [number] = text,
	PROBE_PCS_REASON_TABLE(TEXT)
#undef TEXT
};

const char *probe_pcs_type_name(unsigned type)
{
	return type_names[type < PROBE_PCS_TYPES ? type : 0];
}

const char *probe_pcs_reason_name(unsigned reason)
{
	return reason_names[reason < PROBE_PCS_REASONS ? reason : 0];
}
