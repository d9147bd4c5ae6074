/* SPDX-License-Identifier: MIT */
/*
 * Handler `cache`: a model of the vector L1 of each compute unit and of the L2 of each GPU, driven
 * by the recorded addresses: hit rates and reuse distances per site. Tables probe_cache_model_site,
 * probe_cache_model_reuse and probe_cache_model_shape. What it models:
 *
 * - Waves come in the order in which their records were delivered: ring by ring, not as the GPU
 *   interleaved them. Within a wave the order is that of the program.
 * - L1: loads look up and allocate lines; stores write through and do not allocate; atomic
 *   operations bypass it. It is empty when a dispatch begins. HW_ID says which compute unit it is.
 *   If records of several dispatches alternate, each change begins with an empty L1.
 * - L2: misses of L1 in one line of L2, stores and atomic operations are one request per machine
 *   access and line; all allocate. It keeps its lines across dispatches.
 * - Both replace the least recently used line of a set. No prefetch, no channels, no scalar loads.
 * - Reuse distance: distinct lines (of the size of L2's) that the GPU touched since the last touch
 *   of the line, in the order above. A fully associative cache with more lines than that hits. It
 *   is exact up to `reuse_lines=N` lines; beyond, a sample of the lines is followed
 *   (reuse_distance.h), and distances, their numbers and first touches are estimates. Hit rates are
 *   exact in the model: every line is looked up in L1 and L2.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>

#include "handlers/cache/cache_tables.h"

enum { AHEAD = 3, LINES_FOLLOWED = 4096 };

struct arch {
	const char *name;
	struct lru_shape l1, l2;
};

/*
 * gfx90a: sizes and lines measured on an MI210, 16 ways documented. L1 ways are those of gfx942.
 * The rest from vendor documents. gfx942: the L2 of one XCD.
 */
static const struct arch archs[] = {
	{"gfx90a", {16 << 10, 64, 64}, {8 << 20, 128, 16}},
	{"gfx906", {16 << 10, 64, 64}, {4 << 20, 64, 16}},
	{"gfx908", {16 << 10, 64, 64}, {8 << 20, 128, 16}},
	{"gfx942", {32 << 10, 128, 64}, {4 << 20, 128, 16}},
};

/* ---- Shapes ---------------------------------------------------------------------------------- */

static const struct arch *find_arch(const char *name)
{
	for (size_t i = 0; i < sizeof(archs) / sizeof(*archs); i++) {
		size_t len = strlen(archs[i].name);

		if (!strncmp(name, archs[i].name, len) && (!name[len] || name[len] == ':'))
			return &archs[i];
	}
	return NULL;
}

/* A handler's argument that is a number. */
struct number {
	const char *key;
	uint64_t min, max;
	uint64_t *ret;
};

static int read_numbers(const struct probe_host *host, const struct number *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int err = sites_arg(host, "cache", numbers[i].key, numbers[i].min, numbers[i].max,
				    numbers[i].ret);

		if (err)
			return err;
	}
	return 0;
}

/* Sizes of the architecture, except for those that the user gave. */
static int set_shapes(struct cache *cache, const char *name)
{
	const struct probe_host *host = cache->sites.host;
	const struct arch *arch = find_arch(name);
	const struct number numbers[] = {
		{"l1", 1, 1u << 30, &cache->l1.size},	  {"l1_line", 32, 4096, &cache->l1.line},
		{"l1_ways", 1, 1 << 16, &cache->l1.ways}, {"l2", 1, 1ull << 36, &cache->l2.size},
		{"l2_line", 32, 4096, &cache->l2.line},	  {"l2_ways", 1, 1 << 16, &cache->l2.ways},
	};
	int err;

	if (!arch) {
		arch = &archs[0];
		host->log(
			host->ctx, PROBE_LOG_WARNING,
			"cache sizes of %s are not known; using those of %s (arch=, l1=, l2= set others)",
			name, arch->name);
	}
	cache->arch = arch->name;
	cache->l1 = arch->l1;
	cache->l2 = arch->l2;
	err = read_numbers(host, numbers, sizeof(numbers) / sizeof(*numbers));
	if (err)
		return err;
	if (!lru_shape_valid(&cache->l1) || !lru_shape_valid(&cache->l2) ||
	    cache->l2.line < cache->l1.line) {
		host->log(
			host->ctx, PROBE_LOG_ERROR,
			"invalid cache: sizes, lines and ways must be powers of two, a cache must "
			"hold at least one set, and a line of L1 must fit in one of L2");
		return -EINVAL;
	}
	cache->lines.shift = (unsigned)__builtin_ctzll(cache->l1.line);
	cache->lines.ratio = (unsigned)__builtin_ctzll(cache->l2.line / cache->l1.line);
	return 0;
}

