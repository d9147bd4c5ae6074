/* SPDX-License-Identifier: MIT */
/*
 * Handler `race`: two waves of one workgroup that touch the same dword of LDS with no barrier
 * between them, at least one of them writing. One row per kernel and pair of sites in table
 * probe_race_pair.
 *
 * All waves of a workgroup pass its n-th barrier together, so accesses of two waves have no order
 * just when both waves have passed equally many (probe_wave_info.barriers). For each dispatch,
 * workgroup, number of barriers and dword we keep the sites and, of each, two different waves: that
 * is enough to tell exactly which pairs of sites race there. Pairs are found when the dispatch
 * ends. Atomic operations do not race with each other. What a race does is not asked: two waves
 * that store the same value race too.
 *
 * If records were lost (the account says so), a barrier may be among them, and what looks like a
 * race may be none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>

#include "sites.h"

enum { PAGE_DWORDS = 1024 };
#define NO_WAVE UINT32_MAX

/* A site at a dword: who was there. */
struct node {
	uint32_t next; /* index of the dword's next node; 0 = none */
	uint32_t site;
	uint32_t wave, other; /* other: a second wave, or NO_WAVE */
};

/* 4 KiB of a workgroup's LDS between two barriers. */
struct page {
	uint64_t group; /* x + width * (y + height * z) */
	uint32_t barriers, number;
	uint32_t nodes[PAGE_DWORDS]; /* first node; 0 = none */
};

/* One dispatch under way. */
struct tracker {
	struct tracker *next;
	uint64_t dispatch;
	uint64_t width, height; /* workgroups */
	struct sites_kernel *kernel;
	struct page **pages; /* open addressing */
	size_t count, size;
	struct page *last;
	struct node *nodes; /* the first is not used */
	uint32_t node_count, node_room;
	uint64_t refused; /* accesses not examined: over the limit of memory */
};

/* Two sites of a kernel that race. */
struct pair {
	uint32_t site, other;
	uint64_t words; /* dwords, each counted per workgroup and barrier */
	/* The first in order of workgroup, barrier and address. */
	uint64_t group[3], key;
	uint32_t barriers, address, wave, other_wave;
};

struct pairs {
	struct pair *items;
	size_t count, room, last;
	bool barrier; /* any wave passed one */
};

struct site {
	struct site_facts facts;
};

struct race {
	struct sites sites;
	struct tracker *trackers;
	uint64_t limit, used; /* bytes of pages and nodes */
	uint64_t refused;
	bool no_memory;
};

/* ---- Dispatches ------------------------------------------------------------------------------ */

static uint64_t groups_of(uint32_t items, uint32_t size)
{
	return size ? ((uint64_t)items + size - 1) / size : 1;
}

static struct tracker *find_tracker(struct race *race, const struct probe_dispatch_info *dispatch)
{
	struct tracker *tracker = race->trackers;

	while (tracker && tracker->dispatch != dispatch->id)
		tracker = tracker->next;
	if (tracker)
		return tracker;
	tracker = calloc(1, sizeof(*tracker));
	if (!tracker)
		return NULL;
	tracker->dispatch = dispatch->id;
	tracker->width = groups_of(dispatch->grid[0], dispatch->group[0]);
	tracker->height = groups_of(dispatch->grid[1], dispatch->group[1]);
	tracker->kernel = sites_kernel(&race->sites, dispatch);
	if (!tracker->kernel) {
		free(tracker);
		return NULL;
	}
	tracker->next = race->trackers;
	race->trackers = tracker;
	return tracker;
}

static void forget(struct race *race, struct tracker *tracker)
{
	struct tracker **at = &race->trackers;

	while (*at != tracker)
		at = &(*at)->next;
	*at = tracker->next;
	for (size_t i = 0; i < tracker->size; i++)
		free(tracker->pages[i]);
	race->used -= tracker->count * sizeof(struct page) +
		      (uint64_t)tracker->node_room * sizeof(struct node);
	race->refused += tracker->refused;
	free(tracker->pages);
	free(tracker->nodes);
	free(tracker);
}

/* ---- Pages and nodes ------------------------------------------------------------------------- */

static bool is_page(const struct page *page, uint64_t group, uint32_t barriers, uint32_t number)
{
	return page->group == group && page->barriers == barriers && page->number == number;
}

static struct page **page_slot(struct page **pages, size_t size, uint64_t group, uint32_t barriers,
			       uint32_t number)
{
	uint64_t hash = (group * 0x9e3779b97f4a7c15ull + barriers) * 0xd6e8feb86659fd93ull + number;
	size_t slot = (hash * 0x9e3779b97f4a7c15ull >> 24) & (size - 1);

	while (pages[slot] && !is_page(pages[slot], group, barriers, number))
		slot = (slot + 1) & (size - 1);
	return &pages[slot];
}

