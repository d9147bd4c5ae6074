/* SPDX-License-Identifier: MIT */
/*
 * Vector and scalar memory: every load and store of global, flat, scratch and buffer memory,
 * addressing, faults, and the count of touched lines against a plain recount.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/simgpu/program_lab.h"

/* Loads and stores by name; value bits, sign and register half. */
static const struct width {
	const char *load, *store;
	unsigned int bytes;
	bool sign, low, high;
} widths[] = {
	{"load_dword", "store_dword", 4, false, false, false},
	{"load_dwordx2", "store_dwordx2", 8, false, false, false},
	{"load_dwordx3", "store_dwordx3", 12, false, false, false},
	{"load_dwordx4", "store_dwordx4", 16, false, false, false},
	{"load_ubyte", "store_byte", 1, false, false, false},
	{"load_sbyte", "store_byte", 1, true, false, false},
	{"load_ushort", "store_short", 2, false, false, false},
	{"load_sshort", "store_short", 2, true, false, false},
	{"load_ubyte_d16", "store_byte", 1, false, true, false},
	{"load_ubyte_d16_hi", "store_byte_d16_hi", 1, false, false, true},
	{"load_sbyte_d16", "store_byte", 1, true, true, false},
	{"load_sbyte_d16_hi", "store_byte_d16_hi", 1, true, false, true},
	{"load_short_d16", "store_short", 2, false, true, false},
	{"load_short_d16_hi", "store_short_d16_hi", 2, false, false, true},
};

enum {
	WIDTHS = sizeof(widths) / sizeof(widths[0]),
	VDATA = 8, /* first register loaded or stored */
	VADDR = 2,
	PER_WIDTH = 8,
};

static char texts[WIDTHS * PER_WIDTH][160];
static const char *text[WIDTHS * PER_WIDTH + 16];
enum form {
	GLOBAL_LOAD,
	GLOBAL_STORE,
	GLOBAL_SADDR,
	FLAT_LOAD,
	FLAT_STORE,
	BUFFER_LOAD,
	BUFFER_STORE,
	SCRATCH_LOAD,
};

enum extra {
	S_LOAD = WIDTHS * PER_WIDTH,
	S_LOAD_SGPR,
	S_STORE,
	S_BUFFER_LOAD,
	BUFFER_IDXEN,
	SCRATCH_SADDR,
	S_LOAD16,
	SNIPPETS,
};

static const char *registers(unsigned int bytes)
{
	static const char *const names[] = {"v8", "v[8:9]", "v[8:10]", "v[8:11]"};

	return names[(bytes + 3) / 4 - 1];
}

static int setup(void **state)
{
	static const char *const formats[PER_WIDTH] = {
		"global_%s %s, v[2:3], off offset:-12",
		"global_%s v[2:3], %s, off offset:20",
		"global_%s %s, v2, s[4:5] offset:4",
		"flat_%s %s, v[2:3] offset:8",
		"flat_%s v[2:3], %s offset:8",
		"buffer_%s %s, v2, s[0:3], s32 offen offset:16",
		"buffer_%s %s, v2, s[0:3], s32 offen offset:16",
		"scratch_%s %s, v2, off offset:4",
	};

	(void)state;
	for (unsigned int i = 0; i < WIDTHS; i++)
		for (unsigned int form = 0; form < PER_WIDTH; form++) {
			bool store =
				form == GLOBAL_STORE || form == FLAT_STORE || form == BUFFER_STORE;

			snprintf(texts[i * PER_WIDTH + form], sizeof(texts[0]), formats[form],
				 store ? widths[i].store : widths[i].load,
				 registers(widths[i].bytes));
			text[i * PER_WIDTH + form] = texts[i * PER_WIDTH + form];
		}
	text[S_LOAD] = "s_load_dwordx4 s[8:11], s[4:5], 0x10";
	text[S_LOAD_SGPR] = "s_load_dwordx2 s[8:9], s[4:5], s6";
	text[S_STORE] = "s_store_dwordx2 s[8:9], s[4:5], 0x20";
	text[S_BUFFER_LOAD] = "s_buffer_load_dwordx4 s[8:11], s[0:3], 0x8";
	text[BUFFER_IDXEN] = "buffer_load_dword v8, v2, s[0:3], 0 idxen offset:4";
	text[SCRATCH_SADDR] = "scratch_load_dword v8, off, s6 offset:8";
	text[S_LOAD16] = "s_load_dwordx16 s[16:31], s[4:5], 0x0";
	lab_open(&lab, text, SNIPPETS);
	return 0;
}

