/* SPDX-License-Identifier: MIT */
#include "pcsample/attribute.h"

#include <errno.h>
#include <stdlib.h>

#include "pcsample/record_layout.h"

/*
 * The counter of a sample: issued with a type, stalled for a reason, or none because it is invalid.
 * It fits in one byte, which for gfx9 depends on only eleven bits of the snapshot. A table made
 * with the decoder maps them, because decoding all fields of every record would take most of the
 * time.
 */
enum {
	COUNTS_STALLED = 32, /* + reason; below: the type */
	COUNTS_DUAL = 64,    /* added to a type */
	COUNTS_INVALID = 128,
	COUNTS_SKIPPED = 129,
	DECIDING_BITS = 10, /* bits 9..0 of data, followed by the error bit */
};

static uint8_t counts_as(enum probe_pcs_verdict verdict, const struct probe_pc_sample *sample)
{
	if (verdict == PROBE_PCS_SKIPPED)
		return COUNTS_SKIPPED;
	if (verdict != PROBE_PCS_VALID)
		return COUNTS_INVALID;
	if (sample->issued)
		return (uint8_t)(sample->type | (sample->dual ? COUNTS_DUAL : 0));
	return (uint8_t)(COUNTS_STALLED + sample->reason);
}

static bool by_table(const struct probe_pcs_layout *layout)
{
	return layout->family == PROBE_PCS_GFX9 && layout->method == PROBE_PCS_STOCHASTIC;
}

static void fill_table(struct probe_pcs_attributor *attributor)
{
	for (uint32_t bits = 0; bits < sizeof(attributor->counter); bits++) {
		uint8_t record[PROBE_PCS_RECORD_SIZE] = {0};
		struct probe_pc_sample sample;

		write32(record + AT_SNAPSHOT, (bits & ((1u << DECIDING_BITS) - 1)) |
						      (bits >> DECIDING_BITS) << GFX9_ERROR_BIT);
		attributor->counter[bits] =
			counts_as(probe_pcs_decode(&attributor->layout, record, &sample), &sample);
	}
}

int probe_pcs_attributor_init(struct probe_pcs_attributor *attributor,
			      const struct probe_pcs_layout *layout)
{
	uint8_t record[PROBE_PCS_RECORD_SIZE] = {0};
	struct probe_pc_sample sample;

	*attributor = (struct probe_pcs_attributor){.layout = *layout};
	if (probe_pcs_decode(layout, record, &sample) == PROBE_PCS_BAD_FAMILY)
		return -EINVAL;
	if (by_table(layout))
		fill_table(attributor);
	return 0;
}

void probe_pcs_attributor_destroy(struct probe_pcs_attributor *attributor)
{
	probe_code_map_destroy(&attributor->code);
	probe_dispatch_map_destroy(&attributor->dispatches);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

enum {
	COUNTERS = PROBE_PCS_TYPES + PROBE_PCS_REASONS + 1, /* as in struct probe_pcs_row */
	STALLED = PROBE_PCS_TYPES,
	DUAL = PROBE_PCS_TYPES + PROBE_PCS_REASONS,
};
#define FOLD_AFTER ((uint64_t)1 << 31) /* samples */

struct probe_pcs_hot_row {
	uint32_t counter[COUNTERS];
	uint64_t lanes, waves;
};
_Static_assert(sizeof(struct probe_pcs_hot_row) == 128, "two cache lines");

/* More pages than this many do not stay in the host's second-level cache. */
enum { CACHED_PAGES = 16, WAITING = 2048 };
struct probe_pcs_page {
	struct probe_pcs_hot_row row[PROBE_PCS_PAGE_ROWS];
	/* Samples: bits 7..0 row, 12..8 counter, 13 dual, 20..14 active lanes, 26..21 waves. */
	uint32_t waiting[WAITING];
};
enum { WORD_COUNTER = 8, WORD_DUAL = 13, WORD_LANES = 14, WORD_WAVES = 21 };
_Static_assert(COUNTERS <= 32 && PROBE_PCS_PAGE_ROWS == 256, "fields of a word");
_Static_assert(offsetof(struct probe_pcs_row, dual) == DUAL * sizeof(uint64_t), "same order");

static uint64_t page_count(const struct probe_pcs_rows *rows)
{
	return rows->count / PROBE_PCS_PAGE_ROWS + 1;
}

int probe_pcs_rows_init(struct probe_pcs_rows *rows, uint64_t code_size)
{
	*rows = (struct probe_pcs_rows){.count = code_size / 4};
	rows->pages = calloc((size_t)page_count(rows), sizeof(*rows->pages));
	rows->waiting = calloc((size_t)page_count(rows), sizeof(*rows->waiting));
	rows->folded = calloc((size_t)page_count(rows), sizeof(*rows->folded));
	if (rows->pages && rows->waiting && rows->folded)
		return 0;
	probe_pcs_rows_destroy(rows);
	return -ENOMEM;
}

void probe_pcs_rows_destroy(struct probe_pcs_rows *rows)
{
	for (uint64_t i = 0; rows->pages && rows->folded && i < page_count(rows); i++) {
		free(rows->pages[i]);
		free(rows->folded[i]);
	}
	free(rows->pages);
	free(rows->waiting);
	free(rows->folded);
	*rows = (struct probe_pcs_rows){0};
}

static void add_hot(struct probe_pcs_row *to, const struct probe_pcs_hot_row *from)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		((uint64_t *)to)[i] += from->counter[i];
	to->lanes += from->lanes;
	to->waves += from->waves;
}

