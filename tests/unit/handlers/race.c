/* SPDX-License-Identifier: MIT */
/* The race handler, compared with a check of every access against every other one. */
#include "tests/unit/handlers/random_accesses.h"

extern const struct probe_handler probe_handler;

static struct host_state state;
static struct probe_host host;
static void *instance;
static struct probe_dispatch_info dispatch;

static int start(void **unused)
{
	(void)unused;
	memset(&state, 0, sizeof(state));
	host = host_of(&state);
	dispatch = random_dispatch;
	dispatch.grid[0] = 256 * 3;
	dispatch.grid[1] = dispatch.grid[2] = 1;
	return probe_handler.open(&host, &instance);
}

static int send(const struct probe_access *access)
{
	struct probe_batch batch = {
		.size = sizeof(batch),
		.stream = PROBE_STREAM_ACCESS,
		.dispatch = &dispatch,
		.count = 1,
		.access = access,
	};

	return probe_handler.batch(instance, &batch);
}

/* ---- Random accesses ------------------------------------------------------------------------- */

enum { RECORDS = 400, SITES = 6, DWORDS = 1 << 19 };
static struct random_access randoms[RECORDS];
static uint64_t dispatches[RECORDS];
static int64_t want[HOST_SITES][HOST_SITES];
static bool hit[SITES][SITES][DWORDS];
static uint32_t dwords = DWORDS; /* that are looked at */

static bool touches(const struct random_access *random, uint32_t byte)
{
	const struct probe_site_info *site = &state.sites[random->access.site];

	for (unsigned lane = 0; lane < 64; lane++) {
		uint32_t first = (uint32_t)random->addr[lane];

		if (random->active[lane] && byte >= first && byte - first < site->bytes &&
		    random_space(site, random->addr[lane]) == PROBE_SPACE_LDS)
			return true;
	}
	return false;
}

/* Mark the dwords at which the pair (i, k) races. */
static void compare(const struct random_access *a, const struct random_access *b)
{
	const struct probe_site_info *left = &state.sites[a->access.site],
				     *right = &state.sites[b->access.site];
	uint32_t low = left->id < right->id ? left->id : right->id;
	uint32_t high = left->id < right->id ? right->id : left->id;

	if (a->wave.wave == b->wave.wave || a->wave.barriers != b->wave.barriers ||
	    a->wave.group[0] != b->wave.group[0])
		return;
	if (left->access == right->access && left->access != PROBE_ACCESS_STORE)
		return;
	for (unsigned lane = 0; lane < 64; lane++) {
		uint32_t first = (uint32_t)a->addr[lane];

		if (!a->active[lane] || random_space(left, a->addr[lane]) != PROBE_SPACE_LDS)
			continue;
		for (uint32_t byte = first; byte < first + left->bytes; byte++) {
			assert_true(byte / 4 < dwords);
			if (!hit[low][high][byte / 4] && touches(b, byte))
				hit[low][high][byte / 4] = true;
		}
	}
}

/* All pairs of records of one dispatch, workgroup and barrier. */
static void want_all(uint64_t id, uint32_t group, uint32_t barriers)
{
	for (unsigned a = 0; a < SITES; a++)
		for (unsigned b = 0; b < SITES; b++)
			memset(hit[a][b], 0, dwords);
	for (unsigned i = 0; i < RECORDS; i++)
		for (unsigned k = 0; k < RECORDS; k++)
			if (dispatches[i] == id && dispatches[k] == id &&
			    randoms[i].wave.group[0] == group &&
			    randoms[k].wave.group[0] == group &&
			    randoms[i].wave.barriers == barriers &&
			    randoms[k].wave.barriers == barriers)
				compare(&randoms[i], &randoms[k]);
	for (uint32_t a = 0; a < state.site_count; a++)
		for (uint32_t b = a; b < state.site_count; b++)
			for (uint32_t dword = 0; dword < dwords; dword++)
				want[a][b] += hit[a][b][dword];
}

/* Each kind of access to LDS, and flat: few sites, so that they meet. Atomics are of words. */
static void add_sites(uint16_t bytes)
{
	for (int access = PROBE_ACCESS_LOAD; access <= PROBE_ACCESS_ATOMIC; access++) {
		uint16_t size = access == PROBE_ACCESS_ATOMIC ? 4 : bytes;

		random_add_site(&state, (enum probe_access_kind)access, PROBE_SPACE_LDS, size,
				size);
		random_add_site(&state, (enum probe_access_kind)access, PROBE_SPACE_FLAT, 12, 12);
	}
}

