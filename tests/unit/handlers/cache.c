/* SPDX-License-Identifier: MIT */
/*
 * The cache handler against a plain model: sets as lists with times of last use, reuse distances by
 * walking back over all touches.
 */
#include <math.h>
#include <stdlib.h>

#include "tests/unit/handlers/random_accesses.h"
#include "handlers/cache/lru.h"
#include "handlers/cache/reuse_distance.h"

extern const struct probe_handler probe_handler;

static struct host_state state;
static struct probe_host host;
static void *instance;

static void open_with(const char *const (*args)[2], size_t count)
{
	memset(&state, 0, sizeof(state));
	host = host_of(&state);
	for (size_t i = 0; i < count; i++)
		memcpy(state.args[i], args[i], sizeof(state.args[i]));
	assert_int_equal(probe_handler.open(&host, &instance), 0);
	assert_int_equal(probe_handler.dispatch_begin(instance, &random_dispatch), 0);
}

/* ---- The plain model ------------------------------------------------------------------------- */

enum { L1_LINE = 64, L1_SETS = 2, L1_WAYS = 4, L2_LINE = 128, L2_SETS = 8, L2_WAYS = 16 };

enum { PLAIN_LINES = 1024 };
struct plain {
	uint64_t line[PLAIN_LINES], used[PLAIN_LINES];
};
static struct plain l1s[4], l2;
static uint64_t clock_now, touched[1 << 16], touched_at[1 << 16];
static size_t line_count;

static bool plain_touch(struct plain *cache, unsigned sets, unsigned ways, uint64_t line)
{
	size_t first = line % sets * ways, oldest = first;

	clock_now++;
	for (size_t i = first; i < first + ways; i++) {
		if (cache->used[i] && cache->line[i] == line) {
			cache->used[i] = clock_now;
			return true;
		}
		if (cache->used[i] < cache->used[oldest])
			oldest = i;
	}
	cache->line[oldest] = line;
	cache->used[oldest] = clock_now;
	return false;
}

/* -1 = first touch; else the lines whose last touch is later than this one's. */
static int64_t plain_distance(uint64_t line)
{
	size_t place = line_count;
	int64_t later = 0;

	assert_true(line_count < 1 << 16);
	for (size_t i = 0; i < line_count && place == line_count; i++)
		if (touched[i] == line)
			place = i;
	if (place == line_count) {
		touched[line_count] = line;
		touched_at[line_count++] = ++clock_now;
		return -1;
	}
	for (size_t i = 0; i < line_count; i++)
		later += touched_at[i] > touched_at[place];
	touched_at[place] = ++clock_now;
	return later;
}

static struct want {
	int64_t executions, l1, l1_hits, l2, l2_hits, first, buckets[34];
} want[HOST_SITES];

static size_t add_once(uint64_t *list, size_t count, uint64_t value)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == value)
			return count;
	list[count] = value;
	return count + 1;
}

static void want_unit(struct want *w, const struct probe_site_info *site,
		      const struct random_access *random, uint64_t offset)
{
	uint64_t lines[128], wide[128], missed[128];
	size_t count = 0, wides = 0, misses = 0;
	unsigned unit = random->wave.hw_id >> 8;

	for (unsigned lane = 0; lane < 64; lane++) {
		uint64_t at = random->addr[lane] + offset;

		if (!random->active[lane] ||
		    random_space(site, random->addr[lane]) != PROBE_SPACE_GLOBAL)
			continue;
		count = add_once(lines, count, at / L1_LINE);
		count = add_once(lines, count, (at + site->unit - 1) / L1_LINE);
	}
	for (size_t i = 0; i < count; i++)
		wides = add_once(wide, wides, lines[i] / 2);
	for (size_t i = 0; i < wides; i++) {
		int64_t distance = plain_distance(wide[i]);

		if (distance < 0)
			w->first++;
		else
			w->buckets[distance ? (int)log2((double)distance) + 1 : 0]++;
	}
	for (size_t i = 0; i < count; i++) {
		if (site->access == PROBE_ACCESS_LOAD) {
			w->l1++;
			if (plain_touch(&l1s[unit], L1_SETS, L1_WAYS, lines[i])) {
				w->l1_hits++;
				continue;
			}
		}
		misses = add_once(missed, misses, lines[i] / 2);
	}
	for (size_t i = 0; i < misses; i++) {
		w->l2++;
		w->l2_hits += plain_touch(&l2, L2_SETS, L2_WAYS, missed[i]);
	}
}