static inline void fetch_lines(const struct probe_pcs_hot_row *row)
{
	__builtin_prefetch(row, 1);
	__builtin_prefetch((const char *)row + 64, 1);
}

/* In order, which the host fetches faster than row by row in the order of the samples. */
static void fetch_rows(const struct probe_pcs_page *page)
{
	for (unsigned i = 0; i < PROBE_PCS_PAGE_ROWS; i++)
		fetch_lines(&page->row[i]);
}

/* Counts the samples that wait in a page. */
static void count_waiting(const struct probe_pcs_rows *rows, uint64_t number)
{
	struct probe_pcs_page *page = rows->pages[number];
	unsigned count = rows->waiting[number];

	rows->waiting[number] = 0;
	if (count == WAITING)
		fetch_rows(page);
	for (unsigned i = 0; i < count; i++) {
		uint32_t word = page->waiting[i];
		struct probe_pcs_hot_row *row = &page->row[word & (PROBE_PCS_PAGE_ROWS - 1)];

		row->counter[word >> WORD_COUNTER & 31]++;
		row->counter[DUAL] += word >> WORD_DUAL & 1;
		row->lanes += word >> WORD_LANES & 127;
		row->waves += word >> WORD_WAVES;
	}
}

bool probe_pcs_rows_at(const struct probe_pcs_rows *rows, uint64_t index, struct probe_pcs_row *ret)
{
	uint64_t page = index / PROBE_PCS_PAGE_ROWS, row = index % PROBE_PCS_PAGE_ROWS;
	uint64_t any = 0;

	if (index >= rows->count || !rows->pages[page])
		return false;
	*ret = rows->folded[page] ? rows->folded[page][row] : (struct probe_pcs_row){0};
	count_waiting(rows, page);
	add_hot(ret, &rows->pages[page]->row[row]);
	for (unsigned i = 0; i < DUAL; i++)
		any |= ((const uint64_t *)ret)[i];
	return any;
}

/* False without memory; the remaining pages are then unchanged. */
static bool fold(struct probe_pcs_rows *rows)
{
	for (uint64_t i = 0; i < page_count(rows); i++) {
		if (!rows->pages[i])
			continue;
		if (!rows->folded[i])
			rows->folded[i] = calloc(PROBE_PCS_PAGE_ROWS, sizeof(**rows->folded));
		if (!rows->folded[i])
			return false;
		count_waiting(rows, i);
		for (unsigned k = 0; k < PROBE_PCS_PAGE_ROWS; k++)
			add_hot(&rows->folded[i][k], &rows->pages[i]->row[k]);
		memset(rows->pages[i]->row, 0, sizeof(rows->pages[i]->row));
	}
	rows->since = 0;
	return true;
}

/* NULL without memory. */
static struct probe_pcs_page *page_of(struct probe_pcs_rows *rows, uint64_t index)
{
	struct probe_pcs_page **page = &rows->pages[index / PROBE_PCS_PAGE_ROWS];

	if (__builtin_expect(!*page, 0)) {
		*page = aligned_alloc(64, sizeof(**page));
		if (!*page)
			return NULL;
		memset((*page)->row, 0, sizeof((*page)->row));
		rows->hit++;
	}
	if (__builtin_expect(rows->since++ >= FOLD_AFTER, 0) && !fold(rows))
		return NULL;
	return *page;
}

static void fetch_row(const struct probe_pcs_rows *rows, uint64_t index)
{
	const struct probe_pcs_page *page = rows->pages[index / PROBE_PCS_PAGE_ROWS];

	if (!page || rows->hit > CACHED_PAGES)
		return;
	fetch_lines(&page->row[index % PROBE_PCS_PAGE_ROWS]);
}