static struct agent *find_agent(struct cache *cache, uint32_t id)
{
	struct agent **agents, *agent;

	for (size_t i = 0; i < cache->agent_count; i++)
		if (cache->agents[i]->id == id)
			return cache->agents[i];
	agents = realloc(cache->agents, (cache->agent_count + 1) * sizeof(*agents));
	if (!agents)
		return NULL;
	cache->agents = agents;
	agent = calloc(1, sizeof(*agent));
	if (!agent || !lru_init(&agent->l2, &cache->l2)) {
		free(agent);
		return NULL;
	}
	agent->id = id;
	agent->reuse.limit = cache->followed;
	cache->agents[cache->agent_count++] = agent;
	return agent;
}

/* The L1 of the wave's compute unit: CU, SH and SE of HW_ID. */
static struct lru *find_l1(struct cache *cache, struct agent *agent, uint64_t dispatch,
			   const struct probe_access *access)
{
	unsigned unit = access->wave ? access->wave->hw_id >> 8 & (CACHE_UNITS - 1) : 0;
	struct lru *l1 = &agent->l1[unit];

	if (!l1->sets && !lru_init(l1, &cache->l1))
		return NULL;
	if (agent->dispatch[unit] != dispatch)
		lru_empty(l1);
	agent->dispatch[unit] = dispatch;
	return l1;
}

/* ---- One machine access ---------------------------------------------------------------------- */

/* Touches at least the first of the lines; returns how many. */
static unsigned touch_sampled(struct cache *cache, struct reuse *reuse, struct cache_site *site,
			      const uint64_t *lines, unsigned count)
{
	uint64_t weight = 1ull << reuse->thin, distance;
	unsigned bucket, run;

	site->thin = reuse->thin > site->thin ? reuse->thin : site->thin;
	distance = reuse_touch(reuse, lines, count, &run);
	site->sampled += run;
	if (distance == REUSE_NO_MEMORY) {
		cache->no_memory = true;
	} else if (distance == REUSE_FIRST) {
		site->first += weight;
	} else {
		bucket = distance ? 64 - (unsigned)__builtin_clzll(distance) : 0;
		site->distances[bucket < CACHE_BUCKETS ? bucket : CACHE_BUCKETS - 1] +=
			run * weight;
	}
	return run;
}

static void touch_reuse(struct cache *cache, struct agent *agent, struct cache_site *site)
{
	const struct touched_lines *lines = &cache->lines;
	struct reuse *reuse = &agent->reuse;
	uint64_t list[REUSE_BATCH];

	for (unsigned at = 0; at < lines->wides; at += REUSE_BATCH) {
		unsigned left = lines->wides - at, thin = reuse->thin, count;

		count = reuse_sample(reuse, lines->wide + at,
				     left < REUSE_BATCH ? left : REUSE_BATCH, list);
		/* A new line may lower the rate, and then some of the rest are not sampled. */
		for (unsigned i = 0; i < count;) {
			if (thin == reuse->thin)
				i += touch_sampled(cache, reuse, site, list + i, count - i);
			else if (reuse_follows(reuse, list[i]))
				i += touch_sampled(cache, reuse, site, list + i, 1);
			else
				i++;
		}
	}
}

/* Touches any number of lines. hit[]: those that were in the cache; returns their number. */
static unsigned touch_all(struct lru *lru, const uint64_t *lines, unsigned count, uint64_t *hit)
{
	unsigned hits = 0;

	for (unsigned at = 0; at < count; at += LRU_LINES_MAX) {
		unsigned some = count - at < LRU_LINES_MAX ? count - at : LRU_LINES_MAX;

		hit[at / LRU_LINES_MAX] = lru_touch(lru, lines + at, some);
		hits += (unsigned)__builtin_popcountll(hit[at / LRU_LINES_MAX]);
	}
	return hits;
}

