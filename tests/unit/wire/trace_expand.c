/* SPDX-License-Identifier: MIT */
/* Expansion of short trace records, compared with the addresses they were made from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/trace_rows.h"
#include "wire/trace_expand.h"

enum { GROUP = 20, SITES = 5, BASES = 2, LANES = 64 };

static _Alignas(8) unsigned char bytes[1 << 16], out[PROBE_TRACE_EXPAND_MIN * 2];
static size_t len;
static struct probe_trace_group group;
static const struct probe_trace_group *by_site[GROUP + BASES + 1];
static const struct probe_trace_groups groups = {by_site, GROUP + BASES + 1};
static const struct probe_trace_key key = {.groups = &groups};
static struct probe_trace_expander expander;
static uint64_t seed = 1;

static uint64_t random64(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return seed ^ seed >> 29;
}

static int setup(void **state)
{
	(void)state;
	len = 0;
	expander = (struct probe_trace_expander){0};
	assert_true(probe_trace_group_read(GROUP, "10:0+0,1+0,0+16,1-4,0-2147483648", &group));
	for (uint32_t i = 0; i <= BASES; i++)
		by_site[GROUP + i] = &group;
	return 0;
}

static void add(const void *record, size_t size)
{
	memcpy(bytes + len, record, size);
	len += size;
}

static void add_wave(uint64_t rows)
{
	struct probe_rec_wave wave = {.word0 = PROBE_FORM_WAVE << PROBE_FORM_SHIFT, .dispatch = 1};
	struct probe_rec_rows rec = {.word0 = PROBE_FORM_ROWS << PROBE_FORM_SHIFT, .lanes = rows};

	add(&wave, sizeof(wave));
	add(&rec, sizeof(rec));
}

static size_t expand(void)
{
	struct trace_piece piece = {bytes, len, 0};
	size_t size;

	expander = (struct probe_trace_expander){0};
	size = probe_trace_expand(&piece, &key, &expander, out, sizeof(out));
	assert_int_equal(piece.pos, len);
	return size;
}

/* Addresses of one written-out record of all lanes. */
static size_t read_record(const unsigned char *at, uint32_t *ret_site, uint64_t address[LANES])
{
	const struct probe_rec_affine *affine = (const void *)at;
	const struct probe_rec_lanes *lanes = (const void *)at;
	unsigned form = affine->word0 >> PROBE_FORM_SHIFT;

	*ret_site = affine->word0 & PROBE_SITE_MASK;
	assert_int_equal(affine->exec, UINT64_MAX);
	for (unsigned i = 0; i < LANES; i++)
		if (form == PROBE_FORM_AFFINE)
			address[i] = affine->base + (uint64_t)((int64_t)affine->stride * i);
		else if (form == PROBE_FORM_NEAR)
			address[i] =
				lanes->base + (uint64_t)(int64_t)((const int32_t *)(lanes + 1))[i];
		else
			address[i] = ((const uint64_t *)(lanes + 1))[i];
	return form == PROBE_FORM_AFFINE ? sizeof(*affine) : lanes->size;
}

/* Addresses that the device may shorten so: by rows, the low half at one stride within each. */
static void make(uint64_t rows, uint64_t address[LANES])
{
	unsigned kind = (unsigned)(random64() % 4);
	uint64_t start = random64() >> (kind ? 20 : 0), stride = random64() % 4096 - 2048;

	if (kind == 3)
		stride = (uint32_t)random64();
	for (unsigned i = 0; i < LANES; i++) {
		bool begins = rows >> i & 1 && !(i && rows >> (i - 1) & 1 && i != 1);

		if (!i || (begins && i > 1 && kind))
			address[i] = i && kind == 2 ? random64() : start + i * (i ? 77 : 0);
		else if (rows >> i & 1)
			address[i] = address[i - 1] + stride;
		else
			address[i] = (address[i - 1] & ~(uint64_t)UINT32_MAX) |
				     (uint32_t)(2 * address[i - 1] - address[i - 2]);
	}
}

