/* SPDX-License-Identifier: MIT */
/*
 * Inlined calls: every instruction of tests/data/codeobj/inline.hip as llvm-symbolizer (LLVM 15)
 * names it, for DWARF 4 and 5 and -gline-tables-only; the readers of range lists on lists made by
 * hand, cut and damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "codeobj/dwarf_sections.h"
#include "codeobj/inspect.h"
#include "codeobj/range_lists.h"
#include "tests/unit/codeobj/forged_elf.h"
#include "common/err.h"

/* "function<tab>file:line:column" of each scope, innermost first. */
static void describe(const struct probe_codeobj *codeobj, uint64_t address, char *out, size_t room)
{
	const struct probe_line *line = probe_lines_find(codeobj->lines, address);
	const struct probe_inlines *inlines = codeobj->inlines;
	const struct probe_scope *scope = probe_inlines_find(inlines, address);
	size_t at;

	out[0] = 0;
	assert_non_null(line);
	at = (size_t)snprintf(out, room, "\t%s\t%s:%u:%u",
			      scope ? inlines->names[scope->function] : "??",
			      codeobj->lines->files[line->file], line->line, line->column);
	for (const struct probe_scope *parent; scope; scope = parent) {
		parent = probe_scope_parent(inlines, scope);
		if (!parent)
			break;
		at += (size_t)snprintf(
			out + at, room - at, "\t%s\t%s:%u:%u", inlines->names[parent->function],
			inlines->names[scope->call_file], scope->call_line, scope->call_column);
	}
}

static void check_all(const char *name)
{
	char path[256], want[1024], got[1024];
	struct probe_codeobj *codeobj;
	struct probe_err *err;
	unsigned checked = 0;
	uint8_t *bytes;
	FILE *oracle;
	size_t size = 0;

	snprintf(path, sizeof(path), TEST_DATA "/codeobj/%s.co", name);
	bytes = forge_read(path, &size);
	assert_non_null(bytes);
	err = probe_codeobj_inspect(name, bytes, size, PROBE_INSPECT_LINES | PROBE_INSPECT_INLINES,
				    &codeobj);
	assert_null(err);
	assert_null(codeobj->inlines_err);
	oracle = fopen(TEST_DATA "/codeobj/inline.symbols", "r");
	assert_non_null(oracle);
	while (fgets(want, sizeof(want), oracle)) {
		uint64_t address = strtoull(want, NULL, 16);

		want[strcspn(want, "\n")] = 0;
		describe(codeobj, address, got, sizeof(got));
		if (strcmp(strchr(want, '\t'), got))
			fail_msg("%s 0x%llx: '%s', not '%s'", name, (unsigned long long)address,
				 got, strchr(want, '\t'));
		checked++;
	}
	assert_true(checked > 80);
	fclose(oracle);
	probe_codeobj_destroy(codeobj);
	free(bytes);
}

static void test_chains(void **state)
{
	(void)state;
	check_all("inline-dwarf4");
	check_all("inline-dwarf5");
	check_all("inline-lines");
}

/* ---- Range lists ----------------------------------------------------------------------------- */

struct seen {
	uint64_t low[64], high[64];
	unsigned count;
};

static bool take(void *user, uint64_t low, uint64_t high)
{
	struct seen *seen = user;

	assert_true(low < high);
	if (seen->count < 64) {
		seen->low[seen->count] = low;
		seen->high[seen->count] = high;
	}
	return ++seen->count < 64;
}

static void put64(struct forged *forged, uint64_t value)
{
	forge_put(forged, &value, 8);
}

static void put_bytes(struct forged *forged, const char *bytes, size_t size)
{
	forge_put(forged, bytes, size);
}

static struct probe_dwarf_section section_of(const struct forged *forged)
{
	return (struct probe_dwarf_section){forged->bytes, forged->size};
}

static void expect(const struct seen *seen, unsigned i, uint64_t low, uint64_t high)
{
	assert_true(i < seen->count);
	assert_int_equal(seen->low[i], low);
	assert_int_equal(seen->high[i], high);
}