/*
 * Lines of L2 that contain a line missed in L1, in lane order: *missed, which is `list` or all of
 * them. Returns their number.
 */
static unsigned find_missed(const struct touched_lines *lines, struct lru *l1,
			    struct cache_site *site, uint64_t list[TOUCHED_LINES_MAX],
			    const uint64_t **missed)
{
	uint64_t hit[TOUCHED_LINES_MAX / LRU_LINES_MAX];
	unsigned hits = touch_all(l1, lines->line, lines->count, hit), count = 0;
	bool alone = lines->wides == lines->count; /* each in a line of L2 of its own */
	uint8_t noted[TOUCHED_LINES_MAX];

	site->l1_accesses += lines->count;
	site->l1_hits += hits;
	*missed = lines->wide;
	if (!hits || hits == lines->count)
		return hits ? 0 : lines->wides;
	*missed = list;
	memset(noted, 0, lines->wides);
	for (unsigned at = 0; at < lines->count; at += LRU_LINES_MAX) {
		unsigned left = lines->count - at;
		uint64_t miss = ~hit[at / LRU_LINES_MAX];

		if (left < LRU_LINES_MAX)
			miss &= UINT64_MAX >> (LRU_LINES_MAX - left);
		for (; miss; miss &= miss - 1) {
			unsigned i = at + (unsigned)__builtin_ctzll(miss);
			unsigned wide = alone ? i : lines->wide_of[i];

			list[count] = lines->wide[wide];
			count += !noted[wide];
			noted[wide] = 1;
		}
	}
	return count;
}

static void run_lines(struct cache *cache, struct agent *agent, struct lru *l1,
		      struct cache_site *site)
{
	struct touched_lines *lines = &cache->lines;
	const uint64_t *l2 = lines->wide;
	uint64_t list[TOUCHED_LINES_MAX], hit[TOUCHED_LINES_MAX / LRU_LINES_MAX];
	unsigned count = lines->wides;

	if (cache->with_reuse)
		touch_reuse(cache, agent, site);
	if (site->facts.access == PROBE_ACCESS_LOAD)
		count = find_missed(lines, l1, site, list, &l2);
	site->l2_accesses += count;
	site->l2_hits += touch_all(&agent->l2, l2, count, hit);
}

/* The same for the ends of an upcoming access, which cover most of a short run. */
static void look_ahead(const struct cache *cache, const struct agent *agent,
		       const struct probe_access *access)
{
	unsigned shift = (unsigned)__builtin_ctzll(cache->l2.line);
	uint64_t first = access->base >> shift;
	uint64_t last = (access->base + (uint64_t)access->stride * 63) >> shift;

	if (access->form != PROBE_FORM_AFFINE)
		return;
	lru_prefetch(&agent->l2, first);
	if (cache->with_reuse && reuse_follows(&agent->reuse, first))
		reuse_prefetch(&agent->reuse, first);
	if (cache->with_reuse && last != first && reuse_follows(&agent->reuse, last))
		reuse_prefetch(&agent->reuse, last);
}

static void run_access(struct cache *cache, struct agent *agent, struct cache_site *site,
		       const struct probe_dispatch_info *dispatch,
		       const struct probe_access *access)
{
	struct lru *l1 = find_l1(cache, agent, dispatch->id, access);
	uint64_t addr[64];
	struct lane_addresses lanes = {&site->facts, dispatch, addr, 0};

	if (!l1) {
		cache->no_memory = true;
		return;
	}
	site->executions++;
	for (uint64_t offset = 0; offset < site->facts.bytes; offset += site->facts.unit) {
		if (!touched_lines_affine(&cache->lines, &site->facts, access, offset)) {
			if (!lanes.count)
				lanes.count = touched_lines_expand(access, addr);
			touched_lines_any(&cache->lines, &lanes, offset);
		}
		run_lines(cache, agent, l1, site);
	}
}