static void blocks_mean_their_addresses(void **state)
{
	static const uint64_t rows[] = {3,
					0x0003000300030003ull,
					0x0303030303030303ull,
					0x0000000300000003ull,
					0x8c63180000000003ull,
					UINT64_MAX};

	(void)state;
	for (int turn = 0; turn < 3000; turn++) {
		uint64_t mask = rows[turn % 6], address[BASES][LANES], got[LANES];
		struct probe_rec_block rec = {GROUP | PROBE_FORM_BLOCK << PROBE_FORM_SHIFT, BASES};
		size_t size, pos = sizeof(struct probe_rec_wave);

		len = 0;
		add_wave(mask);
		add(&rec, sizeof(rec));
		for (unsigned b = 0; b < BASES; b++)
			make(mask, address[b]);
		for (unsigned i = 0; i < LANES; i++)
			for (unsigned b = 0; mask >> i & 1 && b < BASES; b++)
				add(&address[b][i], 8);
		size = expand();
		for (uint32_t s = 0; s < SITES; s++) {
			uint32_t site;

			assert_true(pos < size);
			pos += read_record(out + pos, &site, got);
			assert_int_equal(site, 10 + s);
			for (unsigned i = 0; i < LANES; i++)
				assert_true(got[i] ==
					    address[group.site[s].base][i] +
						    (uint64_t)(int64_t)group.site[s].distance);
		}
		assert_int_equal(pos, size);
	}
}

/* Where lanes are missing, the bases come one by one; their sites are still in order.
 */
static void bases_stand_for_their_sites(void **state)
{
	struct probe_rec_affine first = {(GROUP + 1) | PROBE_FORM_AFFINE << PROBE_FORM_SHIFT, 4, 7,
					 1000};
	struct probe_rec_affine second = {(GROUP + 2) | PROBE_FORM_AFFINE << PROBE_FORM_SHIFT, 8, 7,
					  5000};
	static const uint64_t want[SITES] = {1000, 5000, 1016, 4996, 1000 - (1ull << 31)};
	const struct probe_rec_affine *got = (const void *)(out + sizeof(struct probe_rec_wave));

	(void)state;
	add_wave(3);
	add(&first, sizeof(first));
	add(&second, sizeof(second));
	assert_int_equal(expand(), sizeof(struct probe_rec_wave) + SITES * sizeof(*got));
	for (uint32_t i = 0; i < SITES; i++) {
		assert_int_equal(got[i].word0, (10 + i) | PROBE_FORM_AFFINE << PROBE_FORM_SHIFT);
		assert_true(got[i].base == want[i] && got[i].exec == 7);
	}
	/* The other base's record was lost: those of one base. */
	len -= sizeof(second);
	assert_int_equal(expand(), sizeof(struct probe_rec_wave) + 3 * sizeof(*got));
}

/* ---- Records relative to the last lanes ------------------------------------------------------ */

static struct probe_trace_key launch;

/* Ids of the lanes of a wave, counted out as the hardware does: x first, then y, then z. */
static void count_ids(const uint32_t size[3], uint32_t wave, uint32_t id[LANES][3])
{
	uint32_t at[3] = {0};

	for (uint32_t i = 0; i < (wave + 1) * LANES; i++) {
		if (i >= wave * LANES)
			memcpy(id[i - wave * LANES], at, sizeof(at));
		for (int k = 0; k < 3 && ++at[k] == size[k] && k < 2; k++)
			at[k] = 0;
	}
}

static void add_item_wave(const uint32_t id[3], uint32_t group_x, uint64_t exec)
{
	struct probe_rec_wave wave = {
		.word0 = (uint32_t)PROBE_FORM_WAVE_ITEM << PROBE_FORM_SHIFT,
		.wave = id[0] | id[1] << 10 | id[2] << 20,
		.dispatch = 1,
		.group = {group_x},
		.exec = exec,
	};

	add(&wave, sizeof(wave));
}