/* The end of the bucket in which half of what came again lies. */
static void check_median(size_t row, const struct want *w)
{
	double got = host_real(&state, row, "reuse_median");
	int64_t all = 0, below = 0;

	for (size_t bucket = 0; bucket < 34; bucket++)
		all += w->buckets[bucket];
	for (size_t bucket = 0; bucket < 34; bucket++) {
		if (!w->buckets[bucket] || 2 * below >= all ||
		    2 * (below + w->buckets[bucket]) < all) {
			below += w->buckets[bucket];
			continue;
		}
		assert_true(got == pow(2, (double)bucket) - 1);
		return;
	}
	assert_true(isnan(got));
}

static void check_rate(size_t row, const char *name, int64_t hits, int64_t accesses)
{
	double got = host_real(&state, row, name);

	if (accesses)
		assert_true(fabs(got - (double)hits / (double)accesses) < 1e-12);
	else
		assert_true(isnan(got));
}

static void check_row(size_t row)
{
	struct want *w;

	if (!strcmp(host_table_of(&state, row), "model_shape"))
		return;
	w = &want[host_get(&state, row, "site")];
	if (!strcmp(host_table_of(&state, row), "model_reuse")) {
		int64_t from = host_get(&state, row, "distance_from");
		int bucket = from ? (int)log2((double)from) + 1 : 0;

		assert_int_equal(host_get(&state, row, "count"), w->buckets[bucket]);
		assert_int_equal(host_get(&state, row, "distance_to"), from ? 2 * from - 1 : 0);
		w->buckets[bucket] = 0;
		return;
	}
	assert_int_equal(host_get(&state, row, "executions"), w->executions);
	assert_int_equal(host_get(&state, row, "l1_accesses"), w->l1);
	assert_int_equal(host_get(&state, row, "l1_hits"), w->l1_hits);
	assert_int_equal(host_get(&state, row, "l2_accesses"), w->l2);
	assert_int_equal(host_get(&state, row, "l2_hits"), w->l2_hits);
	assert_int_equal(host_get(&state, row, "first_touches"), w->first);
	check_rate(row, "l1_hit_rate", w->l1_hits, w->l1);
	check_rate(row, "l2_hit_rate", w->l2_hits, w->l2);
	check_median(row, w);
}

static void test_random(void **unused)
{
	static const char *const args[][2] = {{"l1", "512"},
					      {"l1_ways", "4"},
					      {"l2", "16K"},
					      {"l2_ways", "16"},
					      {"reuse_lines", "64K"}};
	static struct random_access random;
	uint64_t seed = 88172645463325252ull;
	struct probe_dispatch_info dispatch = random_dispatch;
	struct probe_batch batch = {
		.size = sizeof(batch),
		.stream = PROBE_STREAM_ACCESS,
		.dispatch = &dispatch,
		.count = 1,
		.access = &random.access,
	};
	int64_t l1_hits = 0, l2_hits = 0;

	(void)unused;
	open_with(args, 5);
	random_add_sites(&state);
	for (uint32_t i = 0; i < state.site_count * 12; i++) {
		const struct probe_site_info *site = &state.sites[i % state.site_count];
		struct want *w = &want[site->id];

		/* A new dispatch: L1 is empty, L2 is not. */
		if (i % 100 == 0)
			memset(l1s, 0, sizeof(l1s));
		random_access(&seed, site, &random);
		dispatch.id = 1 + i / 100;
		assert_int_equal(probe_handler.batch(instance, &batch), 0);
		if (site->space == PROBE_SPACE_LDS)
			continue;
		w->executions++;
		for (unsigned offset = 0; offset < site->bytes; offset += site->unit)
			want_unit(w, site, &random, offset);
	}
	assert_int_equal(probe_handler.close(instance), 0);
	for (size_t row = 0; row < state.row_count; row++)
		check_row(row);
	for (size_t i = 0; i < HOST_SITES; i++) {
		l1_hits += want[i].l1_hits;
		l2_hits += want[i].l2_hits;
		for (unsigned bucket = 0; bucket < 34; bucket++)
			assert_int_equal(want[i].buckets[bucket], 0); /* each had its row */
	}
	assert_true(l1_hits > 100);
	assert_true(l2_hits > 100);
	assert_int_equal(state.logged, 1); /* that it is a model */
}

