/* SPDX-License-Identifier: MIT */
/*
 * Attributes samples of one agent and method to instructions of code objects and to dispatches.
 * Every record is counted in exactly one of the counts below.
 *
 * Reports need no single samples, only how often each instruction was seen in each state. So there
 * is one row of counters per instruction that was hit. If dispatches must be distinguished, spill()
 * receives the samples of each. Not thread-safe: one attributor per stream.
 */
#ifndef PROBE_PCSAMPLE_ATTRIBUTE_H
#define PROBE_PCSAMPLE_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pcsample/code_map.h"
#include "pcsample/decode.h"
#include "pcsample/dispatch_map.h"

/* Samples of one instruction. Host trap records no states: all samples are in issued[TYPE_NONE]. */
struct probe_pcs_row {
	uint64_t issued[PROBE_PCS_TYPES];
	uint64_t stalled[PROBE_PCS_REASONS];
	uint64_t dual;	/* the issued ones among them */
	uint64_t lanes; /* active lanes, summed */
	uint64_t waves; /* wave_count, summed */
};

/*
 * Rows by instruction slot (4 bytes), in pages that are allocated on the first hit. While samples
 * arrive, a row is two cache lines of 32-bit counters; they are added to 64-bit counters before any
 * can overflow. If so many pages are hit that the host does not cache them, a page collects its
 * samples as words of 32 bits, and counts them when there are many.
 */
enum {
	PROBE_PCS_PAGE_ROWS = 256,
};

struct probe_pcs_page;

struct probe_pcs_rows {
	uint64_t count; /* instruction slots of the code object */
	uint64_t since; /* samples since the last fold */
	uint64_t hit;	/* number of pages */
	struct probe_pcs_page **pages;
	uint16_t *waiting; /* words that each page has collected */
	struct probe_pcs_row **folded;
};

/* Records by outcome. received = the sum of the others. */
struct probe_pcs_counts {
	uint64_t received;
	uint64_t attributed;  /* to code and dispatch */
	uint64_t no_dispatch; /* in known code, but of no recorded dispatch (kernels of the runtime)
			       */
	uint64_t no_code;     /* of a recorded dispatch, but in no loaded code object */
	uint64_t foreign; /* neither: the runtime's copy kernels, which belong to no code object */
	uint64_t misaligned;	   /* in a code object, but not at an instruction */
	uint64_t invalid, skipped; /* marked as such by the hardware */
	uint64_t dropped;	   /* no memory to count it */
};

/*
 * A sample in one number: bits 6..0 active lanes, 12..7 waves, 13 dual, 18..14
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
	PROBE_PCS_EVENTS = 65536, /* of one dispatch, until spill() */
};

struct probe_pcs_attributor {
	struct probe_pcs_layout layout;
	struct probe_code_map code; /* range.user: struct probe_pcs_rows */
	struct probe_dispatch_map dispatches;
	struct probe_pcs_counts counts;
	/*
	 * If set, samples of known dispatches are kept with the dispatch instead of in rows, and
	 * passed to spill(): at most PROBE_PCS_EVENTS at a time, of code object event_code. The
	 * last ones are in the entry when it retires. Without memory they count as dropped.
	 */
	void (*spill)(void *user, const struct probe_dispatch_entry *entry);
	void *spill_user;
	uint64_t last_key; /* dispatch of the last sample, which saves the look-up */
	struct probe_dispatch_entry *last_entry;
	/* gfx9: the counter of a sample, indexed by bits of the snapshot; see attribute.c. */
	uint8_t counter[2048];
};

/* -EINVAL if the layout is unknown. The maps start empty; the caller sets dispatches.retired. */
int probe_pcs_attributor_init(struct probe_pcs_attributor *attributor,
			      const struct probe_pcs_layout *layout);
void probe_pcs_attributor_destroy(struct probe_pcs_attributor *attributor);

/* The rows of a code object belong to the caller and outlive its unloading. */
int probe_pcs_rows_init(struct probe_pcs_rows *rows, uint64_t code_size);
void probe_pcs_rows_destroy(struct probe_pcs_rows *rows);
/* Adds samples of one state. False without memory, or if there is no such index or state. */
bool probe_pcs_rows_add(struct probe_pcs_rows *rows, uint64_t index, unsigned state, uint64_t count,
			const struct probe_pcs_row *sums);
/* False if it was never hit. */
bool probe_pcs_rows_at(const struct probe_pcs_rows *rows, uint64_t index,
		       struct probe_pcs_row *ret);

/*
 * Attributes records[0..count), 64 bytes each. Pass whole buffers in the order of delivery, and
 * call probe_dispatch_map_delivered() after each.
 */
void probe_pcs_attribute(struct probe_pcs_attributor *attributor, const uint8_t *records,
			 size_t count);

#endif
