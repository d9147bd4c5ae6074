/* SPDX-License-Identifier: MIT */
/*
 * Handler `heatmap`: which memory a run accesses. Tables probe_heatmap_allocation (allocations of
 * the application and their call sites), probe_heatmap_region (2 MiB), probe_heatmap_page (4 KiB;
 * the busiest `pages=N`) and probe_heatmap_lds (dwords per bank and kernel). Addresses are those of
 * the process.
 *
 * Counts are of lanes. An access that crosses a page counts in both, each byte in its page; the
 * bytes of an atomic operation count as read and as written. lines64 are the distinct cache lines
 * touched in the whole run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>

#include "handlers/heatmap/heatmap_tables.h"

/* Parts of recent.key, which has 16 bits. */
enum { RECENT_SHIFT_MAX = 7, RECENT_EPOCHS = 8191 };

struct site {
	struct site_facts facts;
};

/* ---- Pages ----------------------------------------------------------------------------------- */

static inline struct region *slot_of(struct region *regions, size_t size, uint64_t number)
{
	/* Uses the upper bits, in which adjacent numbers differ. */
	size_t slot = (number * 0x9e3779b97f4a7c15ull >> 32) * size >> 32;

	while (regions[slot].pages && regions[slot].number != number)
		slot = (slot + 1) & (size - 1);
	return &regions[slot];
}

static bool grow(struct heatmap *heatmap)
{
	size_t size = heatmap->size ? 2 * heatmap->size : 64;
	struct region *regions = calloc(size, sizeof(*regions));

	if (!regions)
		return false;
	for (size_t i = 0; i < heatmap->size; i++)
		if (heatmap->regions[i].pages)
			*slot_of(regions, size, heatmap->regions[i].number) = heatmap->regions[i];
	free(heatmap->regions);
	heatmap->regions = regions;
	heatmap->size = size;
	heatmap->last = NULL;
	return true;
}

/* NULL without memory. Pages that are not touched take no memory, thanks to calloc(). */
static struct region *add_region(struct heatmap *heatmap, uint64_t number)
{
	const uintptr_t align = sizeof(struct page);
	void *memory = calloc(REGION_PAGES + 1, sizeof(struct page) + sizeof(struct recent));
	struct region *region;
	struct page *pages;

	if (!memory || (2 * heatmap->count >= heatmap->size && !grow(heatmap))) {
		free(memory);
		heatmap->no_memory = true;
		return NULL;
	}
	if (heatmap->count == 0)
		heatmap->near_base = number < NEAR_REGIONS / 2 ? 0 : number - NEAR_REGIONS / 2;
	pages = (struct page *)(((uintptr_t)memory + align - 1) & ~(align - 1));
	region = slot_of(heatmap->regions, heatmap->size, number);
	*region = (struct region){.number = number,
				  .memory = memory,
				  .pages = pages,
				  .recent = (struct recent *)(pages + REGION_PAGES)};
	heatmap->count++;
	if (number - heatmap->near_base < NEAR_REGIONS)
		heatmap->near[number - heatmap->near_base] = region->recent;
	return region;
}

/* The region of a page, valid until the next call. NULL: no memory. */
static inline struct region *find_region(struct heatmap *heatmap, uint64_t number)
{
	uint64_t wanted = number / REGION_PAGES;
	struct region *region = heatmap->last;

	if (region && region->number == wanted)
		return region;
	region = heatmap->size ? slot_of(heatmap->regions, heatmap->size, wanted) : NULL;
	if (!region || !region->pages)
		region = add_region(heatmap, wanted);
	return heatmap->last = region;
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
	if (heatmap->owner_count == heatmap->owner_capacity) {
		size_t capacity = heatmap->owner_capacity ? 2 * heatmap->owner_capacity : 64;
		struct owner *owners = realloc(heatmap->owners, capacity * sizeof(*owners));

		if (!owners)
			return false;
		heatmap->owners = owners;
		heatmap->owner_capacity = capacity;
	}
	*ret = (uint32_t)heatmap->owner_count;
	heatmap->owners[heatmap->owner_count++] = (struct owner){.info = info};
	return true;
}