static uint64_t touch_one(struct reuse *reuse, uint64_t line)
{
	unsigned run;
	uint64_t distance = reuse_touch(reuse, &line, 1, &run);

	assert_int_equal(run, 1);
	return distance;
}

/* Long streams, so that slots are numbered anew often: cycles, and random lines. */
static void test_reuse(void **unused)
{
	struct reuse reuse = {0};
	uint64_t seed = 1;

	(void)unused;
	for (uint64_t i = 0; i < 300000; i++)
		assert_int_equal(touch_one(&reuse, i % 3000 * 7), i < 3000 ? REUSE_FIRST : 2999);
	reuse_deinit(&reuse);
	for (uint64_t i = 0; i < 100000; i++)
		assert_int_equal(touch_one(&reuse, i), REUSE_FIRST);
	for (uint64_t i = 100000; i-- > 0;)
		assert_int_equal(touch_one(&reuse, i), 99999 - i);
	reuse_deinit(&reuse);
	line_count = 0;
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t line = ref_random(&seed) % (1 + ref_random(&seed) % 400);
		int64_t plain = plain_distance(line);

		assert_int_equal(touch_one(&reuse, line),
				 plain < 0 ? REUSE_FIRST : (uint64_t)plain);
	}
	reuse_deinit(&reuse);
}

/* Lines in the order of an earlier access, with some left out or in between. */
static unsigned make_access(uint64_t *seed, uint64_t line[64])
{
	uint64_t first = ref_random(seed) % 600, skips = ref_random(seed) % 3;
	unsigned count = 1 + (unsigned)(ref_random(seed) % 64);

	for (unsigned i = 0; i < count; i++) {
		line[i] = first;
		first += 1 + (skips && ref_random(seed) % 16 < skips);
	}
	return count;
}

/* The length of the longest run. */
static unsigned check_runs(size_t limit)
{
	struct reuse together = {.limit = limit}, single = {.limit = limit};
	uint64_t seed = 3, line[64];
	unsigned longest = 0, run;

	for (unsigned access = 0; access < 20000; access++) {
		unsigned all = make_access(&seed, line), thin = together.thin, count = 0;

		for (unsigned i = 0; i < all; i++)
			if (reuse_follows(&together, line[i]))
				line[count++] = line[i];
		for (unsigned i = 0; i < count && together.thin == thin; i += run) {
			uint64_t distance = reuse_touch(&together, line + i, count - i, &run);

			assert_in_range(run, 1, count - i);
			for (unsigned k = 0; k < run; k++)
				assert_int_equal(touch_one(&single, line[i + k]), distance);
			longest = run > longest ? run : longest;
		}
	}
	assert_int_equal(together.thin, single.thin);
	assert_int_equal(together.thin > 0, limit != 0);
	reuse_deinit(&together);
	reuse_deinit(&single);
	return longest;
}

/* Lines that are touched together have the distances that they have one by one. */
static void test_reuse_runs(void **unused)
{
	(void)unused;
	assert_in_range(check_runs(0), 48, 64);
	assert_in_range(check_runs(200), 16, 64);
}

static void test_arguments(void **unused)
{
	static const char *const bad[][2] = {
		{"l1", "0"},	   {"l1", "3000"}, {"l2", "many"},
		{"arch", "gfx1"},  {"reuse", "2"}, {"l1_line", "256"},
		{"l2_ways", "99"}, {"l1", "64"},   {"reuse_lines", "9"}};

	(void)unused;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		memset(&state, 0, sizeof(state));
		host = host_of(&state);
		memcpy(state.args[0], bad[i], sizeof(bad[i]));
		assert_true(probe_handler.open(&host, &instance) < 0);
		assert_int_equal(state.logged, 1);
		assert_int_equal(state.level, PROBE_LOG_ERROR);
	}
}

