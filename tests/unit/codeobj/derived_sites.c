/* SPDX-License-Identifier: MIT */
/*
 * The derived arrays of a site table, with each field of each element replaced by each extreme
 * value. Either the table is rejected with a message, or every index in the result is in bounds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codeobj/sites.h"
#include "common/err.h"

/* Sites: a load and a store of one group after a branch, with its rows; a block of kind `count`. */
enum {
	LOAD,
	STORE,
	BRANCH,
	INNER,
	GROUP,
	MASKS,
	RESIDUES = MASKS + PROBE_BUCKET_ROWS,
	PREFIXES = RESIDUES + PROBE_RESIDUE_ROWS,
	BLOCK = PREFIXES + PROBE_PREFIX_ROWS,
	SITES,
};

enum { NODES = 5 };

/* All that a table is read from, in one piece of memory. */
static struct forged {
	struct probe_site_proof proofs[SITES];
	struct probe_site_group group;
	struct probe_site_predicate predicates[3];
	struct probe_expr_node nodes[NODES];
} good;
static struct probe_site site_rows[SITES];

static int set_up(void **state)
{
	static const struct probe_expr_node nodes[NODES] = {
		{.op = PROBE_EXPR_ARGUMENT, .bits = 64, .value = 8},
		{.op = PROBE_EXPR_GROUP, .bits = 64},
		{.op = PROBE_EXPR_ADD, .bits = 64, .operand = {1, 1}},
		{.op = PROBE_EXPR_ADD, .bits = 64, .operand = {0, 2}},
		{.op = PROBE_EXPR_CONSTANT, .bits = 32, .value = 1},
	};

	(void)state;
	for (uint32_t i = 0; i < SITES; i++) {
		good.proofs[i].group = i <= STORE ? GROUP : PROBE_ROW_NONE;
		good.proofs[i].base = PROBE_EXPR_NONE;
		good.proofs[i].lanes = PROBE_EXPR_NONE;
		site_rows[i] = (struct probe_site){
			.access = i == LOAD    ? PROBE_ACCESS_LOAD
				  : i == STORE ? PROBE_ACCESS_STORE
				  : i == BLOCK ? PROBE_ACCESS_BLOCK
					       : PROBE_ACCESS_COUNTED_ROW,
			.size = i <= STORE ? 4 : 0,
			.unit = i <= STORE ? 4 : 0,
			.kinds = 1u << (i == BLOCK ? PROBE_KIND_COUNT : PROBE_KIND_MEMORY),
		};
	}
	good.proofs[LOAD].aligned = 1;
	good.proofs[LOAD].stride[0].constant = 4;
	good.proofs[LOAD].base = 3;
	good.proofs[STORE].lanes = 3;
	good.proofs[STORE].distance = 64;
	good.group = (struct probe_site_group){.row = GROUP,
					       .parent = INNER,
					       .flags = PROBE_GROUP_ONCE | PROBE_GROUP_LAUNCH,
					       .mask_rows = MASKS,
					       .residue_rows = RESIDUES,
					       .prefix_rows = PREFIXES};
	good.predicates[0] = (struct probe_site_predicate){
		.row = BRANCH, .parent = PROBE_ROW_NONE, .condition = PROBE_EXPR_NONE};
	good.predicates[1] =
		(struct probe_site_predicate){.row = INNER, .parent = BRANCH, .condition = 4};
	good.predicates[2] = (struct probe_site_predicate){
		.row = BLOCK, .parent = PROBE_ROW_NONE, .condition = PROBE_EXPR_NONE};
	memcpy(good.nodes, nodes, sizeof(nodes));
	return 0;
}

static bool below(uint32_t index, uint32_t count)
{
	return index == DERIVED_NONE || index < count;
}

