/* SPDX-License-Identifier: MIT */
/*
 * Handler `race`: two waves of one workgroup that access the same byte of LDS with no barrier in
 * between, at least one of them writing. One row per kernel and pair of sites in table
 * probe_race_pair. Neighbouring bytes of a dword do not race: LDS writes bytes and halves alone.
 *
 * All waves of a workgroup pass its n-th barrier together. So accesses of two waves are unordered
 * exactly if both waves have passed the same number of barriers (probe_wave_info.barriers). The
 * handler keeps accesses by workgroup and number of barriers (race_epochs.h) and searches them when
 * the dispatch ends. Atomic operations do not race with each other. The effect of a race does not
 * matter: two waves that store the same value race as well.
 *
 * If records were lost, which the report says, a barrier may be among them, and a reported race may
 * be none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>
#include <probe/words.h>

#include "handlers/race/race_epochs.h"
#include "handlers/common/site_table.h"

/* One dispatch in flight. */
struct tracker {
	struct tracker *next;
	uint64_t dispatch;
	uint64_t width, height; /* workgroups */
	struct sites_kernel *kernel;
	struct race_epochs epochs;
};

/* Two sites of a kernel that race. */
struct pair {
	uint32_t site, other;
	uint64_t words; /* dwords, each counted per workgroup and barrier */
	uint64_t step;	/* step of the last of them */
	bool known;	/* the first in order of workgroup, barrier and address: */
	uint64_t group[3], key;
	uint32_t barriers, address, wave, other_wave;
};

struct pairs {
	struct pair *items;
	size_t count, capacity, last;
	bool barrier; /* some wave passed a barrier */
};

struct site {
	struct site_facts facts;
};

struct race {
	struct sites sites;
	struct tracker *trackers;
	struct race_memory memory;
	uint64_t refused;
	uint64_t step; /* dwords searched */
};

/* ---- Dispatches ------------------------------------------------------------------------------ */

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
	tracker->epochs.memory = &race->memory;
	tracker->dispatch = dispatch->id;
	tracker->width = site_groups(dispatch->grid[0], dispatch->group[0]);
	tracker->height = site_groups(dispatch->grid[1], dispatch->group[1]);
	tracker->kernel = sites_kernel(&race->sites, dispatch);
	if (!tracker->kernel) {
		free(tracker);
		return NULL;
	}
	tracker->next = race->trackers;
	race->trackers = tracker;
	return tracker;
}

static void free_tracker(struct race *race, struct tracker *tracker)
{
	struct tracker **at = &race->trackers;

	while (*at != tracker)
		at = &(*at)->next;
	*at = tracker->next;
	race->refused += tracker->epochs.refused;
	race_epochs_deinit(&tracker->epochs);
	free(tracker);
}

static void add_access(struct tracker *tracker, const struct site_facts *facts,
		       const struct probe_dispatch_info *dispatch,
		       const struct probe_access *access)
{
	const uint32_t *group = access->wave->group;
	const struct race_access what = {
		.wave = access->wave,
		.group = group[0] +
			 tracker->width * (group[1] + tracker->height * (uint64_t)group[2]),
		.site = access->site,
		.kind = facts->access,
		.bytes = facts->bytes,
	};
	uint64_t addr[64], run = access->exec >> __builtin_ctzll(access->exec);
	unsigned count, lds;

	if (access->form == PROBE_FORM_AFFINE && !facts->global && !(run & (run + 1))) {
		race_add_affine(&tracker->epochs, &what, access->base, access->stride,
				access->lanes);
		return;
	}
	count = probe_access_expand(access, addr);
	lds = facts->global ? 0 : count;
	for (unsigned i = 0; i < count && facts->global; i++)
		if (site_place(facts, dispatch, addr[i]) == SITE_LDS)
			addr[lds++] = addr[i];
	if (lds)
		race_add(&tracker->epochs, &what, addr, lds);
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
	if (pairs->count == pairs->capacity) {
		size_t capacity = pairs->capacity ? 2 * pairs->capacity : 16;
		struct pair *items = realloc(pairs->items, capacity * sizeof(*items));

		if (!items) {
			race->memory.exhausted = true;
			return NULL;
		}
		pairs->items = items;
		pairs->capacity = capacity;
	}
	pairs->items[pairs->count] = (struct pair){.site = site, .other = other};
	return &pairs->items[pairs->last = pairs->count++];
}

static unsigned access_of(const struct tracker *tracker, uint32_t site)
{
	return ((const struct site *)sites_at(tracker->kernel, site))->facts.access;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t was = *a;

	*a = *b;
	*b = was;
}

/* Two different waves, one of each node. False if there are none. */
static bool two_waves(const struct race_node *a, const struct race_node *b, uint32_t *wave,
		      uint32_t *other)
{
	*wave = a->wave;
	*other = b->wave != a->wave ? b->wave : b->other;
	if (*other == RACE_NO_WAVE && a->other != RACE_NO_WAVE) {
		*wave = a->other;
		*other = b->wave;
	}
	return *other != RACE_NO_WAVE;
}

/*
 * The example is the first in order of workgroup, barrier, address and waves, so it does not depend
 * on the order of delivery.
 */
