/* SPDX-License-Identifier: MIT */
/*
 * Samples of one agent and method, counted where they belong: per instruction of a code object and
 * per dispatch. Every record ends in exactly one of the counts below.
 *
 * A report needs no single sample but how often each instruction was seen in which state, so that
 * is what is kept: one row of counters per instruction that was hit. Where dispatches are to be
 * told apart, spill() gets what was seen in each. Not thread-safe: one per stream.
 */
#ifndef PROBE_PCSAMPLE_ATTRIBUTE_H
#define PROBE_PCSAMPLE_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pcsample/code_map.h"
#include "pcsample/decode.h"
#include "pcsample/dispatch_map.h"

/* What was seen of one instruction. Host trap cannot tell: everything is in issued[TYPE_NONE]. */
struct probe_pcs_row {
	uint64_t issued[PROBE_PCS_TYPES];
	uint64_t stalled[PROBE_PCS_REASONS];
	uint64_t dual;	/* of those issued */
	uint64_t lanes; /* active lanes, summed */
	uint64_t waves; /* wave_count, summed */
};

/*
 * Rows by instruction (4 bytes each), in pages made when first hit. While samples come in, a row is
 * two cache lines of 32-bit counters; they are folded into 64-bit ones before any can overflow.
 */
enum {
	PROBE_PCS_PAGE_ROWS = 256,
};

struct probe_pcs_hot_row;

struct probe_pcs_rows {
	uint64_t count; /* instructions the code object has room for */
	uint64_t since; /* samples since the last fold */
	struct probe_pcs_hot_row **pages;
	struct probe_pcs_row **folded;
};

/* What became of the records. received = the sum of the others. */
struct probe_pcs_counts {
	uint64_t received;
	uint64_t attributed;  /* to code and dispatch */
	uint64_t no_dispatch; /* in known code, but in no dispatch of ours (runtime's kernels) */
	uint64_t no_code;     /* of a dispatch of ours, but in no loaded code object */
	uint64_t foreign;     /* neither: the runtime's own copies, which have no code object */
	uint64_t misaligned;  /* in one, but not on an instruction */
	uint64_t invalid, skipped; /* the hardware says so */
	uint64_t dropped;	   /* no memory to count it */
};

/*
 * A sample as far as it counts, in one number: bits 6..0 active lanes, 12..7 waves, 13 dual, 18..14
 * state (enum probe_pcs_type, or PROBE_PCS_TYPES + enum probe_pcs_reason), from 19 on the
 * instruction slot (4 bytes) in the code object.
 */
enum {
	PROBE_PCS_EVENT_WAVES = 7,
	PROBE_PCS_EVENT_DUAL = 13,
	PROBE_PCS_EVENT_STATE = 14,
	PROBE_PCS_EVENT_INDEX = 19,
};

enum {
	PROBE_PCS_STATES = PROBE_PCS_TYPES + PROBE_PCS_REASONS,
	PROBE_PCS_EVENTS = 65536, /* of one dispatch, until they are handed on */
};

struct probe_pcs_attributor {
	struct probe_pcs_layout layout;
	struct probe_code_map code; /* range.user: struct probe_pcs_rows */
	struct probe_dispatch_map dispatches;
	struct probe_pcs_counts counts;
	/*
	 * If set, samples of known dispatches do not go into rows but are kept with the dispatch
	 * and handed on here, PROBE_PCS_EVENTS at most, of code object event_code; the last ones
	 * are in the entry when it retires. Without memory they count as dropped.
	 */
	void (*spill)(void *user, const struct probe_dispatch_entry *entry);
	void *spill_user;
	uint64_t last_key; /* the dispatch of the last sample, to save the look-up */
	struct probe_dispatch_entry *last_entry;
	/* gfx9: what the snapshot's bits that decide come to; see attribute.c. */
	uint8_t counter[2048];
};

/* -EINVAL if the layout is not known. The maps start empty; set dispatches.retired yourself. */
int probe_pcs_attributor_init(struct probe_pcs_attributor *attributor,
			      const struct probe_pcs_layout *layout);
void probe_pcs_attributor_destroy(struct probe_pcs_attributor *attributor);

/* As those of the maps; the rows belong to the caller and outlive the unload. */
int probe_pcs_rows_init(struct probe_pcs_rows *rows, uint64_t code_size);
void probe_pcs_rows_destroy(struct probe_pcs_rows *rows);
/* Add samples of one state. False: out of memory, or no such index or state. */
bool probe_pcs_rows_add(struct probe_pcs_rows *rows, uint64_t index, unsigned state, uint64_t count,
			const struct probe_pcs_row *sums);
/* False: never hit. */
bool probe_pcs_rows_at(const struct probe_pcs_rows *rows, uint64_t index,
		       struct probe_pcs_row *ret);

/*
 * Take records[0..count), 64 bytes each. Whole buffers in the order of delivery; then tell
 * probe_dispatch_map_delivered().
 */
void probe_pcs_attribute(struct probe_pcs_attributor *attributor, const uint8_t *records,
			 size_t count);

#endif