static void fill(void)
{
	lab_reset(&lab);
	for (unsigned int i = 0; i < LAB_MEMORY; i += 8)
		*(uint64_t *)(lab.memory + i) = lab_random();
	for (unsigned int i = 0; i < LAB_LDS; i += 8)
		*(uint64_t *)(lab.lds + i) = lab_random();
	for (unsigned int i = 0; i < LAB_SCRATCH_LANE * SIM_LANES; i += 8)
		*(uint64_t *)(lab.scratch + i) = lab_random();
	for (unsigned int r = 0; r < 16; r++)
		for (unsigned int l = 0; l < 64; l++)
			lab.wave->vgpr[VDATA + r][l] = (uint32_t)lab_random();
}

static void put_address(unsigned int lane, uint64_t addr)
{
	lab.wave->vgpr[VADDR][lane] = (uint32_t)addr;
	lab.wave->vgpr[VADDR + 1][lane] = (uint32_t)(addr >> 32);
}

static void put_pair(unsigned int sgpr, uint64_t v)
{
	lab.wave->sgpr[sgpr] = (uint32_t)v;
	lab.wave->sgpr[sgpr + 1] = (uint32_t)(v >> 32);
}

/* Patterns of lane offsets into the memory. */
static uint32_t lane_offset(unsigned int pattern, unsigned int lane, unsigned int bytes)
{
	switch (pattern) {
	case 0: /* contiguous */
		return 4096 + lane * bytes;
	case 1: /* strided */
		return 4096 + lane * 128;
	case 2: /* backwards */
		return 8192 - lane * bytes;
	case 3: /* all alike */
		return 4096 + 64;
	case 4: /* contiguous, not aligned */
		return 4096 + 3 + lane * bytes;
	default:
		return 64 + (uint32_t)(lab_random() % (LAB_MEMORY - 256));
	}
}

/* What a load leaves in VDATA. */
static void check_loaded(const struct width *width, unsigned int lane, const uint8_t *from,
			 const uint32_t *old)
{
	const struct sim_wave *w = lab.wave;
	uint32_t value[4] = {0};

	memcpy(value, from, width->bytes);
	if (width->sign && width->bytes == 1)
		value[0] = (uint32_t)(int8_t)value[0];
	if (width->sign && width->bytes == 2)
		value[0] = (uint32_t)(int16_t)value[0];
	if (width->low)
		value[0] = (old[0] & 0xffff0000) | (value[0] & 0xffff);
	if (width->high)
		value[0] = (old[0] & 0xffff) | value[0] << 16;
	for (unsigned int i = 0; i < 4; i++) {
		uint32_t want = i < (width->bytes + 3) / 4 ? value[i] : old[i];

		if (w->vgpr[VDATA + i][lane] != want)
			fail_msg("%s: lane %u register %u: got %08x, want %08x", width->load, lane,
				 i, w->vgpr[VDATA + i][lane], want);
	}
}

static void save_registers(uint32_t old[64][4])
{
	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int i = 0; i < 4; i++)
			old[l][i] = lab.wave->vgpr[VDATA + i][l];
}