static void keep_first_example(const struct tracker *tracker, const struct race_epoch *epoch,
			       uint32_t address, uint32_t wave, uint32_t other, struct pair *pair)
{
	uint64_t height = tracker->height ? tracker->height : 1;

	if (pair->known && (pair->key != epoch->group		? pair->key < epoch->group
			    : pair->barriers != epoch->barriers ? pair->barriers < epoch->barriers
			    : pair->address != address		? pair->address < address
			    : pair->wave != wave		? pair->wave < wave
								: pair->other_wave <= other))
		return;
	pair->known = true;
	pair->key = epoch->group;
	pair->group[0] = epoch->group % tracker->width;
	pair->group[1] = epoch->group / tracker->width % height;
	pair->group[2] = epoch->group / tracker->width / height;
	pair->barriers = epoch->barriers;
	pair->address = address;
	pair->wave = wave;
	pair->other_wave = other;
}

static void find_races(struct race *race, const struct tracker *tracker,
		       const struct race_epoch *epoch, const struct race_page *page, uint32_t dword)
{
	const struct race_node *nodes = tracker->epochs.nodes;
	struct pairs *pairs = tracker->kernel->extra;
	uint32_t base = 4 * (page->number * RACE_PAGE_DWORDS + dword);

	race->step++;
	for (uint32_t i = page->nodes[dword]; i; i = nodes[i].next)
		for (uint32_t k = i; k; k = nodes[k].next) {
			const struct race_node *a = &nodes[i], *b = &nodes[k];
			const struct race_node *low = a->site <= b->site ? a : b;
			const struct race_node *high = low == a ? b : a;
			uint32_t wave, other, both = a->bytes & b->bytes;
			struct pair *pair;

			if (!both || !race_conflict(access_of(tracker, a->site),
						    access_of(tracker, b->site)))
				continue;
			if (!two_waves(low, high, &wave, &other))
				continue;
			pair = find_pair(race, pairs, low->site, high->site);
			if (!pair)
				continue;
			if (low->site == high->site && wave > other)
				swap(&wave, &other);
			pair->words += pair->step != race->step;
			pair->step = race->step;
			keep_first_example(tracker, epoch, base + (uint32_t)__builtin_ctz(both),
					   wave, other, pair);
		}
}

static void end_dispatch(struct race *race, struct tracker *tracker)
{
	struct pairs *pairs = tracker->kernel->extra;

	for (size_t i = 0; i < tracker->epochs.size; i++) {
		struct race_epoch *epoch = tracker->epochs.slots[i];

		if (!epoch)
			continue;
		pairs->barrier = pairs->barrier || epoch->barriers;
		race_expand(&tracker->epochs, epoch);
		for (const struct race_page *page = epoch->pages; page; page = page->next)
			for (uint32_t dword = 0; dword < RACE_PAGE_DWORDS; dword++)
				if (page->nodes[dword])
					find_races(race, tracker, epoch, page, dword);
	}
	free_tracker(race, tracker);
}

/* ---- The plugin ------------------------------------------------------------------------------ */

static int race_open(const struct probe_host *host, void **state)
{
	struct race *race = calloc(1, sizeof(*race));
	int err;

	if (!race)
		return -ENOMEM;
	race->memory.limit = 1ull << 30;
	err = sites_arg(host, "race", "memory", 1 << 16, 1ull << 40, &race->memory.limit);
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
			add_access(tracker, facts, dispatch, access);
	}
	return race->memory.exhausted ? -ENOMEM : 0;
}

static int race_end(void *state, const struct probe_dispatch_info *dispatch)
{
	struct race *race = state;
	struct tracker *tracker = race->trackers;

	while (tracker && tracker->dispatch != dispatch->id)
		tracker = tracker->next;
	if (tracker)
		end_dispatch(race, tracker);
	return race->memory.exhausted ? -ENOMEM : 0;
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
	const struct probe_site_info *other =
		host->site(host->ctx, kernel->code_object, pair->other);
	const struct probe_frame_info place = probe_site_user_place(other);
	const struct pairs *pairs = kernel->extra;
	const union probe_value values[COLUMNS] = {
		{.integer = kernel->code_object},
		{.integer = kernel->id},
		{.integer = pair->site},
		{.integer = pair->other},
		{.text = place.file},
		{.integer = place.line},
		{.integer = place.column},
		{.text = probe_access_word(other->access)},
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
				 : "no wave passed a barrier; if the kernel has one, compile "
				   "it again with the plugin of this version"},
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

	/* Dispatches without an end record. */
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
			  "%llu accesses were not examined: raise the memory limit "
			  "(-a race:memory=, now %llu MiB)",
			  (unsigned long long)race->refused,
			  (unsigned long long)race->memory.limit >> 20);
	sites_report(&race->sites, "race");
	sites_deinit(&race->sites);
	race_memory_deinit(&race->memory);
	free(race);
	return err;
}

PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler),
	.abi = PROBE_HANDLER_ABI,
	.name = "race",
	.summary = "waves that access the same bytes of LDS with no barrier in between",
	.streams = PROBE_STREAM_ACCESS,
	.open = race_open,
	.batch = race_batch,
	.dispatch_end = race_end,
	.close = race_close,
};