static void check_indices(const struct probe_sites *s)
{
	for (uint32_t i = 0; i < s->expression_count; i++)
		assert_true(expr_node_valid(&s->expressions[i], i));
	for (uint32_t i = 0; i < s->predicate_count; i++) {
		assert_in_range(s->predicates[i].row, 0, SITES - 1);
		assert_true(below(s->predicates[i].parent, i));
		assert_true(below(s->predicates[i].condition, s->expression_count));
	}
	for (uint32_t i = 0; i < s->block_count; i++) {
		assert_in_range(s->blocks[i].row, 0, SITES - 1);
		assert_true(below(s->blocks[i].parent, i));
	}
	for (uint32_t i = 0; i < s->group_count; i++) {
		assert_in_range(s->groups[i].row, 0, SITES - 1);
		assert_true(below(s->groups[i].predicate, s->predicate_count));
		assert_true(s->groups[i].first_histogram <= s->histogram_count);
		assert_true(s->groups[i].histogram_count <=
			    s->histogram_count - s->groups[i].first_histogram);
	}
	for (uint32_t i = 0; i < s->histogram_count; i++)
		assert_true((uint64_t)s->histograms[i].first_row + s->histograms[i].rows <= SITES);
	for (uint32_t i = 0; i < s->member_count; i++) {
		const struct site_member *member = &s->members[i];

		assert_in_range(member->site, 0, SITES - 1);
		assert_true(member->group < s->group_count);
		assert_true(below(member->residue, SITE_RESIDUES));
		assert_true(below(member->base, s->expression_count));
		assert_true(below(member->address, s->expression_count));
		for (int f = 0; f < PROBE_BITFIELDS; f++)
			assert_true(member->field[f].axis < 3 && member->field[f].shift < 32 &&
				    member->field[f].multiplier <= 3);
	}
}

/* As sites.c has read it: it owns its expressions. */
static struct probe_sites sites_of(const struct forged *forged)
{
	struct probe_sites sites = {.site_count = SITES, .sites = site_rows};

	sites.expressions = malloc(sizeof(forged->nodes));
	memcpy(sites.expressions, forged->nodes, sizeof(forged->nodes));
	sites.expression_count = NODES;
	return sites;
}

/* True if it was accepted. */
static bool read_forged(const struct forged *forged)
{
	struct forged *copy = malloc(sizeof(*copy)); /* the sanitizer watches its end */
	struct probe_sites sites = sites_of(forged);
	struct derived_source source = {copy->proofs, &copy->group, copy->predicates, 1, 3};
	struct probe_err *err;
	char text[256];

	memcpy(copy, forged, sizeof(*copy));
	err = derived_sites_read("forged", &source, &sites);
	if (err) {
		probe_err_format(err, text, sizeof(text));
		assert_non_null(strstr(text, "forged: site table: "));
		assert_true(strlen(text) > strlen("forged: site table: ") + 5);
	} else {
		check_indices(&sites);
	}
	probe_err_destroy(err);
	derived_sites_free(&sites);
	free(copy);
	return !err;
}

static void unbroken(void **state)
{
	struct probe_sites sites = sites_of(&good);
	struct derived_source source = {good.proofs, &good.group, good.predicates, 1, 3};

	(void)state;
	assert_null(derived_sites_read("good", &source, &sites));
	assert_int_equal(sites.member_count, 2);
	assert_int_equal(sites.predicate_count, 2);
	assert_int_equal(sites.block_count, 1);
	assert_int_equal(sites.histogram_count, 3);
	assert_int_equal(sites.members[0].base, 3);
	assert_int_equal(sites.members[1].address, 3);
	assert_int_equal(sites.members[1].address_distance, 64);
	assert_int_equal(sites.predicates[1].condition, 4);
	derived_sites_free(&sites);
}

/* Fields are of 1, 2, 4 or 8 bytes at multiples of that: all of them, wherever structs have them.
 */
static void every_field(void **state)
{
	static const uint64_t extreme[] = {
		0,	1,	    2,		GROUP,	    SITES - 1, SITES,	   0x7f,
		0x7fff, 0x7fffffff, 0x80000000, 0xfffffffe, INT64_MAX, 1ull << 63, UINT64_MAX};
	unsigned accepted = 0, refused = 0;

	(void)state;
	for (size_t width = 1; width <= 8; width *= 2)
		for (size_t at = 0; at + width <= sizeof(good); at += width)
			for (size_t i = 0; i < sizeof(extreme) / sizeof(*extreme); i++) {
				struct forged forged = good;

				memcpy((char *)&forged + at, &extreme[i], width);
				*(read_forged(&forged) ? &accepted : &refused) += 1;
			}
	assert_true(accepted > 1000 && refused > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(unbroken, set_up),
		cmocka_unit_test_setup(every_field, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