/* Ids count from 1 without gaps. */
static uint32_t owner_by_id(struct heatmap *heatmap, const struct probe_allocation_info *info)
{
	if (info->id >= heatmap->owner_of_capacity) {
		size_t capacity = 2 * (size_t)info->id + 64;
		uint32_t *grown = realloc(heatmap->owner_of, capacity * sizeof(*grown));

		if (!grown)
			return 0;
		memset(grown + heatmap->owner_of_capacity, 0,
		       (capacity - heatmap->owner_of_capacity) * sizeof(*grown));
		heatmap->owner_of = grown;
		heatmap->owner_of_capacity = capacity;
	}
	if (!heatmap->owner_of[info->id] && !add_owner(heatmap, info, &heatmap->owner_of[info->id]))
		heatmap->no_memory = true;
	return heatmap->owner_of[info->id];
}

/*
 * The allocation of a page in this dispatch. Allocations begin at page boundaries, so there is only
 * one.
 */
static void find_owner(struct heatmap *heatmap, struct page *page, uint64_t number, uint64_t lines)
{
	const struct probe_host *host = heatmap->sites.host;
	const struct probe_allocation_info *info = NULL;
	uint64_t address = number << PAGE_SHIFT;
	uint32_t owner;

	if (lines)
		address += (uint64_t)__builtin_ctzll(lines) << LINE_SHIFT;
	if (host->size > offsetof(struct probe_host, allocation) && host->allocation)
		info = host->allocation(host->ctx, heatmap->dispatch, address);
	owner = info ? owner_by_id(heatmap, info) : 0;
	/* A page counts once for each change of its allocation. */
	heatmap->owners[owner].pages += page->owner != owner + 1;
	page->owner = owner + 1;
	page->epoch = heatmap->epoch;
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* Adds recent accesses to the page. */
static void add_to_page(const struct heatmap *heatmap, struct page *page, struct recent *recent)
{
	struct owner *owner = &heatmap->owners[page->owner - 1];
	unsigned shift = recent->key & RECENT_SHIFT_MAX;

	if (!recent->key)
		return;
	page->lines |= recent->lines;
	for (unsigned kind = 0; kind < KINDS; kind++) {
		uint64_t lanes = recent->lanes[kind];

		page->count[kind] += lanes;
		page->bytes[kind] += lanes << shift;
		owner->count[kind] += lanes;
		owner->bytes[kind] += lanes << shift;
	}
	*recent = (struct recent){0};
}

static void add_all_to_pages(const struct heatmap *heatmap)
{
	for (size_t i = 0; i < heatmap->size; i++) {
		const struct region *region = &heatmap->regions[i];

		for (unsigned k = 0; k < REGION_PAGES && region->pages; k++)
			add_to_page(heatmap, &region->pages[k], &region->recent[k]);
	}
}

/* The key of accesses of this dispatch; `bytes` is a power of two. */
static uint16_t key_of(const struct heatmap *heatmap, unsigned bytes)
{
	return (uint16_t)((1 + heatmap->epoch % RECENT_EPOCHS) * (RECENT_SHIFT_MAX + 1) +
			  (unsigned)__builtin_ctz(bytes));
}

/* Accesses to one page. */
struct touch {
	uint16_t key;
	unsigned kind; /* enum heatmap_kinds */
	uint64_t lines;
	unsigned lanes;
};

/* Adds the recent accesses and begins new ones with another key. */
static void begin_recent(struct heatmap *heatmap, struct recent *recent, uint64_t number,
			 const struct touch *touch)
{
	const struct region *region = find_region(heatmap, number);
	struct page *page = &region->pages[number % REGION_PAGES];

	add_to_page(heatmap, page, recent);
	if (page->epoch != heatmap->epoch)
		find_owner(heatmap, page, number, touch->lines);
	recent->key = touch->key;
}

/* Also if a counter is about to overflow. */
static inline bool is_stale(const struct recent *recent, const struct touch *touch)
{
	return recent->key != touch->key || recent->lanes[touch->kind] > UINT16_MAX - 64;
}

/* Adds `lanes` accesses to one page, described by the key. */
static inline void add_recent(struct heatmap *heatmap, struct recent *recent, uint64_t number,
			      const struct touch *touch)
{
	unsigned kind = touch->kind;

	if (is_stale(recent, touch))
		begin_recent(heatmap, recent, number, touch);
	recent->lines |= touch->lines;
	recent->lanes[kind] = (uint16_t)(recent->lanes[kind] + touch->lanes);
}

/* Adds one access to a page, of `bytes` bytes in it. */
static void add(struct heatmap *heatmap, unsigned kind, uint64_t number, uint64_t lines,
		unsigned bytes)
{
	const struct region *region = find_region(heatmap, number);
	struct owner *owner;
	struct page *page;

	if (!region)
		return;
	page = &region->pages[number % REGION_PAGES];
	if (page->epoch != heatmap->epoch) {
		add_to_page(heatmap, page, &region->recent[number % REGION_PAGES]);
		find_owner(heatmap, page, number, lines);
	}
	page->lines |= lines;
	page->count[kind]++;
	page->bytes[kind] += bytes;
	owner = &heatmap->owners[page->owner - 1];
	owner->count[kind]++;
	owner->bytes[kind] += bytes;
}

/* For any address and any size. */
static void add_lane(struct heatmap *heatmap, unsigned kind, uint64_t addr, unsigned bytes)
{
	while (bytes) {
		uint64_t rest = PAGE_BYTES - (addr & (PAGE_BYTES - 1));
		unsigned here = bytes < rest ? bytes : (unsigned)rest;

		add(heatmap, kind, addr >> PAGE_SHIFT, line_bits(addr, addr + here - 1), here);
		addr += here;
		bytes -= here;
	}
}

/* The lanes of an access, each inside one cache line, and the recent accesses of their pages. */
struct lanes {
	const uint64_t *addr;
	unsigned count, stales;
	struct recent *recent[64];
	uint8_t stale[64]; /* lanes whose page has recent accesses of another kind, or too many */
};

/*
 * Finds them; false without memory. All pages are looked at before the first is changed, because
 * scattered pages are not cached. If the recent accesses are stale the page is needed as well; it
 * is in memory before them.
 */
static inline bool find_recent(struct heatmap *heatmap, const struct touch *touch,
			       struct lanes *lanes)
{
	struct recent *const *near = heatmap->near;
	const uint64_t base = heatmap->near_base;

	for (unsigned i = 0; i < lanes->count; i++) {
		uint64_t addr = lanes->addr[i], at = (addr >> REGION_SHIFT) - base;
		struct recent *recent = at < NEAR_REGIONS ? near[at] : NULL;

		if (!recent) {
			const struct region *region = find_region(heatmap, addr >> PAGE_SHIFT);

			if (!region)
				return false;
			recent = region->recent;
		}
		at = addr >> PAGE_SHIFT & (REGION_PAGES - 1);
		lanes->recent[i] = &recent[at];
		if (is_stale(&recent[at], touch)) {
			__builtin_prefetch((struct page *)recent - REGION_PAGES + at, 1);
			lanes->stale[lanes->stales++] = (uint8_t)i;
		}
	}
	return true;
}

/* For lanes that each are inside one cache line. */
static void add_lanes(struct heatmap *heatmap, unsigned kind, unsigned bytes, const uint64_t *addr,
		      unsigned count)
{
	struct touch touch = {.key = key_of(heatmap, bytes), .kind = kind, .lanes = 1};
	struct lanes lanes; /* not initialised: that would take a twentieth of the time */

	lanes.addr = addr;
	lanes.count = count;
	lanes.stales = 0;
	if (!find_recent(heatmap, &touch, &lanes))
		return;
	for (unsigned i = 0; i < lanes.stales; i++) {
		unsigned lane = lanes.stale[i];

		touch.lines = line_bits(addr[lane], addr[lane]);
		if (is_stale(lanes.recent[lane], &touch))
			begin_recent(heatmap, lanes.recent[lane], addr[lane] >> PAGE_SHIFT, &touch);
	}
	for (unsigned i = 0; i < count; i++) {
		struct recent *recent = lanes.recent[i];

		recent->lines |= 1ull << (addr[i] >> LINE_SHIFT & 63);
		recent->lanes[kind]++;
	}
}

/*
 * Cache lines of lanes inside a page. At a small stride, lanes touch all lines from the first to
 * the last.
 */
static uint64_t lines_of(uint64_t addr, uint64_t stride, unsigned lanes)
{
	uint64_t lines = 0;

	if (stride <= 1u << LINE_SHIFT)
		return line_bits(addr, addr + stride * (lanes - 1));
	for (unsigned i = 0; i < lanes; i++, addr += stride)
		lines |= 1ull << ((addr >> LINE_SHIFT) & 63);
	return lines;
}

/*
 * For adjacent lanes at a stride so small that several fit in a page, each inside one cache line:
 * works page by page. False for other accesses.
 */
static bool add_run(struct heatmap *heatmap, unsigned kind, unsigned bytes,
		    const struct probe_access *access)
{
	uint64_t addr = access->base, stride = (uint64_t)access->stride;
	uint64_t run = access->exec >> __builtin_ctzll(access->exec);
	struct touch touch = {.key = key_of(heatmap, bytes), .kind = kind};
	unsigned lanes = access->lanes;

	if (stride > PAGE_BYTES / 4 || run & (run + 1))
		return false;
	while (lanes) {
		uint64_t last = addr + stride * (lanes - 1), number = addr >> PAGE_SHIFT;
		const struct region *region = find_region(heatmap, number);
		unsigned here = lanes;

		if (last >> PAGE_SHIFT != number) {
			uint32_t rest = PAGE_BYTES - (addr & (PAGE_BYTES - 1));

			here = (rest + (uint32_t)stride - 1) / (uint32_t)stride;
			last = addr + stride * (here - 1);
		}
		touch.lines = lines_of(addr, stride, here);
		touch.lanes = here;
		if (region)
			add_recent(heatmap, &region->recent[number % REGION_PAGES], number, &touch);
		addr = last + stride;
		lanes -= here;
	}
	return true;
}

/* True if every lane is inside one cache line. */
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
	if (!count)
		return;
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

	/* Scratch addresses are relative to the wave. */
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
	if (!facts->global) {
		heatmap_lds(kernel, facts, addr, count);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		enum site_place place = site_place(facts, dispatch, addr[i]);

		if (place == SITE_GLOBAL)
			add_lane(heatmap, heatmap_kind(facts), addr[i], facts->bytes);
		else if (place == SITE_LDS)
			heatmap_lds(kernel, facts, &addr[i], 1);
	}
}

