/* SPDX-License-Identifier: MIT */
/* The reader of site tables: valid tables, every kind of error, every truncation, mutations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <probe/lds_size.h>

#include "codeobj/sites.h"
#include "tests/unit/codeobj/forged_elf.h"
#include "common/err.h"

static struct forged table;
static struct probe_sites_header *header = (struct probe_sites_header *)table.bytes;

static int setup(void **state)
{
	(void)state;
	memset(&table, 0, sizeof(table));
	forge_sites(&table);
	return 0;
}

static void test_good(void **state)
{
	struct probe_sites *sites;

	(void)state;
	assert_null(probe_sites_parse("t", table.bytes, table.size, &sites));
	assert_int_equal(sites->site_count, 2);
	assert_int_equal(sites->kernel_count, 1);
	assert_int_equal(sites->uncovered, 3);
	assert_int_equal(sites->sites[1].line, 70000);
	assert_int_equal(sites->sites[1].column, 66000);
	assert_int_equal(sites->sites[1].unit, 16);
	assert_string_equal(probe_sites_string(sites, sites->sites[0].file), "/src/a.hip");
	assert_string_equal(probe_sites_string(sites, sites->sites[1].function), "helper");
	assert_string_equal(probe_sites_string(sites, sites->frames[0].function), "copy");
	assert_string_equal(probe_sites_string(sites, UINT32_MAX), "");
	probe_sites_destroy(sites);
	probe_sites_destroy(NULL);
}

/* A longer header and bytes behind the table are for newer writers, and no error. */
static void test_room_for_more(void **state)
{
	struct probe_sites *sites;

	(void)state;
	table.size += 100;
	assert_null(probe_sites_parse("t", table.bytes, table.size, &sites));
	probe_sites_destroy(sites);
}

/* A table of an earlier version has a shorter header. */
static void test_without_terms(void **state)
{
	struct probe_sites *sites;

	(void)state;
	header->header_size = offsetof(struct probe_sites_header, terms_offset);
	assert_null(probe_sites_parse("t", table.bytes, table.size, &sites));
	assert_int_equal(sites->term_count, 0);
	assert_int_equal(sites->operation_count, 1);
	probe_sites_destroy(sites);
}

static void refused(const char *says)
{
	struct probe_sites *sites = NULL;
	struct probe_err *err = probe_sites_parse("t", table.bytes, table.size, &sites);
	char text[256];

	assert_non_null(err);
	assert_null(sites);
	probe_err_format(err, text, sizeof(text));
	if (!strstr(text, says))
		fail_msg("'%s' does not say '%s'", text, says);
	probe_err_destroy(err);
}

static struct probe_site *site(uint32_t i)
{
	return (struct probe_site *)(table.bytes + header->sites_offset) + i;
}

static void test_bad_header(void **state)
{
	uint32_t *const words[] = {
		&header->total_size,	 &header->site_count,	   &header->kernel_count,
		&header->frame_count,	 &header->sites_offset,	   &header->kernels_offset,
		&header->frames_offset,	 &header->strings_offset,  &header->strings_size,
		&header->group_count,	 &header->predicate_count, &header->expr_count,
		&header->variable_count, &header->operation_count, &header->term_count};

	(void)state;
	header->magic ^= 1;
	refused("magic");
	header->magic ^= 1;
	header->version = PROBE_SITES_VERSION + 1;
	refused("version 16");
	header->version = PROBE_SITES_VERSION_MIN - 1;
	refused("version 10");
	header->version = PROBE_SITES_VERSION;
	header->header_size = 40;
	refused("header of 40 bytes");
	header->header_size = sizeof(*header);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		uint32_t old = *words[i];

		*words[i] = UINT32_MAX;
		refused("");
		*words[i] = old;
	}
	header->strings_size--;
	refused("no NUL");
}

