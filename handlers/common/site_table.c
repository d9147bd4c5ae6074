/* SPDX-License-Identifier: MIT */
#include "handlers/common/site_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Pages of sites -------------------------------------------------------------------------- */

/* The position of a site's page in the table, existing or to be inserted. */
static size_t place_of(const struct site_pages *pages, uint32_t first)
{
	size_t low = 0, high = pages->count;

	if (pages->last < pages->count && pages->page[pages->last].first == first)
		return pages->last;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pages->page[middle].first < first)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool insert_page(struct site_pages *pages, size_t place, uint32_t first, size_t site_size)
{
	unsigned char *sites;

	if (pages->count == pages->capacity) {
		size_t capacity = pages->capacity ? 2 * pages->capacity : 2;
		struct site_page *more = realloc(pages->page, capacity * sizeof(*more));

		if (!more)
			return false;
		pages->page = more;
		pages->capacity = capacity;
	}
	sites = calloc(SITES_OF_PAGE, site_size);
	if (!sites)
		return false;
	memmove(&pages->page[place + 1], &pages->page[place],
		(pages->count - place) * sizeof(*pages->page));
	pages->page[place] = (struct site_page){.first = first, .sites = sites};
	pages->count++;
	return true;
}

void *sites_make(const struct sites_kernel *kernel, uint32_t id)
{
	struct site_pages *pages = kernel->pages;
	uint32_t first = id - id % SITES_OF_PAGE;
	size_t place;

	if (id >= kernel->site_count)
		return NULL;
	place = place_of(pages, first);
	if ((place == pages->count || pages->page[place].first != first) &&
	    !insert_page(pages, place, first, kernel->site_size))
		return NULL;
	pages->last = place;
	return pages->page[place].sites + id % SITES_OF_PAGE * kernel->site_size;
}

void *sites_at(const struct sites_kernel *kernel, uint32_t id)
{
	const struct site_pages *pages = kernel->pages;
	size_t place = place_of(pages, id - id % SITES_OF_PAGE);

	return pages->page[place].sites + id % SITES_OF_PAGE * kernel->site_size;
}

uint32_t sites_next(const struct sites_kernel *kernel, uint32_t id)
{
	struct site_pages *pages = kernel->pages;
	uint32_t first = id - id % SITES_OF_PAGE;
	size_t place = place_of(pages, first);

	if (id >= kernel->site_count || place == pages->count)
		return kernel->site_count;
	pages->last = place;
	return pages->page[place].first == first ? id : pages->page[place].first;
}

size_t sites_made(const struct sites_kernel *kernel)
{
	return kernel->pages->count * SITES_OF_PAGE;
}

/* ---- Kernels --------------------------------------------------------------------------------- */

static void free_kernel(struct sites_kernel *kernel)
{
	for (size_t i = 0; kernel->pages && i < kernel->pages->count; i++)
		free(kernel->pages->page[i].sites);
	if (kernel->pages)
		free(kernel->pages->page);
	free(kernel->pages);
	free(kernel->extra);
	free(kernel);
}

static struct sites_kernel *make_kernel(const struct sites *sites,
					const struct probe_dispatch_info *dispatch)
{
	const struct probe_host *host = sites->host;
	struct sites_kernel *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return NULL;
	kernel->site_count = host->site_count(host->ctx, dispatch->code_object);
	kernel->site_size = sites->site_size;
	kernel->pages = calloc(1, sizeof(*kernel->pages));
	kernel->extra = calloc(1, sites->extra_size + 1);
	if (!kernel->pages || !kernel->extra) {
		free_kernel(kernel);
		return NULL;
	}
	kernel->code_object = dispatch->code_object;
	kernel->id = dispatch->kernel_id;
	kernel->wave = dispatch->wave_size == 32 ? 32 : 64;
	if (dispatch->arch)
		strncpy(kernel->arch, dispatch->arch, sizeof(kernel->arch) - 1);
	return kernel;
}