static int heatmap_batch(void *state, const struct probe_batch *batch)
{
	struct heatmap *heatmap = state;
	const struct sites_kernel *kernel = sites_kernel(&heatmap->sites, batch->dispatch);

	if (!kernel)
		return -ENOMEM;
	heatmap->dispatch = batch->dispatch;
	if (!heatmap->epoch || heatmap->dispatch_id != batch->dispatch->id) {
		/* Keys wrap around. */
		if (++heatmap->epoch % RECENT_EPOCHS == 0)
			add_all_to_pages(heatmap);
	}
	heatmap->dispatch_id = batch->dispatch->id;
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
	uint32_t unknown;

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
	heatmap->near = calloc(NEAR_REGIONS, sizeof(*heatmap->near));
	if (!heatmap->near || !add_owner(heatmap, NULL, &unknown)) {
		free(heatmap->near);
		free(heatmap);
		return -ENOMEM;
	}
	*state = heatmap;
	return 0;
}

static int heatmap_close(void *state)
{
	struct heatmap *heatmap = state;
	int err;

	add_all_to_pages(heatmap);
	err = heatmap_rows_write(heatmap);
	err = err ? err : heatmap_lds_write(&heatmap->sites);
	sites_report(&heatmap->sites, "heatmap");
	sites_deinit(&heatmap->sites);
	for (size_t i = 0; i < heatmap->size; i++)
		free(heatmap->regions[i].memory);
	free(heatmap->regions);
	free(heatmap->near);
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
