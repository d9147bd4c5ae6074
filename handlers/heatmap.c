/* SPDX-License-Identifier: MIT */
/*
 * Handler `heatmap`: where in memory a run's accesses go. Tables probe_heatmap_allocation (what the
 * application asked for, and where), probe_heatmap_region (2 MiB), probe_heatmap_page (4 KiB; the
 * busiest `pages=N`) and probe_heatmap_lds (dwords per bank and kernel). Addresses are the
 * process's.
 *
 * Counts are of lanes. What crosses a page counts in both, its bytes where they lie; an atomic
 * operation's bytes are read and written. lines64 are the distinct lines touched in the whole run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>

#include "heatmap_lds.h"

#define PAGE_SHIFT   12
#define PAGE_BYTES   (1u << PAGE_SHIFT)
#define REGION_SHIFT 21
#define LINE_SHIFT   6 /* 64 lines in a page: a bit each */
#define NO_PAGE	     UINT64_MAX

struct page {
	uint64_t number; /* address >> PAGE_SHIFT; NO_PAGE: a free slot */
	uint64_t lines;
	uint64_t count[KINDS];
	uint64_t bytes[KINDS];
	uint64_t dispatch;   /* for which `owner` was looked up */
	uint32_t owner;	     /* of its first byte touched: index of owners, 0 = nobody known */
	uint32_t last_owner; /* to count a page once per allocation that it was in, in a row */
};

/* An allocation with accesses; owners[0] stands for all that is in none. */
struct owner {
	const struct probe_allocation_info *info;
	uint64_t pages;
	uint64_t count[KINDS];
	uint64_t bytes[KINDS];
};

struct site {
	struct site_facts facts;
};

struct heatmap {
	struct sites sites;
	struct page *pages; /* open addressing */
	size_t count, size;
	struct page *last;
	struct owner *owners;
	size_t owner_count, owner_room;
	uint32_t *owner_of; /* by id of the allocation */
	size_t owner_of_room;
	const struct probe_dispatch_info *dispatch;
	uint64_t keep; /* rows of table page */
	bool no_memory;
};

/* ---- Pages ----------------------------------------------------------------------------------- */

static size_t home_of(size_t size, uint64_t number)
{
	return (number * 0x9e3779b97f4a7c15ull >> 20) & (size - 1);
}

static size_t slot_of(const struct page *pages, size_t size, uint64_t number)
{
	size_t slot = home_of(size, number);

	while (pages[slot].number != number && pages[slot].number != NO_PAGE)
		slot = (slot + 1) & (size - 1);
	return slot;
}

static bool grow(struct heatmap *heatmap)
{
	size_t size = heatmap->size ? 2 * heatmap->size : 1024;
	struct page *pages = calloc(size, sizeof(*pages));

	if (!pages)
		return false;
	for (size_t i = 0; i < size; i++)
		pages[i].number = NO_PAGE;
	for (size_t i = 0; i < heatmap->size; i++)
		if (heatmap->pages[i].number != NO_PAGE)
			pages[slot_of(pages, size, heatmap->pages[i].number)] = heatmap->pages[i];
	free(heatmap->pages);
	heatmap->pages = pages;
	heatmap->size = size;
	heatmap->last = NULL;
	return true;
}

static struct page *find_page(struct heatmap *heatmap, uint64_t number)
{
	struct page *page = heatmap->last;

	if (page && page->number == number)
		return page;
	if (2 * heatmap->count >= heatmap->size && !grow(heatmap)) {
		heatmap->no_memory = true;
		return NULL;
	}
	page = &heatmap->pages[slot_of(heatmap->pages, heatmap->size, number)];
	heatmap->count += page->number == NO_PAGE;
	page->number = number;
	heatmap->last = page;
	return page;
}

static uint64_t line_bits(uint64_t first, uint64_t last)
{
	unsigned low = (first & (PAGE_BYTES - 1)) >> LINE_SHIFT;
	unsigned high = (last & (PAGE_BYTES - 1)) >> LINE_SHIFT;

	return UINT64_MAX >> (63 - (high - low)) << low;
}

/* ---- Allocations ----------------------------------------------------------------------------- */

static bool add_owner(struct heatmap *heatmap, const struct probe_allocation_info *info,
		      uint32_t *ret)
{
	if (heatmap->owner_count == heatmap->owner_room) {
		size_t room = heatmap->owner_room ? 2 * heatmap->owner_room : 64;
		struct owner *owners = realloc(heatmap->owners, room * sizeof(*owners));

		if (!owners)
			return false;
		heatmap->owners = owners;
		heatmap->owner_room = room;
	}
	*ret = (uint32_t)heatmap->owner_count;
	heatmap->owners[heatmap->owner_count++] = (struct owner){.info = info};
	return true;
}

