/* SPDX-License-Identifier: MIT */
/* The time handler against durations kept one by one and sorted. */
#include <stdlib.h>

#include "tests/unit/handlers/fake_host.h"

extern const struct probe_handler probe_handler;

enum { KERNEL, OUTER, OUTER_END, INNER, INNER_END, BLOCK, SITES, WAVES = 40, MOST = 4096 };

/* What stamps cost: an empty span of records, or of one; and around such, one of records. */
enum { EMPTY = 10, EMPTY_ONE = 4, AROUND = 34, AROUND_ONE = 25 };

static struct host_state state;
static struct probe_host host;
static void *instance;
static uint64_t seed = 88172645463325252ull;

static const struct probe_dispatch_info dispatch = {
	.size = sizeof(dispatch), .id = 3, .code_object = 1, .kernel_id = 5, .wave_size = 64};

/* What a site's spans took. */
static uint64_t spans[SITES][MOST];
static size_t counts[SITES];

static uint64_t random_below(uint64_t limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % limit;
}

static int start(void **unused)
{
	static const uint8_t access[SITES] = {PROBE_ACCESS_FUNCTION, PROBE_ACCESS_REGION,
					      PROBE_ACCESS_REGION,   PROBE_ACCESS_REGION,
					      PROBE_ACCESS_REGION,   PROBE_ACCESS_BLOCK};
	static const char *const names[SITES] = {"", "outer", "outer", "inner", "inner", ""};

	(void)unused;
	memset(&state, 0, sizeof(state));
	memset(counts, 0, sizeof(counts));
	state.site_count = SITES;
	for (uint32_t i = 0; i < SITES; i++)
		state.sites[i] = (struct probe_site_info){
			.size = sizeof(state.sites[i]),
			.id = i,
			.access = access[i],
			.file = "",
			.function = "k",
			.name = names[i],
		};
	host = host_of(&state);
	return probe_handler.open(&host, &instance);
}

static void send_lanes(const struct probe_wave_info *wave, uint32_t site, unsigned form,
		       uint64_t clock, unsigned lanes, uint16_t flags)
{
	const struct probe_stamp stamp = {.site = site,
					  .form = (uint8_t)form,
					  .lanes = (uint8_t)lanes,
					  .flags = flags,
					  .clock = clock,
					  .wave = wave};
	const struct probe_batch batch = {.size = sizeof(batch),
					  .stream = PROBE_STREAM_TIME,
					  .dispatch = &dispatch,
					  .count = 1,
					  .stamps = &stamp};

	assert_int_equal(probe_handler.batch(instance, &batch), 0);
}

static void send_flagged(const struct probe_wave_info *wave, uint32_t site, unsigned form,
			 uint64_t clock, uint16_t flags)
{
	send_lanes(wave, site, form, clock, 64, flags);
}

static void send(const struct probe_wave_info *wave, uint32_t site, unsigned form, uint64_t clock)
{
	send_flagged(wave, site, form, clock, 0);
}

static void send_one(const struct probe_wave_info *wave, uint32_t site, uint64_t begin,
		     uint64_t end)
{
	send_flagged(wave, site, PROBE_FORM_BEGIN, begin, PROBE_STAMP_ONE);
	send_flagged(wave, site, PROBE_FORM_END, end, PROBE_STAMP_ONE);
}

/* Of both kinds; `more` cycles slower. */
static void send_idle(const struct probe_wave_info *wave, uint64_t now, uint64_t more)
{
	send(wave, PROBE_SITE_IDLE, PROBE_FORM_BEGIN, now);
	send(wave, PROBE_SITE_IDLE, PROBE_FORM_BEGIN, now + 9);
	send(wave, PROBE_SITE_IDLE, PROBE_FORM_END, now + 9 + EMPTY + more);
	send(wave, PROBE_SITE_IDLE, PROBE_FORM_END, now + AROUND + 3 * more);
	now += 100;
	send(wave, PROBE_SITE_IDLE, PROBE_FORM_BEGIN, now);
	send_one(wave, PROBE_SITE_IDLE, now + 8, now + 8 + EMPTY_ONE + more);
	send(wave, PROBE_SITE_IDLE, PROBE_FORM_END, now + AROUND_ONE + 2 * more);
}

static void keep(uint32_t site, uint64_t cycles)
{
	assert_true(counts[site] < MOST);
	spans[site][counts[site]++] = cycles;
}