/* Different lines: in order, with some left out, or some of a few and some of many. */
static unsigned make_lines(uint64_t *seed, uint64_t near, uint64_t *lines)
{
	unsigned count = 1 + (unsigned)(ref_random(seed) % 64), made = 0;
	uint64_t mode = ref_random(seed) % 4, next = ref_random(seed) % near;

	for (unsigned i = 0; i < count && mode < 2; i++) {
		lines[i] = next;
		/* Of one set or of both. */
		next += (1 + mode) * (ref_random(seed) % 16 ? 1 : 2);
	}
	for (unsigned i = 0; i < count && mode >= 2; i++) {
		uint64_t line = ref_random(seed) % (i % 3 ? near : 1ull << 32);

		made = (unsigned)add_once(lines, made, line);
	}
	return mode < 2 ? count : made;
}

/* Lines of the first two sets, of which many have tags with equal lower bits. */
static void place_lines(const struct lru *lru, const uint64_t *from, unsigned count, uint64_t *to)
{
	for (unsigned i = 0; i < count; i++) {
		uint64_t tag = from[i] >> 1;

		tag = (tag & ~15ull) >> 4 | (tag & 15) << (lru->small ? 28 : 42);
		to[i] = tag << lru->log | (from[i] & 1);
	}
}

/* Sets of all lengths, filled, emptied, and filled again; many lines at a time. */
static void check_ways(unsigned ways, unsigned sets, bool wide)
{
	const struct lru_shape shape = {
		.size = (uint64_t)sets * ways * 64, .line = 64, .ways = ways};
	uint64_t seed = 88172645463325252ull + ways, lines[64], placed[64];
	unsigned hits = 0, touches = 0;
	struct lru lru = {0};

	assert_true(lru_init(&lru, &shape));
	assert_int_equal(lru.small != NULL, ways <= LRU_SMALL && sets > 2);
	if (wide && !lru.wide) {
		lru_deinit(&lru);
		return;
	}
	lru.wide = wide;
	for (unsigned round = 0; round < 3; round++) {
		static struct plain plain;

		memset(&plain, 0, sizeof(plain));
		for (unsigned i = 0; i < 600; i++) {
			unsigned count = make_lines(&seed, 3 * ways, lines);
			uint64_t hit, plain_hit = 0;

			place_lines(&lru, lines, count, placed);
			hit = lru_touch(&lru, placed, count);
			for (unsigned k = 0; k < count; k++)
				plain_hit |= (uint64_t)plain_touch(&plain, 2, ways, lines[k]) << k;
			assert_int_equal(hit, plain_hit);
			hits += (unsigned)__builtin_popcountll(hit);
			touches += count;
		}
		lru_empty(&lru);
	}
	assert_in_range(hits, touches / 400, touches);
	lru_deinit(&lru);
}

static void test_ways(void **unused)
{
	(void)unused;
	for (unsigned ways = 1; ways <= PLAIN_LINES / 2; ways *= 2)
		for (unsigned wide = 0; wide < 2; wide++) {
			check_ways(ways, 2, wide);
			check_ways(ways, 2048, wide);
		}
}

/* ---- Sampled reuse distances ----------------------------------------------------------------- */

enum { STREAM = 400000, BUCKETS = 34 };

static double shares[2][BUCKETS + 1]; /* exact, sampled; the last one: first touches */

/* The part of touches in each bucket. */
static void measure(size_t limit, uint64_t (*next)(uint64_t *seed, unsigned i),
		    double part[BUCKETS + 1])
{
	struct reuse reuse = {.limit = limit};
	uint64_t seed = 7, all = 0;

	memset(part, 0, (BUCKETS + 1) * sizeof(*part));
	for (unsigned i = 0; i < STREAM; i++) {
		uint64_t line = next(&seed, i), weight = 1ull << reuse.thin, distance;
		unsigned bucket;

		if (!reuse_follows(&reuse, line))
			continue;
		distance = touch_one(&reuse, line);
		assert_true(distance != REUSE_NO_MEMORY);
		assert_true(!limit || reuse.count <= limit);
		bucket = distance ? 64 - (unsigned)__builtin_clzll(distance) : 0;
		part[distance == REUSE_FIRST ? BUCKETS : bucket] += (double)weight;
		all += weight;
	}
	for (unsigned bucket = 0; bucket <= BUCKETS; bucket++)
		part[bucket] /= (double)all;
	assert_int_equal(reuse.thin > 0, limit != 0);
	reuse_deinit(&reuse);
}

/*
 * The largest difference of the curves "part of touches within a distance". A distance is
 * estimated: it may be in the next bucket.
 */