/* Distinct lines of 2^shift bytes, the slow way. */
static unsigned int count_lines(const uint64_t *addr, uint64_t exec, unsigned int bytes,
				unsigned int shift)
{
	uint64_t seen[128];
	unsigned int n = 0;

	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int b = 0; exec >> l & 1 && b < bytes; b++) {
			uint64_t line = (addr[l] + b) >> shift;
			unsigned int i = 0;

			while (i < n && seen[i] != line)
				i++;
			if (i == n)
				seen[n++] = line;
		}
	return n;
}

static void check_lines(const uint64_t *addr, uint64_t exec, unsigned int bytes)
{
	assert_int_equal(lab.counters.lines64, count_lines(addr, exec, bytes, 6));
	assert_int_equal(lab.counters.lines128, count_lines(addr, exec, bytes, 7));
}

static void load_case(unsigned int n, enum form form, unsigned int pattern, uint64_t exec)
{
	uint64_t target[64];
	uint32_t old[64][4];

	fill();
	save_registers(old);
	lab.wave->exec = exec;
	put_pair(4, (uint64_t)lab.memory);
	for (unsigned int l = 0; l < 64; l++) {
		uint32_t offset = lane_offset(pattern, l, widths[n].bytes);

		target[l] = (uint64_t)lab.memory + offset;
		if (form == GLOBAL_SADDR)
			lab.wave->vgpr[VADDR][l] = offset - 4;
		else
			put_address(l, target[l] + (form == GLOBAL_LOAD ? 12 : -8ull));
	}
	lab_run_to_end(&lab, n * PER_WIDTH + form);
	for (unsigned int l = 0; l < 64; l++) {
		if (exec >> l & 1)
			check_loaded(&widths[n], l, (uint8_t *)target[l], old[l]);
		else
			assert_int_equal(lab.wave->vgpr[VDATA][l], old[l][0]);
	}
	check_lines(target, exec, widths[n].bytes);
}

static void test_loads(void **state)
{
	static const enum form forms[] = {GLOBAL_LOAD, GLOBAL_SADDR, FLAT_LOAD};

	(void)state;
	for (unsigned int n = 0; n < WIDTHS; n++)
		for (unsigned int f = 0; f < 3; f++)
			for (unsigned int pattern = 0; pattern < 6; pattern++) {
				load_case(n, forms[f], pattern, ~0ull);
				load_case(n, forms[f], pattern, lab_random());
				load_case(n, forms[f], pattern, 1ull << 37);
				load_case(n, forms[f], pattern, 0);
			}
}

/* Four rows of 16 lanes, as of a tile, that start `shift` bytes from a cache line. */
static void tile_case(unsigned int n, uint32_t shift, uint64_t exec)
{
	uint64_t target[64];

	lab_reset(&lab);
	lab.wave->exec = exec;
	for (unsigned int l = 0; l < 64; l++) {
		target[l] = (uint64_t)lab.memory + l / 16 * 2048 + shift + l % 16 * 4;
		put_address(l, target[l] + 12);
	}
	lab_run_to_end(&lab, n * PER_WIDTH + GLOBAL_LOAD);
	check_lines(target, exec, widths[n].bytes);
}

/*
 * A loop along a row repeats a pattern at other offsets from a cache line. Costs are remembered of
 * each offset of dwords: steps of 4 bytes find them after 128 bytes, steps of 1 byte replace them.
 */
static void test_moving_pattern(void **state)
{
	static const uint64_t masks[] = {~0ull, 0xf00ff00ff00ff00full};

	(void)state;
	for (unsigned int n = 0; n < WIDTHS; n++)
		for (unsigned int m = 0; m < 2 && widths[n].bytes == 4; m++)
			for (uint32_t step = 1; step <= 4; step += 3)
				for (uint32_t shift = 0; shift < 256; shift += step)
					tile_case(n, shift, masks[m]);
}

