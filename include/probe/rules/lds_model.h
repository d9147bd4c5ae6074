/* SPDX-License-Identifier: MIT */
/*
 * LDS bank conflicts of one access of a wave.
 *
 * LDS serves a wave in phases. Within a phase, lanes that need different dwords of one bank are
 * served one after the other; lanes that need the same dword share it (broadcast), except in atomic
 * operations. Which lanes form a phase depends on the architecture, the width of the access and its
 * direction, and is data: rules/lds_tables.h, with the source of every row.
 *
 * Pure functions, safe to call from several threads if each has a scratch space of its own.
 */
#ifndef PROBE_RULES_LDS_MODEL_H
#define PROBE_RULES_LDS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a row of the table comes from. */
enum probe_lds_evidence {
	PROBE_LDS_MEASURED,   /* on hardware of this architecture */
	PROBE_LDS_DOCUMENTED, /* by the vendor, or by a library of the vendor's */
	PROBE_LDS_DERIVED,    /* from a related architecture or another width */
};

struct probe_lds_phases {
	uint8_t banks;	   /* of 4 bytes; a power of two */
	uint8_t count;	   /* of phases */
	uint8_t evidence;  /* enum probe_lds_evidence */
	uint64_t lanes[8]; /* mask of lanes per phase */
};

enum probe_lds_width {
	PROBE_LDS_B32, /* 4 bytes or fewer */
	PROBE_LDS_B64,
	PROBE_LDS_B96,
	PROBE_LDS_B128,
	PROBE_LDS_WIDTHS
};

struct probe_lds_model {
	const char *arch; /* name of the target, "gfx90a" */
	uint8_t wave;	  /* lanes that the phases cover: 32 or 64 */
	struct probe_lds_phases read[PROBE_LDS_WIDTHS], write[PROBE_LDS_WIDTHS];
	const char *note; /* one sentence on what is measured and what is derived */
};

/*
 * The model of a target ("gfx90a", "gfx942:sramecc+"). Never NULL: a target without a row of its
 * own gets that of its family. The result is static.
 */
const struct probe_lds_model *probe_lds_model_find(const char *arch);

/* One sentence about which rules for a target are measured and which are derived. Static. */
const char *probe_lds_model_note(const char *arch);

/* Phases of accesses of `unit` bytes (1, 2, 4, 8, 12, 16). Atomics have those of reads. */
const struct probe_lds_phases *probe_lds_model_phases(const struct probe_lds_model *model,
						      unsigned unit, bool write);

/* How LDS serves the machine accesses of one instruction. Constant per site: compute it once. */
struct probe_lds_rule {
	const struct probe_lds_phases *phases;
	uint8_t phase_wave; /* lanes that the phases cover */
	uint8_t wave;	    /* lanes of a wave: 32 or 64 */
	uint8_t unit;	    /* bytes of one machine access per lane */
	bool share;	    /* lanes on one dword are served together: no atomic operation */
};

struct probe_lds_rule probe_lds_rule(const struct probe_lds_model *model, unsigned wave,
				     unsigned unit, enum probe_access_kind access);

struct probe_lds_cost {
	uint32_t passes; /* sum over phases of the distinct dwords in the bank with the most, at
			    least 1 each */
	uint32_t ideal;	 /* number of phases; bank conflicts = passes - ideal */
	uint32_t way;	 /* largest number of passes in a phase: an n-way bank conflict; 1 = none */
};

enum { PROBE_LDS_PATTERNS = 16 };

/* Addresses of a whole wave whose cost is known. */
struct probe_lds_pattern {
	struct probe_lds_rule rule;
	uint32_t addr[64];
	struct probe_lds_cost cost;
};

/* Working memory of probe_lds_count(): one per thread, zeroed before first use. 261 KiB. */
struct probe_lds_scratch {
	struct probe_lds_pattern known[PROBE_LDS_PATTERNS];
	uint32_t stamp;
	uint32_t seen[1 << 16]; /* by dword: the last phase (a stamp) that needed it */
};

/*
 * Cost of one machine access. addr[l] is the byte offset in LDS of lane l, read for each lane of
 * `exec`. All dwords that an access touches count. A wave with twice the model's lanes is served
 * half by half.
 */
struct probe_lds_cost probe_lds_count(const struct probe_lds_rule *rule, uint64_t exec,
				      const uint32_t addr[64], struct probe_lds_scratch *scratch);

/*
 * The same for a full wave at base + stride * lane, in closed form. False if there is none for the
 * pattern: use probe_lds_count() then.
 */
bool probe_lds_count_affine(const struct probe_lds_rule *rule, uint32_t base, int64_t stride,
			    struct probe_lds_cost *ret);

#ifdef __cplusplus
}
#endif

#endif