static void add_exec(uint64_t exec)
{
	struct probe_rec_exec rec = {(uint32_t)PROBE_FORM_EXEC << PROBE_FORM_SHIFT, 77, exec};

	add(&rec, sizeof(rec));
}

/* Records of wave 1 of `launch`, written out behind its WAVE record. */
static size_t expand_launch(void)
{
	const struct probe_rec_wave *wave = (const void *)out;
	struct trace_piece piece = {bytes, len, 0};
	size_t size;

	expander = (struct probe_trace_expander){0};
	size = probe_trace_expand(&piece, &launch, &expander, out, sizeof(out));
	assert_int_equal(piece.pos, len);
	assert_int_equal(wave->word0, PROBE_FORM_WAVE << PROBE_FORM_SHIFT);
	return size;
}

/* A written-out record of these lanes has these addresses. */
static size_t expect_record(const unsigned char *at, uint32_t site, uint64_t exec,
			    const uint64_t want[LANES])
{
	const struct probe_rec_affine *affine = (const void *)at;
	const struct probe_rec_lanes *lanes = (const void *)at;
	unsigned form = affine->word0 >> PROBE_FORM_SHIFT, rank = 0;
	int first = __builtin_ctzll(exec);

	assert_int_equal(affine->word0 & PROBE_SITE_MASK, site);
	assert_true(affine->exec == exec);
	for (int i = 0; i < LANES; i++) {
		uint64_t got;

		if (!(exec >> i & 1))
			continue;
		if (form == PROBE_FORM_AFFINE)
			got = affine->base + (uint64_t)((int64_t)affine->stride * (i - first));
		else if (form == PROBE_FORM_NEAR)
			got = lanes->base + (uint64_t)(int64_t)((const int32_t *)(lanes + 1))[rank];
		else
			got = ((const uint64_t *)(lanes + 1))[rank];
		assert_true(got == want[i]);
		rank++;
	}
	return form == PROBE_FORM_AFFINE ? sizeof(*affine) : lanes->size;
}

/* Strides that are arguments of the kernel: known, unknown, and those the device does not use. */
static void proved_blocks_follow_arguments(void **state)
{
	struct probe_rec_proved rec = {GROUP | (uint32_t)PROBE_FORM_PROVED << PROBE_FORM_SHIFT, 5};
	const uint64_t exec = UINT64_MAX, base = 0x7000;
	unsigned char arguments[28];
	uint64_t want[LANES];
	uint32_t size[3] = {16, 16, 1}, id[LANES][3];

	(void)state;
	assert_true(probe_trace_group_read(GROUP, "10:0+0;4/-8*12@24:32/0*1@8:64", &group));
	count_ids(size, 1, id);
	for (int turn = 0; turn < 5; turn++) {
		const uint32_t narrow[] = {1000, 0, 1000, 1u << 31, 1000};
		const uint64_t wide_one[] = {64, 64, 64, 64, 1ull << 40};

		memset(arguments, 0xee, sizeof(arguments));
		memcpy(arguments + 8, &wide_one[turn], 8);
		memcpy(arguments + 24, &narrow[turn], 4);
		launch = (struct probe_trace_key){
			.groups = &groups,
			.grid = {16, 16, 1},
			.group = {16, 16, 1},
			.rows = 3,
			.arguments = arguments,
			.argument_bytes = sizeof(arguments) - (turn == 2),
		};
		len = 0;
		add_item_wave(id[0], 0, UINT64_MAX);
		add_exec(exec);
		add(&rec, sizeof(rec));
		add(&base, sizeof(base));
		for (int i = 0; i < LANES; i++)
			want[i] = base + 4 * (uint64_t)id[i][0] +
				  (narrow[turn] * 12ull - 8) * (id[i][1] - id[0][1]);
		if (turn < 2) {
			size_t used = expand_launch(), at = sizeof(struct probe_rec_wave);

			at += expect_record(out + at, 10, exec, want);
			assert_int_equal(at, used);
			continue;
		}
		/* It is copied unchanged, for the parser to reject. */
		expand_launch();
		assert_memory_equal(out + sizeof(struct probe_rec_wave), &rec, 4);
	}
}

