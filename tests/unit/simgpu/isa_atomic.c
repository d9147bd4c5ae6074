/* SPDX-License-Identifier: MIT */
/*
 * Atomics of global, flat and buffer memory and of LDS: each row gives the new memory value from
 * the old one m and the data x, y. Lanes collide on a few addresses, so that their order matters.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/simgpu/program_lab.h"
#include "tests/unit/simgpu/reference_arithmetic.h"

/* name in global memory (or NULL), names in LDS without and with result (or NULL) */
#define ROWS_32(X)                                                                                 \
	X(swap, "swap", NULL, "ds_wrxchg_rtn_b32", K32, x)                                         \
	X(cmpswap, "cmpswap", "ds_cmpst_b32", "ds_cmpst_rtn_b32", K32, m == y ? x : m)             \
	X(add, "add", "ds_add_u32", "ds_add_rtn_u32", K32, m + x)                                  \
	X(sub, "sub", "ds_sub_u32", "ds_sub_rtn_u32", K32, m - x)                                  \
	X(rsub, NULL, "ds_rsub_u32", "ds_rsub_rtn_u32", K32, x - m)                                \
	X(smin, "smin", "ds_min_i32", "ds_min_rtn_i32", K32, (s32)m < (s32)x ? m : x)              \
	X(umin, "umin", "ds_min_u32", "ds_min_rtn_u32", K32, m < x ? m : x)                        \
	X(smax, "smax", "ds_max_i32", "ds_max_rtn_i32", K32, (s32)m > (s32)x ? m : x)              \
	X(umax, "umax", "ds_max_u32", "ds_max_rtn_u32", K32, m > x ? m : x)                        \
	X(and, "and", "ds_and_b32", "ds_and_rtn_b32", K32, m &x)                                   \
	X(or, "or", "ds_or_b32", "ds_or_rtn_b32", K32, m | x)                                      \
	X(xor, "xor", "ds_xor_b32", "ds_xor_rtn_b32", K32, m ^ x)                                  \
	X(inc, "inc", "ds_inc_u32", "ds_inc_rtn_u32", K32, m >= x ? 0 : m + 1)                     \
	X(dec, "dec", "ds_dec_u32", "ds_dec_rtn_u32", K32, m == 0 || m > x ? x : m - 1)            \
	X(mskor, NULL, "ds_mskor_b32", "ds_mskor_rtn_b32", K32, (m & ~x) | y)                      \
	X(wrap, NULL, NULL, "ds_wrap_rtn_b32", K32, m >= x ? m - x : m + y)                        \
	X(addf, "add_f32", "ds_add_f32", "ds_add_rtn_f32", F32, b32(f32(m) + f32(x)))              \
	X(minf, NULL, "ds_min_f32", "ds_min_rtn_f32", F32, b32((float)fmin32(m, x)))               \
	X(maxf, NULL, "ds_max_f32", "ds_max_rtn_f32", F32, b32((float)fmax32(m, x)))               \
	X(cmpf, NULL, "ds_cmpst_f32", "ds_cmpst_rtn_f32", F32, f32(m) == f32(y) ? x : m)           \
	X(pkadd, "pk_add_f16", NULL, NULL, PF16,                                                   \
	  b16(f16(m & 0xffff) + f16(x & 0xffff)) | b16(f16(m >> 16) + f16(x >> 16)) << 16)
