/* SPDX-License-Identifier: MIT */
/*
 * Damaged code objects: every prefix, thousands of mutations. In this process for what is ours and
 * for libelf and libdwarf as we open it; through throw-away children for amd-comgr too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "codeobj/bundle.h"
#include "codeobj/inspect.h"
#include "codeobj/lines_read.h"
#include "codeobj_forge.h"
#include "common/buf.h"
#include "common/err.h"

struct sample {
	uint8_t *bytes;
	size_t size;
};

static struct sample samples[2];

static int load(void **state)
{
	(void)state;
	samples[0].bytes = forge_read(PROBE_TEST_DATA "/codeobj/tile-dwarf4.co", &samples[0].size);
	samples[1].bytes = forge_read(PROBE_TEST_DATA "/codeobj/tile-dwarf5.co", &samples[1].size);
	return !samples[0].bytes || !samples[1].bytes;
}

static int unload(void **state)
{
	(void)state;
	free(samples[0].bytes);
	free(samples[1].bytes);
	return 0;
}

static uint8_t *copy_of(const struct sample *sample, size_t size)
{
	uint8_t *bytes = malloc(size ? size : 1);

	memcpy(bytes, sample->bytes, size);
	return bytes;
}

/* What came out must survive its way through the pipe, and every damage to that. */
static void through_pipe(const struct probe_lines *lines, uint64_t *seed)
{
	struct probe_lines *received;
	struct probe_err *err;
	struct probe_buf buf;
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	probe_lines_send(lines, out);
	fclose(out);
	probe_buf_init(&buf, "answer", bytes, size);
	assert_null(probe_lines_receive(&buf, &received));
	assert_int_equal(received->count, lines->count);
	assert_int_equal(received->function_count, lines->function_count);
	probe_lines_destroy(received);
	for (int i = 0; i < 20; i++) {
		forge_mutate((uint8_t *)bytes, size, seed);
		probe_buf_init(&buf, "answer", bytes, size - forge_random(seed) % size);
		err = probe_lines_receive(&buf, &received);
		if (!err) {
			probe_lines_find(received, 0x1d10);
			probe_lines_destroy(received);
		}
		probe_err_destroy(err);
	}
	free(bytes);
}

static bool read_lines(const uint8_t *bytes, size_t size, uint64_t *seed)
{
	struct probe_lines *lines;
	struct probe_err *err = probe_lines_read("t", bytes, size, &lines);

	if (err) {
		probe_err_destroy(err);
		return false;
	}
	through_pipe(lines, seed);
	probe_lines_destroy(lines);
	return true;
}

static void test_line_prefixes(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int s = 0; s < 2; s++) {
		for (size_t size = 0; size < samples[s].size; size++) {
			uint8_t *bytes = copy_of(&samples[s], size);

			/* Without its section table, which is last, an ELF file has no lines. */
			assert_false(read_lines(bytes, size, &seed));
			free(bytes);
		}
	}
}

static void test_line_mutations(void **state)
{
	uint64_t seed = 88172645463325252ull;
	unsigned good = 0, bad = 0;

	(void)state;
	for (int i = 0; i < 6000; i++) {
		const struct sample *sample = &samples[i & 1];
		uint8_t *bytes = copy_of(sample, sample->size);

		forge_mutate(bytes, sample->size, &seed);
		/* The interesting part: from the first debug section on. */
		forge_mutate(bytes + 0xd00, sample->size - 0xd00, &seed);
		if (read_lines(bytes, sample->size, &seed))
			good++;
		else
			bad++;
		free(bytes);
	}
	assert_true(good > 500 && bad > 500);
}

static void inspect(const uint8_t *bytes, size_t size, unsigned *good, unsigned *bad)
{
	struct probe_codeobj *codeobj;
	struct probe_err *err = probe_codeobj_inspect("t", bytes, size, 7, &codeobj);

	if (err) {
		++*bad;
		probe_err_destroy(err);
		return;
	}
	++*(codeobj->kernels && codeobj->lines ? good : bad);
	probe_codeobj_destroy(codeobj);
}

static void test_inspect(void **state)
{
	uint64_t seed = 4711;
	unsigned good = 0, bad = 0;

	(void)state;
	for (int i = 0; i < 60; i++) {
		const struct sample *sample = &samples[i & 1];
		size_t size = i % 3 ? sample->size : forge_random(&seed) % sample->size;
		uint8_t *bytes = copy_of(sample, size);

		if (size)
			forge_mutate(bytes, size, &seed);
		inspect(bytes, size, &good, &bad);
		free(bytes);
	}
	assert_true(good > 5 && bad > 5);
}

static void test_bundle_mutations(void **state)
{
	static const char *const ids[] = {"hip-amdgcn-amd-amdhsa-gfx90a"};
	static struct forged file, elf;
	uint64_t seed = 99;

	(void)state;
	forge_bundle(&file, ids, 1, "code", 4);
	forge_elf(&elf, EM_X86_64, 0, ".hip_fatbin", file.bytes, file.size);
	for (int i = 0; i < 5000; i++) {
		const struct forged *from = i & 1 ? &elf : &file;
		size_t size = i % 4 ? from->size : forge_random(&seed) % from->size;
		uint8_t *bytes = malloc(size ? size : 1);
		struct probe_bundle *bundle;
		struct probe_err *err;

		memcpy(bytes, from->bytes, size);
		if (size)
			forge_mutate(bytes, size < 200 ? size : 200, &seed);
		err = probe_bundle_read("f", bytes, size, &bundle);
		if (!err) {
			for (size_t k = 0; k < bundle->count; k++)
				assert_true(bundle->entries[k].offset <= size &&
					    bundle->entries[k].size <=
						    size - bundle->entries[k].offset);
			probe_bundle_destroy(bundle);
		}
		probe_err_destroy(err);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line_prefixes),
		cmocka_unit_test(test_line_mutations),
		cmocka_unit_test(test_inspect),
		cmocka_unit_test(test_bundle_mutations),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
