/* SPDX-License-Identifier: MIT */
/*
 * What advice announces for all accesses to a buffer, if its structs become a structure of arrays,
 * is at most what it costs then: a sweep over shapes of structs and launches.
 */
#include "tests/unit/handlers/send_records.h"

enum { LINE = 128, BEGIN = 1 << 20, BYTES = 1 << 22 };

/* Work-items of a launch, each of which reads one word. */
struct launch {
	unsigned words; /* of a struct */
	unsigned rows, group, offset;
	bool flat; /* item i reads word i + offset; else each member of struct i in turn */
};

static const struct probe_allocation_info *
find_buffer(void *ctx, const struct probe_dispatch_info *of, uint64_t address)
{
	static const struct probe_allocation_info buffer = {
		.size = sizeof(buffer), .id = 1, .address = BEGIN, .bytes = BYTES};

	(void)ctx, (void)of;
	return address - BEGIN < BYTES ? &buffer : NULL;
}

/* Cache lines of a wave whose lanes use words first, first + step ... of structs. */
static unsigned lines_of(const struct launch *of, unsigned first, unsigned step, unsigned lanes,
			 bool arrays)
{
	unsigned array = (of->rows * 4 + LINE - 1) / LINE, count = 0, seen[64];

	for (unsigned lane = 0; lane < lanes; lane++) {
		unsigned word = first + lane * step, k = 0;
		unsigned line = arrays ? word % of->words * array + word / of->words * 4 / LINE
				       : word * 4 / LINE;

		while (k < count && seen[k] != line)
			k++;
		if (k == count)
			seen[count++] = line;
	}
	return count;
}

/* Sends the launch, if there is a site; returns its cache lines in that layout. */
static unsigned launch(const struct launch *of, const uint32_t *site, bool arrays)
{
	unsigned items = of->flat ? of->rows * of->words - of->offset : of->rows, lines = 0;
	unsigned step = of->flat ? 1 : of->words;

	for (unsigned group = 0; group < items; group += of->group)
		for (unsigned wave = 0; wave < of->group && group + wave < items; wave += 64)
			for (unsigned k = 0; k < (of->flat ? 1 : of->words); k++) {
				unsigned item = group + wave, lanes = of->group - wave;
				unsigned first = item * step + (of->flat ? of->offset : k);

				lanes = lanes < 64 ? lanes : 64;
				lanes = lanes < items - item ? lanes : items - item;
				lines += lines_of(of, first, step, lanes, arrays);
				if (site)
					send_affine(*site, ~0ull >> (64 - lanes),
						    BEGIN + first * 4ull, step * 4);
			}
	return lines;
}

/* How often was it announced that a structure of arrays helps? */
static unsigned sweep(const struct launch *rows, const struct launch *flat, unsigned flats)
{
	unsigned before = launch(rows, NULL, false), after = launch(rows, NULL, true), said[2];
	const char *fix;
	uint32_t site[3];

	start(NULL);
	host.allocation = find_buffer;
	dispatch.group[0] = rows->group;
	for (unsigned i = 0; i <= flats; i++)
		site[i] = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	launch(rows, &site[0], false);
	for (unsigned i = 1; i <= flats; i++) {
		before += launch(flat, &site[i], false);
		after += launch(flat, NULL, true);
	}
	finish();
	fix = strstr(host_text(&host_state, 0, "fix"), "; with ");
	if (!fix)
		return 0;
	assert_int_equal(
		sscanf(strstr(fix, " to the buffer"),
		       " to the buffer, each array from the start of a cache line, at most %u "
		       "cache lines of 128 B in the run after, %u before",
		       &said[0], &said[1]),
		2);
	assert_int_equal(said[1], before);
	assert_in_range(said[0], after, before - 1);
	return 1;
}

static void test_structs(void **state)
{
	static const unsigned words[] = {2, 3, 4, 5, 8, 12, 16},
			      groups[] = {32, 64, 96, 100, 128, 256};
	static const unsigned counts[] = {900, 1000, 1024}, offsets[] = {0, 1, 5, 17, 32};
	unsigned announced = 0, cases = 0;

	(void)state;
	for (unsigned i = 0; i < 7 * 6 * 3 * 5 * 2; i++) {
		struct launch rows = {.words = words[i % 7],
				      .group = groups[i / 7 % 6],
				      .rows = counts[i / 42 % 3]};
		struct launch flat = rows;

		flat.flat = true;
		flat.offset = offsets[i / 126 % 5];
		announced += sweep(&rows, &flat, 1 + i / 630);
		cases++;
	}
	print_message("announced in %u of %u cases\n", announced, cases);
	assert_true(announced > cases / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_structs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