/* ---- The plugin ------------------------------------------------------------------------------ */

static int cache_init(struct cache *cache, const struct probe_host *host)
{
	const char *arch = host->arg(host->ctx, "arch");
	const struct number numbers[] = {
		{"reuse", 0, 1, &cache->with_reuse},
		{"reuse_lines", 64, 1 << 28, &cache->followed},
	};
	int err;

	cache->sites = (struct sites){.host = host, .site_size = sizeof(struct cache_site)};
	cache->with_reuse = 1;
	cache->followed = LINES_FOLLOWED;
	if (arch && !find_arch(arch)) {
		host->log(
			host->ctx, PROBE_LOG_ERROR,
			"invalid value '%s' for cache:arch=; expected gfx90a, gfx906, gfx908 or gfx942",
			arch);
		return -EINVAL;
	}
	err = read_numbers(host, numbers, sizeof(numbers) / sizeof(*numbers));
	if (err)
		return err;
	/*
	 * Reports errors in the arguments now; without arch=, it is called again when the GPU is
	 * known.
	 */
	return set_shapes(cache, arch ? arch : archs[0].name);
}

static int cache_open(const struct probe_host *host, void **state)
{
	struct cache *cache = calloc(1, sizeof(*cache));
	int err;

	if (!cache)
		return -ENOMEM;
	err = cache_init(cache, host);
	if (err) {
		free(cache);
		return err;
	}
	*state = cache;
	return 0;
}

static int cache_begin(void *state, const struct probe_dispatch_info *dispatch)
{
	struct cache *cache = state;
	const struct probe_host *host = cache->sites.host;
	int err = 0;

	/* All agents get the caches of the first one that runs a kernel. */
	if (!cache->agent_count && !host->arg(host->ctx, "arch"))
		err = set_shapes(cache, dispatch->arch);
	if (err)
		return err;
	return find_agent(cache, dispatch->agent) ? 0 : -ENOMEM;
}

static int cache_batch(void *state, const struct probe_batch *batch)
{
	struct cache *cache = state;
	const struct sites_kernel *kernel = sites_kernel(&cache->sites, batch->dispatch);
	struct agent *agent = find_agent(cache, batch->dispatch->agent);

	if (!kernel || !agent)
		return -ENOMEM;
	for (size_t i = 0; i < batch->count; i++) {
		const struct probe_access *access = &batch->access[i];
		struct cache_site *site =
			access->exec ? sites_get(&cache->sites, kernel, access->site) : NULL;

		if (i + AHEAD < batch->count)
			look_ahead(cache, agent, access + AHEAD);
		if (site && site->facts.global)
			run_access(cache, agent, site, batch->dispatch, access);
	}
	return cache->no_memory ? -ENOMEM : 0;
}

static int cache_close(void *state)
{
	struct cache *cache = state;
	const struct probe_host *host = cache->sites.host;
	int err = cache_rows_write(cache);

	if (cache->sites.count)
		host->log(
			host->ctx, PROBE_LOG_INFO,
			"hit rates are modelled (L1 %llu KiB per compute unit, L2 %llu KiB), with waves "
			"in the order of delivery",
			(unsigned long long)cache->l1.size >> 10,
			(unsigned long long)cache->l2.size >> 10);
	sites_report(&cache->sites, "cache");
	sites_deinit(&cache->sites);
	for (size_t i = 0; i < cache->agent_count; i++) {
		for (unsigned unit = 0; unit < CACHE_UNITS; unit++)
			lru_deinit(&cache->agents[i]->l1[unit]);
		lru_deinit(&cache->agents[i]->l2);
		reuse_deinit(&cache->agents[i]->reuse);
		free(cache->agents[i]);
	}
	free(cache->agents);
	free(cache);
	return err;
}

PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler),
	.abi = PROBE_HANDLER_ABI,
	.name = "cache",
	.summary = "a model of L1 and L2: hit rates and reuse distances per source line",
	.streams = PROBE_STREAM_ACCESS,
	.open = cache_open,
	.dispatch_begin = cache_begin,
	.batch = cache_batch,
	.close = cache_close,
};
