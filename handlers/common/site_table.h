/* SPDX-License-Identifier: MIT */
/*
 * For handlers that count by kernel and site. It keeps the sites of each kernel that records came
 * from, with the facts needed to process a record. A handler's own struct for a site begins with
 * struct site_facts.
 *
 * Site ids number the sites of all kernels of a code object. A kernel therefore allocates memory
 * for pages of sites, at first use.
 */
#ifndef PROBE_HANDLERS_COMMON_SITE_TABLE_H
#define PROBE_HANDLERS_COMMON_SITE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/handler.h>

struct site_facts {
	bool known, invalid;
	bool global, lds; /* if both: a flat access, for which the aperture of each lane decides */
	uint8_t access;	  /* enum probe_access_kind */
	uint16_t bytes, unit;
};

/* Sites from `first`, a multiple of SITES_OF_PAGE. */
struct site_page {
	uint32_t first;
	unsigned char *sites;
};

enum { SITES_OF_PAGE = 16, SITES_SHAPES_MAX = 16 };

struct site_pages {
	struct site_page *page; /* sorted by `first` */
	size_t count, capacity;
	size_t last; /* index of the page that was used last */
};

/* Size of a launch in work-items, and of its workgroups; zeros = of any size. */
struct launch_shape {
	uint32_t grid[3], group[3];
};

struct sites_kernel {
	uint32_t code_object, id;
	struct launch_shape shape;
	uint32_t shapes; /* of an entry with shape 0: number of shapes with their own entry */
	/* The entry with shape 0, and a list of all entries that begins with it. */
	struct sites_kernel *whole, *next;
	uint32_t site_count; /* of the whole code object */
	uint32_t wave;	     /* lanes per wave */
	char arch[32];
	size_t site_size;
	struct site_pages *pages;
	void *extra; /* extra_size zeroed bytes per kernel for the handler */
};

struct sites {
	const struct probe_host *host;
	size_t site_size, extra_size;
	/* Count each launch shape of a kernel on its own, up to SITES_SHAPES_MAX of them. */
	bool by_shape;
	struct sites_kernel **kernels; /* in the order of their first dispatch */
	size_t count, capacity;
	struct sites_kernel **index; /* hash index of the same kernels; NULL = free */
	size_t index_size;
	struct sites_kernel *current;
	uint64_t invalid; /* records of sites that do not exist */
};

/*
 * The kernel of a dispatch, created on first use; NULL without memory. With `by_shape`, the
 * kernel's entry for the shape of this launch; for further shapes the entry with shape 0.
 */
struct sites_kernel *sites_kernel(struct sites *sites, const struct probe_dispatch_info *dispatch);
void sites_learn(const struct sites *sites, const struct sites_kernel *kernel, uint32_t id,
		 struct site_facts *facts);
void sites_deinit(struct sites *sites);
/* Warns the user of records with unknown sites. */
void sites_report(const struct sites *sites, const char *handler);

/*
 * Writes table "site": calls `row` for every created site of every kernel, which writes one row or
 * none. Stops at the first error of `row`.
 */
int sites_write(const struct sites *sites, const struct probe_column *columns, size_t count,
		int (*row)(const struct probe_host *host, int table,
			   const struct sites_kernel *kernel, uint32_t id));

/*
 * The handler's struct of a site, zeroed on first use; NULL without memory, or if there is no such
 * site.
 */
void *sites_make(const struct sites_kernel *kernel, uint32_t id);
/* The struct of a site that sites_make() has created. */
void *sites_at(const struct sites_kernel *kernel, uint32_t id);
/*
 * The first id from this one on that sites_at() accepts; kernel->site_count at the end. Sites in
 * the same page as created ones are included, zeroed.
 */
uint32_t sites_next(const struct sites_kernel *kernel, uint32_t id);
/* Upper limit for the number of such ids. */
size_t sites_made(const struct sites_kernel *kernel);

/*
 * The handler's struct of a site; if there is no such site, NULL, and the record is counted as
 * invalid.
 */
static inline void *sites_get(struct sites *sites, const struct sites_kernel *kernel, uint32_t id)
{
	struct site_facts *facts = sites_make(kernel, id);

	if (!facts) {
		sites->invalid++;
		return NULL;
	}
	if (!facts->known)
		sites_learn(sites, kernel, id, facts);
	sites->invalid += facts->invalid;
	return facts->invalid ? NULL : facts;
}

/* The address space of a lane's address. */
enum site_place { SITE_GLOBAL, SITE_LDS, SITE_SCRATCH };

static inline enum site_place site_place(const struct site_facts *facts,
					 const struct probe_dispatch_info *dispatch, uint64_t addr)
{
	uint32_t high = (uint32_t)(addr >> 32);

	if (!facts->lds || !facts->global)
		return facts->lds ? SITE_LDS : SITE_GLOBAL;
	if (high && high == dispatch->lds_aperture)
		return SITE_LDS;
	return high && high == dispatch->scratch_aperture ? SITE_SCRATCH : SITE_GLOBAL;
}

/* Workgroups along an axis of the grid, with one that is not full; 1 if its size is unknown. */
static inline uint64_t site_groups(uint32_t grid, uint32_t group)
{
	return group ? ((uint64_t)grid + group - 1) / group : 1;
}

/* The lanes that the wave started with; all of them if that is unknown. */
static inline uint64_t site_wave_exec(const struct sites_kernel *kernel,
				      const struct probe_access *access)
{
	uint64_t all = kernel->wave == 32 ? UINT32_MAX : UINT64_MAX;

	return access->wave && access->wave->exec ? access->wave->exec & all : all;
}

/*
 * A number from -a name:key=value, with an optional K, M or G for powers of 1024. `ret` keeps its
 * value if the key is not given. -EINVAL, with a message, unless min <= number <= max.
 */
int sites_arg(const struct probe_host *host, const char *handler, const char *key, uint64_t min,
	      uint64_t max, uint64_t *ret);

#endif