/* A wave: the kernel, outer regions with inner ones of one record, the last outer one left open. */
static void send_wave(uint32_t number)
{
	const struct probe_wave_info wave = {
		.group = {number / 4, 1, 2}, .wave = number % 4, .hw_id = number << 8, .ring = 7};
	uint64_t now = 1000 + random_below(1 << 20), begun, outer, inner;

	begun = now;
	send(&wave, KERNEL, PROBE_FORM_BEGIN, now);
	for (unsigned i = 0; i < 3; i++) {
		now += random_below(100);
		outer = now;
		send(&wave, OUTER, PROBE_FORM_BEGIN, now);
		for (unsigned k = 0; k < 2; k++) {
			inner = now += random_below(50);
			now += random_below(k ? 400 : 1 << 30);
			send_one(&wave, INNER, inner, now);
			keep(INNER, now - inner);
		}
		now += random_below(100);
		if (i < 2)
			send(&wave, OUTER_END, PROBE_FORM_END, now);
		else if (number % 5 == 1)
			send_idle(&wave, now, number % 3);
		if (i == 2)
			send(&wave, KERNEL, PROBE_FORM_WAVE_END, now);
		keep(OUTER, now - outer);
	}
	keep(KERNEL, now - begun);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Exact below 512 cycles, then at most 1/256 too high. */
static void check_percentile(size_t row, const char *name, uint32_t site, unsigned percent)
{
	uint64_t want = spans[site][(counts[site] * percent + 99) / 100 - 1];
	uint64_t got = (uint64_t)host_get(&state, row, name);

	assert_true(got >= want);
	assert_true(got - want <= (want < 512 ? 0 : want / 256));
}

/* Once for each span, and for each stamp in it; spans[site] is sorted. */
static void check_overhead(size_t row, uint32_t site, uint64_t sum)
{
	uint64_t least = site == INNER ? EMPTY_ONE : EMPTY;
	uint64_t stamps = site == KERNEL ? 5 * WAVES : 0,
		 ones = 2 * (site == OUTER ? counts[OUTER] : 0);
	uint64_t want;

	ones += site == KERNEL ? 6 * WAVES : 0;
	least = spans[site][0] < least ? spans[site][0] : least;
	want = counts[site] * least + stamps * ((AROUND - EMPTY) / 2) + ones * (AROUND_ONE - EMPTY);
	assert_int_equal(host_get(&state, row, "stamp"), least);
	assert_int_equal(host_get(&state, row, "overhead"), want < sum ? want : sum);
}

static void check_span(size_t row, uint32_t site, uint64_t all)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < counts[site]; i++)
		sum += spans[site][i];
	qsort(spans[site], counts[site], sizeof(spans[site][0]), by_value);
	assert_int_equal(host_get(&state, row, "site"), site);
	assert_int_equal(host_get(&state, row, "executions"), counts[site]);
	assert_int_equal(host_get(&state, row, "cycles"), sum);
	assert_int_equal(host_get(&state, row, "min"), spans[site][0]);
	assert_int_equal(host_get(&state, row, "max"), spans[site][counts[site] - 1]);
	assert_float_equal(host_real(&state, row, "share"), (double)sum / (double)all, 1e-9);
	check_overhead(row, site, sum);
	check_percentile(row, "p50", site, 50);
	check_percentile(row, "p90", site, 90);
	check_percentile(row, "p99", site, 99);
}

static void test_random(void **unused)
{
	uint64_t all = 0, placed = 0;
	size_t seen = 0;

	(void)unused;
	for (uint32_t i = 0; i < WAVES; i++)
		send_wave(i);
	for (size_t i = 0; i < counts[KERNEL]; i++)
		all += spans[KERNEL][i];
	assert_int_equal(probe_handler.close(instance), 0);
	for (size_t row = 0; row < state.row_count; row++) {
		const char *table = host_table_of(&state, row);

		if (!strcmp(table, "span")) {
			uint32_t site = (uint32_t)host_get(&state, row, "site");

			check_span(row, site, all);
			assert_int_equal(host_get(&state, row, "open"), site == OUTER ? WAVES : 0);
			seen++;
		} else if (!strcmp(table, "place") && host_get(&state, row, "site") == KERNEL) {
			placed += (uint64_t)host_get(&state, row, "cycles");
		}
	}
	assert_int_equal(seen, 3);
	assert_int_equal(placed, all);
}

/* A block goes on until the next of its function, the end of it, or of the wave. */
static void test_blocks(void **unused)
{
	const struct probe_wave_info wave = {.ring = 1};

	(void)unused;
	send(&wave, BLOCK, PROBE_FORM_BEGIN, 4); /* of no function: does not count */
	send(&wave, KERNEL, PROBE_FORM_BEGIN, 5);
	send(&wave, BLOCK, PROBE_FORM_BEGIN, 10);
	send(&wave, OUTER, PROBE_FORM_BEGIN, 12);
	send(&wave, BLOCK, PROBE_FORM_BEGIN, 30);
	send(&wave, OUTER_END, PROBE_FORM_END, 40);
	send(&wave, KERNEL, PROBE_FORM_WAVE_END, 65);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.logged, 2);
	for (size_t row = 0; row < state.row_count; row++)
		if (!strcmp(host_table_of(&state, row), "span") &&
		    host_get(&state, row, "site") == BLOCK) {
			assert_int_equal(host_get(&state, row, "executions"), 2);
			assert_int_equal(host_get(&state, row, "cycles"), 20 + 35);
			assert_int_equal(host_get(&state, row, "min"), 20);
			assert_string_equal(host_text(&state, row, "what"), "block");
		} else if (!strcmp(host_table_of(&state, row), "span") &&
			   host_get(&state, row, "site") == OUTER) {
			assert_int_equal(host_get(&state, row, "cycles"), 28);
		}
}

