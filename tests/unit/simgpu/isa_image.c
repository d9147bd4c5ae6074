/* SPDX-License-Identifier: MIT */
/* Images: loads, stores, atomics, samples. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/simgpu/program_lab.h"
#include "tests/unit/simgpu/atomic_reference.h"

enum {
	IMAGE_ATOMIC = 0,
	IMAGE_LOAD = IMAGE_ATOMIC + ATOMICS * 2,
	IMAGE_LOAD_MIP,
	IMAGE_LOAD_PCK,
	IMAGE_LOAD_PCK_SGN,
	IMAGE_LOAD_MIP_PCK,
	IMAGE_LOAD_MIP_PCK_SGN,
	IMAGE_STORE,
	IMAGE_STORE_MIP,
	IMAGE_STORE_PCK,
	IMAGE_STORE_MIP_PCK,
	IMAGE_RESINFO,
	IMAGE_SAMPLE,
	SNIPPETS,
};

static const char *const fixed_text[SNIPPETS - IMAGE_LOAD] = {
	"image_load v[8:11], v[2:3], s[8:15] dmask:0xf unorm",
	"image_load_mip v[8:9], v[2:4], s[8:15] dmask:0xa unorm",
	"image_load_pck v8, v[2:3], s[8:15] dmask:0x1 unorm",
	"image_load_pck_sgn v8, v[2:3], s[8:15] dmask:0x1 unorm",
	"image_load_mip_pck v8, v[2:4], s[8:15] dmask:0x1 unorm",
	"image_load_mip_pck_sgn v8, v[2:4], s[8:15] dmask:0x1 unorm",
	"image_store v[8:11], v[2:3], s[8:15] dmask:0xf unorm",
	"image_store_mip v[8:11], v[2:4], s[8:15] dmask:0xf unorm",
	"image_store_pck v8, v[2:3], s[8:15] dmask:0x1 unorm",
	"image_store_mip_pck v8, v[2:4], s[8:15] dmask:0x1 unorm",
	"image_get_resinfo v[8:11], v2, s[8:15] dmask:0xf unorm",
	"image_sample v[8:11], v[2:3], s[8:15], s[16:19] dmask:0xf",
};

static char texts[SNIPPETS][128];
static const char *text[SNIPPETS];
static void atomic_texts(void)
{
	for (unsigned int a = 0; a < ATOMICS; a++)
		for (unsigned int wide = 0; wide < 2; wide++) {
			bool two = !strcmp(atomics[a].name, "cmpswap");
			unsigned int dwords = (two ? 2 : 1) * (wide ? 2 : 1);
			char *at = texts[IMAGE_ATOMIC + a * 2 + wide];

			if (dwords == 1)
				snprintf(at, sizeof(texts[0]),
					 "image_atomic_%s v8, v[2:3], s[8:15] dmask:0x1 unorm glc",
					 atomics[a].name);
			else
				snprintf(at, sizeof(texts[0]),
					 "image_atomic_%s v[8:%u], v[2:3], s[8:15] dmask:0x%x "
					 "unorm glc",
					 atomics[a].name, 7 + dwords, dwords == 2 ? 3u : 15u);
		}
}

static int setup(void **state)
{
	(void)state;
	atomic_texts();
	for (unsigned int i = 0; i < SNIPPETS; i++)
		text[i] = i < IMAGE_LOAD ? texts[i] : fixed_text[i - IMAGE_LOAD];
	lab_open(&lab, text, SNIPPETS);
	return 0;
}

enum {
	IMAGE_W = 20,
	IMAGE_H = 10,
	IMAGE_PITCH = 24,
};

/* A 2D image over the memory; lane l at (l % 23, l / 8 + 3), some of it outside. */
static void fill_image(unsigned int data, unsigned int number)
{
	uint64_t base;
	uint32_t *s = lab.wave->sgpr + 8;

	lab_fill(&lab, 0, 4096, 4, 4);
	base = (uint64_t)lab.memory >> 8;
	s[0] = (uint32_t)base;
	s[1] = (uint32_t)(base >> 32) | data << 20 | number << 26;
	s[2] = (IMAGE_W - 1) | (IMAGE_H - 1) << 14;
	s[3] = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 9u << 28;
	s[4] = (IMAGE_PITCH - 1) << 13;
	memset(s + 5, 0, 12);
	for (unsigned int l = 0; l < 64; l++) {
		lab.wave->vgpr[LAB_VADDR][l] = l % 23;
		lab.wave->vgpr[LAB_VADDR + 1][l] = l / 8 + 3;
		lab.wave->vgpr[LAB_VADDR + 2][l] = 0;
	}
}