#define ROWS_64(X)                                                                                 \
	X(swap64, "swap_x2", NULL, "ds_wrxchg_rtn_b64", K64, x)                                    \
	X(cmpswap64, "cmpswap_x2", "ds_cmpst_b64", "ds_cmpst_rtn_b64", K64, m == y ? x : m)        \
	X(add64, "add_x2", "ds_add_u64", "ds_add_rtn_u64", K64, m + x)                             \
	X(sub64, "sub_x2", "ds_sub_u64", "ds_sub_rtn_u64", K64, m - x)                             \
	X(rsub64, NULL, "ds_rsub_u64", "ds_rsub_rtn_u64", K64, x - m)                              \
	X(smin64, "smin_x2", "ds_min_i64", "ds_min_rtn_i64", K64, (s64)m < (s64)x ? m : x)         \
	X(umin64, "umin_x2", "ds_min_u64", "ds_min_rtn_u64", K64, m < x ? m : x)                   \
	X(smax64, "smax_x2", "ds_max_i64", "ds_max_rtn_i64", K64, (s64)m > (s64)x ? m : x)         \
	X(umax64, "umax_x2", "ds_max_u64", "ds_max_rtn_u64", K64, m > x ? m : x)                   \
	X(and64, "and_x2", "ds_and_b64", "ds_and_rtn_b64", K64, m &x)                              \
	X(or64, "or_x2", "ds_or_b64", "ds_or_rtn_b64", K64, m | x)                                 \
	X(xor64, "xor_x2", "ds_xor_b64", "ds_xor_rtn_b64", K64, m ^ x)                             \
	X(inc64, "inc_x2", "ds_inc_u64", "ds_inc_rtn_u64", K64, m >= x ? 0 : m + 1)                \
	X(dec64, "dec_x2", "ds_dec_u64", "ds_dec_rtn_u64", K64, m == 0 || m > x ? x : m - 1)       \
	X(mskor64, NULL, "ds_mskor_b64", "ds_mskor_rtn_b64", K64, (m & ~x) | y)                    \
	X(condxchg, NULL, NULL, "ds_condxchg32_rtn_b64", K64,                                      \
	  (x >> 31 & 1 ? x & 0x7fffffff : m & 0xffffffff) |                                        \
		  (x >> 63 ? x & 0x7fffffff00000000 : m & 0xffffffff00000000))                     \
	X(addf64, "add_f64", "ds_add_f64", "ds_add_rtn_f64", F64, b64(f64(m) + f64(x)))            \
	X(minf64, "min_f64", "ds_min_f64", "ds_min_rtn_f64", F64,                                  \
	  b64(snan64(m) || snan64(x) ? NAN : minnum(f64(m), f64(x))))                              \
	X(maxf64, "max_f64", "ds_max_f64", "ds_max_rtn_f64", F64,                                  \
	  b64(snan64(m) || snan64(x) ? NAN : maxnum(f64(m), f64(x))))                              \
	X(cmpf64, NULL, "ds_cmpst_f64", "ds_cmpst_rtn_f64", F64, f64(m) == f64(y) ? x : m)

#define FUNCTION_32(id, global, ds, rtn, kind, expr)                                               \
	static uint64_t new_##id(uint64_t mem, uint64_t data, uint64_t data2)                      \
	{                                                                                          \
		uint32_t m = (uint32_t)mem, x = (uint32_t)data, y = (uint32_t)data2;               \
		(void)m, (void)y;                                                                  \
		return (uint32_t)(expr);                                                           \
	}
#define FUNCTION_64(id, global, ds, rtn, kind, expr)                                               \
	static uint64_t new_##id(uint64_t m, uint64_t x, uint64_t y)                               \
	{                                                                                          \
		(void)m, (void)y;                                                                  \
		return expr;                                                                       \
	}
ROWS_32(FUNCTION_32)
ROWS_64(FUNCTION_64)

static const struct row {
	const char *global, *ds, *rtn;
	unsigned int bytes;
	enum kind kind;
	uint64_t (*next)(uint64_t m, uint64_t x, uint64_t y);
} rows[] = {
#define ENTRY_32(id, global, ds, rtn, kind, expr) {global, ds, rtn, 4, kind, new_##id},
#define ENTRY_64(id, global, ds, rtn, kind, expr) {global, ds, rtn, 8, kind, new_##id},
	ROWS_32(ENTRY_32) ROWS_64(ENTRY_64)};

enum form {
	GLOBAL,
	GLOBAL_RTN,
	FLAT_RTN,
	BUFFER_RTN,
	DS,
	DS_RTN,
	FORMS,
};