static bool grow_pages(struct tracker *tracker)
{
	size_t size = tracker->size ? 2 * tracker->size : 256;
	struct page **pages = calloc(size, sizeof(struct page *));

	if (!pages)
		return false;
	for (size_t i = 0; i < tracker->size; i++) {
		struct page *page = tracker->pages[i];

		if (page)
			*page_slot(pages, size, page->group, page->barriers, page->number) = page;
	}
	free(tracker->pages);
	tracker->pages = pages;
	tracker->size = size;
	return true;
}

/* NULL: no memory, which is noted, or over the limit, which is counted. */
static struct page *find_page(struct race *race, struct tracker *tracker, uint64_t group,
			      uint32_t barriers, uint32_t number)
{
	struct page *page = tracker->last, **slot;

	if (page && is_page(page, group, barriers, number))
		return page;
	if (2 * tracker->count >= tracker->size && !grow_pages(tracker)) {
		race->no_memory = true;
		return NULL;
	}
	slot = page_slot(tracker->pages, tracker->size, group, barriers, number);
	if (!*slot) {
		if (race->used + sizeof(struct page) > race->limit)
			return NULL;
		page = calloc(1, sizeof(*page));
		if (!page) {
			race->no_memory = true;
			return NULL;
		}
		page->group = group;
		page->barriers = barriers;
		page->number = number;
		race->used += sizeof(*page);
		tracker->count++;
		*slot = page;
	}
	tracker->last = *slot;
	return *slot;
}

static uint32_t add_node(struct race *race, struct tracker *tracker, uint32_t site, uint32_t wave)
{
	if (!tracker->node_count)
		tracker->node_count = 1;
	if (tracker->node_count >= tracker->node_room) {
		uint32_t room = tracker->node_room ? 2 * tracker->node_room : 4096;
		uint64_t more = (uint64_t)(room - tracker->node_room) * sizeof(struct node);
		struct node *nodes;

		if (race->used + more > race->limit || room < tracker->node_room)
			return 0;
		nodes = realloc(tracker->nodes, room * sizeof(*nodes));
		if (!nodes) {
			race->no_memory = true;
			return 0;
		}
		race->used += more;
		tracker->nodes = nodes;
		tracker->node_room = room;
	}
	tracker->nodes[tracker->node_count] =
		(struct node){.site = site, .wave = wave, .other = NO_WAVE};
	return tracker->node_count++;
}

static bool touch(struct race *race, struct tracker *tracker, uint32_t *first, uint32_t site,
		  uint32_t wave)
{
	uint32_t added, index = *first, last = 0;

	for (; index; index = tracker->nodes[index].next) {
		struct node *node = &tracker->nodes[index];

		last = index;
		if (node->site != site)
			continue;
		if (node->wave != wave && node->other == NO_WAVE)
			node->other = wave;
		return true;
	}
	added = add_node(race, tracker, site, wave);
	if (last && added)
		tracker->nodes[last].next = added;
	else if (added)
		*first = added;
	return added != 0;
}

