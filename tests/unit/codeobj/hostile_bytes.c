/* SPDX-License-Identifier: MIT */
/*
 * Damaged code objects: every prefix, thousands of mutations. Probe's own code, libelf and libdwarf
 * run in this process; amd-comgr runs in short-lived children.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

#include <cmocka.h>

#include "codeobj/bundle.h"
#include "codeobj/inlines.h"
#include "codeobj/inspect.h"
#include "codeobj/lines.h"
#include "tests/unit/codeobj/forged_elf.h"
#include "common/buf.h"
#include "common/err.h"

struct sample {
	uint8_t *bytes;
	size_t size;
};

enum { SAMPLES = 4 };

static struct sample samples[SAMPLES];

static int load(void **state)
{
	static const char *const names[SAMPLES] = {
		TEST_DATA "/codeobj/tile-dwarf4.co",
		TEST_DATA "/codeobj/tile-dwarf5.co",
		TEST_DATA "/codeobj/inline-dwarf4.co",
		TEST_DATA "/codeobj/inline-dwarf5.co",
	};

	(void)state;
	for (int i = 0; i < SAMPLES; i++) {
		samples[i].bytes = forge_read(names[i], &samples[i].size);
		if (!samples[i].bytes)
			return -1;
	}
	return 0;
}

static int unload(void **state)
{
	(void)state;
	for (int i = 0; i < SAMPLES; i++)
		free(samples[i].bytes);
	return 0;
}

static uint8_t *copy_of(const struct sample *sample, size_t size)
{
	uint8_t *bytes = malloc(size ? size : 1);

	memcpy(bytes, sample->bytes, size);
	return bytes;
}

/* The result must survive the pipe, and so must every damage to it. */
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
	for (int s = 0; s < SAMPLES; s++) {
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
		/* The relevant part: from the first debug section on. */
		forge_mutate(bytes + 0xd00, sample->size - 0xd00, &seed);
		if (read_lines(bytes, sample->size, &seed))
			good++;
		else
			bad++;
		free(bytes);
	}
	assert_true(good > 500 && bad > 500);
}

/* The same for inlined calls: what was read is in order, and what a damaged pipe says is checked.
 */
static bool read_inlines(const uint8_t *bytes, size_t size, uint64_t *seed)
{
	struct probe_inlines *inlines, *received;
	struct probe_err *err = probe_inlines_read("t", bytes, size, &inlines);
	struct probe_buf buf;
	char *answer = NULL;
	size_t length;
	FILE *out;

	if (err) {
		probe_err_destroy(err);
		return false;
	}
	out = open_memstream(&answer, &length);
	probe_inlines_send(inlines, out);
	fclose(out);
	probe_buf_init(&buf, "answer", answer, length);
	assert_null(probe_inlines_receive(&buf, &received));
	assert_int_equal(received->row_count, inlines->row_count);
	probe_inlines_destroy(received);
	for (int i = 0; i < 5; i++) {
		forge_mutate((uint8_t *)answer, length, seed);
		probe_buf_init(&buf, "answer", answer, length - forge_random(seed) % length);
		err = probe_inlines_receive(&buf, &received);
		if (!err) {
			for (const struct probe_scope *scope = probe_inlines_find(received, 0x185c);
			     scope; scope = probe_scope_parent(received, scope))
				assert_true(scope->function < received->name_count);
			probe_inlines_destroy(received);
		}
		probe_err_destroy(err);
	}
	probe_inlines_destroy(inlines);
	free(answer);
	return true;
}

/* Offset and size of a section in a whole ELF file. */
static bool section_at(const struct sample *sample, const char *name, size_t *at, size_t *size)
{
	const Elf64_Ehdr *header = (const void *)sample->bytes;
	const Elf64_Shdr *sections = (const void *)(sample->bytes + header->e_shoff);
	const char *names = (const char *)sample->bytes + sections[header->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < header->e_shnum; i++) {
		if (strcmp(names + sections[i].sh_name, name))
			continue;
		*at = sections[i].sh_offset;
		*size = sections[i].sh_size;
		return *size > 0;
	}
	return false;
}

/*
 * 10,000 mutants: each has a few bytes changed in one section that lines, ranges or inlined calls
 * are read from. None may crash, take a second or make the process grow over 512 MiB.
 */
static void test_dwarf_mutants(void **state)
{
	static const char *const names[] = {
		".debug_line",	   ".debug_info",     ".debug_abbrev",
		".debug_ranges",   ".debug_rnglists", ".debug_addr",
		".debug_line_str", ".debug_str",      ".debug_str_offsets"};
	uint64_t seed = 20260101;
	unsigned good = 0, bad = 0, done = 0;
	struct rusage usage __attribute__((unused));

	(void)state;
	for (unsigned i = 0; done < 10000; i++) {
		const struct sample *sample = &samples[i % SAMPLES];
		size_t at, size;
		clock_t start = clock(); /* processor time */
		uint8_t *bytes;

		if (!section_at(sample, names[i / SAMPLES % (sizeof(names) / sizeof(*names))], &at,
				&size))
			continue;
		bytes = copy_of(sample, sample->size);
		forge_mutate(bytes + at, size, &seed);
		*(read_lines(bytes, sample->size, &seed) ? &good : &bad) += 1;
		read_inlines(bytes, sample->size, &seed);
		assert_true(clock() - start < CLOCKS_PER_SEC);
		free(bytes);
		done++;
	}
#ifndef __SANITIZE_ADDRESS__
	/* Of the process: what all of them together have grown to. */
	getrusage(RUSAGE_SELF, &usage);
	assert_true(usage.ru_maxrss < 512 << 10);
#endif
	assert_true(good > 1000 && bad > 500);
}

static void inspect(const uint8_t *bytes, size_t size, unsigned *good, unsigned *bad)
{
	struct probe_codeobj *codeobj;
	struct probe_err *err = probe_codeobj_inspect("t", bytes, size, 15, &codeobj);

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
		cmocka_unit_test(test_line_prefixes),	 cmocka_unit_test(test_line_mutations),
		cmocka_unit_test(test_dwarf_mutants),	 cmocka_unit_test(test_inspect),
		cmocka_unit_test(test_bundle_mutations),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