/* The table equals `want`; returns how many pairs there are. */
static size_t check_pairs(uint32_t barriers)
{
	size_t pairs = 0;

	dispatch.id = 1;
	assert_int_equal(probe_handler.dispatch_end(instance, &dispatch), 0);
	for (uint64_t id = 1; id <= 2; id++)
		for (uint32_t group = 0; group < 3; group++)
			for (uint32_t passed = 0; passed < barriers; passed++)
				want_all(id, group, passed);
	assert_int_equal(probe_handler.close(instance), 0);
	for (size_t row = 0; row < state.row_count; row++) {
		int64_t *words =
			&want[host_get(&state, row, "site")][host_get(&state, row, "other_site")];

		assert_true(*words > 0);
		assert_int_equal(host_get(&state, row, "words"), *words);
		*words = 0;
		pairs++;
	}
	for (uint32_t a = 0; a < state.site_count; a++)
		for (uint32_t b = 0; b < state.site_count; b++)
			assert_int_equal(want[a][b], 0);
	return pairs;
}

/* Dispatches come by turns. */
static void send_random(uint64_t *seed, unsigned i, uint32_t barriers)
{
	randoms[i].wave.barriers = (uint32_t)(ref_random(seed) % barriers);
	dispatches[i] = 1 + ref_random(seed) % 2;
	dispatch.id = dispatches[i];
	assert_int_equal(send(&randoms[i].access), 0);
}

static void test_random(void **unused)
{
	uint64_t seed = 88172645463325252ull;

	(void)unused;
	add_sites(4);
	for (unsigned i = 0; i < RECORDS; i++) {
		random_access(&seed, &state.sites[ref_random(&seed) % state.site_count],
			      &randoms[i]);
		send_random(&seed, i, 3);
	}
	assert_true(check_pairs(3) > 8);
}

/* Rows and columns of tables, as kernels have them: sometimes the lanes of two rows. */
static void make_table_access(uint64_t *seed, struct random_access *random)
{
	static const int64_t strides[] = {0,  4,   4,	4,    -4, 8,  12, 16,
					  64, 128, 132, -128, 2,  20, 1,  7};
	struct probe_access *access = &random->access;
	int64_t stride = strides[ref_random(seed) % 16], row = ref_random(seed) % 2 ? 132 : 256;
	unsigned place = state.sites[access->site].bytes;
	uint64_t base = 0x2100 + ref_random(seed) % 0x800 / place * place;
	unsigned lanes = ref_random(seed) % 4 ? 64 : 1 + (unsigned)(ref_random(seed) % 64);
	bool rows = ref_random(seed) % 3 == 0;

	if (stride % 4 == 0 && ref_random(seed) % 16 == 0)
		base++;
	access->exec = ~0ull >> (64 - lanes);
	access->lanes = (uint8_t)lanes;
	access->form = rows ? PROBE_FORM_NEAR : PROBE_FORM_AFFINE;
	access->base = base;
	access->stride = stride;
	if (rows)
		access->offsets = random->offsets;
	for (unsigned lane = 0; lane < 64; lane++) {
		random->offsets[lane] = (int32_t)((int)(lane % 32) * stride + lane / 32 * row);
		random->active[lane] = lane < lanes;
		random->addr[lane] = base + (rows ? (uint64_t)(int64_t)random->offsets[lane]
						  : (uint64_t)(stride * (int)lane));
	}
}

/* Few accesses between two barriers: most of them conflict with none. */
static void test_tables(void **unused)
{
	enum { BARRIERS = 30 };
	uint64_t seed = 362436069ull;

	(void)unused;
	dwords = 0x8000;
	for (unsigned round = 0; round < 12; round++) {
		if (round)
			start(NULL);
		add_sites((uint16_t)(1u << round % 3));
		for (unsigned i = 0; i < RECORDS; i++) {
			/* LDS sites are the even ones. */
			random_access(&seed, &state.sites[ref_random(&seed) % 3 * 2], &randoms[i]);
			make_table_access(&seed, &randoms[i]);
			send_random(&seed, i, BARRIERS);
		}
		assert_in_range(check_pairs(BARRIERS), 1, 5);
	}
	dwords = DWORDS;
}

/* ---- Known cases ----------------------------------------------------------------------------- */

static void step_by(uint32_t site, uint32_t group, uint32_t wave, uint32_t barriers, uint64_t base,
		    int64_t stride)
{
	struct probe_wave_info info = {
		.group = {group, 0, 0}, .wave = wave, .barriers = barriers, .exec = ~0ull};
	struct probe_access access = {.site = site,
				      .form = PROBE_FORM_AFFINE,
				      .lanes = 64,
				      .exec = ~0ull,
				      .base = base,
				      .stride = stride,
				      .wave = &info};

	assert_int_equal(send(&access), 0);
}