static void add_access(struct race *race, struct tracker *tracker, const struct site_facts *facts,
		       const struct probe_dispatch_info *dispatch,
		       const struct probe_access *access)
{
	const struct probe_wave_info *wave = access->wave;
	uint64_t addr[64], group;
	unsigned count = probe_access_expand(access, addr);
	bool whole = true;

	group = wave->group[0] +
		tracker->width * (wave->group[1] + tracker->height * (uint64_t)wave->group[2]);
	for (unsigned i = 0; i < count; i++) {
		uint32_t at = (uint32_t)addr[i] >> 2;
		uint32_t end = ((uint32_t)addr[i] + facts->bytes - 1) >> 2;

		if (facts->global && site_place(facts, dispatch, addr[i]) != SITE_LDS)
			continue;
		for (; at <= end && whole; at++) {
			struct page *page =
				find_page(race, tracker, group, wave->barriers, at / PAGE_DWORDS);

			whole = page && touch(race, tracker, &page->nodes[at % PAGE_DWORDS],
					      access->site, wave->wave);
		}
	}
	tracker->refused += !whole;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static struct pair *find_pair(struct race *race, struct pairs *pairs, uint32_t site, uint32_t other)
{
	for (size_t n = 0; n < pairs->count; n++) {
		size_t i = (pairs->last + n) % pairs->count;

		if (pairs->items[i].site == site && pairs->items[i].other == other) {
			pairs->last = i;
			return &pairs->items[i];
		}
	}
	if (pairs->count == pairs->room) {
		size_t room = pairs->room ? 2 * pairs->room : 16;
		struct pair *items = realloc(pairs->items, room * sizeof(*items));

		if (!items) {
			race->no_memory = true;
			return NULL;
		}
		pairs->items = items;
		pairs->room = room;
	}
	pairs->items[pairs->count] = (struct pair){.site = site, .other = other};
	return &pairs->items[pairs->last = pairs->count++];
}

static unsigned access_of(const struct tracker *tracker, uint32_t site)
{
	return ((const struct site *)tracker->kernel->sites)[site].facts.access;
}

/* Do accesses of these kinds need an order? */
static bool conflict(unsigned a, unsigned b)
{
	return a == PROBE_ACCESS_STORE || b == PROBE_ACCESS_STORE || a != b;
}

/* Two different waves, one of each node. False if there are none. */
static bool two_waves(const struct node *a, const struct node *b, uint32_t *wave, uint32_t *other)
{
	*wave = a->wave;
	*other = b->wave != a->wave ? b->wave : b->other;
	if (*other == NO_WAVE && a->other != NO_WAVE) {
		*wave = a->other;
		*other = b->wave;
	}
	return *other != NO_WAVE;
}

/* The example is the first in order of workgroup, barrier, address: it never depends on delivery.
 */
static void take_example(const struct tracker *tracker, const struct page *page, uint32_t dword,
			 uint32_t wave, uint32_t other, struct pair *pair)
{
	uint32_t address = 4 * (page->number * PAGE_DWORDS + dword);
	uint64_t height = tracker->height ? tracker->height : 1;

	if (pair->words++ && (pair->key != page->group		 ? pair->key < page->group
			      : pair->barriers != page->barriers ? pair->barriers < page->barriers
								 : pair->address <= address))
		return;
	pair->key = page->group;
	pair->group[0] = page->group % tracker->width;
	pair->group[1] = page->group / tracker->width % height;
	pair->group[2] = page->group / tracker->width / height;
	pair->barriers = page->barriers;
	pair->address = address;
	pair->wave = wave;
	pair->other_wave = other;
}

static void judge(struct race *race, const struct tracker *tracker, const struct page *page,
		  uint32_t dword)
{
	struct pairs *pairs = tracker->kernel->extra;

	for (uint32_t i = page->nodes[dword]; i; i = tracker->nodes[i].next)
		for (uint32_t k = i; k; k = tracker->nodes[k].next) {
			const struct node *a = &tracker->nodes[i], *b = &tracker->nodes[k];
			const struct node *low = a->site <= b->site ? a : b;
			const struct node *high = low == a ? b : a;
			unsigned access = access_of(tracker, a->site);
			struct pair *pair;
			uint32_t wave, other;

			if (i == k ? access != PROBE_ACCESS_STORE
				   : !conflict(access, access_of(tracker, b->site)))
				continue;
			if (!two_waves(low, high, &wave, &other))
				continue;
			pair = find_pair(race, pairs, low->site, high->site);
			if (pair)
				take_example(tracker, page, dword, wave, other, pair);
		}
}

static void end_dispatch(struct race *race, struct tracker *tracker)
{
	struct pairs *pairs = tracker->kernel->extra;

	for (size_t i = 0; i < tracker->size; i++) {
		const struct page *page = tracker->pages[i];

		if (!page)
			continue;
		pairs->barrier = pairs->barrier || page->barriers;
		for (uint32_t dword = 0; dword < PAGE_DWORDS; dword++)
			if (page->nodes[dword])
				judge(race, tracker, page, dword);
	}
	forget(race, tracker);
}

/* ---- The plugin ------------------------------------------------------------------------------ */

static int race_open(const struct probe_host *host, void **state)
{
	struct race *race = calloc(1, sizeof(*race));
	int err;

	if (!race)
		return -ENOMEM;
	race->limit = 1ull << 30;
	err = sites_arg(host, "race", "memory", 1 << 16, 1ull << 40, &race->limit);
	if (err) {
		free(race);
		return err;
	}
	race->sites = (struct sites){
		.host = host,
		.site_size = sizeof(struct site),
		.extra_size = sizeof(struct pairs),
	};
	*state = race;
	return 0;
}

static int race_batch(void *state, const struct probe_batch *batch)
{
	const struct probe_dispatch_info *dispatch = batch->dispatch;
	struct race *race = state;
	struct tracker *tracker;

	/* A workgroup of one wave cannot race. */
	if ((uint64_t)dispatch->group[0] * dispatch->group[1] * dispatch->group[2] <=
	    (dispatch->wave_size == 32 ? 32 : 64))
		return 0;
	tracker = find_tracker(race, dispatch);
	if (!tracker)
		return -ENOMEM;
	for (size_t i = 0; i < batch->count; i++) {
		const struct probe_access *access = &batch->access[i];
		const struct site_facts *facts =
			access->exec && access->wave
				? sites_get(&race->sites, tracker->kernel, access->site)
				: NULL;

		if (facts && facts->lds)
			add_access(race, tracker, facts, dispatch, access);
	}
	return race->no_memory ? -ENOMEM : 0;
}

static int race_end(void *state, const struct probe_dispatch_info *dispatch)
{
	struct race *race = state;
	struct tracker *tracker = race->trackers;

	while (tracker && tracker->dispatch != dispatch->id)
		tracker = tracker->next;
	if (tracker)
		end_dispatch(race, tracker);
	return race->no_memory ? -ENOMEM : 0;
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct probe_column columns[] = {
	{"code_object", PROBE_TYPE_INTEGER},
	{"kernel", PROBE_TYPE_INTEGER},
	{"site", PROBE_TYPE_INTEGER},
	{"other_site", PROBE_TYPE_INTEGER},
	{"other_file", PROBE_TYPE_TEXT},
	{"other_line", PROBE_TYPE_INTEGER},
	{"other_column", PROBE_TYPE_INTEGER},
	{"other_access", PROBE_TYPE_TEXT},
	{"words", PROBE_TYPE_INTEGER},
	{"group_x", PROBE_TYPE_INTEGER},
	{"group_y", PROBE_TYPE_INTEGER},
	{"group_z", PROBE_TYPE_INTEGER},
	{"barriers", PROBE_TYPE_INTEGER},
	{"address", PROBE_TYPE_INTEGER},
	{"wave", PROBE_TYPE_INTEGER},
	{"other_wave", PROBE_TYPE_INTEGER},
	{"note", PROBE_TYPE_TEXT},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static int write_pair(const struct probe_host *host, int table, const struct sites_kernel *kernel,
		      const struct pair *pair)
{
	static const char *const names[] = {"", "load", "store", "atomic"};
	const struct probe_site_info *other =
		host->site(host->ctx, kernel->code_object, pair->other);
	const struct pairs *pairs = kernel->extra;
	const union probe_value values[COLUMNS] = {
		{.integer = kernel->code_object},
		{.integer = kernel->id},
		{.integer = pair->site},
		{.integer = pair->other},
		{.text = other->file},
		{.integer = other->line},
		{.integer = other->column},
		{.text = names[other->access & 3]},
		{.integer = (int64_t)pair->words},
		{.integer = (int64_t)pair->group[0]},
		{.integer = (int64_t)pair->group[1]},
		{.integer = (int64_t)pair->group[2]},
		{.integer = pair->barriers},
		{.integer = pair->address},
		{.integer = pair->wave},
		{.integer = pair->other_wave},
		{.text = pairs->barrier
				 ? ""
				 : "no wave passed a barrier: if the kernel has one, compile "
				   "it again with this version's plugin"},
	};

	return host->row(host->ctx, table, values, COLUMNS);
}

static int by_sites(const void *a, const void *b)
{
	const struct pair *left = a, *right = b;

	if (left->site != right->site)
		return left->site < right->site ? -1 : 1;
	return (left->other > right->other) - (left->other < right->other);
}

static int write_pairs(const struct race *race, size_t *count)
{
	const struct probe_host *host = race->sites.host;
	int table = host->table(host->ctx, "pair", columns, COLUMNS);
	int err = table < 0 ? table : 0;

	for (size_t k = 0; k < race->sites.count; k++) {
		struct pairs *pairs = race->sites.kernels[k]->extra;

		if (pairs->count)
			qsort(pairs->items, pairs->count, sizeof(*pairs->items), by_sites);
		for (size_t i = 0; i < pairs->count && !err; i++)
			err = write_pair(host, table, race->sites.kernels[k], &pairs->items[i]);
		*count += pairs->count;
		free(pairs->items);
	}
	return err;
}

static int race_close(void *state)
{
	struct race *race = state;
	const struct probe_host *host = race->sites.host;
	size_t count = 0;
	int err;

	/* Dispatches whose end was not seen. */
	while (race->trackers)
		end_dispatch(race, race->trackers);
	err = write_pairs(race, &count);
	if (count)
		host->log(host->ctx, PROBE_LOG_WARNING,
			  "%zu pair%s of accesses race in LDS; probe-report tables --table "
			  "race_pair FILE shows where",
			  count, count == 1 ? "" : "s");
	if (race->refused)
		host->log(host->ctx, PROBE_LOG_WARNING,
			  "%llu accesses were not examined: more memory is needed "
			  "(-a race:memory=, now %llu MiB)",
			  (unsigned long long)race->refused, (unsigned long long)race->limit >> 20);
	sites_report(&race->sites, "race");
	sites_deinit(&race->sites);
	free(race);
	return err;
}

PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler),
	.abi = PROBE_HANDLER_ABI,
	.name = "race",
	.summary = "waves that touch the same word of LDS with no barrier between",
	.streams = PROBE_STREAM_ACCESS,
	.open = race_open,
	.batch = race_batch,
	.dispatch_end = race_end,
	.close = race_close,
};