static bool in_image(unsigned int l)
{
	return l % 23 < IMAGE_W && l / 8 + 3 < IMAGE_H;
}

static uint8_t *image_at(unsigned int l, unsigned int bytes)
{
	return lab.memory + ((l / 8 + 3) * IMAGE_PITCH + l % 23) * bytes;
}

static void test_image_loads(void **state)
{
	static const unsigned int raw[] = {IMAGE_LOAD_PCK, IMAGE_LOAD_MIP_PCK, IMAGE_LOAD_PCK_SGN,
					   IMAGE_LOAD_MIP_PCK_SGN};

	(void)state;
	fill_image(10, 0); /* 8_8_8_8 UNORM */
	lab_run_to_end(&lab, IMAGE_LOAD);
	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int c = 0; c < 4; c++)
			assert_int_equal(lab.wave->vgpr[LAB_VDATA + c][l],
					 in_image(l) ? b32(image_at(l, 4)[c] / 255.0f) : 0);
	fill_image(10, 4);
	lab_run_to_end(&lab, IMAGE_LOAD_MIP); /* channels 1 and 3 */
	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int c = 0; c < 2; c++)
			assert_int_equal(lab.wave->vgpr[LAB_VDATA + c][l],
					 in_image(l) ? image_at(l, 4)[2 * c + 1] : 0);
	for (unsigned int i = 0; i < 4; i++) {
		fill_image(1, 0);
		lab_run_to_end(&lab, raw[i]);
		for (unsigned int l = 0; l < 64; l++) {
			uint32_t want = *image_at(l, 1);

			if (i > 1)
				want = (uint32_t)(int8_t)want;
			assert_int_equal(lab.wave->vgpr[LAB_VDATA][l], in_image(l) ? want : 0);
		}
	}
}

static void test_image_stores(void **state)
{
	static const unsigned int forms[] = {IMAGE_STORE, IMAGE_STORE_MIP, IMAGE_STORE_PCK,
					     IMAGE_STORE_MIP_PCK};
	static uint8_t want[65536];

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		fill_image(10, 4); /* 8_8_8_8 UINT */
		memcpy(want, lab.memory, sizeof(want));
		for (unsigned int l = 0; l < 64; l++) {
			for (unsigned int c = 0; c < 4; c++)
				lab.wave->vgpr[LAB_VDATA + c][l] &= 0xff;
			for (unsigned int c = 0; c < 4 && in_image(l); c++)
				want[image_at(l, 4) - lab.memory + c] =
					i < 2 ? (uint8_t)lab.wave->vgpr[LAB_VDATA + c][l]
					: c   ? 0
					      : (uint8_t)lab.wave->vgpr[LAB_VDATA][l];
		}
		lab_run_to_end(&lab, forms[i]);
		assert_memory_equal(lab.memory, want, sizeof(want));
	}
}

static void test_image_atomics(void **state)
{
	(void)state;
	for (unsigned int a = 0; a < ATOMICS; a++)
		for (unsigned int wide = 0; wide < 2; wide++) {
			unsigned int bytes = wide ? 8 : 4, dwords = bytes / 4;
			uint64_t m[64] = {0}, x[64] = {0}, y[64] = {0}, got;
			bool two = !strcmp(atomics[a].name, "cmpswap");

			fill_image(wide ? 11 : 4, 4);
			for (unsigned int l = 0; l < 64; l++) {
				memcpy(&m[l], image_at(l, bytes), bytes);
				for (unsigned int i = 0; i < dwords; i++) {
					x[l] |= (uint64_t)lab.wave->vgpr[LAB_VDATA + i][l]
						<< 32 * i;
					if (two && l & 1)
						lab.wave->vgpr[LAB_VDATA + dwords + i][l] =
							(uint32_t)(m[l] >> 32 * i);
					y[l] |= (uint64_t)lab.wave->vgpr[LAB_VDATA + dwords + i][l]
						<< 32 * i;
				}
			}
			lab_run_to_end(&lab, IMAGE_ATOMIC + a * 2 + wide);
			for (unsigned int l = 0; l < 64; l++) {
				uint64_t want = atomics[a].next(m[l], x[l], y[l], wide);

				if (!in_image(l))
					continue;
				got = 0;
				memcpy(&got, image_at(l, bytes), bytes);
				if (got != (wide ? want : (uint32_t)want))
					fail_msg("%s: lane %u", text[IMAGE_ATOMIC + a * 2 + wide],
						 l);
				assert_int_equal(lab.wave->vgpr[LAB_VDATA][l], (uint32_t)m[l]);
			}
		}
}

