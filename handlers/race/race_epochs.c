/* SPDX-License-Identifier: MIT */
#include "handlers/race/race_epochs.h"

#include <stdlib.h>
#include <string.h>

#include "handlers/race/race_runs.h"

enum {
	RUNS_FIRST = 8,
	RUNS_MAX = 256,	    /* of an epoch; if there are more, they are expanded */
	LISTS_MAX = 16,	    /* of an epoch; if there are more, they are expanded */
};

/* ---- Epochs ---------------------------------------------------------------------------------- */

static bool is_epoch(const struct race_epoch *epoch, uint64_t group, uint32_t barriers)
{
	return epoch->group == group && epoch->barriers == barriers;
}

static struct race_epoch **slot_of(struct race_epoch **slots, size_t size, uint64_t group,
				   uint32_t barriers)
{
	uint64_t hash = group * 0x9e3779b97f4a7c15ull + barriers;
	size_t slot = (hash * 0xd6e8feb86659fd93ull >> 24) & (size - 1);

	while (slots[slot] && !is_epoch(slots[slot], group, barriers))
		slot = (slot + 1) & (size - 1);
	return &slots[slot];
}

static bool grow(struct race_epochs *epochs)
{
	size_t size = epochs->size ? 2 * epochs->size : 256;
	struct race_epoch **slots = calloc(size, sizeof(struct race_epoch *));

	if (!slots)
		return false;
	for (size_t i = 0; i < epochs->size; i++) {
		struct race_epoch *epoch = epochs->slots[i];

		if (epoch)
			*slot_of(slots, size, epoch->group, epoch->barriers) = epoch;
	}
	free(epochs->slots);
	epochs->slots = slots;
	epochs->size = size;
	return true;
}

/* Grows from `before` to `after` bytes, zeroed. NULL without memory, or over the limit. */
static void *charged_realloc(struct race_memory *memory, void *old, size_t before, size_t after)
{
	void *grown;

	if (memory->used + (after - before) > memory->limit)
		return NULL;
	grown = realloc(old, after);
	if (!grown) {
		memory->exhausted = true;
		return NULL;
	}
	memset((char *)grown + before, 0, after - before);
	memory->used += after - before;
	return grown;
}

static struct race_list *new_list(struct race_memory *memory)
{
	struct race_list *list = memory->spare;

	if (!list || memory->used + sizeof(*list) > memory->limit)
		return charged_realloc(memory, NULL, 0, sizeof(*list));
	memory->spare = list->next;
	memory->spares--;
	memory->used += sizeof(*list);
	list->used = 0;
	return list;
}

/* Frees all lists of an epoch, or keeps them for other epochs. */
static void free_lists(struct race_memory *memory, struct race_epoch *epoch)
{
	for (struct race_list *list = epoch->list, *next; list; list = next) {
		next = list->next;
		memory->used -= sizeof(*list);
		if (8 * (memory->spares + 1) * sizeof(*list) > memory->limit) {
			free(list);
			continue;
		}
		list->next = memory->spare;
		memory->spare = list;
		memory->spares++;
	}
	epoch->list = NULL;
	epoch->lists = 0;
}

void race_memory_deinit(struct race_memory *memory)
{
	for (struct race_list *list = memory->spare, *next; list; list = next) {
		next = list->next;
		free(list);
	}
	memory->spare = NULL;
	memory->spares = 0;
}

static struct race_epoch *find_epoch(struct race_epochs *epochs, uint64_t group, uint32_t barriers)
{
	struct race_epoch *epoch = epochs->last, **slot;

	if (epoch && is_epoch(epoch, group, barriers))
		return epoch;
	if (2 * epochs->count >= epochs->size && !grow(epochs)) {
		epochs->memory->exhausted = true;
		return NULL;
	}
	slot = slot_of(epochs->slots, epochs->size, group, barriers);
	if (!*slot) {
		epoch = charged_realloc(epochs->memory, NULL, 0, sizeof(*epoch));
		if (!epoch)
			return NULL;
		epoch->group = group;
		epoch->barriers = barriers;
		epochs->count++;
		*slot = epoch;
	}
	return epochs->last = *slot;
}