static void test_bad_content(void **state)
{
	struct probe_site_kernel *kernel = (void *)(table.bytes + header->kernels_offset);
	struct probe_site_frame *frame = (void *)(table.bytes + header->frames_offset);
	struct probe_site_operations *operations =
		(void *)(table.bytes + header->operations_offset);
	struct probe_site_variable *variable = (void *)(table.bytes + header->variables_offset);
	struct probe_site_term *terms = (void *)(table.bytes + header->terms_offset);
	struct probe_site good = *site(1);

	(void)state;
#define BREAK(field, value, says)                                                                  \
	site(1)->field = (value);                                                                  \
	refused(says);                                                                             \
	*site(1) = good
	BREAK(file, 9999, "string at 9999");
	BREAK(function, UINT32_MAX, "string");
	BREAK(owner, header->strings_size, "string");
	BREAK(first_frame, 1, "frames");
	BREAK(first_frame, UINT32_MAX, "frames");
	BREAK(frame_count, 2, "frames");
	BREAK(access, 0, "access kind 0");
	BREAK(access, 99, "access kind 99");
	BREAK(unit, 0, "unit");
	BREAK(unit, 3, "unit");
	BREAK(size, 0, "size");
	BREAK(size, 24, "multiple");
	BREAK(address, 9999, "string at 9999");
	BREAK(index_source, UINT32_MAX, "string");
	BREAK(near_site, 2, "near a later site");
	kernel->site_count = 3;
	refused("kernel 0: sites");
	kernel->site_count = 2;
	kernel->name = 5000;
	refused("kernel 0: string");
	kernel->name = 0;
	frame->file = 5000;
	refused("frame 0: string");
	frame->file = 0;
	operations->row = 2;
	refused("operations 0: row 2");
	operations->row = 1;
	operations->frame_count = 2;
	refused("operations 0: frames");
	operations->frame_count = 1;
	variable->row = PROBE_LDS_MOST + 1;
	refused("variable 0: row of bytes: 262145");
	variable->row = PROBE_LDS_MOST;
	variable->element = UINT32_MAX;
	refused("variable 0: element of bytes: 4294967295");
	variable->element = PROBE_LDS_MOST;
	terms[1].site = 2;
	refused("term 1: site 2");
	terms[0].site = terms[1].site = 1;
	terms[1].site = 0;
	refused("term 1: site 0");
	terms[0].site = 0;
	terms[0].step = 1ll << 31;
	refused("term 0: step");
}

static void test_every_prefix(void **state)
{
	(void)state;
	for (size_t size = 0; size < table.size; size++) {
		uint8_t *bytes = malloc(size ? size : 1);
		struct probe_sites *sites;
		struct probe_err *err;

		memcpy(bytes, table.bytes, size);
		err = probe_sites_parse("t", bytes, size, &sites);
		assert_non_null(err);
		probe_err_destroy(err);
		free(bytes);
	}
}

/* Uses everything that a table promises, under the sanitizer. */
static size_t touch(const struct probe_sites *sites)
{
	size_t sum = 0;

	for (uint32_t i = 0; i < sites->site_count; i++) {
		sum += strlen(probe_sites_string(sites, sites->sites[i].file));
		sum += strlen(probe_sites_string(sites, sites->sites[i].function));
		sum += strlen(probe_sites_string(sites, sites->sites[i].owner));
		for (uint32_t f = 0; f < sites->sites[i].frame_count; f++)
			sum += strlen(probe_sites_string(
				sites, sites->frames[sites->sites[i].first_frame + f].file));
	}
	for (uint32_t i = 0; i < sites->kernel_count; i++)
		for (uint32_t k = 0; k < sites->kernels[i].site_count; k++)
			sum += sites->sites[sites->kernels[i].first_site + k].line;
	return sum;
}

static void test_mutations(void **state)
{
	uint64_t seed = 88172645463325252ull;
	unsigned good = 0, bad = 0;
	volatile size_t sum = 0;

	(void)state;
	for (int i = 0; i < 50000; i++) {
		uint8_t *bytes = malloc(table.size);
		struct probe_sites *sites;
		struct probe_err *err;

		memcpy(bytes, table.bytes, table.size);
		forge_mutate(bytes, table.size, &seed);
		err = probe_sites_parse("t", bytes, table.size, &sites);
		free(bytes);
		if (err) {
			bad++;
			probe_err_destroy(err);
		} else {
			good++;
			sum += touch(sites);
			probe_sites_destroy(sites);
		}
	}
	/* Both results occurred. */
	assert_true(good > 1000 && bad > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_good, setup),
		cmocka_unit_test_setup(test_room_for_more, setup),
		cmocka_unit_test_setup(test_without_terms, setup),
		cmocka_unit_test_setup(test_bad_header, setup),
		cmocka_unit_test_setup(test_bad_content, setup),
		cmocka_unit_test_setup(test_every_prefix, setup),
		cmocka_unit_test_setup(test_mutations, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