bool probe_pcs_rows_add(struct probe_pcs_rows *rows, uint64_t index, unsigned state, uint64_t count,
			const struct probe_pcs_row *sums)
{
	struct probe_pcs_row **page, *row;

	/* A page of hot rows may contain rows without hits. */
	if (index >= rows->count || state >= DUAL || !page_of(rows, index))
		return false;
	page = &rows->folded[index / PROBE_PCS_PAGE_ROWS];
	if (!*page)
		*page = calloc(PROBE_PCS_PAGE_ROWS, sizeof(**page));
	if (!*page)
		return false;
	row = &(*page)[index % PROBE_PCS_PAGE_ROWS];
	((uint64_t *)row)[state] += count;
	row->dual += sums->dual;
	row->lanes += sums->lanes;
	row->waves += sums->waves;
	return true;
}

/* ---- Records -------------------------------------------------------------------------------- */

/* The fields of a record that determine its counter. */
struct sample_key {
	uint64_t pc, exec, key;
	struct probe_pcs_rows *rows; /* NULL if it has been counted as lost */
	uint32_t code, index;
	uint32_t wave_count;
	uint8_t as;
};

static void read_gfx9(const struct probe_pcs_attributor *attributor, const uint8_t *record,
		      struct sample_key *ret)
{
	uint32_t data = read32(record + AT_SNAPSHOT), data1 = read32(record + AT_SNAPSHOT + 4);

	ret->as = attributor->counter[(data & ((1u << DECIDING_BITS) - 1)) |
				      (data >> GFX9_ERROR_BIT & 1) << DECIDING_BITS];
	ret->pc = read64(record + AT_PC) -
		  (data1 & GFX9_MID_MACRO ? attributor->layout.mid_macro : 0);
	ret->exec = read64(record + AT_EXEC);
	ret->key = probe_dispatch_key(read64(record + AT_CORRELATION));
	ret->wave_count = data1 & WAVE_COUNT;
}

static void read_host_trap(const uint8_t *record, struct sample_key *ret)
{
	ret->as = PROBE_PCS_TYPE_NONE;
	ret->pc = read64(record + AT_PC);
	ret->exec = read64(record + AT_EXEC);
	ret->key = probe_dispatch_key(read64(record + AT_CORRELATION));
	ret->wave_count = 0;
}

static void read_any(const struct probe_pcs_layout *layout, const uint8_t *record,
		     struct sample_key *ret)
{
	struct probe_pc_sample sample;
	enum probe_pcs_verdict verdict = probe_pcs_decode(layout, record, &sample);

	ret->as = counts_as(verdict, &sample);
	ret->pc = sample.pc;
	ret->exec = sample.exec;
	ret->key = probe_dispatch_key(sample.correlation);
	ret->wave_count = sample.wave_count;
}

/* Consecutive samples mostly belong to one dispatch. */
static struct probe_dispatch_entry *entry_of(struct probe_pcs_attributor *attributor, uint64_t key)
{
	if (!attributor->last_entry || attributor->last_key != key) {
		attributor->last_entry = probe_dispatch_map_find(&attributor->dispatches, key);
		attributor->last_key = key;
	}
	return attributor->last_entry;
}

/* Finds the row of a sample. If there is none, counts the reason and returns false. */
static bool find_row(struct probe_pcs_attributor *attributor, struct sample_key *key)
{
	struct probe_pcs_counts *counts = &attributor->counts;
	const struct probe_code_range *range;
	uint64_t offset;

	if (key->as == COUNTS_INVALID || key->as == COUNTS_SKIPPED) {
		*(key->as == COUNTS_INVALID ? &counts->invalid : &counts->skipped) += 1;
		return false;
	}
	range = probe_code_map_find(&attributor->code, key->pc);
	if (!range) {
		*(entry_of(attributor, key->key) ? &counts->no_code : &counts->foreign) += 1;
		return false;
	}
	offset = key->pc - range->base;
	if (offset & 3 || offset / 4 >= ((struct probe_pcs_rows *)range->user)->count) {
		counts->misaligned++;
		return false;
	}
	key->code = (uint32_t)range->id;
	key->index = (uint32_t)(offset / 4);
	key->rows = range->user;
	return true;
}

/* Index in probe_pcs_hot_row.counter. Without branches, because it is unpredictable. */
static unsigned counter_of(const struct sample_key *key)
{
	unsigned stalled = key->as / COUNTS_STALLED % 2;

	return key->as % COUNTS_STALLED + stalled * STALLED;
}