enum {
	ROWS = sizeof(rows) / sizeof(rows[0]),
	COUNT = ROWS * FORMS,
	CELLS = 8, /* addresses the lanes share */
	XCHG2_32 = COUNT,
	XCHG2_64,
	XCHG2ST_32,
	XCHG2ST_64,
	SNIPPETS,
};

static char texts[COUNT][128];
static bool exists[COUNT];
/* Data registers: v[8..] new value; cmpswap has the value to compare with behind it. */
static void write_text(const struct row *row, enum form form, char *to, size_t size, bool *there)
{
	bool wide = row->bytes == 8, two = row->global && !strncmp(row->global, "cmpswap", 7);
	const char *d = wide ? two ? "v[8:11]" : "v[8:9]" : two ? "v[8:9]" : "v8";
	const char *r = wide ? "v[16:17]" : "v16", *x = wide ? "v[8:9]" : "v8";
	const char *y = wide ? "v[10:11]" : "v9", *name = form == DS ? row->ds : row->rtn;
	bool ds2 = name && (strstr(name, "cmpst") || strstr(name, "mskor") || strstr(name, "wrap"));
	bool swapped = name && strstr(name, "cmpst");
	bool flat = row->global && !strstr(row->global, "f32") && !strstr(row->global, "f16");
	char operands[64];

	snprintf(operands, sizeof(operands), "v2, %s%s%s", swapped ? y : x, ds2 ? ", " : "",
		 ds2 ? (swapped ? x : y) : "");
	*there = form < DS ? row->global && (form != FLAT_RTN || flat) : name != NULL;
	snprintf(to, size, "s_nop 0");
	if (!*there)
		return;
	if (form == GLOBAL)
		snprintf(to, size, "global_atomic_%s v[2:3], %s, off offset:8", row->global, d);
	else if (form == GLOBAL_RTN)
		snprintf(to, size, "global_atomic_%s %s, v[2:3], %s, off offset:8 glc", row->global,
			 r, d);
	else if (form == FLAT_RTN)
		snprintf(to, size, "flat_atomic_%s %s, v[2:3], %s offset:8 glc", row->global, r, d);
	else if (form == BUFFER_RTN)
		snprintf(
			to, size,
			"v_sub_u32 v2, v2, s0\nbuffer_atomic_%s %s, v2, s[0:3], 0 offen offset:8 glc",
			row->global, d);
	else if (form == DS)
		snprintf(to, size, "%s %s offset:8", name, operands);
	else
		snprintf(to, size, "%s %s, %s offset:8", name, r, operands);
}

static int setup(void **state)
{
	const char *text[SNIPPETS];

	(void)state;
	for (unsigned int n = 0; n < COUNT; n++) {
		write_text(&rows[n / FORMS], n % FORMS, texts[n], sizeof(texts[n]), &exists[n]);
		text[n] = texts[n];
	}
	text[XCHG2_32] = "ds_wrxchg2_rtn_b32 v[16:17], v2, v8, v9 offset0:3 offset1:7";
	text[XCHG2_64] = "ds_wrxchg2_rtn_b64 v[16:19], v2, v[8:9], v[10:11] offset0:3 offset1:7";
	text[XCHG2ST_32] = "ds_wrxchg2st64_rtn_b32 v[16:17], v2, v8, v9 offset0:1 offset1:2";
	text[XCHG2ST_64] =
		"ds_wrxchg2st64_rtn_b64 v[16:19], v2, v[8:9], v[10:11] offset0:1 offset1:2";
	lab_open(&lab, text, SNIPPETS);
	return 0;
}

static uint64_t number(enum kind kind)
{
	switch (kind) {
	case K32:
	case F32:
		return lab_random() & 1 ? lab_edge32() : lab_random() % 8;
	case PF16:
		return lab_edge16() | lab_edge16() << 16;
	case F64:
		return lab_edge64();
	default:
		return lab_random() & 1 ? lab_edge64() : lab_random() % 8;
	}
}