static bool same_shape(const struct launch_shape *a, const struct launch_shape *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static bool is_kernel(const struct sites_kernel *kernel, uint32_t code_object, uint32_t id,
		      const struct launch_shape *shape)
{
	return kernel->id == id && kernel->code_object == code_object &&
	       same_shape(&kernel->shape, shape);
}

/* The entry of the index for a kernel and a shape, or a free one. */
static struct sites_kernel **find_kernel(const struct sites *sites, uint32_t code_object,
					 uint32_t id, const struct launch_shape *shape)
{
	uint64_t hash = ((uint64_t)code_object << 32 | id) * 0x9e3779b97f4a7c15u;
	size_t at;

	for (int i = 0; i < 3; i++)
		hash = (hash ^ ((uint64_t)shape->grid[i] << 32 | shape->group[i])) *
		       0x9e3779b97f4a7c15u;
	at = (size_t)(hash >> 32) & (sites->index_size - 1);
	while (sites->index[at] && !is_kernel(sites->index[at], code_object, id, shape))
		at = (at + 1) & (sites->index_size - 1);
	return &sites->index[at];
}

/* At least half of the index stays free. */
static bool grow_index(struct sites *sites)
{
	size_t size = sites->index_size ? 2 * sites->index_size : 32;
	struct sites_kernel **index;

	if (2 * (sites->count + 1) <= sites->index_size)
		return true;
	index = calloc(size, sizeof(*index));
	if (!index)
		return false;
	free(sites->index);
	sites->index = index;
	sites->index_size = size;
	for (size_t i = 0; i < sites->count; i++)
		*find_kernel(sites, sites->kernels[i]->code_object, sites->kernels[i]->id,
			     &sites->kernels[i]->shape) = sites->kernels[i];
	return true;
}

static struct sites_kernel *add_kernel(struct sites *sites,
				       const struct probe_dispatch_info *dispatch,
				       const struct launch_shape *shape)
{
	struct sites_kernel *kernel;

	if (sites->count == sites->capacity) {
		size_t capacity = sites->capacity ? 2 * sites->capacity : 16;
		struct sites_kernel **kernels =
			realloc(sites->kernels, capacity * sizeof(*kernels));

		if (!kernels)
			return NULL;
		sites->kernels = kernels;
		sites->capacity = capacity;
	}
	if (!grow_index(sites))
		return NULL;
	kernel = make_kernel(sites, dispatch);
	if (!kernel)
		return NULL;
	kernel->shape = *shape;
	*find_kernel(sites, kernel->code_object, kernel->id, shape) = kernel;
	sites->kernels[sites->count++] = kernel;
	return kernel;
}

/* The entry for a kernel and a shape, created when first requested; NULL: no memory. */
static struct sites_kernel *make_entry(struct sites *sites,
				       const struct probe_dispatch_info *dispatch,
				       const struct launch_shape *shape)
{
	struct sites_kernel *kernel = sites->index ? *find_kernel(sites, dispatch->code_object,
								  dispatch->kernel_id, shape)
						   : NULL;

	return kernel ? kernel : add_kernel(sites, dispatch, shape);
}

/* At the end of the list, so that entries are in the order of their first dispatch. */
static void add_shape(struct sites_kernel *whole, struct sites_kernel *kernel)
{
	struct sites_kernel *last = whole;

	while (last->next)
		last = last->next;
	last->next = kernel;
	kernel->whole = whole;
	whole->shapes++;
}

struct sites_kernel *sites_kernel(struct sites *sites, const struct probe_dispatch_info *dispatch)
{
	static const struct launch_shape any_shape = {0};
	struct sites_kernel *kernel = sites->current, *whole;
	struct launch_shape shape = any_shape;

	for (int i = 0; i < 3 && sites->by_shape; i++) {
		shape.grid[i] = dispatch->grid[i];
		shape.group[i] = dispatch->group[i];
	}
	if (kernel && is_kernel(kernel, dispatch->code_object, dispatch->kernel_id, &shape))
		return kernel;
	kernel = whole = make_entry(sites, dispatch, &any_shape);
	if (whole)
		whole->whole = whole;
	if (whole && !same_shape(&shape, &any_shape)) {
		kernel = *find_kernel(sites, dispatch->code_object, dispatch->kernel_id, &shape);
		if (!kernel && whole->shapes >= SITES_SHAPES_MAX) {
			kernel = whole;
		} else if (!kernel) {
			kernel = add_kernel(sites, dispatch, &shape);
			if (kernel)
				add_shape(whole, kernel);
		}
	}
	if (kernel)
		sites->current = kernel;
	return kernel;
}

void sites_learn(const struct sites *sites, const struct sites_kernel *kernel, uint32_t id,
		 struct site_facts *facts)
{
	const struct probe_host *host = sites->host;
	const struct probe_site_info *info = host->site(host->ctx, kernel->code_object, id);

	facts->known = true;
	facts->invalid = !info || !info->unit || info->unit > 16 || info->bytes < info->unit ||
			 info->bytes % info->unit;
	if (facts->invalid)
		return;
	facts->access = info->access;
	facts->bytes = info->bytes;
	facts->unit = info->unit;
	facts->lds = info->space == PROBE_SPACE_LDS || info->space == PROBE_SPACE_FLAT;
	facts->global = info->space != PROBE_SPACE_LDS && info->space != PROBE_SPACE_SCRATCH;
}

void sites_report(const struct sites *sites, const char *handler)
{
	if (sites->invalid)
		sites->host->log(sites->host->ctx, PROBE_LOG_WARNING,
				 "%s: %llu records of unknown sites were ignored", handler,
				 (unsigned long long)sites->invalid);
}

void sites_deinit(struct sites *sites)
{
	for (size_t i = 0; i < sites->count; i++)
		free_kernel(sites->kernels[i]);
	free(sites->kernels);
	free(sites->index);
	sites->kernels = sites->index = NULL;
	sites->count = sites->capacity = sites->index_size = 0;
}

static unsigned scale_of(char letter)
{
	switch (letter) {
	case 'k':
	case 'K':
		return 10;
	case 'm':
	case 'M':
		return 20;
	case 'g':
	case 'G':
		return 30;
	default:
		return 0;
	}
}

int sites_arg(const struct probe_host *host, const char *handler, const char *key, uint64_t min,
	      uint64_t max, uint64_t *ret)
{
	const char *text = host->arg(host->ctx, key);
	unsigned long long number;
	unsigned shift;
	char *end;

	if (!text)
		return 0;
	errno = 0;
	number = strtoull(text, &end, 10);
	shift = scale_of(*end);
	if (end != text && *text != '-' && !errno && !end[shift != 0] &&
	    number <= UINT64_MAX >> shift && number << shift >= min && number << shift <= max) {
		*ret = number << shift;
		return 0;
	}
	host->log(
		host->ctx, PROBE_LOG_ERROR,
		"invalid value '%s' for %s:%s=; expected a number from %llu to %llu, with or without K, M or G",
		text, handler, key, (unsigned long long)min, (unsigned long long)max);
	return -EINVAL;
}

int sites_write(const struct sites *sites, const struct probe_column *columns, size_t count,
		int (*row)(const struct probe_host *host, int table,
			   const struct sites_kernel *kernel, uint32_t id))
{
	const struct probe_host *host = sites->host;
	int table = host->table(host->ctx, "site", columns, count);
	int err = table < 0 ? table : 0;

	for (size_t k = 0; k < sites->count; k++) {
		const struct sites_kernel *kernel = sites->kernels[k];

		for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count && !err;
		     id = sites_next(kernel, id + 1))
			err = row(host, table, kernel, id);
	}
	return err;
}
