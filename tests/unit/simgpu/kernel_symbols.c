/* SPDX-License-Identifier: MIT */
/* The name of a kernel from a loaded image; and from malformed images. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/simgpu/gpu_memory.h"
#include "simgpu/group/kernel_name.h"
#include "simgpu/mem/gpu_allocations.h"

enum {
	IMAGE = 4 * SIM_PAGE,
	KERNEL = 2 * SIM_PAGE + 64,
	EM_AMDGPU_CODE = 224,
};

/* As lld lays a code object out: everything in front of the descriptor. */
struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment[2];
	Elf64_Dyn dynamic[4];
	uint32_t hash[8];
	Elf64_Sym symbols[4];
	char strings[64];
};

static uint8_t *memory;

static struct image *image(void)
{
	return (struct image *)(memory + SIM_PAGE);
}

static int set_up(void **state)
{
	const size_t size = 6 * SIM_PAGE;
	struct image *i;

	(void)state;
	memory = aligned_alloc(SIM_PAGE, size);
	if (!memory)
		return -1;
	memset(memory, 0, size);
	i = image();
	memcpy(i->header.e_ident, ELFMAG, SELFMAG);
	i->header.e_machine = EM_AMDGPU_CODE;
	i->header.e_phoff = offsetof(struct image, segment);
	i->header.e_phentsize = sizeof(Elf64_Phdr);
	i->header.e_phnum = 2;
	i->segment[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_memsz = IMAGE};
	i->segment[1] =
		(Elf64_Phdr){.p_type = PT_DYNAMIC, .p_vaddr = offsetof(struct image, dynamic)};
	i->dynamic[0] = (Elf64_Dyn){DT_SYMTAB, {offsetof(struct image, symbols)}};
	i->dynamic[1] = (Elf64_Dyn){DT_STRTAB, {offsetof(struct image, strings)}};
	i->dynamic[2] = (Elf64_Dyn){DT_HASH, {offsetof(struct image, hash)}};
	i->hash[0] = 1;
	i->hash[1] = 3;
	i->symbols[1] = (Elf64_Sym){.st_name = 1, .st_value = KERNEL + 64};
	i->symbols[2] = (Elf64_Sym){.st_name = 10, .st_value = KERNEL};
	memcpy(i->strings, "\0other.kd\0_Z4vaddPf.kd", 23);
	gpu_register(memory, size, SIM_MEM_READ);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	gpu_deregister(memory);
	free(memory);
	return 0;
}

static bool name(char *buf, size_t size)
{
	return sim_kernel_name((uint64_t)(uintptr_t)image() + KERNEL, buf, size);
}

static void symbol_without_suffix(void **state)
{
	char text[100], cut[6];

	(void)state;
	assert_true(name(text, sizeof(text)));
	assert_string_equal(text, "_Z4vaddPf");
	assert_true(name(cut, sizeof(cut)));
	assert_string_equal(cut, "_Z4va");
}

static void expect_address(void)
{
	char text[100], want[100];

	snprintf(want, sizeof(want), "at 0x%llx", (unsigned long long)(uintptr_t)image() + KERNEL);
	assert_false(name(text, sizeof(text)));
	assert_string_equal(text, want);
}

static void no_image(void **state)
{
	(void)state;
	image()->header.e_machine = EM_X86_64;
	expect_address();
}

static void no_such_symbol(void **state)
{
	(void)state;
	image()->symbols[2].st_value++;
	expect_address();
}

static void beyond_the_image(void **state)
{
	(void)state;
	image()->segment[0].p_memsz = KERNEL;
	expect_address();
}

static void string_runs_out_of_memory(void **state)
{
	(void)state;
	image()->symbols[2].st_name = IMAGE - 4;
	memset((uint8_t *)image() + offsetof(struct image, strings), 'x', IMAGE);
	expect_address();
}

/* Any byte of the tables changed to anything: an answer, and no access outside (ASan). */
static void damaged_images(void **state)
{
	static uint8_t saved[sizeof(struct image)];
	unsigned seed = 3;

	(void)state;
	memcpy(saved, image(), sizeof(saved));
	for (int round = 0; round < 20000; round++) {
		char text[40];

		for (int i = 0; i < 3; i++)
			((uint8_t *)image())[(unsigned)rand_r(&seed) % sizeof(saved)] =
				(uint8_t)rand_r(&seed);
		name(text, sizeof(text));
		assert_true(strlen(text) < sizeof(text));
		memcpy(image(), saved, sizeof(saved));
	}
}

#define NAME_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		NAME_TEST(symbol_without_suffix),
		NAME_TEST(no_image),
		NAME_TEST(no_such_symbol),
		NAME_TEST(beyond_the_image),
		NAME_TEST(string_runs_out_of_memory),
		NAME_TEST(damaged_images),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