/* Ids count from 1 without gaps. */
static uint32_t owner_by_id(struct heatmap *heatmap, const struct probe_allocation_info *info)
{
	if (info->id >= heatmap->owner_of_room) {
		size_t room = 2 * (size_t)info->id + 64;
		uint32_t *grown = realloc(heatmap->owner_of, room * sizeof(*grown));

		if (!grown)
			return 0;
		memset(grown + heatmap->owner_of_room, 0,
		       (room - heatmap->owner_of_room) * sizeof(*grown));
		heatmap->owner_of = grown;
		heatmap->owner_of_room = room;
	}
	if (!heatmap->owner_of[info->id] && !add_owner(heatmap, info, &heatmap->owner_of[info->id]))
		heatmap->no_memory = true;
	return heatmap->owner_of[info->id];
}

/* Whose is the page in this dispatch? Allocations begin at pages, so one answer will do. */
static void find_owner(struct heatmap *heatmap, struct page *page, uint64_t lines)
{
	const struct probe_host *host = heatmap->sites.host;
	const struct probe_allocation_info *info = NULL;
	uint64_t address = page->number << PAGE_SHIFT;

	if (lines)
		address += (uint64_t)__builtin_ctzll(lines) << LINE_SHIFT;
	if (host->size > offsetof(struct probe_host, allocation) && host->allocation)
		info = host->allocation(host->ctx, heatmap->dispatch, address);
	page->dispatch = heatmap->dispatch->id;
	page->owner = info ? owner_by_id(heatmap, info) : 0;
	if (page->last_owner != page->owner + 1)
		heatmap->owners[page->owner].pages++;
	page->last_owner = page->owner + 1;
}

/* `lanes` accesses of one page that take `bytes` from it. */
static void add(struct heatmap *heatmap, unsigned kind, uint64_t number, uint64_t lines,
		unsigned lanes, uint64_t bytes)
{
	struct page *page = find_page(heatmap, number);

	if (!page)
		return;
	if (page->dispatch != heatmap->dispatch->id)
		find_owner(heatmap, page, lines);
	page->lines |= lines;
	page->count[kind] += lanes;
	page->bytes[kind] += bytes;
	heatmap->owners[page->owner].count[kind] += lanes;
	heatmap->owners[page->owner].bytes[kind] += bytes;
}

/* Any address, any size. */
static void add_lane(struct heatmap *heatmap, unsigned kind, uint64_t addr, unsigned bytes)
{
	while (bytes) {
		uint64_t room = PAGE_BYTES - (addr & (PAGE_BYTES - 1));
		unsigned here = bytes < room ? bytes : (unsigned)room;

		add(heatmap, kind, addr >> PAGE_SHIFT, line_bits(addr, addr + here - 1), 1, here);
		addr += here;
		bytes -= here;
	}
}

/* Lanes that lie inside a line each; those of one page in a row are added together. */
static void add_lanes(struct heatmap *heatmap, unsigned kind, unsigned bytes, const uint64_t *addr,
		      unsigned count)
{
	for (unsigned i = 0; i < count;) {
		uint64_t number = addr[i] >> PAGE_SHIFT, lines = 0;
		unsigned first = i;

		for (; i < count && addr[i] >> PAGE_SHIFT == number; i++)
			lines |= 1ull << ((addr[i] >> LINE_SHIFT) & 63);
		add(heatmap, kind, number, lines, i - first, (uint64_t)(i - first) * bytes);
	}
}

/* Ask for the pages' counts before they are needed: scattered ones are in no cache. */
static void prefetch(const struct heatmap *heatmap, const uint64_t *addr, unsigned count)
{
	for (unsigned i = 0; i < count && heatmap->size; i++)
		__builtin_prefetch(&heatmap->pages[home_of(heatmap->size, addr[i] >> PAGE_SHIFT)]);
}

/*
 * Neighbouring lanes at a small stride, each inside a line: page by page. No line between the first
 * and the last is left out. False if it is not so.
 */
