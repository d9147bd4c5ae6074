/* SPDX-License-Identifier: MIT */
/*
 * Handler `cache`: a model of the vector L1 of each compute unit and of the L2 of each GPU, fed by
 * the addresses: hit rates and reuse distances per site. Tables probe_cache_model_site,
 * probe_cache_model_reuse and probe_cache_model_shape. It is a model, and says so:
 *
 * - Waves come in the order in which their records were delivered: ring by ring, not as the GPU
 *   interleaved them. Within a wave the order is the program's.
 * - L1: loads look up and allocate lines; stores pass through and allocate nothing; atomic
 *   operations pass by. It is empty when a dispatch begins. The unit is that of HW_ID.
 *   Records of several dispatches may arrive by turns; each turn begins with an empty L1.
 * - L2: misses of L1 in one line of L2, stores and atomic operations are one request per machine
 *   access and line; all allocate. It keeps its lines over dispatches.
 * - Both replace the least recently used line of a set. No prefetch, no channels, no scalar loads.
 * - Reuse distance: distinct lines (of L2's size) that the GPU touched since the line's last touch,
 *   exact for the order above. A cache of more lines than that, were it fully associative, hits.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>

#include "lru.h"
#include "reuse.h"
#include "sites.h"

enum { UNITS = 256, BUCKETS = 34, LINES_MAX = 64 * 3, SEEN = 512, AHEAD = 3 };

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

struct site {
	struct site_facts facts;
	uint64_t executions, l1_accesses, l1_hits, l2_accesses, l2_hits, first;
	uint64_t distances[BUCKETS]; /* 0: distance 0; n: 2^(n-1) to 2^n - 1 */
};

struct agent {
	uint32_t id;
	struct lru l1[UNITS];	  /* without tags until used */
	uint64_t dispatch[UNITS]; /* whose accesses an L1 saw last */
	struct lru l2;
	struct reuse reuse;
};