static void test_old_list(void **state)
{
	static const struct probe_dwarf_section none;
	static struct forged forged;
	struct probe_dwarf_section ranges;
	struct probe_range_unit unit = {
		.ranges = &ranges, .rnglists = &none, .addr = &none, .version = 4, .low = 0x100};
	struct seen seen = {0};

	(void)state;
	put64(&forged, 0x10), put64(&forged, 0x20); /* relative to the unit */
	put64(&forged, 5), put64(&forged, 5);	    /* empty */
	put64(&forged, UINT64_MAX), put64(&forged, 0x4000);
	put64(&forged, 1), put64(&forged, 2); /* to the new base */
	put64(&forged, 0), put64(&forged, 0);
	ranges = section_of(&forged);
	assert_true(probe_ranges_read(&unit, 0, false, take, &seen));
	assert_int_equal(seen.count, 2);
	expect(&seen, 0, 0x110, 0x120);
	expect(&seen, 1, 0x4001, 0x4002);
	for (size_t size = 0; size < forged.size; size++) {
		ranges.size = size;
		seen.count = 0;
		assert_false(probe_ranges_read(&unit, 0, false, take, &seen));
	}
	ranges.size = forged.size;
	assert_false(probe_ranges_read(&unit, forged.size, false, take, &seen));
	assert_false(probe_ranges_read(&unit, UINT64_MAX, false, take, &seen));
}

/* Every kind of entry of DWARF 5, 7.25, behind a header with one offset. */
static void make_new_list(struct forged *lists, struct forged *addr)
{
	uint32_t length = 0, count = 1, offset = 4;

	put64(addr, 0); /* header */
	for (uint64_t i = 0; i < 4; i++)
		put64(addr, 0x1000 * (i + 1));
	forge_put(lists, &length, 4);
	put_bytes(lists, "\5\0\10\0", 4);
	forge_put(lists, &count, 4);
	forge_put(lists, &offset, 4);
	put_bytes(lists, "\4\1\2", 3);		   /* offset_pair from the unit's base */
	put_bytes(lists, "\1\3", 2);		   /* base_addressx 3 */
	put_bytes(lists, "\4\x10\x90\1", 4);	   /* offset_pair 0x10 0x90 */
	put_bytes(lists, "\2\0\1", 3);		   /* startx_endx 0 1 */
	put_bytes(lists, "\3\2\x40", 3);	   /* startx_length 2 0x40 */
	put_bytes(lists, "\5\0\0\1\0\0\0\0\0", 9); /* base_address 0x10000 */
	put_bytes(lists, "\4\0\4", 3);		   /* offset_pair */
	put_bytes(lists, "\6\1\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 17); /* start_end */
	put_bytes(lists, "\7\x10\0\0\0\0\0\0\0\7", 10);		    /* start_length */
	put_bytes(lists, "\0", 1);
	length = (uint32_t)lists->size - 4;
	memcpy(lists->bytes, &length, 4);
}

static void test_new_list(void **state)
{
	static const struct probe_dwarf_section none;
	static struct forged lists, addr;
	struct probe_dwarf_section rnglists, addresses;
	struct probe_range_unit unit = {.ranges = &none,
					.rnglists = &rnglists,
					.addr = &addresses,
					.version = 5,
					.low = 0x500,
					.rnglists_base = 12,
					.addr_base = 8};
	uint64_t seed = 77;

	(void)state;
	make_new_list(&lists, &addr);
	rnglists = section_of(&lists);
	addresses = section_of(&addr);
	for (int indexed = 0; indexed < 2; indexed++) {
		struct seen seen = {0};

		assert_true(probe_ranges_read(&unit, indexed ? 0 : 16, indexed, take, &seen));
		assert_int_equal(seen.count, 7);
		expect(&seen, 0, 0x501, 0x502);
		expect(&seen, 1, 0x4010, 0x4090);
		expect(&seen, 2, 0x1000, 0x2000);
		expect(&seen, 3, 0x3000, 0x3040);
		expect(&seen, 4, 0x10000, 0x10004);
		expect(&seen, 5, 1, 3);
		expect(&seen, 6, 0x10, 0x17);
		assert_false(probe_ranges_read(&unit, 1, true, take, &seen));
	}
	for (int i = 0; i < 50000; i++) {
		/* Exact heap blocks, so that a sanitizer sees one byte too many. */
		size_t size = i % 3 ? lists.size : forge_random(&seed) % lists.size;
		uint8_t *a = malloc(size ? size : 1), *b = malloc(addr.size);
		struct seen seen = {0};

		memcpy(a, lists.bytes, size);
		memcpy(b, addr.bytes, addr.size);
		if (size)
			forge_mutate(a, size, &seed);
		rnglists = (struct probe_dwarf_section){a, size};
		addresses = (struct probe_dwarf_section){b, addr.size};
		unit.rnglists_base = forge_random(&seed) % 4 ? 12 : forge_random(&seed);
		unit.addr_base = forge_random(&seed) % 4 ? 8 : forge_random(&seed) % 64;
		probe_ranges_read(&unit, forge_random(&seed) % 40, i & 1, take, &seen);
		free(a);
		free(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_old_list),
		cmocka_unit_test(test_new_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