static bool add_run(struct heatmap *heatmap, unsigned kind, unsigned bytes,
		    const struct probe_access *access)
{
	uint64_t addr = access->base, stride = (uint64_t)access->stride;
	uint64_t run = access->exec >> __builtin_ctzll(access->exec);
	unsigned lanes = access->lanes;

	if (stride > 1u << LINE_SHIFT || run & (run + 1))
		return false;
	while (lanes) {
		uint64_t last = addr + stride * (lanes - 1), room;
		unsigned here = lanes;

		if (last >> PAGE_SHIFT != addr >> PAGE_SHIFT) {
			room = PAGE_BYTES - (addr & (PAGE_BYTES - 1));
			here = (unsigned)((room + stride - 1) / stride);
			last = addr + stride * (here - 1);
		}
		add(heatmap, kind, addr >> PAGE_SHIFT, line_bits(addr, last), here,
		    (uint64_t)here * bytes);
		addr = last + stride;
		lanes -= here;
	}
	return true;
}

/* Does every lane lie inside one line? */
static bool aligned(unsigned bytes, const uint64_t *addr, unsigned count)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < count; i++)
		any |= addr[i];
	return bytes <= 1u << LINE_SHIFT && !(bytes & (bytes - 1)) && !(any & (bytes - 1));
}

static void add_global(struct heatmap *heatmap, const struct site_facts *facts,
		       const struct probe_access *access)
{
	const uint64_t ends[] = {access->base, (uint64_t)access->stride};
	unsigned bytes = facts->bytes, kind = heatmap_kind(facts), count;
	bool affine = access->form == PROBE_FORM_AFFINE;
	uint64_t addr[64];

	if (affine && aligned(bytes, ends, 2) && add_run(heatmap, kind, bytes, access))
		return;
	count = probe_access_expand(access, addr);
	if (!affine)
		prefetch(heatmap, addr, count);
	if (aligned(bytes, addr, count))
		add_lanes(heatmap, kind, bytes, addr, count);
	else
		for (unsigned i = 0; i < count; i++)
			add_lane(heatmap, kind, addr[i], bytes);
}

/* ---- The plugin ------------------------------------------------------------------------------ */

static void add_access(struct heatmap *heatmap, const struct sites_kernel *kernel,
		       const struct site_facts *facts, const struct probe_dispatch_info *dispatch,
		       const struct probe_access *access)
{
	uint64_t addr[64];
	unsigned count;

	/* Scratch, whose addresses count from the wave's own. */
	if (!facts->lds && !facts->global)
		return;
	if (!facts->lds) {
		add_global(heatmap, facts, access);
		return;
	}
	if (access->form == PROBE_FORM_AFFINE && !facts->global &&
	    heatmap_lds_run(kernel, facts, access))
		return;
	count = probe_access_expand(access, addr);
	for (unsigned i = 0; i < count; i++) {
		enum site_place place = site_place(facts, dispatch, addr[i]);

		if (place == SITE_GLOBAL)
			add_lane(heatmap, heatmap_kind(facts), addr[i], facts->bytes);
		else if (place == SITE_LDS)
			heatmap_lds(kernel, facts, addr[i]);
	}
}

static int heatmap_batch(void *state, const struct probe_batch *batch)
{
	struct heatmap *heatmap = state;
	const struct sites_kernel *kernel = sites_kernel(&heatmap->sites, batch->dispatch);

	if (!kernel)
		return -ENOMEM;
	heatmap->dispatch = batch->dispatch;
	for (size_t i = 0; i < batch->count; i++) {
		const struct probe_access *access = &batch->access[i];
		const struct site_facts *facts =
			access->exec ? sites_get(&heatmap->sites, kernel, access->site) : NULL;

		if (facts)
			add_access(heatmap, kernel, facts, batch->dispatch, access);
	}
	return heatmap->no_memory ? -ENOMEM : 0;
}

