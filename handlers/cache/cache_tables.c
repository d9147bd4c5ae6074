/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "handlers/cache/cache_tables.h"

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
	/* Median of the reuse distances, rounded up to 2^n - 1. */
	{"reuse_median", PROBE_TYPE_REAL},
	/*
	 * The lowest sampling rate of lines. 1: first touches and reuse distances are exact; else
	 * they are estimated from `reuse_sampled` touches.
	 */
	{"reuse_rate", PROBE_TYPE_REAL},
	{"reuse_sampled", PROBE_TYPE_INTEGER},
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

/* NaN, which becomes SQL NULL, if nothing was looked up. */
static double rate(uint64_t hits, uint64_t accesses)
{
	return accesses ? (double)hits / (double)accesses : (double)NAN;
}

/* NaN if no line was touched twice. */
static double median(const struct cache_site *site)
{
	uint64_t all = 0, seen = 0;

	for (unsigned bucket = 0; bucket < CACHE_BUCKETS; bucket++)
		all += site->distances[bucket];
	for (unsigned bucket = 0; bucket < CACHE_BUCKETS; bucket++) {
		seen += site->distances[bucket];
		if (all && 2 * seen >= all)
			return (double)((1ull << bucket) - 1);
	}
	return (double)NAN;
}

static int write_reuse(const struct probe_host *host, int table, const struct sites_kernel *kernel,
		       uint32_t id, const struct cache_site *site)
{
	int err = 0;

	for (unsigned bucket = 0; bucket < CACHE_BUCKETS && !err; bucket++) {
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
		      uint32_t id, const struct cache_site *site)
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
		{.real = 1 / (double)(1ull << site->thin)},
		{.integer = (int64_t)site->sampled},
	};

	return host->row(host->ctx, table, values, COUNT(site_columns));
}

static int write_sites(const struct cache *cache)
{
	const struct probe_host *host = cache->sites.host;
	int sites = host->table(host->ctx, "model_site", site_columns, COUNT(site_columns));
	int reuse = host->table(host->ctx, "model_reuse", reuse_columns, COUNT(reuse_columns));
	int err = sites < 0 ? sites : reuse < 0 ? reuse : 0;

	if (err)
		return err;
	for (size_t k = 0; k < cache->sites.count; k++) {
		const struct sites_kernel *kernel = cache->sites.kernels[k];

		for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count;
		     id = sites_next(kernel, id + 1)) {
			const struct cache_site *site = sites_at(kernel, id);

			if (!site->executions)
				continue;
			err = write_site(host, sites, kernel, id, site);
			if (err)
				return err;
			err = write_reuse(host, reuse, kernel, id, site);
			if (err)
				return err;
		}
	}
	return 0;
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
			{.text = "modelled, not measured; waves in the order of delivery"},
		};

		err = host->row(host->ctx, table, values, COUNT(shape_columns));
	}
	return err;
}

int cache_rows_write(const struct cache *cache)
{
	int err = write_sites(cache);

	return err ? err : write_shapes(cache);
}