static void proved_blocks_follow_the_ids(void **state)
{
	static const uint32_t shapes[][4] = {
		/* work-items of a group, and of its first dimension in the last group */
		{256, 1, 1, 256}, {100, 2, 1, 37}, {16, 16, 1, 16}, {8, 8, 4, 8},
		{24, 5, 3, 24},	  {1, 64, 4, 1},   {3, 40, 2, 3},   {64, 4, 1, 9}};
	struct probe_rec_proved rec = {GROUP | (uint32_t)PROBE_FORM_PROVED << PROBE_FORM_SHIFT, 5};

	(void)state;
	assert_true(probe_trace_group_read(GROUP, "10:0+0,1+0,0+16;4/-256/4096;0/0/0", &group));
	for (int turn = 0; turn < 4000; turn++) {
		const uint32_t *shape = shapes[turn % 8];
		bool last = turn / 8 % 2;
		uint32_t size[3] = {last ? shape[3] : shape[0], shape[1], shape[2]};
		uint64_t exec = turn % 3 ? random64() | 1ull << turn % LANES : UINT64_MAX;
		uint64_t base[2] = {random64() >> 16, random64() >> 16}, want[3][LANES];
		uint32_t id[LANES][3], wave = (size[0] * size[1] * size[2]) / LANES - 1;
		size_t at, used;
		int first = __builtin_ctzll(exec);

		launch = (struct probe_trace_key){
			&groups,
			{shape[0] * 4 + (last ? shape[3] : shape[0]), shape[1], shape[2]},
			{shape[0], shape[1], shape[2]},
			3,
			NULL,
			0};
		if (wave + 1 == 0)
			continue;
		count_ids(size, wave, id);
		len = 0;
		add_item_wave(id[0], last ? 4 : 1, UINT64_MAX);
		add_exec(exec);
		add(&rec, sizeof(rec));
		add(base, sizeof(base));
		for (int i = 0; i < LANES; i++) {
			int64_t far = 4 * ((int64_t)id[i][0] - id[first][0]) -
				      256 * ((int64_t)id[i][1] - id[first][1]) +
				      4096 * ((int64_t)id[i][2] - id[first][2]);

			want[0][i] = base[0] + (uint64_t)far;
			want[1][i] = base[1];
			want[2][i] = want[0][i] + 16;
		}
		used = expand_launch();
		assert_int_equal(expander.records, 4);
		at = sizeof(struct probe_rec_wave);
		for (uint32_t s = 0; s < 3; s++)
			at += expect_record(out + at, 10 + s, exec, want[s]);
		assert_int_equal(at, used);
	}
}

static void short_records_have_the_stated_lanes(void **state)
{
	(void)state;
	launch = (struct probe_trace_key){&groups, {256, 1, 1}, {256, 1, 1}, 3, NULL, 0};
	for (int turn = 0; turn < 4000; turn++) {
		uint32_t form = PROBE_FORM_LOW + (uint32_t)turn % 4, id[3] = {64, 0, 0};
		uint64_t exec = random64() & random64(), want[LANES], base = random64() >> 20;
		unsigned bits = form == PROBE_FORM_LOW ? 32 : 16;
		uint64_t high = base >> bits << bits;
		bool is_part = form == PROBE_FORM_LOW || form == PROBE_FORM_HALF;
		struct probe_rec_short rec = {(GROUP + 2) | form << PROBE_FORM_SHIFT, 0};
		size_t at = sizeof(struct probe_rec_wave), used;
		int first;

		exec |= 1ull << turn % LANES;
		first = __builtin_ctzll(exec);
		rec.extra = is_part ? (uint32_t)(high >> bits) : (uint32_t)random64();
		len = 0;
		add_item_wave(id, 0, exec);
		add(&rec, sizeof(rec));
		for (int i = 0; i < LANES; i++) {
			want[i] = is_part ? high | random64() >> (64 - bits)
				  : form == PROBE_FORM_WHOLE
					  ? random64()
					  : base + (uint64_t)((int32_t)rec.extra *
							      (int64_t)(i - first));
			if (!(exec >> i & 1))
				continue;
			if (is_part)
				add(&want[i], bits / 8);
			else if (form == PROBE_FORM_WHOLE || i == first)
				add(&want[i], 8);
		}
		len = (len + 7) & ~(size_t)7; /* padding */
		used = expand_launch();
		at += expect_record(out + at, 11, exec, want);
		for (int i = 0; i < LANES; i++)
			want[i] -= 4;
		at += expect_record(out + at, 13, exec, want);
		assert_int_equal(at, used);
	}
}

