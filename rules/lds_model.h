/* SPDX-License-Identifier: MIT */
/*
 * How LDS serves a wave: a wave's access is cut into phases of lanes; within a phase, lanes that
 * want different dwords of one bank take turns, lanes that want the same dword share (but not in
 * atomic operations). Which lanes
 * form a phase depends on the architecture, the width and the direction, and is data.
 */
#ifndef PROBE_RULES_LDS_MODEL_H
#define PROBE_RULES_LDS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* Where a row of the table comes from. */
enum lds_evidence {
	LDS_MEASURED,	/* on this architecture's hardware */
	LDS_DOCUMENTED, /* by the vendor or a library of theirs */
	LDS_DERIVED,	/* taken over from a sister architecture or width */
};

struct lds_phases {
	uint8_t banks;
	uint8_t count;
	uint8_t evidence; /* enum lds_evidence */
	uint64_t lanes[8];
};

enum lds_width { LDS_B32, LDS_B64, LDS_B96, LDS_B128, LDS_WIDTHS };

struct lds_model {
	const char *arch; /* the name, or its beginning, of the targets it stands for */
	uint8_t wave;	  /* lanes that the phases cover */
	struct lds_phases read[LDS_WIDTHS], write[LDS_WIDTHS];
	const char *note; /* for reports: what is measured and what is not */
};

/* Never NULL: targets without a row get their family's, whose note says that it is derived. */
const struct lds_model *lds_model_find(const char *arch);

/* One sentence for reports: what of the rules for a target is measured and what is not. */
const char *lds_model_note(const char *arch);

/* Phases for accesses of `unit` bytes (1, 2, 4, 8, 12, 16). Atomics have those of reads. */
const struct lds_phases *lds_model_phases(const struct lds_model *model, unsigned unit, bool write);

struct lds_cost {
	uint32_t passes; /* sum over phases of the worst bank's distinct dwords, at least 1 each */
	uint32_t ideal;	 /* phases; conflicts = passes - ideal */
	uint32_t way;	 /* worst phase */
};

/* Scratch space of the counting; one per thread, zeroed before first use. */
struct lds_scratch {
	uint32_t stamp;
	uint32_t seen[1 << 16]; /* by dword: last phase (a stamp) that wanted it */
};

/*
 * Cost of one access; addr[l] for each lane l of exec. All dwords of an access count. A wave of
 * twice the model's lanes is served half by half. share: lanes on one dword are served together;
 * those of an atomic operation are not.
 */
struct lds_cost lds_count(const struct lds_model *model, const struct lds_phases *phases,
			  bool share, unsigned wave, unsigned unit, uint64_t exec,
			  const uint32_t addr[64], struct lds_scratch *scratch);

/*
 * The same for a full wave at base + stride * lane, without counting. False if the pattern has no
 * closed form: then count.
 */
bool lds_count_affine(const struct lds_model *model, const struct lds_phases *phases, bool share,
		      unsigned wave, unsigned unit, uint32_t base, int64_t stride,
		      struct lds_cost *ret);

#endif