static double worst(void)
{
	double below = 0, exact = 0, above = shares[0][0], sampled = 0, ret = 0;

	for (unsigned bucket = 0; bucket < BUCKETS - 1; bucket++) {
		below = exact;
		exact = above;
		above += shares[0][bucket + 1];
		sampled += shares[1][bucket];
		ret = fmax(ret, fmax(below - sampled, sampled - above));
	}
	return fmax(ret, fabs(shares[0][BUCKETS] - shares[1][BUCKETS]));
}

static uint64_t next_cycle(uint64_t *seed, unsigned i)
{
	(void)seed;
	return i % 50000 * 2;
}

static uint64_t next_uniform(uint64_t *seed, unsigned i)
{
	(void)i;
	return 0xfe000000000 + ref_random(seed) % 60000 * 32;
}

/* Of sizes from 64 lines to 64 K lines as often each. */
static uint64_t next_mixed(uint64_t *seed, unsigned i)
{
	uint64_t size = 64ull << i % 11;

	return size << 20 | ref_random(seed) % size;
}

/* A row after the other, and the columns of it. */
static uint64_t next_matrix(uint64_t *seed, unsigned i)
{
	unsigned row = i / 512 % 256, column = i % 512;

	(void)seed;
	return i / (512 * 256) % 2 ? 4096ull * (column % 256) + row * 2 : 4096ull * row + column;
}

/* By 4096 of them the curve of many lines is known to some hundredths; of few all are followed. */
static void test_sampled(void **unused)
{
	static uint64_t (*const streams[])(uint64_t * seed, unsigned i) = {next_cycle, next_uniform,
									   next_mixed, next_matrix};

	(void)unused;
	for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
		measure(0, streams[i], shares[0]);
		measure(4096, streams[i], shares[1]);
		if (worst() > 0.04)
			fail_msg("stream %zu: off by %.3f", i, worst());
	}
}

/* The handler: exact within reuse_lines=, and says what it did beyond. */
static void test_rate(void **unused)
{
	static const char *const few[][2] = {{"reuse_lines", "128"}};
	static struct probe_wave_info wave = {.exec = ~0ull};
	struct probe_access access = {.form = PROBE_FORM_AFFINE,
				      .lanes = 64,
				      .exec = ~0ull,
				      .stride = 128,
				      .wave = &wave};
	struct probe_batch batch = {.size = sizeof(batch),
				    .stream = PROBE_STREAM_ACCESS,
				    .dispatch = &random_dispatch,
				    .count = 1,
				    .access = &access};

	(void)unused;
	for (unsigned lines = 128; lines <= 8192; lines *= 8) {
		double rate;

		open_with(few, 1);
		random_add_site(&state, PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		for (unsigned i = 0; i < 3 * lines / 64; i++) {
			access.base = 0x7f0000000000 + i * 8192ull % (lines * 128ull);
			assert_int_equal(probe_handler.batch(instance, &batch), 0);
		}
		assert_int_equal(probe_handler.close(instance), 0);
		rate = host_real(&state, 0, "reuse_rate");
		if (lines == 128) {
			assert_true(rate == 1);
			assert_int_equal(host_get(&state, 0, "first_touches"), lines);
			assert_int_equal(host_get(&state, 0, "reuse_sampled"), 3 * lines);
			assert_true(host_real(&state, 0, "reuse_median") == lines - 1);
			continue;
		}
		assert_true(rate < 1 && rate >= 32. / lines);
		assert_in_range(host_get(&state, 0, "first_touches"), lines * 3 / 4, lines * 5 / 4);
		assert_in_range(host_get(&state, 0, "reuse_sampled"), 2 * 32,
				128 * (4 + (unsigned)log2(lines / 128)));
		assert_in_range((int64_t)host_real(&state, 0, "reuse_median"), lines / 2 - 1,
				2 * lines);
		/* Hit rates are exact nevertheless: L2 holds all of them. */
		assert_int_equal(host_get(&state, 0, "l2_accesses"), 3 * lines);
		assert_int_equal(host_get(&state, 0, "l2_hits"), 2 * lines);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways),	  cmocka_unit_test(test_sampled),
		cmocka_unit_test(test_rate),	  cmocka_unit_test(test_random),
		cmocka_unit_test(test_reuse),	  cmocka_unit_test(test_reuse_runs),
		cmocka_unit_test(test_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