static void test_resinfo(void **state)
{
	(void)state;
	fill_image(10, 0);
	lab_run_to_end(&lab, IMAGE_RESINFO);
	assert_int_equal(lab.wave->vgpr[LAB_VDATA][9], IMAGE_W);
	assert_int_equal(lab.wave->vgpr[LAB_VDATA + 1][9], IMAGE_H);
	assert_int_equal(lab.wave->vgpr[LAB_VDATA + 2][9], 1);
	assert_int_equal(lab.wave->vgpr[LAB_VDATA + 3][9], 1);
}

/* One channel of one element, clamped to the edges. */
static double sampled(int x, int y)
{
	float v;

	x = x < 0 ? 0 : x >= IMAGE_W ? IMAGE_W - 1 : x;
	y = y < 0 ? 0 : y >= IMAGE_H ? IMAGE_H - 1 : y;
	memcpy(&v, lab.memory + (y * IMAGE_PITCH + x) * 4, 4);
	return v;
}

/* Normalised coordinates, clamped; nearest, then linear at 256ths, which is exact. */
static void test_sample(void **state)
{
	(void)state;
	for (unsigned int linear = 0; linear < 2; linear++) {
		fill_image(4, 7); /* 32 FLOAT */
		memset(&lab.wave->sgpr[16], 0, 16);
		lab.wave->sgpr[16] = 2 | 2 << 3 | 1 << 15; /* clamp; coordinates in elements */
		lab.wave->sgpr[18] = linear * (1 << 20 | 1 << 22);
		for (unsigned int i = 0; i < IMAGE_PITCH * IMAGE_H; i++)
			((float *)lab.memory)[i] = (float)(lab_random() % 4096);
		for (unsigned int l = 0; l < 64; l++) {
			lab.wave->vgpr[LAB_VADDR][l] =
				b32((float)(lab_random() % (24 * 16)) / 16 - 2);
			lab.wave->vgpr[LAB_VADDR + 1][l] =
				b32((float)(lab_random() % (14 * 16)) / 16 - 2);
		}
		lab_run_to_end(&lab, IMAGE_SAMPLE);
		for (unsigned int l = 0; l < 64; l++) {
			double x = f32(lab.wave->vgpr[LAB_VADDR][l]) - 0.5 * linear;
			double y = f32(lab.wave->vgpr[LAB_VADDR + 1][l]) - 0.5 * linear;
			double fx = (x - floor(x)) * linear, fy = (y - floor(y)) * linear;
			int ix = (int)floor(x), iy = (int)floor(y);
			double want = (1 - fx) * (1 - fy) * sampled(ix, iy) +
				      fx * (1 - fy) * sampled(ix + 1, iy) +
				      (1 - fx) * fy * sampled(ix, iy + 1) +
				      fx * fy * sampled(ix + 1, iy + 1);

			assert_true(f32(lab.wave->vgpr[LAB_VDATA][l]) == (float)want);
			assert_int_equal(lab.wave->vgpr[LAB_VDATA + 1][l], 0);
			assert_int_equal(lab.wave->vgpr[LAB_VDATA + 3][l], 0x3f800000);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image_loads),   cmocka_unit_test(test_image_stores),
		cmocka_unit_test(test_image_atomics), cmocka_unit_test(test_resinfo),
		cmocka_unit_test(test_sample),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