/* Lanes that end a region apart, and begin another one apart and end it together. */
static void test_parted(void **unused)
{
	const struct probe_wave_info wave = {.ring = 1};

	(void)unused;
	send(&wave, KERNEL, PROBE_FORM_BEGIN, 5);
	send(&wave, OUTER, PROBE_FORM_BEGIN, 10);
	send_lanes(&wave, OUTER_END, PROBE_FORM_END, 20, 40, 0);
	send_lanes(&wave, INNER, PROBE_FORM_BEGIN, 22, 40, 0);
	send_lanes(&wave, OUTER_END, PROBE_FORM_END, 30, 24, 0);
	send_lanes(&wave, INNER, PROBE_FORM_BEGIN, 33, 24, 0);
	send(&wave, INNER_END, PROBE_FORM_END, 40);
	/* These others leave in another way: the region has ended when these did. */
	send(&wave, OUTER, PROBE_FORM_BEGIN, 50);
	send_lanes(&wave, OUTER_END, PROBE_FORM_END, 57, 40, 0);
	send(&wave, KERNEL, PROBE_FORM_WAVE_END, 90);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.logged, 1);
	for (size_t row = 0; row < state.row_count; row++)
		if (!strcmp(host_table_of(&state, row), "span")) {
			int64_t site = host_get(&state, row, "site");

			assert_int_equal(host_get(&state, row, "executions"),
					 site == OUTER ? 2 : 1);
			assert_int_equal(host_get(&state, row, "cycles"), site == OUTER	  ? 20 + 7
									  : site == INNER ? 18
											  : 85);
			assert_int_equal(host_get(&state, row, "open"), 0);
		}
}

/* A region in itself, by fewer lanes: both count. */
static void test_in_itself(void **unused)
{
	const struct probe_wave_info wave = {.ring = 1};

	(void)unused;
	send(&wave, KERNEL, PROBE_FORM_BEGIN, 5);
	send(&wave, OUTER, PROBE_FORM_BEGIN, 10);
	send_lanes(&wave, OUTER, PROBE_FORM_BEGIN, 12, 8, 0);
	send_lanes(&wave, OUTER_END, PROBE_FORM_END, 15, 8, 0);
	send(&wave, OUTER_END, PROBE_FORM_END, 30);
	send(&wave, KERNEL, PROBE_FORM_WAVE_END, 90);
	assert_int_equal(probe_handler.close(instance), 0);
	for (size_t row = 0; row < state.row_count; row++)
		if (!strcmp(host_table_of(&state, row), "span") &&
		    host_get(&state, row, "site") == OUTER) {
			assert_int_equal(host_get(&state, row, "executions"), 2);
			assert_int_equal(host_get(&state, row, "cycles"), 20 + 3);
		}
}

/* An end without a begin is reported and changes nothing. */
static void test_stray_end(void **unused)
{
	const struct probe_wave_info wave = {.ring = 1};

	(void)unused;
	send(&wave, KERNEL, PROBE_FORM_BEGIN, 5);
	send(&wave, INNER_END, PROBE_FORM_END, 6);
	send(&wave, 77, PROBE_FORM_BEGIN, 7);
	send(&wave, KERNEL, PROBE_FORM_WAVE_END, 9);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.logged, 3);
	for (size_t row = 0; row < state.row_count; row++)
		if (!strcmp(host_table_of(&state, row), "span"))
			assert_int_equal(host_get(&state, row, "cycles"), 4);
}

/* The span of a kernel in one record: the cost of the other form is not needed. */
static void test_one_form(void **unused)
{
	const struct probe_wave_info wave = {.ring = 1};

	(void)unused;
	send_one(&wave, PROBE_SITE_IDLE, 8, 8 + EMPTY_ONE);
	send(&wave, PROBE_SITE_IDLE, PROBE_FORM_BEGIN, 20);
	send_one(&wave, PROBE_SITE_IDLE, 28, 28 + EMPTY_ONE);
	send_one(&wave, KERNEL, 50, 90);
	send(&wave, KERNEL, PROBE_FORM_WAVE_END, 99);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.logged, 0);
}

/* The message names the first of them. */
static void test_stray_end_named(void **unused)
{
	const struct probe_wave_info wave = {.ring = 1};

	(void)unused;
	state.sites[INNER_END].file = "a.hip";
	state.sites[INNER_END].line = 12;
	send(&wave, KERNEL, PROBE_FORM_BEGIN, 5);
	send(&wave, INNER_END, PROBE_FORM_END, 6);
	send(&wave, OUTER_END, PROBE_FORM_END, 7);
	send(&wave, KERNEL, PROBE_FORM_WAVE_END, 9);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.logged, 2); /* and that the cost of stamps is not known */
	assert_non_null(strstr(
		state.message,
		"2 ends of regions that had not begun, the first of 'inner' in k at a.hip:12: "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_random, start),
		cmocka_unit_test_setup(test_blocks, start),
		cmocka_unit_test_setup(test_one_form, start),
		cmocka_unit_test_setup(test_stray_end, start),
		cmocka_unit_test_setup(test_stray_end_named, start),
		cmocka_unit_test_setup(test_parted, start),
		cmocka_unit_test_setup(test_in_itself, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