static bool same(uint64_t got, uint64_t want, enum kind kind)
{
	switch (kind) {
	case F32:
		return got == want || (isnan(f32(got)) && isnan(f32(want)));
	case F64:
		return got == want || (isnan(f64(got)) && isnan(f64(want)));
	case PF16:
		return got == want || isnan(f16(want & 0xffff)) || isnan(f16(want >> 16));
	default:
		return got == want;
	}
}

static void run_case(unsigned int n)
{
	const struct row *row = &rows[n / FORMS];
	enum form form = n % FORMS;
	struct sim_wave *w = lab.wave;
	bool lds = form >= DS, wide = row->bytes == 8;
	uint64_t cell[CELLS] = {0}, x[64], y[64];
	uint8_t *base = lds ? lab.lds : lab.memory;
	unsigned int at[64];

	lab_reset(&lab);
	w->exec = lab_random();
	w->sgpr[0] = (uint32_t)(uint64_t)lab.memory;
	w->sgpr[1] = (uint32_t)((uint64_t)lab.memory >> 32);
	w->sgpr[2] = LAB_MEMORY;
	for (unsigned int i = 0; i < CELLS; i++) {
		cell[i] = number(row->kind);
		memcpy(base + 8 + 16 * i, &cell[i], row->bytes);
	}
	for (unsigned int l = 0; l < 64; l++) {
		uint64_t addr;

		at[l] = (unsigned int)(lab_random() % CELLS);
		addr = (lds ? 0 : (uint64_t)lab.memory) + 16 * at[l];
		x[l] = number(row->kind);
		y[l] = lab_random() & 1 ? cell[at[l]] : number(row->kind);
		w->vgpr[2][l] = (uint32_t)addr;
		w->vgpr[3][l] = (uint32_t)(addr >> 32);
		w->vgpr[8][l] = (uint32_t)x[l];
		w->vgpr[9][l] = (uint32_t)(wide ? x[l] >> 32 : y[l]);
		w->vgpr[10][l] = (uint32_t)y[l];
		w->vgpr[11][l] = (uint32_t)(y[l] >> 32);
	}
	lab_run_to_end(&lab, n);
	for (unsigned int l = 0; l < 64; l++) {
		unsigned int result = form == BUFFER_RTN ? 8 : 16;
		uint64_t got =
			w->vgpr[result][l] | (wide ? (uint64_t)w->vgpr[result + 1][l] << 32 : 0);
		uint64_t old = cell[at[l]];

		if (!(w->exec >> l & 1))
			continue;
		cell[at[l]] = row->next(old, x[l], y[l]);
		if (form != GLOBAL && form != DS && !same(got, old, row->kind))
			fail_msg("%s: lane %u returns %lx, want %lx", texts[n], l, got, old);
	}
	for (unsigned int i = 0; i < CELLS; i++) {
		uint64_t got = 0;

		memcpy(&got, base + 8 + 16 * i, row->bytes);
		if (!same(got, cell[i], row->kind))
			fail_msg("%s: memory is %lx, want %lx", texts[n], got, cell[i]);
	}
}

static void test_rows(void **state)
{
	unsigned int cases = 0;

	(void)state;
	for (unsigned int n = 0; n < COUNT; n++)
		for (unsigned int i = 0; exists[n] && i < 40; i++) {
			run_case(n);
			cases += !i;
		}
	printf("%u atomics\n", cases);
	assert_in_range(cases, 170, COUNT);
}