/* A launch's rows are those that each wave of it would find, or 0. */
static void rows_are_those_of_all_waves(void **state)
{
	static const uint32_t sizes[][3] = {{64, 1, 1}, {256, 2, 1}, {32, 8, 1}, {16, 16, 2},
					    {8, 8, 1},	{4, 32, 1},  {24, 8, 1}, {96, 4, 1},
					    {1, 64, 1}, {128, 1, 1}};
	int known = 0;

	(void)state;
	for (int turn = 0; turn < 40; turn++) {
		const uint32_t *group_size = sizes[turn % 10];
		uint32_t rest = turn / 10, last = rest ? group_size[0] / (rest + 1) : group_size[0];
		uint32_t grid[3] = {3 * group_size[0] + last, group_size[1], group_size[2]};
		uint64_t got = probe_trace_rows(grid, group_size);

		known += got != 0;
		for (int cut = 0; got && cut < 2; cut++) {
			uint32_t size[3] = {cut ? last : group_size[0], group_size[1],
					    group_size[2]};

			for (uint32_t w = 0; (w + 1) * LANES <= size[0] * size[1] * size[2]; w++) {
				uint32_t id[LANES][3];
				uint64_t rows = 3;

				count_ids(size, w, id);
				for (int i = 0; i < LANES && group_size[0] >= 8; i++)
					rows |= (uint64_t)(id[i][0] <= 1) << i;
				assert_true(rows == got);
			}
		}
	}
	assert_true(known > 12);
}

static void refuses_names(void **state)
{
	static const char *const names[] = {"",
					    "1",
					    ":0+0",
					    "1:",
					    "1:0",
					    "1:8+0",
					    "1:0+",
					    "1:0+0,",
					    "1:0+0;1+0",
					    "x:0+0",
					    "1:0+2147483648",
					    "16777216:0+0",
					    "1:0+0;1/2",
					    "1:0+0;1/2/3;4/5/6",
					    "1:0+0,1+0;1/2/3",
					    "1:0+0;1*2@3/0/0",
					    "1:0+0;1*0@8:32/0/0",
					    "1:0+0;1*2@8:16/0/0",
					    "1:0+0;1*2@513:32/0/0",
					    "1:0+0;1*2@8:2147483680/0/0"};
	struct probe_trace_group got;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_false(probe_trace_group_read(1, names[i], &got));
}

/* For any bytes: stays in bounds, and reaches the end. */
static void takes_anything(void **state)
{
	(void)state;
	for (int turn = 0; turn < 20000; turn++) {
		size_t size = random64() % 64 * 8;
		unsigned char *copy = malloc(size + 1);
		struct trace_piece piece = {copy, size, 0};

		for (size_t i = 0; i < size; i += 8) {
			uint64_t word = random64();

			if (turn % 2)
				word = (word & 0xffffffff00000000ull) | GROUP |
				       (word % 20) << PROBE_FORM_SHIFT;
			memcpy(copy + i, &word, 8);
		}
		group.proved = turn % 4 < 2;
		expander = (struct probe_trace_expander){
			.rows = turn % 3 ? 3 : random64(),
			.exec = turn % 5 ? random64() : 0,
			.item = (uint32_t)random64(),
			.size = {(uint32_t)turn % 70, 1 + (uint32_t)turn % 9},
		};
		while (size - piece.pos >= 8) {
			size_t before = piece.pos;

			assert_true(probe_trace_expand(&piece, &key, &expander, out, sizeof(out)) <=
				    sizeof(out));
			assert_true(piece.pos > before);
		}
		free(copy);
	}
}

