/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "handlers/heatmap/heatmap_tables.h"

/* A page to be sorted by number or by traffic. */
struct ranked {
	uint64_t number;
	const struct page *page;
};

static const struct probe_column allocation_columns[] = {
	{"allocation", PROBE_TYPE_INTEGER},
	{"address", PROBE_TYPE_INTEGER},
	{"size", PROBE_TYPE_INTEGER},
	{"pages", PROBE_TYPE_INTEGER},
	{"reads", PROBE_TYPE_INTEGER},
	{"writes", PROBE_TYPE_INTEGER},
	{"atomics", PROBE_TYPE_INTEGER},
	{"read_bytes", PROBE_TYPE_INTEGER},
	{"written_bytes", PROBE_TYPE_INTEGER},
	/* The last column, because long text must not hide others. */
	{"call_site", PROBE_TYPE_TEXT},
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
	/*
	 * The allocation when the page was last touched, and the offset of the page in it; 0 =
	 * unknown.
	 */
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
	const struct ranked *left = a, *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

static int by_traffic(const void *a, const void *b)
{
	const struct ranked *one = a, *other = b;
	uint64_t left = traffic(one->page), right = traffic(other->page);

	return left != right ? (left < right) - (left > right) : by_address(a, b);
}

/* Sets the counts of a page or region: six values of a row. */
static void put_counts(union probe_value *values, uint64_t lines, const struct page *sum)
{
	values[0].integer = (int64_t)lines;
	for (unsigned kind = 0; kind < KINDS; kind++)
		values[1 + kind].integer = (int64_t)sum->count[kind];
	values[4].integer = (int64_t)(sum->bytes[READS] + sum->bytes[ATOMICS]);
	values[5].integer = (int64_t)(sum->bytes[WRITES] + sum->bytes[ATOMICS]);
}

/* Writes one region: its pages are the first of `ranked`. */
static int write_region(const struct probe_host *host, const struct ranked *ranked, size_t count,
			int table)
{
	union probe_value values[COUNT(region_columns)];
	struct page sum = {0};
	uint64_t lines = 0;

	for (size_t i = 0; i < count; i++) {
		lines += (unsigned)__builtin_popcountll(ranked[i].page->lines);
		for (unsigned kind = 0; kind < KINDS; kind++) {
			sum.count[kind] += ranked[i].page->count[kind];
			sum.bytes[kind] += ranked[i].page->bytes[kind];
		}
	}
	values[0].integer = (int64_t)(ranked->number / REGION_PAGES << REGION_SHIFT);
	values[1].integer = (int64_t)count;
	put_counts(values + 2, lines, &sum);
	return host->row(host->ctx, table, values, COUNT(region_columns));
}

static int write_regions(const struct heatmap *heatmap, const struct ranked *ranked, size_t count)
{
	const struct probe_host *host = heatmap->sites.host;
	int table = host->table(host->ctx, "region", region_columns, COUNT(region_columns));
	int err = table < 0 ? table : 0;

	for (size_t i = 0, next; i < count && !err; i = next) {
		for (next = i + 1; next < count; next++)
			if (ranked[next].number / REGION_PAGES != ranked[i].number / REGION_PAGES)
				break;
		err = write_region(host, ranked + i, next - i, table);
	}
	return err;
}

/* The call stack on one line, innermost call first: "file.cpp:12 <- file.cpp:30". */
static const char *site_text(const char *site, char *text, size_t size)
{
	size_t used = 0;

	for (; *site && used + 5 < size; site++) {
		if (*site != '\n')
			text[used++] = *site;
		else
			used += (size_t)sprintf(text + used, " <- ");
	}
	text[used] = 0;
	return text;
}

static int write_page(const struct heatmap *heatmap, int table, const struct ranked *ranked)
{
	const struct probe_host *host = heatmap->sites.host;
	const struct page *page = ranked->page;
	const struct probe_allocation_info *info = heatmap->owners[page->owner - 1].info;
	uint64_t address = ranked->number << PAGE_SHIFT;
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

static int write_pages(const struct heatmap *heatmap, struct ranked *ranked, size_t all)
{
	const struct probe_host *host = heatmap->sites.host;
	int table = host->table(host->ctx, "page", page_columns, COUNT(page_columns));
	size_t count = all < heatmap->keep ? all : heatmap->keep;
	int err = table < 0 ? table : 0;

	if (count < all) {
		qsort(ranked, all, sizeof(*ranked), by_traffic);
		qsort(ranked, count, sizeof(*ranked), by_address);
		host->log(
			host->ctx, PROBE_LOG_INFO,
			"%zu pages touched; table page has the %zu busiest (pages=N), table region "
			"all of them",
			all, count);
	}
	for (size_t i = 0; i < count && !err; i++)
		err = write_page(heatmap, table, &ranked[i]);
	return err;
}

/*
 * Writes them in the order of first use. Last come accesses outside of known allocations, with id 0
 * and no site.
 */
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
			{.integer = (int64_t)owner->pages},
			{.integer = (int64_t)owner->count[READS]},
			{.integer = (int64_t)owner->count[WRITES]},
			{.integer = (int64_t)owner->count[ATOMICS]},
			{.integer = (int64_t)(owner->bytes[READS] + owner->bytes[ATOMICS])},
			{.integer = (int64_t)(owner->bytes[WRITES] + owner->bytes[ATOMICS])},
			{.text = info ? site_text(info->site, text, sizeof(text)) : NULL},
		};

		if (info || owner->pages)
			err = host->row(host->ctx, table, values, COUNT(allocation_columns));
	}
	return err;
}

/* Lists the touched pages, unordered; returns their number. `ret` may be NULL. */
static size_t list_pages(const struct heatmap *heatmap, struct ranked *ret)
{
	size_t count = 0;

	for (size_t i = 0; i < heatmap->size; i++) {
		const struct region *region = &heatmap->regions[i];

		for (unsigned k = 0; region->pages && k < REGION_PAGES; k++) {
			if (!region->pages[k].owner)
				continue;
			if (ret)
				ret[count] = (struct ranked){region->number * REGION_PAGES + k,
							     &region->pages[k]};
			count++;
		}
	}
	return count;
}

static int write_memory(const struct heatmap *heatmap)
{
	size_t count = list_pages(heatmap, NULL);
	struct ranked *ranked = calloc(count + 1, sizeof(*ranked));
	int err;

	if (!ranked)
		return -ENOMEM;
	list_pages(heatmap, ranked);
	qsort(ranked, count, sizeof(*ranked), by_address);
	err = write_regions(heatmap, ranked, count);
	err = err ? err : write_pages(heatmap, ranked, count);
	free(ranked);
	return err;
}

int heatmap_rows_write(const struct heatmap *heatmap)
{
	int err = write_memory(heatmap);

	return err ? err : write_allocations(heatmap);
}
