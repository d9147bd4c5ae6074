/* SPDX-License-Identifier: MIT */
/* LDS costs from phase tables; see lds_model.h. */
#include "lds_model.h"

#include <stddef.h>
#include <string.h>

#include "lds_tables.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct lds_model *exact(const char *arch, size_t len)
{
	for (size_t i = 0; i < COUNT(models); i++)
		if (strlen(models[i].arch) == len && !strncmp(models[i].arch, arch, len))
			return &models[i];
	return NULL;
}

/* "gfx90a:sramecc+" is gfx90a. */
static size_t name_length(const char *arch)
{
	return strcspn(arch, ":");
}

static size_t family_of(const char *arch)
{
	size_t i = 0;

	while (strncmp(arch, families[i].prefix, strlen(families[i].prefix)))
		i++;
	return i;
}

const struct lds_model *lds_model_find(const char *arch)
{
	const struct lds_model *model = exact(arch, name_length(arch));
	const char *family;

	if (model)
		return model;
	family = families[family_of(arch)].model;
	return exact(family, strlen(family));
}

const char *lds_model_note(const char *arch)
{
	const struct lds_model *model = exact(arch, name_length(arch));

	return model ? model->note : families[family_of(arch)].note;
}

const struct lds_phases *lds_model_phases(const struct lds_model *model, unsigned unit, bool write)
{
	enum lds_width width = unit <= 4   ? LDS_B32
			       : unit <= 8 ? LDS_B64
			       : unit < 16 ? LDS_B96
					   : LDS_B128;

	return write ? &model->write[width] : &model->read[width];
}

/* ---- Counting ------------------------------------------------------------------------------ */

struct phase {
	uint32_t mask; /* banks - 1 */
	uint32_t cost;
	uint8_t bank[64]; /* distinct dwords so far */
};

/* Addresses beyond any LDS: the table of dwords cannot tell them apart, so compare all. */
static bool seen_far(const uint32_t addr[64], uint64_t before, unsigned unit, uint32_t dword)
{
	for (; before; before &= before - 1) {
		uint32_t at = addr[__builtin_ctzll(before)];

		if (dword - at / 4 <= (at + unit - 1) / 4 - at / 4)
			return true;
	}
	return false;
}

static void want(struct phase *phase, uint32_t dword)
{
	uint32_t count = ++phase->bank[dword & phase->mask];

	phase->cost = count > phase->cost ? count : phase->cost;
}

static uint32_t phase_cost(unsigned banks, bool share, unsigned unit, uint64_t lanes,
			   const uint32_t addr[64], struct lds_scratch *scratch)
{
	struct phase phase = {.mask = banks - 1, .cost = 1};
	uint32_t stamp = ++scratch->stamp;

	if (!stamp) {
		memset(scratch->seen, 0, sizeof(scratch->seen));
		stamp = ++scratch->stamp;
	}
	for (uint64_t rest = lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		uint32_t first = addr[lane] / 4, last = (addr[lane] + unit - 1) / 4;

		for (uint32_t dword = first; dword <= last; dword++) {
			if (!share) {
				want(&phase, dword);
				continue;
			}
			if (dword < COUNT(scratch->seen)) {
				if (scratch->seen[dword] == stamp)
					continue;
				scratch->seen[dword] = stamp;
			} else if (seen_far(addr, lanes & ~rest, unit, dword)) {
				continue;
			}
			want(&phase, dword);
		}
	}
	return phase.cost;
}

struct lds_cost lds_count(const struct lds_model *model, const struct lds_phases *phases,
			  bool share, unsigned wave, unsigned unit, uint64_t exec,
			  const uint32_t addr[64], struct lds_scratch *scratch)
{
	struct lds_cost cost = {0};

	for (unsigned half = 0; half < wave; half += model->wave) {
		for (unsigned i = 0; i < phases->count; i++) {
			uint64_t lanes = exec & phases->lanes[i] << half;
			uint32_t passes =
				phase_cost(phases->banks, share, unit, lanes, addr, scratch);

			cost.passes += passes;
			cost.way = passes > cost.way ? passes : cost.way;
			cost.ideal++;
		}
	}
	return cost;
}

/* ---- Closed forms -------------------------------------------------------------------------- */

/*
 * The lanes of every phase, modulo their number, are all different, and an access covers banks /
 * lanes banks. So at a stride of `steps` accesses the lanes meet in one bank as the largest power
 * of two in steps says.
 */
bool lds_count_affine(const struct lds_model *model, const struct lds_phases *phases, bool share,
		      unsigned wave, unsigned unit, uint32_t base, int64_t stride,
		      struct lds_cost *ret)
{
	unsigned halves = wave > model->wave ? wave / model->wave : 1;
	uint32_t width = unit <= 4 ? 4 : unit <= 8 ? 8 : 16, way = 1;
	uint32_t most = phases->banks * 4u / width;
	uint32_t steps;

	/* Far strides would wrap around the 32 bits of an LDS address. */
	if (stride > 0x1000000 || stride < -0x1000000)
		return false;
	/* Closer than a dword, lanes meet in one. */
	if (!share && stride > -4 && stride < 4)
		return false;
	if (wave < model->wave || (unsigned)__builtin_popcountll(phases->lanes[0]) != most)
		return false;
	if (stride & (width - 1)) {
		/* Bytes and halves side by side: neighbours share dwords, no bank is met twice. */
		if (unit > 4 || stride <= -4 || stride >= 4 || base % unit || stride % (int)unit)
			return false;
	} else if (stride) {
		if (base & (unit <= 4 ? unit - 1 : width - 1))
			return false;
		steps = (uint32_t)((uint64_t)stride / width);
		way = steps & -steps;
		way = way && way < most ? way : most;
	} else if (base & (unit <= 4 ? unit - 1 : width - 1)) {
		return false;
	}
	*ret = (struct lds_cost){
		.passes = halves * phases->count * way,
		.ideal = halves * phases->count,
		.way = way,
	};
	return true;
}