static void step(uint32_t site, uint32_t group, uint32_t wave, uint32_t barriers, uint64_t base)
{
	step_by(site, group, wave, barriers, base, 4);
}

static void add_three(void)
{
	random_add_site(&state, PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
	random_add_site(&state, PROBE_ACCESS_STORE, PROBE_SPACE_LDS, 4, 4);
	random_add_site(&state, PROBE_ACCESS_ATOMIC, PROBE_SPACE_LDS, 4, 4);
}

static void test_no_race(void **unused)
{
	(void)unused;
	add_three();
	step(1, 0, 0, 0, 0); /* a wave alone */
	step(0, 0, 0, 0, 0);
	step(0, 0, 1, 1, 0);   /* behind a barrier */
	step(0, 1, 1, 0, 0);   /* another workgroup */
	step(0, 0, 1, 0, 256); /* other words */
	step(0, 0, 2, 0, 256); /* both load */
	step(2, 0, 1, 2, 0);   /* both atomic */
	step(2, 0, 2, 2, 0);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.row_count, 0);
	assert_int_equal(state.logged, 0);
}

static void test_example(void **unused)
{
	(void)unused;
	add_three();
	step(1, 2, 3, 1, 128);
	step(0, 2, 1, 1, 0);
	step(1, 1, 0, 4, 1024);
	step(0, 1, 2, 4, 1024 + 128);
	step(2, 0, 0, 0, 0); /* an atomic operation and a load */
	step(0, 0, 3, 0, 252);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.row_count, 2);
	assert_int_equal(state.level, PROBE_LOG_WARNING);
	assert_int_equal(host_get(&state, 0, "site"), 0);
	assert_int_equal(host_get(&state, 0, "other_site"), 1);
	assert_int_equal(host_get(&state, 0, "other_line"), 11);
	assert_string_equal(host_text(&state, 0, "other_access"), "store");
	assert_int_equal(host_get(&state, 0, "words"), 32 + 32);
	assert_int_equal(host_get(&state, 0, "group_x"), 1);
	assert_int_equal(host_get(&state, 0, "barriers"), 4);
	assert_int_equal(host_get(&state, 0, "address"), 1024 + 128);
	assert_int_equal(host_get(&state, 0, "wave"), 2);
	assert_int_equal(host_get(&state, 0, "other_wave"), 0);
	assert_string_equal(host_text(&state, 0, "note"), "");
	assert_int_equal(host_get(&state, 1, "other_site"), 2);
	assert_int_equal(host_get(&state, 1, "words"), 1);
	assert_int_equal(host_get(&state, 1, "address"), 252);
}

/* 64 dwords from `base` on, in an order without runs. */
static void scatter(uint32_t site, uint32_t wave, uint32_t barriers, uint64_t base)
{
	struct probe_wave_info info = {.wave = wave, .barriers = barriers, .exec = ~0ull};
	struct probe_access access = {.site = site,
				      .form = PROBE_FORM_NEAR,
				      .lanes = 64,
				      .exec = ~0ull,
				      .base = base,
				      .wave = &info};
	int32_t offsets[64];

	for (int lane = 0; lane < 64; lane++)
		offsets[lane] = lane * 37 % 64 * 4;
	access.offsets = offsets;
	assert_int_equal(send(&access), 0);
}

