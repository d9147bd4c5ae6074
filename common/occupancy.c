/* SPDX-License-Identifier: MIT */
#include "common/occupancy.h"

#include <stddef.h>
#include <string.h>

#include <probe/lds_size.h>

struct unit {
	const char *target; /* target or prefix of a family; the first match is used */
	uint32_t vgprs, vgpr_granule;
	uint32_t waves; /* of a SIMD */
};

static const struct unit units[] = {
	{"gfx90a", 512, 8, 8},
	{"gfx94", 512, 8, 8},
	{"gfx950", 512, 8, 8},
	{"gfx90", 256, 4, 10},
};

/* The same for all of them: GFX9. */
enum {
	SIMDS = 4,
	WAVE_SIZE = 64,
	SGPRS = 800, /* of a SIMD */
	SGPR_GRANULE = 16,
	LDS_GRANULE = 512,
	GROUPS_MAX = 16, /* workgroups of more than one wave: each needs one of the barriers */
};

static const struct unit *find_unit(const char *target)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strncmp(target, units[i].target, strlen(units[i].target)))
			return &units[i];
	return NULL;
}

static uint32_t round_up(uint32_t value, uint32_t granule)
{
	return (value + granule - 1) / granule * granule;
}

static uint32_t minimum(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * gfx908 has two register files and allocates the same amount of each to a kernel. On gfx90a the
 * count includes both.
 */
static uint32_t waves_by_vgprs(const struct unit *unit, uint32_t vgprs, uint32_t agprs)
{
	uint32_t taken = round_up(vgprs > agprs ? vgprs : agprs, unit->vgpr_granule);

	return minimum(unit->waves, taken ? unit->vgprs / taken : unit->waves);
}

uint32_t probe_occupancy_waves(const char *target, uint32_t vgprs, uint32_t agprs)
{
	const struct unit *unit = find_unit(target);

	return unit ? waves_by_vgprs(unit, vgprs, agprs) : 0;
}

bool probe_occupancy_holds(const char *target, uint32_t vgprs, uint32_t agprs, uint64_t items)
{
	uint32_t waves = probe_occupancy_waves(target, vgprs, agprs);

	return !waves || (items + 63) / 64 <= (uint64_t)waves * SIMDS;
}

/* Workgroups of `waves` waves that a unit holds, and the resource that limits them. */
static uint32_t groups_of(const struct unit *unit, const struct probe_occupancy_kernel *kernel,
			  uint32_t waves, enum probe_occupancy_limit *ret_limit)
{
	uint32_t sgprs = round_up(kernel->sgprs, SGPR_GRANULE);
	uint32_t lds = round_up(kernel->lds, LDS_GRANULE);
	uint32_t groups[] = {
		[PROBE_LIMIT_SLOTS] = SIMDS * unit->waves / waves,
		[PROBE_LIMIT_VGPRS] =
			SIMDS * waves_by_vgprs(unit, kernel->vgprs, kernel->agprs) / waves,
		[PROBE_LIMIT_SGPRS] =
			SIMDS * minimum(unit->waves, sgprs ? SGPRS / sgprs : unit->waves) / waves,
		[PROBE_LIMIT_LDS] = lds ? probe_lds_bytes(unit->target) / lds : UINT32_MAX,
	};

	*ret_limit = PROBE_LIMIT_SLOTS;
	if (waves > 1)
		groups[PROBE_LIMIT_SLOTS] = minimum(groups[PROBE_LIMIT_SLOTS], GROUPS_MAX);
	for (int i = PROBE_LIMIT_VGPRS; i <= PROBE_LIMIT_LDS; i++)
		if (groups[i] < groups[*ret_limit])
			*ret_limit = (enum probe_occupancy_limit)i;
	return groups[*ret_limit];
}

/* How much of the limiting resource lets one workgroup more run, and the waves that run then. */
static void find_next(const struct unit *unit, struct probe_occupancy_kernel kernel, uint32_t waves,
		      struct probe_occupancy *ret)
{
	uint32_t groups = ret->waves / waves + 1;
	uint32_t in_simd = (groups * waves + SIMDS - 1) / SIMDS;
	enum probe_occupancy_limit limit;

	if (ret->limit == PROBE_LIMIT_SLOTS)
		return;
	if (ret->limit == PROBE_LIMIT_VGPRS) {
		ret->value_next = unit->vgprs / in_simd / unit->vgpr_granule * unit->vgpr_granule;
		kernel.vgprs = ret->value_next;
		kernel.agprs = minimum(kernel.agprs, ret->value_next);
	} else if (ret->limit == PROBE_LIMIT_SGPRS) {
		ret->value_next = SGPRS / in_simd / SGPR_GRANULE * SGPR_GRANULE;
		kernel.sgprs = ret->value_next;
	} else {
		ret->value_next =
			probe_lds_bytes(unit->target) / groups / LDS_GRANULE * LDS_GRANULE;
		kernel.lds = ret->value_next;
	}
	ret->waves_next = groups_of(unit, &kernel, waves, &limit) * waves;
}

bool probe_occupancy_of(const struct probe_occupancy_kernel *kernel, struct probe_occupancy *ret)
{
	const struct unit *unit = find_unit(kernel->target);
	uint32_t waves = (kernel->items + WAVE_SIZE - 1) / WAVE_SIZE;

	if (!unit || !waves)
		return false;
	*ret = (struct probe_occupancy){.waves_max = SIMDS * unit->waves};
	ret->waves = groups_of(unit, kernel, waves, &ret->limit) * waves;
	find_next(unit, *kernel, waves, ret);
	return true;
}