static int heatmap_open(const struct probe_host *host, void **state)
{
	struct heatmap *heatmap = calloc(1, sizeof(*heatmap));
	uint32_t nobody;

	if (!heatmap)
		return -ENOMEM;
	heatmap->keep = 65536;
	if (sites_arg(host, "heatmap", "pages", 0, UINT32_MAX, &heatmap->keep)) {
		free(heatmap);
		return -EINVAL;
	}
	heatmap->sites = (struct sites){
		.host = host,
		.site_size = sizeof(struct site),
		.extra_size = sizeof(struct heatmap_banks),
	};
	if (!add_owner(heatmap, NULL, &nobody)) {
		free(heatmap);
		return -ENOMEM;
	}
	*state = heatmap;
	return 0;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static const struct probe_column allocation_columns[] = {
	{"allocation", PROBE_TYPE_INTEGER}, {"address", PROBE_TYPE_INTEGER},
	{"size", PROBE_TYPE_INTEGER},	    {"call_site", PROBE_TYPE_TEXT},
	{"pages", PROBE_TYPE_INTEGER},	    {"reads", PROBE_TYPE_INTEGER},
	{"writes", PROBE_TYPE_INTEGER},	    {"atomics", PROBE_TYPE_INTEGER},
	{"read_bytes", PROBE_TYPE_INTEGER}, {"written_bytes", PROBE_TYPE_INTEGER},
};
static const struct probe_column region_columns[] = {
	{"address", PROBE_TYPE_INTEGER},    {"pages", PROBE_TYPE_INTEGER},
	{"lines64", PROBE_TYPE_INTEGER},    {"reads", PROBE_TYPE_INTEGER},
	{"writes", PROBE_TYPE_INTEGER},	    {"atomics", PROBE_TYPE_INTEGER},
	{"read_bytes", PROBE_TYPE_INTEGER}, {"written_bytes", PROBE_TYPE_INTEGER},
};
static const struct probe_column page_columns[] = {
	{"address", PROBE_TYPE_INTEGER},
	{"lines64", PROBE_TYPE_INTEGER},
	{"reads", PROBE_TYPE_INTEGER},
	{"writes", PROBE_TYPE_INTEGER},
	{"atomics", PROBE_TYPE_INTEGER},
	{"read_bytes", PROBE_TYPE_INTEGER},
	{"written_bytes", PROBE_TYPE_INTEGER},
	/* Whose the page was when last touched, and where in it the page begins; 0 = not known. */
	{"allocation", PROBE_TYPE_INTEGER},
	{"offset", PROBE_TYPE_INTEGER},
	{"call_site", PROBE_TYPE_TEXT},
};
#define COUNT(columns) (sizeof(columns) / sizeof((columns)[0]))

static uint64_t traffic(const struct page *page)
{
	return page->bytes[READS] + page->bytes[WRITES] + 2 * page->bytes[ATOMICS];
}

static int by_address(const void *a, const void *b)
{
	const struct page *left = a, *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

static int by_traffic(const void *a, const void *b)
{
	uint64_t left = traffic(a), right = traffic(b);

	return left != right ? (left < right) - (left > right) : by_address(a, b);
}

/* The counts of a page or region: six values of a row. */
static void put_counts(union probe_value *values, uint64_t lines, const struct page *sum)
{
	values[0].integer = (int64_t)lines;
	for (unsigned kind = 0; kind < KINDS; kind++)
		values[1 + kind].integer = (int64_t)sum->count[kind];
	values[4].integer = (int64_t)(sum->bytes[READS] + sum->bytes[ATOMICS]);
	values[5].integer = (int64_t)(sum->bytes[WRITES] + sum->bytes[ATOMICS]);
}

/* One region: the pages from `i` on; returns where the next one begins. */
static size_t write_region(const struct heatmap *heatmap, int table, size_t i, int *err)
{
	const struct probe_host *host = heatmap->sites.host;
	uint64_t region = heatmap->pages[i].number >> (REGION_SHIFT - PAGE_SHIFT), lines = 0;
	union probe_value values[COUNT(region_columns)];
	struct page sum = {0};
	size_t first = i;

	for (; i < heatmap->count &&
	       heatmap->pages[i].number >> (REGION_SHIFT - PAGE_SHIFT) == region;
	     i++) {
		lines += (unsigned)__builtin_popcountll(heatmap->pages[i].lines);
		for (unsigned kind = 0; kind < KINDS; kind++) {
			sum.count[kind] += heatmap->pages[i].count[kind];
			sum.bytes[kind] += heatmap->pages[i].bytes[kind];
		}
	}
	values[0].integer = (int64_t)(region << REGION_SHIFT);
	values[1].integer = (int64_t)(i - first);
	put_counts(values + 2, lines, &sum);
	*err = host->row(host->ctx, table, values, COUNT(region_columns));
	return i;
}

/* The calls on one line, innermost first: "file.cpp:12 <- file.cpp:30". */
static const char *site_text(const char *site, char *text, size_t room)
{
	size_t used = 0;

	for (; *site && used + 5 < room; site++) {
		if (*site != '\n')
			text[used++] = *site;
		else
			used += (size_t)sprintf(text + used, " <- ");
	}
	text[used] = 0;
	return text;
}

static int write_page(const struct heatmap *heatmap, int table, const struct page *page)
{
	const struct probe_host *host = heatmap->sites.host;
	const struct probe_allocation_info *info = heatmap->owners[page->owner].info;
	uint64_t address = page->number << PAGE_SHIFT;
	union probe_value values[COUNT(page_columns)];
	char text[4096];

	values[0].integer = (int64_t)address;
	put_counts(values + 1, (unsigned)__builtin_popcountll(page->lines), page);
	values[7].integer = info ? info->id : 0;
	values[8].integer =
		info && address > info->address ? (int64_t)(address - info->address) : 0;
	values[9].text = info ? site_text(info->site, text, sizeof(text)) : NULL;
	return host->row(host->ctx, table, values, COUNT(page_columns));
}

static int write_pages(struct heatmap *heatmap)
{
	const struct probe_host *host = heatmap->sites.host;
	int table = host->table(host->ctx, "page", page_columns, COUNT(page_columns));
	size_t count = heatmap->count < heatmap->keep ? heatmap->count : heatmap->keep;
	int err = table < 0 ? table : 0;

	if (count < heatmap->count) {
		qsort(heatmap->pages, heatmap->count, sizeof(*heatmap->pages), by_traffic);
		qsort(heatmap->pages, count, sizeof(*heatmap->pages), by_address);
		host->log(host->ctx, PROBE_LOG_INFO,
			  "%zu pages touched; table page has the %zu busiest (pages=N), table "
			  "region has all",
			  heatmap->count, count);
	}
	for (size_t i = 0; i < count && !err; i++)
		err = write_page(heatmap, table, &heatmap->pages[i]);
	return err;
}

/* In the order of first use; accesses in no known allocation last, with 0 and no site. */
static int write_allocations(const struct heatmap *heatmap)
{
	const struct probe_host *host = heatmap->sites.host;
	int table =
		host->table(host->ctx, "allocation", allocation_columns, COUNT(allocation_columns));
	int err = table < 0 ? table : 0;

	for (size_t i = 1; i <= heatmap->owner_count && !err; i++) {
		const struct owner *owner = &heatmap->owners[i % heatmap->owner_count];
		const struct probe_allocation_info *info = owner->info;
		char text[4096];
		const union probe_value values[] = {
			{.integer = info ? info->id : 0},
			{.integer = info ? (int64_t)info->address : 0},
			{.integer = info ? (int64_t)info->bytes : 0},
			{.text = info ? site_text(info->site, text, sizeof(text)) : NULL},
			{.integer = (int64_t)owner->pages},
			{.integer = (int64_t)owner->count[READS]},
			{.integer = (int64_t)owner->count[WRITES]},
			{.integer = (int64_t)owner->count[ATOMICS]},
			{.integer = (int64_t)(owner->bytes[READS] + owner->bytes[ATOMICS])},
			{.integer = (int64_t)(owner->bytes[WRITES] + owner->bytes[ATOMICS])},
		};

		if (info || owner->pages)
			err = host->row(host->ctx, table, values, COUNT(allocation_columns));
	}
	return err;
}

static int write_memory(struct heatmap *heatmap)
{
	const struct probe_host *host = heatmap->sites.host;
	int table = host->table(host->ctx, "region", region_columns, COUNT(region_columns));
	int err = table < 0 ? table : 0;
	size_t used = 0;

	for (size_t i = 0; i < heatmap->size; i++)
		if (heatmap->pages[i].number != NO_PAGE)
			heatmap->pages[used++] = heatmap->pages[i];
	if (used)
		qsort(heatmap->pages, used, sizeof(*heatmap->pages), by_address);
	for (size_t i = 0; i < used && !err;)
		i = write_region(heatmap, table, i, &err);
	return err ? err : write_pages(heatmap);
}

static int heatmap_close(void *state)
{
	struct heatmap *heatmap = state;
	int err = write_memory(heatmap);

	if (!err)
		err = heatmap_lds_write(&heatmap->sites);
	if (!err)
		err = write_allocations(heatmap);
	sites_report(&heatmap->sites, "heatmap");
	sites_deinit(&heatmap->sites);
	free(heatmap->pages);
	free(heatmap->owners);
	free(heatmap->owner_of);
	free(heatmap);
	return err;
}

PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler),
	.abi = PROBE_HANDLER_ABI,
	.name = "heatmap",
	.summary = "reads and writes per allocation, 2 MiB region and page; LDS dwords per bank",
	.streams = PROBE_STREAM_ACCESS,
	.open = heatmap_open,
	.batch = heatmap_batch,
	.close = heatmap_close,
};