/* char and short arrays: neighbours in a dword are no race, the same bytes are. */
static void test_parts_of_words(void **unused)
{
	uint32_t bytes, halves, read;

	(void)unused;
	bytes = random_add_site(&state, PROBE_ACCESS_STORE, PROBE_SPACE_LDS, 1, 1);
	halves = random_add_site(&state, PROBE_ACCESS_STORE, PROBE_SPACE_LDS, 2, 2);
	read = random_add_site(&state, PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 1, 1);
	/* Each wave one of a word's bytes; and 64 bytes each, which end in the middle of a word. */
	for (uint32_t wave = 0; wave < 4; wave++) {
		step_by(bytes, 0, wave, 0, wave, 4);
		step_by(bytes, 0, wave, 1, 2 + 64 * wave, 1);
		scatter(bytes, wave, 2, wave);
	}
	step_by(halves, 0, 0, 3, 0, 4);
	step_by(halves, 0, 1, 3, 2, 4);
	step_by(halves, 0, 0, 4, 2, 8);
	step_by(read, 0, 1, 4, 1, 8);
	step_by(read, 0, 2, 4, 4, 8);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.row_count, 0);

	start(NULL);
	bytes = random_add_site(&state, PROBE_ACCESS_STORE, PROBE_SPACE_LDS, 1, 1);
	halves = random_add_site(&state, PROBE_ACCESS_STORE, PROBE_SPACE_LDS, 2, 2);
	read = random_add_site(&state, PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 1, 1);
	/* The last byte of one wave's 64 is the first of the next one's: in a word each. */
	for (uint32_t wave = 4; wave-- > 0;)
		step_by(bytes, 0, wave, 0, 1 + 63 * wave, 1);
	step_by(halves, 0, 0, 1, 2, 8);
	step_by(read, 0, 1, 1, 3, 8);
	/* 2 and 3 of each word, by the one; 3 of all and 3 of the first again, by others. */
	step_by(halves, 0, 0, 2, 2, 4);
	scatter(bytes, 2, 2, 3);
	step_by(bytes, 0, 1, 2, 3, 0);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.row_count, 3);
	assert_int_equal(host_get(&state, 0, "site"), bytes);
	assert_int_equal(host_get(&state, 0, "other_site"), bytes);
	assert_int_equal(host_get(&state, 0, "words"), 3 + 1);
	assert_int_equal(host_get(&state, 0, "address"), 64);
	assert_int_equal(host_get(&state, 0, "wave"), 0);
	assert_int_equal(host_get(&state, 0, "other_wave"), 1);
	assert_int_equal(host_get(&state, 1, "site"), bytes);
	assert_int_equal(host_get(&state, 1, "other_site"), halves);
	assert_int_equal(host_get(&state, 1, "words"), 64);
	assert_int_equal(host_get(&state, 1, "address"), 3);
	assert_int_equal(host_get(&state, 1, "wave"), 1);
	assert_int_equal(host_get(&state, 1, "other_wave"), 0);
	assert_int_equal(host_get(&state, 2, "other_site"), read);
	assert_int_equal(host_get(&state, 2, "words"), 64);
	assert_int_equal(host_get(&state, 2, "address"), 3);
}

/*
 * So many accesses without a stride that not all are stored unchanged: before and after a barrier.
 */
static void test_scattered(void **unused)
{
	(void)unused;
	add_three();
	for (uint32_t i = 0; i < 200; i++) {
		scatter(1, 0, 0, 256ull * i);
		scatter(0, i % 4, 1, 256ull * (i % 16));
		scatter(2, i % 4, 2, 256ull * (i % 16));
	}
	scatter(0, 1, 0, 256ull * 7);
	scatter(0, 1, 0, 256ull * 199 + 128);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.row_count, 1);
	assert_int_equal(host_get(&state, 0, "words"), 64 + 32);
	assert_int_equal(host_get(&state, 0, "address"), 256 * 7);
}

/* More accesses between two barriers than are stored unchanged; repeated ones are stored once. */
static void test_many(void **unused)
{
	(void)unused;
	add_three();
	for (uint32_t i = 0; i < 1000; i++) {
		step(1, 0, 0, 0, 256ull * i);
		step(1, 1, 0, 0, 256ull * (i % 3));
	}
	step(0, 0, 1, 0, 256ull * 5 + 128);
	step(0, 1, 1, 0, 256ull * 3);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.row_count, 1);
	assert_int_equal(host_get(&state, 0, "words"), 64);
	assert_int_equal(host_get(&state, 0, "group_x"), 0);
	assert_int_equal(host_get(&state, 0, "address"), 256 * 5 + 128);
}

/* Accesses over the limit are not examined, and a message says how many. */
static void test_limit(void **unused)
{
	(void)unused;
	assert_int_equal(probe_handler.close(instance), 0);
	memset(&state, 0, sizeof(state));
	host = host_of(&state);
	state.args[0][0] = "memory";
	state.args[0][1] = "128K";
	assert_int_equal(probe_handler.open(&host, &instance), 0);
	add_three();
	for (uint32_t group = 0; group < 1000; group++)
		step(1, group, 0, 0, 0);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.logged, 1);
	assert_non_null(strstr(state.message, "not examined"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_random, start),
		cmocka_unit_test_setup(test_tables, start),
		cmocka_unit_test_setup(test_no_race, start),
		cmocka_unit_test_setup(test_example, start),
		cmocka_unit_test_setup(test_parts_of_words, start),
		cmocka_unit_test_setup(test_many, start),
		cmocka_unit_test_setup(test_scattered, start),
		cmocka_unit_test_setup(test_limit, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