void race_epochs_deinit(struct race_epochs *epochs)
{
	for (size_t i = 0; i < epochs->size; i++) {
		struct race_epoch *epoch = epochs->slots[i];

		if (!epoch)
			continue;
		for (struct race_page *page = epoch->pages, *next; page; page = next) {
			next = page->next;
			epochs->memory->used -= sizeof(*page);
			free(page);
		}
		epochs->memory->used -= sizeof(*epoch) + epoch->run_capacity * sizeof(*epoch->runs);
		free(epoch->runs);
		free_lists(epochs->memory, epoch);
		free(epoch);
	}
	epochs->memory->used -= (uint64_t)epochs->node_capacity * sizeof(struct race_node);
	free(epochs->slots);
	free(epochs->nodes);
	*epochs = (struct race_epochs){0};
}

/* ---- Byte by byte -------------------------------------------------------------------------- */

/* NULL: no memory, or over the limit. */
static struct race_page *find_page(struct race_memory *memory, struct race_epoch *epoch,
				   uint32_t number)
{
	struct race_page **at = &epoch->pages, *page;

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	page = *at;
	if (page) {
		*at = page->next;
	} else {
		page = charged_realloc(memory, NULL, 0, sizeof(*page));
		if (!page)
			return NULL;
		page->number = number;
	}
	page->next = epoch->pages;
	return epoch->pages = page;
}

static uint32_t add_node(struct race_epochs *epochs, uint32_t site, uint32_t wave, uint32_t bytes)
{
	if (!epochs->node_count)
		epochs->node_count = 1;
	if (epochs->node_count >= epochs->node_capacity) {
		uint32_t before = epochs->node_capacity, after = before ? 2 * before : 4096;
		struct race_node *nodes =
			after > before
				? charged_realloc(epochs->memory, epochs->nodes,
						  before * sizeof(*nodes), after * sizeof(*nodes))
				: NULL;

		if (!nodes)
			return 0;
		epochs->nodes = nodes;
		epochs->node_capacity = after;
	}
	epochs->nodes[epochs->node_count] = (struct race_node){
		.site = site, .bytes = bytes, .wave = wave, .other = RACE_NO_WAVE};
	return epochs->node_count++;
}

/* Keeps the two lowest waves, whatever the order of arrival. */
static void keep_lowest_waves(struct race_node *node, uint32_t wave)
{
	if (wave < node->wave) {
		node->other = node->wave;
		node->wave = wave;
	} else if (wave > node->wave && wave < node->other) {
		node->other = wave;
	}
}

static bool touch(struct race_epochs *epochs, uint32_t *first, uint32_t site, uint32_t wave,
		  uint32_t bytes)
{
	uint32_t added, index = *first, last = 0;

	for (; index; index = epochs->nodes[index].next) {
		struct race_node *node = &epochs->nodes[index];

		last = index;
		if (node->site != site || node->bytes != bytes)
			continue;
		keep_lowest_waves(node, wave);
		return true;
	}
	added = add_node(epochs, site, wave, bytes);
	if (last && added)
		epochs->nodes[last].next = added;
	else if (added)
		*first = added;
	return added != 0;
}

/* Expands the bytes from `first` to `last`. */
static bool touch_bytes(struct race_epochs *epochs, struct race_epoch *epoch, uint32_t site,
			uint32_t wave, uint32_t first, uint32_t last)
{
	for (uint32_t at = first / 4, end = last / 4;; at++) {
		struct race_page *page = epoch->pages;
		uint32_t bytes = 15;

		if (at == first / 4)
			bytes &= 15u << first % 4;
		if (at == end)
			bytes &= 15u >> (3 - last % 4);

		if (!page || page->number != at / RACE_PAGE_DWORDS)
			page = find_page(epochs->memory, epoch, at / RACE_PAGE_DWORDS);
		if (!page || !touch(epochs, &page->nodes[at % RACE_PAGE_DWORDS], site, wave, bytes))
			return false;
		if (at == end)
			return true;
	}
}