static void store_case(unsigned int n, enum form form, unsigned int pattern, uint64_t exec)
{
	static uint8_t want[LAB_MEMORY];
	uint64_t target[64];

	fill();
	memcpy(want, lab.memory, LAB_MEMORY);
	lab.wave->exec = exec;
	for (unsigned int l = 0; l < 64; l++) {
		uint32_t offset = lane_offset(pattern, l, widths[n].bytes), value[4];

		target[l] = (uint64_t)lab.memory + offset;
		put_address(l, target[l] - (form == GLOBAL_STORE ? 20 : 8));
		for (unsigned int i = 0; i < 4; i++)
			value[i] = lab.wave->vgpr[VDATA + i][l];
		if (strstr(widths[n].store, "_hi"))
			value[0] >>= 16;
		if (exec >> l & 1)
			memcpy(want + offset, value, widths[n].bytes);
	}
	lab_run_to_end(&lab, n * PER_WIDTH + form);
	assert_memory_equal(lab.memory, want, LAB_MEMORY);
	check_lines(target, exec, widths[n].bytes);
}

static void test_stores(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < WIDTHS; n++)
		for (unsigned int pattern = 0; pattern < 6; pattern++) {
			store_case(n, GLOBAL_STORE, pattern, ~0ull);
			store_case(n, GLOBAL_STORE, pattern, lab_random());
			store_case(n, FLAT_STORE, pattern, lab_random() | 1);
			store_case(n, FLAT_STORE, pattern, ~0ull);
		}
}

/* Lane l's private byte, by the layout the compiler relies on. */
static uint8_t *private_byte(unsigned int lane, unsigned int offset)
{
	return lab.scratch + offset / 4 * 256 + 4 * lane + offset % 4;
}

/* One flat instruction whose lanes lead to global memory, LDS and scratch. */
static void test_flat_mixed(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < WIDTHS; n++) {
		uint8_t want[64][16];
		uint32_t old[64][4];

		fill();
		save_registers(old);
		for (unsigned int l = 0; l < 64; l++) {
			uint32_t offset = (uint32_t)(lab_random() % 512) & ~3u;

			for (unsigned int b = 0; b < 16; b++)
				want[l][b] = l % 3 == 0	  ? lab.memory[offset + b]
					     : l % 3 == 1 ? lab.lds[offset + b]
							  : *private_byte(l, offset + b);
			put_address(l, (l % 3 == 0   ? (uint64_t)lab.memory
					: l % 3 == 1 ? 1ull << 48
						     : 2ull << 48) +
					       offset - 8);
			if (l % 3 && offset < 8) /* stay in the window */
				lab.wave->exec &= ~(1ull << l);
		}
		lab_run_to_end(&lab, n * PER_WIDTH + FLAT_LOAD);
		for (unsigned int l = 0; l < 64; l++)
			if (lab.wave->exec >> l & 1)
				check_loaded(&widths[n], l, want[l], old[l]);
	}
}

/* Lanes of a flat instruction in LDS meet in its banks: at one and at two dwords each, two ways. */
static void test_flat_passes(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < WIDTHS; n++)
		for (unsigned int way = 1; way <= 2 && widths[n].bytes == 4; way++) {
			fill();
			lab.wave->exec = ~0ull;
			for (unsigned int l = 0; l < 64; l++)
				put_address(l, (1ull << 48) + l * 4 * way);
			lab.counters.lds_passes = lab.counters.lds_conflicts = 0;
			lab_run_to_end(&lab, n * PER_WIDTH + FLAT_LOAD);
			assert_int_equal(lab.counters.lds_passes, 2 * way);
			assert_int_equal(lab.counters.lds_conflicts, 2 * way - 2);
		}
}

/* The private stack: a swizzled descriptor, and an SGPR offset that counts the whole wave. */
static void stack_descriptor(void)
{
	lab.wave->sgpr[0] = (uint32_t)(uint64_t)lab.scratch;
	lab.wave->sgpr[1] = (uint32_t)((uint64_t)lab.scratch >> 32) | 1u << 31;
	lab.wave->sgpr[2] = 0xffffffff;
	lab.wave->sgpr[3] = 1u << 23 | 3u << 21;
	lab.wave->sgpr[32] = 64 * 128;
}