struct cache {
	struct sites sites;
	struct lru_shape l1, l2;
	uint64_t with_reuse;
	const char *arch; /* name of the row of archs[] */
	struct agent **agents;
	size_t agent_count;
	/* Distinct lines of one machine access. */
	uint64_t lines[LINES_MAX];
	unsigned line_count;
	uint64_t seen[SEEN];
	uint32_t stamps[SEEN], stamp;
	bool no_memory;
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

/* Sizes of the architecture, but for those that the user gave. */
static int take_arch(struct cache *cache, const char *name)
{
	const struct probe_host *host = cache->sites.host;
	const struct arch *arch = find_arch(name);
	int err = 0;

	if (!arch) {
		arch = &archs[0];
		host->log(host->ctx, PROBE_LOG_WARNING,
			  "no cache sizes of %s are known; those of %s are taken (arch=, l1=, l2=)",
			  name, arch->name);
	}
	cache->arch = arch->name;
	cache->l1 = arch->l1;
	cache->l2 = arch->l2;
	err = err ? err : sites_arg(host, "cache", "l1", 1, 1u << 30, &cache->l1.size);
	err = err ? err : sites_arg(host, "cache", "l1_line", 32, 4096, &cache->l1.line);
	err = err ? err : sites_arg(host, "cache", "l1_ways", 1, 1 << 16, &cache->l1.ways);
	err = err ? err : sites_arg(host, "cache", "l2", 1, 1ull << 36, &cache->l2.size);
	err = err ? err : sites_arg(host, "cache", "l2_line", 32, 4096, &cache->l2.line);
	err = err ? err : sites_arg(host, "cache", "l2_ways", 1, 1 << 16, &cache->l2.ways);
	if (err || (lru_shape_valid(&cache->l1) && lru_shape_valid(&cache->l2) &&
		    cache->l2.line >= cache->l1.line))
		return err;
	host->log(host->ctx, PROBE_LOG_ERROR,
		  "cache: sizes, lines and ways are powers of two, a cache holds one set at least, "
		  "and a line of L1 fits in one of L2");
	return -EINVAL;
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
	cache->agents[cache->agent_count++] = agent;
	return agent;
}

/* The L1 of the wave's compute unit: CU, SH and SE of HW_ID. */
static struct lru *find_l1(struct cache *cache, struct agent *agent, uint64_t dispatch,
			   const struct probe_access *access)
{
	unsigned unit = access->wave ? access->wave->hw_id >> 8 & (UNITS - 1) : 0;
	struct lru *l1 = &agent->l1[unit];

	if (!l1->tags && !lru_init(l1, &cache->l1))
		return NULL;
	if (agent->dispatch[unit] != dispatch)
		lru_empty(l1);
	agent->dispatch[unit] = dispatch;
	return l1;
}

/* ---- One machine access ---------------------------------------------------------------------- */

static void add_line(struct cache *cache, uint64_t line)
{
	unsigned slot = (unsigned)(line * 0x9e3779b97f4a7c15ull >> 40) & (SEEN - 1);

	if (cache->line_count && cache->lines[cache->line_count - 1] == line)
		return;
	while (cache->stamps[slot] == cache->stamp) {
		if (cache->seen[slot] == line)
			return;
		slot = (slot + 1) & (SEEN - 1);
	}
	cache->stamps[slot] = cache->stamp;
	cache->seen[slot] = line;
	if (cache->line_count < LINES_MAX)
		cache->lines[cache->line_count++] = line;
}

static void begin_lines(struct cache *cache)
{
	cache->line_count = 0;
	if (!++cache->stamp) {
		memset(cache->stamps, 0, sizeof(cache->stamps));
		cache->stamp = 1;
	}
}

/*
 * Neighbouring lanes at steps of no more than a line: the lines from the first lane's to the last
 * one's. False if it is not so.
 */
static bool list_run(struct cache *cache, const struct site_facts *facts,
		     const struct probe_access *access, uint64_t offset)
{
	uint64_t run = access->exec >> __builtin_ctzll(access->exec), first, last;
	unsigned shift = (unsigned)__builtin_ctzll(cache->l1.line);

	if (access->form != PROBE_FORM_AFFINE || facts->lds || run & (run + 1) ||
	    (uint64_t)access->stride > cache->l1.line)
		return false;
	first = access->base + offset;
	last = first + (uint64_t)access->stride * (access->lanes - 1u) + facts->unit - 1;
	if (last < first || (last >> shift) - (first >> shift) >= LINES_MAX)
		return false;
	cache->line_count = 0;
	for (uint64_t line = first >> shift; line <= last >> shift; line++)
		cache->lines[cache->line_count++] = line;
	return true;
}

/* The distinct lines, in the order of the lanes. */
static void list_lines(struct cache *cache, const struct site_facts *facts,
		       const struct probe_dispatch_info *dispatch, const uint64_t *addr,
		       unsigned count, uint64_t offset)
{
	uint64_t size = cache->l1.line;
	unsigned shift = (unsigned)__builtin_ctzll(size);

	begin_lines(cache);
	for (unsigned i = 0; i < count; i++) {
		uint64_t first = addr[i] + offset, last = first + facts->unit - 1;

		if (facts->lds && site_place(facts, dispatch, addr[i]) != SITE_GLOBAL)
			continue;
		add_line(cache, first >> shift);
		if (first >> shift != last >> shift)
			add_line(cache, last >> shift);
	}
}

static void touch_reuse(struct cache *cache, struct agent *agent, struct site *site, uint64_t line)
{
	uint64_t distance = reuse_touch(&agent->reuse, line);
	unsigned bucket;

	if (distance == REUSE_NO_MEMORY) {
		cache->no_memory = true;
	} else if (distance == REUSE_FIRST) {
		site->first++;
	} else {
		bucket = distance ? 64 - (unsigned)__builtin_clzll(distance) : 0;
		site->distances[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
	}
}

/* Lines of L2 among `lines`, each once: neighbours come together, so mostly one look suffices. */
static bool repeated(const uint64_t *lines, unsigned i, unsigned shift)
{
	for (unsigned k = i; k-- > 0;)
		if (lines[k] >> shift == lines[i] >> shift)
			return true;
	return false;
}

static void run_lines(struct cache *cache, struct agent *agent, struct lru *l1, struct site *site)
{
	unsigned shift = (unsigned)__builtin_ctzll(cache->l2.line / cache->l1.line), misses = 0;
	uint64_t missed[LINES_MAX];

	for (unsigned i = 0; i < cache->line_count && cache->with_reuse; i++)
		if (!repeated(cache->lines, i, shift))
			touch_reuse(cache, agent, site, cache->lines[i] >> shift);
	for (unsigned i = 0; i < cache->line_count; i++) {
		if (site->facts.access == PROBE_ACCESS_LOAD) {
			site->l1_accesses++;
			if (lru_touch(l1, cache->lines[i], true)) {
				site->l1_hits++;
				continue;
			}
		}
		missed[misses++] = cache->lines[i];
	}
	for (unsigned i = 0; i < misses; i++) {
		if (repeated(missed, i, shift))
			continue;
		site->l2_accesses++;
		site->l2_hits += lru_touch(&agent->l2, missed[i] >> shift, true);
	}
}

/* Scattered lines are in no cache of the host, but can be fetched side by side. */
static void prefetch(const struct cache *cache, const struct agent *agent)
{
	unsigned shift = (unsigned)__builtin_ctzll(cache->l2.line / cache->l1.line);

	for (unsigned i = 0; i < cache->line_count; i++) {
		lru_prefetch(&agent->l2, cache->lines[i] >> shift);
		if (cache->with_reuse)
			reuse_prefetch(&agent->reuse, cache->lines[i] >> shift);
	}
}

/* The same for the ends of an access that is run soon: of short runs these are most of it. */
static void look_ahead(const struct cache *cache, const struct agent *agent,
		       const struct probe_access *access)
{
	unsigned shift = (unsigned)__builtin_ctzll(cache->l2.line);
	uint64_t first = access->base >> shift;
	uint64_t last = (access->base + (uint64_t)access->stride * 63) >> shift;

	if (access->form != PROBE_FORM_AFFINE)
		return;
	lru_prefetch(&agent->l2, first);
	if (!cache->with_reuse)
		return;
	reuse_prefetch(&agent->reuse, first);
	if (last != first)
		reuse_prefetch(&agent->reuse, last);
}

static void run_access(struct cache *cache, struct agent *agent, struct site *site,
		       const struct probe_dispatch_info *dispatch,
		       const struct probe_access *access)
{
	struct lru *l1 = find_l1(cache, agent, dispatch->id, access);
	unsigned count = 0;
	uint64_t addr[64];

	if (!l1) {
		cache->no_memory = true;
		return;
	}
	site->executions++;
	for (uint64_t offset = 0; offset < site->facts.bytes; offset += site->facts.unit) {
		if (!list_run(cache, &site->facts, access, offset)) {
			count = count ? count : probe_access_expand(access, addr);
			list_lines(cache, &site->facts, dispatch, addr, count, offset);
			prefetch(cache, agent);
		}
		run_lines(cache, agent, l1, site);
	}
}

/* ---- The plugin ------------------------------------------------------------------------------ */

static int cache_open(const struct probe_host *host, void **state)
{
	struct cache *cache = calloc(1, sizeof(*cache));
	const char *arch = host->arg(host->ctx, "arch");
	int err = 0;

	if (!cache)
		return -ENOMEM;
	cache->sites = (struct sites){.host = host, .site_size = sizeof(struct site)};
	cache->with_reuse = 1;
	if (arch && !find_arch(arch)) {
		host->log(host->ctx, PROBE_LOG_ERROR,
			  "cache:arch=%s is none of: gfx90a, gfx906, gfx908, gfx942", arch);
		err = -EINVAL;
	}
	err = err ? err : sites_arg(host, "cache", "reuse", 0, 1, &cache->with_reuse);
	/* Now, for what is wrong with the arguments; without arch= again when it is known. */
	err = err ? err : take_arch(cache, arch ? arch : archs[0].name);
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

	/* All agents have the caches of the first one that runs something. */
	if (!cache->agent_count && !host->arg(host->ctx, "arch"))
		err = take_arch(cache, dispatch->arch);
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
		struct site *site =
			access->exec ? sites_get(&cache->sites, kernel, access->site) : NULL;

		if (i + AHEAD < batch->count)
			look_ahead(cache, agent, access + AHEAD);
		if (site && site->facts.global)
			run_access(cache, agent, site, batch->dispatch, access);
	}
	return cache->no_memory ? -ENOMEM : 0;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static const struct probe_column site_columns[] = {
	{"code_object", PROBE_TYPE_INTEGER},
	{"kernel", PROBE_TYPE_INTEGER},
	{"site", PROBE_TYPE_INTEGER},
	{"executions", PROBE_TYPE_INTEGER},
	{"l1_accesses", PROBE_TYPE_INTEGER},
	{"l1_hits", PROBE_TYPE_INTEGER},
	{"l1_hit_rate", PROBE_TYPE_REAL},
	{"l2_accesses", PROBE_TYPE_INTEGER},
	{"l2_hits", PROBE_TYPE_INTEGER},
	{"l2_hit_rate", PROBE_TYPE_REAL},
	{"first_touches", PROBE_TYPE_INTEGER},
	/* Half of the lines come again after at most so many others, rounded up to 2^n - 1. */
	{"reuse_median", PROBE_TYPE_REAL},
};
static const struct probe_column reuse_columns[] = {
	{"code_object", PROBE_TYPE_INTEGER}, {"kernel", PROBE_TYPE_INTEGER},
	{"site", PROBE_TYPE_INTEGER},	     {"distance_from", PROBE_TYPE_INTEGER},
	{"distance_to", PROBE_TYPE_INTEGER}, {"count", PROBE_TYPE_INTEGER},
};
static const struct probe_column shape_columns[] = {
	{"arch", PROBE_TYPE_TEXT},    {"level", PROBE_TYPE_INTEGER}, {"bytes", PROBE_TYPE_INTEGER},
	{"line", PROBE_TYPE_INTEGER}, {"ways", PROBE_TYPE_INTEGER},  {"note", PROBE_TYPE_TEXT},
};

#define COUNT(columns) (sizeof(columns) / sizeof((columns)[0]))

/* Not a number becomes SQL NULL: nothing was looked up. */
static double rate(uint64_t hits, uint64_t accesses)
{
	return accesses ? (double)hits / (double)accesses : (double)NAN;
}

/* Not a number: nothing came again. */
static double median(const struct site *site)
{
	uint64_t all = 0, seen = 0;

	for (unsigned bucket = 0; bucket < BUCKETS; bucket++)
		all += site->distances[bucket];
	for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
		seen += site->distances[bucket];
		if (all && 2 * seen >= all)
			return (double)((1ull << bucket) - 1);
	}
	return (double)NAN;
}

static int write_reuse(const struct probe_host *host, int table, const struct sites_kernel *kernel,
		       uint32_t id, const struct site *site)
{
	int err = 0;

	for (unsigned bucket = 0; bucket < BUCKETS && !err; bucket++) {
		const union probe_value values[] = {
			{.integer = kernel->code_object},
			{.integer = kernel->id},
			{.integer = id},
			{.integer = bucket ? 1ll << (bucket - 1) : 0},
			{.integer = bucket ? (1ll << bucket) - 1 : 0},
			{.integer = (int64_t)site->distances[bucket]},
		};

		if (site->distances[bucket])
			err = host->row(host->ctx, table, values, COUNT(reuse_columns));
	}
	return err;
}

static int write_site(const struct probe_host *host, int table, const struct sites_kernel *kernel,
		      uint32_t id, const struct site *site)
{
	const union probe_value values[] = {
		{.integer = kernel->code_object},
		{.integer = kernel->id},
		{.integer = id},
		{.integer = (int64_t)site->executions},
		{.integer = (int64_t)site->l1_accesses},
		{.integer = (int64_t)site->l1_hits},
		{.real = rate(site->l1_hits, site->l1_accesses)},
		{.integer = (int64_t)site->l2_accesses},
		{.integer = (int64_t)site->l2_hits},
		{.real = rate(site->l2_hits, site->l2_accesses)},
		{.integer = (int64_t)site->first},
		{.real = median(site)},
	};

	return host->row(host->ctx, table, values, COUNT(site_columns));
}

static int write_sites(const struct cache *cache)
{
	const struct probe_host *host = cache->sites.host;
	int sites = host->table(host->ctx, "model_site", site_columns, COUNT(site_columns));
	int reuse = host->table(host->ctx, "model_reuse", reuse_columns, COUNT(reuse_columns));
	int err = sites < 0 ? sites : reuse < 0 ? reuse : 0;

	for (size_t k = 0; k < cache->sites.count; k++) {
		const struct sites_kernel *kernel = cache->sites.kernels[k];

		for (uint32_t id = 0; id < kernel->site_count && !err; id++) {
			const struct site *site = &((const struct site *)kernel->sites)[id];

			if (!site->executions)
				continue;
			err = write_site(host, sites, kernel, id, site);
			err = err ? err : write_reuse(host, reuse, kernel, id, site);
		}
	}
	return err;
}

static int write_shapes(const struct cache *cache)
{
	const struct probe_host *host = cache->sites.host;
	int table = host->table(host->ctx, "model_shape", shape_columns, COUNT(shape_columns));
	int err = table < 0 ? table : 0;

	for (unsigned level = 1; level <= 2 && !err; level++) {
		const struct lru_shape *shape = level == 1 ? &cache->l1 : &cache->l2;
		const union probe_value values[] = {
			{.text = cache->arch},
			{.integer = level},
			{.integer = (int64_t)shape->size},
			{.integer = (int64_t)shape->line},
			{.integer = (int64_t)shape->ways},
			{.text = "a model, not measured; waves in the order of delivery"},
		};

		err = host->row(host->ctx, table, values, COUNT(shape_columns));
	}
	return err;
}

static int cache_close(void *state)
{
	struct cache *cache = state;
	const struct probe_host *host = cache->sites.host;
	int err = write_sites(cache);

	err = err ? err : write_shapes(cache);
	if (cache->sites.count)
		host->log(host->ctx, PROBE_LOG_INFO,
			  "hit rates are those of a model (L1 %llu KiB per compute unit, L2 %llu "
			  "KiB), with waves in the order of delivery",
			  (unsigned long long)cache->l1.size >> 10,
			  (unsigned long long)cache->l2.size >> 10);
	sites_report(&cache->sites, "cache");
	sites_deinit(&cache->sites);
	for (size_t i = 0; i < cache->agent_count; i++) {
		for (unsigned unit = 0; unit < UNITS; unit++)
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