static bool add_hot_sample(const struct sample_key *key)
{
	struct probe_pcs_rows *rows = key->rows;
	uint64_t number = key->index / PROBE_PCS_PAGE_ROWS;
	unsigned counter = counter_of(key), row = key->index % PROBE_PCS_PAGE_ROWS;
	unsigned dual = key->as / COUNTS_DUAL % 2;
	unsigned lanes = (unsigned)__builtin_popcountll(key->exec);
	struct probe_pcs_page *page = page_of(rows, key->index);

	if (!page)
		return false;
	if (rows->hit > CACHED_PAGES) {
		page->waiting[rows->waiting[number]++] =
			row | counter << WORD_COUNTER | dual << WORD_DUAL | lanes << WORD_LANES |
			(key->wave_count & WAVE_COUNT) << WORD_WAVES;
		if (rows->waiting[number] == WAITING)
			count_waiting(rows, number);
		return true;
	}
	page->row[row].counter[counter]++;
	page->row[row].counter[DUAL] += dual;
	page->row[row].lanes += lanes;
	page->row[row].waves += key->wave_count;
	return true;
}

/* Makes space for one more event of this code object. False without memory. */
static bool make_room(struct probe_pcs_attributor *attributor, struct probe_dispatch_entry *entry,
		      uint32_t code)
{
	uint32_t room = entry->event_room ? 4 * entry->event_room : 64;
	uint64_t *events;

	if (entry->event_count == PROBE_PCS_EVENTS ||
	    (entry->event_count && entry->event_code != code)) {
		attributor->spill(attributor->spill_user, entry);
		entry->event_count = 0;
	}
	entry->event_code = code;
	if (entry->event_count < entry->event_room)
		return true;
	events = realloc(entry->events, room * sizeof(*events));
	if (!events)
		return false;
	entry->events = events;
	entry->event_room = room;
	return true;
}

static bool add_event(struct probe_pcs_attributor *attributor, struct probe_dispatch_entry *entry,
		      const struct sample_key *key)
{
	bool stalled = key->as & COUNTS_STALLED;
	uint64_t state =
		stalled ? STALLED + key->as - COUNTS_STALLED : key->as & (COUNTS_STALLED - 1);

	if (__builtin_expect(
		    entry->event_count == entry->event_room || entry->event_code != key->code, 0) &&
	    !make_room(attributor, entry, key->code))
		return false;
	entry->events[entry->event_count++] =
		(uint64_t)__builtin_popcountll(key->exec) |
		(uint64_t)(key->wave_count & WAVE_COUNT) << PROBE_PCS_EVENT_WAVES |
		(uint64_t)(!stalled && key->as & COUNTS_DUAL) << PROBE_PCS_EVENT_DUAL |
		state << PROBE_PCS_EVENT_STATE | (uint64_t)key->index << PROBE_PCS_EVENT_INDEX;
	return true;
}

static void count_sample(struct probe_pcs_attributor *attributor, const struct sample_key *key)
{
	struct probe_dispatch_entry *entry = entry_of(attributor, key->key);
	bool counted = entry && attributor->spill ? add_event(attributor, entry, key)
						  : add_hot_sample(key);

	if (!counted) {
		attributor->counts.dropped++;
		return;
	}
	if (entry) {
		entry->samples++;
		attributor->counts.attributed++;
	} else {
		attributor->counts.no_dispatch++;
	}
}

/*
 * Rows are looked up a few records ahead, so that they are cached when they are counted. Records
 * are fetched further ahead, because the host's own prefetching stops at the end of each page.
 */
enum { AHEAD = 32, FETCHED_AHEAD = 64 };

static size_t look_up(struct probe_pcs_attributor *attributor, const uint8_t *records, size_t count,
		      struct sample_key *keys)
{
	bool table = by_table(&attributor->layout);
	bool trap = attributor->layout.method == PROBE_PCS_HOST_TRAP;

	if (count > AHEAD)
		count = AHEAD;
	for (size_t i = 0; i < count; i++) {
		const uint8_t *record = records + i * PROBE_PCS_RECORD_SIZE;
		struct sample_key *key = &keys[i];

		__builtin_prefetch(
			(const void *)((uintptr_t)record + FETCHED_AHEAD * PROBE_PCS_RECORD_SIZE));
		if (table)
			read_gfx9(attributor, record, key);
		else if (trap)
			read_host_trap(record, key);
		else
			read_any(&attributor->layout, record, key);
		key->rows = NULL;
		if (!find_row(attributor, key) || attributor->spill)
			continue;
		fetch_row(key->rows, key->index);
	}
	return count;
}

void probe_pcs_attribute(struct probe_pcs_attributor *attributor, const uint8_t *records,
			 size_t count)
{
	struct sample_key keys[AHEAD];
	size_t n;

	/* Dispatches may have been added or retired since the last call. */
	attributor->last_entry = NULL;
	attributor->counts.received += count;
	for (size_t at = 0; at < count; at += n) {
		n = look_up(attributor, records + at * PROBE_PCS_RECORD_SIZE, count - at, keys);
		for (size_t i = 0; i < n; i++)
			if (keys[i].rows)
				count_sample(attributor, &keys[i]);
	}
}