/* Its two stamps, side by side; half a record is none. */
static void spans_are_two_stamps(void **state)
{
	const struct probe_rec_span span = {
		.word0 = 7 | (uint32_t)PROBE_FORM_SPAN << PROBE_FORM_SHIFT,
		.lanes = 33,
		.begin = 1000,
		.end = 1ull << 40,
	};
	const struct probe_rec_stamp want[] = {
		{7 | (uint32_t)PROBE_FORM_BEGIN << PROBE_FORM_SHIFT, 33 | PROBE_STAMP_SPAN, 1000},
		{7 | (uint32_t)PROBE_FORM_END << PROBE_FORM_SHIFT, 33 | PROBE_STAMP_SPAN,
		 1ull << 40},
	};

	(void)state;
	add(&span, sizeof(span));
	assert_int_equal(expand(), sizeof(want));
	assert_memory_equal(out, want, sizeof(want));
	len -= 8;
	assert_int_equal(expand(), len);
}

/* A message of all lanes is larger than any other record; what follows it is expanded, too. */
static void large_messages_are_copied(void **state)
{
	const struct probe_rec_message message = {
		.word0 = 7 | (uint32_t)PROBE_FORM_MESSAGE << PROBE_FORM_SHIFT,
		.size = sizeof(message) + 64 * 64,
		.exec = UINT64_MAX,
		.bytes = 64,
		.stride = 64 | PROBE_MESSAGE_LANES,
	};
	const uint32_t barrier[] = {(uint32_t)PROBE_FORM_BARRIER << PROBE_FORM_SHIFT, 0};
	static const unsigned char data[64 * 64] = {1};

	(void)state;
	add(&message, sizeof(message));
	add(data, sizeof(data));
	add(barrier, sizeof(barrier));
	assert_int_equal(expand(), message.size + sizeof(struct probe_rec_affine));
	assert_memory_equal(out, bytes, message.size);
	assert_int_equal(expander.records, 2);
	assert_int_equal(expander.bad_bytes, 0);
	assert_int_equal(expander.rest, 0);
}

/* What follows a PAD, or begins with a malformed record, is not part of the ring's records. */
static void the_rest_is_no_records(void **state)
{
	const uint32_t barrier[] = {(uint32_t)PROBE_FORM_BARRIER << PROBE_FORM_SHIFT, 0};
	const uint64_t pad = 0, malformed = UINT64_MAX;

	(void)state;
	add(barrier, sizeof(barrier));
	expand();
	assert_int_equal(expander.rest, 0);
	add(&pad, sizeof(pad));
	add(barrier, sizeof(barrier));
	expand();
	assert_int_equal(expander.rest, 16);
	assert_int_equal(expander.bad_bytes, 0);
	len = 8;
	add(&malformed, sizeof(malformed));
	add(barrier, sizeof(barrier));
	expand();
	assert_int_equal(expander.rest, 16);
	assert_int_equal(expander.bad_bytes, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(blocks_mean_their_addresses, setup),
		cmocka_unit_test_setup(bases_stand_for_their_sites, setup),
		cmocka_unit_test_setup(spans_are_two_stamps, setup),
		cmocka_unit_test_setup(large_messages_are_copied, setup),
		cmocka_unit_test_setup(the_rest_is_no_records, setup),
		cmocka_unit_test_setup(proved_blocks_follow_the_ids, setup),
		cmocka_unit_test_setup(proved_blocks_follow_arguments, setup),
		cmocka_unit_test_setup(short_records_have_the_stated_lanes, setup),
		cmocka_unit_test_setup(rows_are_those_of_all_waves, setup),
		cmocka_unit_test_setup(refuses_names, setup),
		cmocka_unit_test_setup(takes_anything, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