/* Two exchanges per lane, at offsets counted in elements, or in 64 elements. */
static void exchange2(unsigned int snippet, unsigned int bytes, unsigned int first,
		      unsigned int second)
{
	uint8_t before[LAB_LDS];

	lab_reset(&lab);
	for (unsigned int i = 0; i < LAB_LDS; i++)
		lab.lds[i] = (uint8_t)lab_random();
	memcpy(before, lab.lds, LAB_LDS);
	for (unsigned int l = 0; l < 64; l++) {
		lab.wave->vgpr[2][l] = 512 * l;
		for (unsigned int r = 8; r < 12; r++)
			lab.wave->vgpr[r][l] = (uint32_t)lab_random();
	}
	lab_run_to_end(&lab, snippet);
	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int half = 0; half < 2; half++) {
			unsigned int at = 512 * l + bytes * (half ? second : first);

			for (unsigned int i = 0; i < bytes / 4; i++) {
				unsigned int r = half * bytes / 4 + i;

				assert_memory_equal(&lab.wave->vgpr[16 + r][l], before + at + 4 * i,
						    4);
				assert_memory_equal(&lab.wave->vgpr[8 + r][l], lab.lds + at + 4 * i,
						    4);
			}
		}
}

static void test_exchange2(void **state)
{
	(void)state;
	exchange2(XCHG2_32, 4, 3, 7);
	exchange2(XCHG2_64, 8, 3, 7);
	/* 64-element offsets would collide between lanes 512 bytes apart: check one lane's. */
	lab_reset(&lab);
	lab.wave->exec = 1;
	memset(lab.lds, 0, LAB_LDS);
	lab.wave->vgpr[8][0] = 111;
	lab.wave->vgpr[9][0] = 222;
	lab_run_to_end(&lab, XCHG2ST_32);
	assert_int_equal(*(uint32_t *)(lab.lds + 256), 111);
	assert_int_equal(*(uint32_t *)(lab.lds + 512), 222);
	memset(lab.lds, 0, LAB_LDS);
	lab.wave->vgpr[10][0] = 333;
	lab_run_to_end(&lab, XCHG2ST_64);
	assert_int_equal(*(uint32_t *)(lab.lds + 512), 111);
	assert_int_equal(*(uint32_t *)(lab.lds + 516), 222);
	assert_int_equal(*(uint32_t *)(lab.lds + 1024), 333);
}

static void test_misaligned(void **state)
{
	unsigned int n = 2 * FORMS + GLOBAL; /* add */

	(void)state;
	lab_reset(&lab);
	for (unsigned int l = 0; l < 64; l++) {
		uint64_t addr = (uint64_t)lab.memory + (l == 5 ? 2 : 0);

		lab.wave->vgpr[2][l] = (uint32_t)addr;
		lab.wave->vgpr[3][l] = (uint32_t)(addr >> 32);
	}
	assert_int_equal(lab_run(&lab, n), SIM_STOP_FAULT);
	assert_int_equal(lab.wave->fault.kind, SIM_FAULT_MISALIGNED);
	assert_int_equal(lab.wave->fault.lane, 5);
}

static void *count_up(void *arg)
{
	for (unsigned int i = 0; i < 200000; i++)
		__atomic_fetch_add((uint32_t *)arg, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Against another host thread: no increment is lost. */
static void test_other_thread(void **state)
{
	unsigned int n = 2 * FORMS + GLOBAL, runs = 2000;
	uint32_t *cell = (uint32_t *)(lab.memory + 8);
	pthread_t thread;

	(void)state;
	lab_reset(&lab);
	*cell = 0;
	assert_int_equal(pthread_create(&thread, NULL, count_up, cell), 0);
	for (unsigned int i = 0; i < runs; i++) {
		lab_reset(&lab);
		for (unsigned int l = 0; l < 64; l++) {
			lab.wave->vgpr[2][l] = (uint32_t)(uint64_t)lab.memory;
			lab.wave->vgpr[3][l] = (uint32_t)((uint64_t)lab.memory >> 32);
			lab.wave->vgpr[8][l] = 1;
		}
		lab_run_to_end(&lab, n);
	}
	pthread_join(thread, NULL);
	assert_int_equal(*cell, 200000 + 64 * runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_exchange2),
		cmocka_unit_test(test_misaligned),
		cmocka_unit_test(test_other_thread),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