static void test_stack(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < WIDTHS; n++)
		for (unsigned int uniform = 0; uniform < 2; uniform++) {
			uint32_t offset[64], stored[64][4];

			fill();
			stack_descriptor();
			save_registers(stored);
			lab.wave->exec = uniform ? ~0ull : lab_random();
			for (unsigned int l = 0; l < 64; l++) {
				offset[l] = uniform ? 20 : (uint32_t)(lab_random() % 512);
				lab.wave->vgpr[VADDR][l] = offset[l];
			}
			lab_run_to_end(&lab, n * PER_WIDTH + BUFFER_STORE);
			for (unsigned int l = 0; l < 64; l++) {
				uint32_t value = stored[l][0];

				if (strstr(widths[n].store, "_hi"))
					value >>= 16;
				for (unsigned int b = 0;
				     lab.wave->exec >> l & 1 && b < widths[n].bytes; b++)
					assert_int_equal(*private_byte(l, 128 + 16 + offset[l] + b),
							 b < 4 ? value >> 8 * b & 255
							       : stored[l][b / 4] >> 8 * (b % 4) &
									 255);
			}
			lab_run_to_end(&lab, n * PER_WIDTH + BUFFER_LOAD);
			for (unsigned int l = 0; l < 64; l++) {
				uint8_t want[16];

				for (unsigned int b = 0; b < 16; b++)
					want[b] = *private_byte(l, 128 + 16 + offset[l] + b);
				if (lab.wave->exec >> l & 1)
					check_loaded(&widths[n], l, want, stored[l]);
			}
		}
}

static void test_scratch(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < WIDTHS; n++) {
		uint32_t old[64][4];

		fill();
		save_registers(old);
		for (unsigned int l = 0; l < 64; l++)
			lab.wave->vgpr[VADDR][l] = (uint32_t)(lab_random() % 512);
		lab_run_to_end(&lab, n * PER_WIDTH + SCRATCH_LOAD);
		for (unsigned int l = 0; l < 64; l++) {
			uint8_t want[16];

			for (unsigned int b = 0; b < 16; b++)
				want[b] = *private_byte(l, 4 + lab.wave->vgpr[VADDR][l] + b);
			check_loaded(&widths[n], l, want, old[l]);
		}
	}
	fill();
	lab.wave->sgpr[6] = 100;
	lab_run_to_end(&lab, SCRATCH_SADDR);
	for (unsigned int l = 0; l < 64; l++)
		assert_int_equal(lab.wave->vgpr[VDATA][l], *(uint32_t *)private_byte(l, 108));
}

/* Raw buffers: lanes beyond num_records load 0 and store nothing; records have a stride. */
static void test_raw_buffer(void **state)
{
	(void)state;
	fill();
	put_pair(0, (uint64_t)lab.memory);
	lab.wave->sgpr[2] = 128;
	lab.wave->sgpr[32] = 1024;
	for (unsigned int l = 0; l < 64; l++)
		lab.wave->vgpr[VADDR][l] = 4 * l;
	lab_run_to_end(&lab, 0 * PER_WIDTH + BUFFER_LOAD);
	for (unsigned int l = 0; l < 64; l++)
		assert_int_equal(
			lab.wave->vgpr[VDATA][l],
			16 + 4 * l + 4 <= 128 ? *(uint32_t *)(lab.memory + 1024 + 16 + 4 * l) : 0);
	fill();
	put_pair(0, (uint64_t)lab.memory | 24ull << 48);
	lab.wave->sgpr[2] = 50;
	for (unsigned int l = 0; l < 64; l++)
		lab.wave->vgpr[VADDR][l] = l;
	lab_run_to_end(&lab, BUFFER_IDXEN);
	for (unsigned int l = 0; l < 64; l++)
		assert_int_equal(lab.wave->vgpr[VDATA][l],
				 l < 50 ? *(uint32_t *)(lab.memory + 24 * l + 4) : 0);
}