/* Expands and drops all runs of an epoch. */
static void expand_runs(struct race_epochs *epochs, struct race_epoch *epoch)
{
	for (uint32_t i = 0; i < epoch->run_count; i++) {
		const struct race_run *run = &epoch->runs[i];
		bool whole = true;

		for (unsigned k = 0; k < run->count && whole; k++)
			whole = touch_bytes(epochs, epoch, run->site, run->wave,
					    run->first + k * run->step,
					    run->first + k * run->step + run->width - 1);
		epochs->refused += !whole;
	}
	epoch->run_count = 0;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static int by_place(const void *a, const void *b)
{
	const struct race_run *left = a, *right = b;

	return left->first != right->first ? (left->first > right->first ? 1 : -1)
					   : memcmp(left, right, sizeof(*left));
}

/* Sorts the runs and drops duplicates: loops touch the same bytes repeatedly. */
static void deduplicate(struct race_epoch *epoch)
{
	uint32_t count = 0;

	if (epoch->run_count < 2)
		return;
	qsort(epoch->runs, epoch->run_count, sizeof(*epoch->runs), by_place);
	for (uint32_t i = 0; i < epoch->run_count; i++)
		if (!count ||
		    memcmp(&epoch->runs[i], &epoch->runs[count - 1], sizeof(*epoch->runs)) != 0)
			epoch->runs[count++] = epoch->runs[i];
	epoch->run_count = count;
}

static bool reserve_run(struct race_epochs *epochs, struct race_epoch *epoch)
{
	uint32_t after = epoch->run_capacity ? 2 * epoch->run_capacity : RUNS_FIRST;
	struct race_run *runs;

	if (epoch->run_count < epoch->run_capacity)
		return true;
	if (epoch->run_capacity) {
		deduplicate(epoch);
		if (2 * epoch->run_count <= epoch->run_capacity)
			return true;
	}
	if (epoch->run_capacity >= RUNS_MAX) {
		expand_runs(epochs, epoch);
		return true;
	}
	runs = charged_realloc(epochs->memory, epoch->runs, epoch->run_capacity * sizeof(*runs),
			       after * sizeof(*runs));
	if (!runs)
		return false;
	epoch->runs = runs;
	epoch->run_capacity = after;
	return true;
}

static bool add_run(struct race_epochs *epochs, struct race_epoch *epoch,
		    const struct race_run *run)
{
	if (!reserve_run(epochs, epoch))
		return false;
	epoch->runs[epoch->run_count++] = *run;
	return true;
}

/* ---- Addresses ------------------------------------------------------------------------------- */

/* An access in a list, followed by its addresses in whole words. */
struct listed {
	uint32_t site, wave;
	uint16_t bytes;
	uint8_t lanes;
	bool wide; /* addresses of 32 bits; else of 16 */
};
enum { LIST_HEAD = sizeof(struct listed) / sizeof(uint32_t) };

static unsigned list_words(unsigned lanes, bool wide)
{
	return LIST_HEAD + (wide ? lanes : (lanes + 1) / 2);
}

static bool touch_lanes(struct race_epochs *epochs, struct race_epoch *epoch,
			const struct listed *listed)
{
	const uint16_t *narrow = (const uint16_t *)(listed + 1);
	const uint32_t *wide = (const uint32_t *)(listed + 1);
	bool whole = true;

	for (unsigned i = 0; i < listed->lanes && whole; i++) {
		uint32_t first = listed->wide ? wide[i] : narrow[i];
		uint32_t last = first + listed->bytes - 1;

		whole = last < first ||
			touch_bytes(epochs, epoch, listed->site, listed->wave, first, last);
	}
	return whole;
}

/* Expands and frees all lists of an epoch. */
static void expand_lists(struct race_epochs *epochs, struct race_epoch *epoch)
{
	for (const struct race_list *list = epoch->list; list; list = list->next)
		for (uint32_t at = 0; at < list->used;) {
			const struct listed *listed = (const struct listed *)&list->words[at];

			epochs->refused += !touch_lanes(epochs, epoch, listed);
			at += list_words(listed->lanes, listed->wide);
		}
	free_lists(epochs->memory, epoch);
}

/* Reserves words in a list; NULL without memory, or over the limit. */
static void *reserve_words(struct race_epochs *epochs, struct race_epoch *epoch, unsigned words)
{
	struct race_list *list = epoch->list;

	if (!list || list->used + words > sizeof(list->words) / sizeof(*list->words)) {
		if (epoch->lists == LISTS_MAX)
			expand_lists(epochs, epoch);
		list = new_list(epochs->memory);
		if (!list)
			return NULL;
		list->next = epoch->list;
		epoch->list = list;
		epoch->lists++;
	}
	list->used += words;
	return &list->words[list->used - words];
}

static bool add_lanes(struct race_epochs *epochs, struct race_epoch *epoch,
		      const struct race_access *access, const uint64_t *addr, unsigned count)
{
	struct listed *listed;
	uint32_t any = 0;

	for (unsigned i = 0; i < count; i++)
		any |= (uint32_t)addr[i];
	listed = reserve_words(epochs, epoch, list_words(count, any > UINT16_MAX));
	if (!listed)
		return false;
	*listed = (struct listed){
		.site = access->site,
		.wave = access->wave->wave,
		.bytes = (uint16_t)access->bytes,
		.lanes = (uint8_t)count,
		.wide = any > UINT16_MAX,
	};
	if (listed->wide)
		for (unsigned i = 0; i < count; i++)
			((uint32_t *)(listed + 1))[i] = (uint32_t)addr[i];
	else
		for (unsigned i = 0; i < count; i++)
			((uint16_t *)(listed + 1))[i] = (uint16_t)addr[i];
	return true;
}

/*
 * The epoch of an access, which records the access's kind and wave; NULL without memory, or over
 * the limit.
 */
static struct race_epoch *enter(struct race_epochs *epochs, const struct race_access *access)
{
	uint32_t wave = access->wave->wave;
	struct race_epoch *epoch = find_epoch(epochs, access->group, access->wave->barriers);

	if (!epoch)
		return NULL;
	if (!epoch->kinds)
		epoch->wave = wave;
	epoch->waves |= epoch->wave != wave;
	epoch->kinds |= 1u << access->kind;
	return epoch;
}

static void complete(const struct race_access *access, struct race_run *run)
{
	run->site = access->site;
	run->wave = access->wave->wave;
	run->access = (uint16_t)access->kind;
}

void race_add(struct race_epochs *epochs, const struct race_access *access, const uint64_t *addr,
	      unsigned count)
{
	struct race_epoch *epoch = enter(epochs, access);
	struct race_run runs[RACE_RUNS_OF_ACCESS];
	unsigned n = epoch ? race_runs_find(addr, count, access->bytes, runs) : 0;
	bool whole = epoch != NULL;

	if (whole && !n)
		whole = add_lanes(epochs, epoch, access, addr, count);
	for (unsigned i = 0; i < n && whole; i++) {
		complete(access, &runs[i]);
		whole = add_run(epochs, epoch, &runs[i]);
	}
	epochs->refused += !whole;
}

void race_add_affine(struct race_epochs *epochs, const struct race_access *access, uint64_t base,
		     int64_t stride, unsigned count)
{
	struct race_epoch *epoch;
	struct race_run run;
	uint64_t addr[64];

	if (!race_run_make((uint32_t)base, stride, count, access->bytes, &run)) {
		for (unsigned i = 0; i < count; i++)
			addr[i] = base + i * (uint64_t)stride;
		race_add(epochs, access, addr, count);
		return;
	}
	complete(access, &run);
	epoch = enter(epochs, access);
	epochs->refused += !epoch || !add_run(epochs, epoch, &run);
}

/* True if two waves race on a byte. The runs are sorted. */
static bool any_race(const struct race_epoch *epoch)
{
	for (uint32_t i = 0; i < epoch->run_count; i++) {
		const struct race_run *a = &epoch->runs[i];
		uint64_t end = race_run_end(a);

		for (uint32_t k = i + 1; k < epoch->run_count && epoch->runs[k].first < end; k++) {
			const struct race_run *b = &epoch->runs[k];

			if (a->wave != b->wave && race_conflict(a->access, b->access) &&
			    race_runs_overlap(a, b))
				return true;
		}
	}
	return false;
}

/* True if there are at least two waves and accesses that conflict. */
static bool possible(const struct race_epoch *epoch)
{
	return epoch->waves &&
	       (epoch->kinds & 1u << PROBE_ACCESS_STORE || epoch->kinds & (epoch->kinds - 1));
}

void race_expand(struct race_epochs *epochs, struct race_epoch *epoch)
{
	if (!possible(epoch))
		return;
	deduplicate(epoch);
	if (!epoch->pages && !epoch->list && !any_race(epoch))
		return;
	expand_lists(epochs, epoch);
	expand_runs(epochs, epoch);
}