static void test_scalar(void **state)
{
	(void)state;
	fill();
	put_pair(4, (uint64_t)lab.memory + 3); /* low bits are ignored */
	lab_run_to_end(&lab, S_LOAD);
	assert_memory_equal(&lab.wave->sgpr[8], lab.memory + 0x10, 16);
	lab.wave->sgpr[6] = 0x124;
	lab_run_to_end(&lab, S_LOAD_SGPR);
	assert_memory_equal(&lab.wave->sgpr[8], lab.memory + 0x124, 8);
	lab_run_to_end(&lab, S_LOAD16);
	assert_memory_equal(&lab.wave->sgpr[16], lab.memory, 64);
	lab.wave->sgpr[8] = 0x11112222;
	lab_run_to_end(&lab, S_STORE);
	assert_memory_equal(&lab.wave->sgpr[8], lab.memory + 0x20, 8);
	put_pair(0, (uint64_t)lab.memory);
	lab.wave->sgpr[2] = 16;
	lab_run_to_end(&lab, S_BUFFER_LOAD);
	assert_memory_equal(&lab.wave->sgpr[8], lab.memory + 8, 8);
	assert_int_equal(lab.wave->sgpr[10], 0);
	assert_int_equal(lab.wave->sgpr[11], 0);
}

static void check_fault(unsigned int snippet, enum sim_fault_kind kind, uint64_t addr, int lane)
{
	assert_int_equal(lab_run(&lab, snippet), SIM_STOP_FAULT);
	assert_int_equal(lab.wave->fault.kind, kind);
	assert_true(lab.wave->fault.addr == addr);
	assert_int_equal(lab.wave->fault.lane, lane);
	assert_true(lab.wave->pc == (uint64_t)(lab.code + lab.start[snippet]));
}

static void test_faults(void **state)
{
	(void)state;
	fill();
	for (unsigned int l = 0; l < 64; l++)
		put_address(l, (uint64_t)lab.memory + 12 + 4 * l);
	put_address(17, 0x1000);
	check_fault(GLOBAL_LOAD, SIM_FAULT_READ, 0x1000 - 12, 17);
	put_address(17, (uint64_t)lab.code); /* not writable */
	check_fault(GLOBAL_STORE, SIM_FAULT_WRITE, (uint64_t)lab.code + 20, 17);
	lab.wave->exec = ~(1ull << 17); /* an inactive lane's address does not matter */
	lab_run_to_end(&lab, GLOBAL_LOAD);
	lab.wave->exec = ~0ull;
	put_address(17, (uint64_t)lab.memory + LAB_MEMORY - 2 + 12); /* over the end */
	check_fault(GLOBAL_LOAD, SIM_FAULT_READ, (uint64_t)lab.memory + LAB_MEMORY - 2, 17);
	for (unsigned int l = 0; l < 64; l++)
		put_address(l, (1ull << 48) + 4 * l);
	put_address(63, (1ull << 48) + LAB_LDS - 8);
	check_fault(FLAT_LOAD, SIM_FAULT_LDS, LAB_LDS, 63);
	put_pair(4, 0x2000);
	check_fault(S_LOAD, SIM_FAULT_READ, 0x2010, -1);
	fill();
	for (unsigned int l = 0; l < 64; l++)
		lab.wave->vgpr[VADDR][l] = l == 40 ? LAB_SCRATCH_LANE : 0;
	check_fault(SCRATCH_LOAD, SIM_FAULT_SCRATCH, LAB_SCRATCH_LANE + 4, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loads),	   cmocka_unit_test(test_stores),
		cmocka_unit_test(test_flat_mixed), cmocka_unit_test(test_flat_passes),
		cmocka_unit_test(test_stack),	   cmocka_unit_test(test_scratch),
		cmocka_unit_test(test_raw_buffer), cmocka_unit_test(test_scalar),
		cmocka_unit_test(test_faults),	   cmocka_unit_test(test_moving_pattern),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
