/* SPDX-License-Identifier: MIT */
#include "model/site_cost.h"

#include <stdlib.h>
#include <string.h>

#include <probe/rules/access_cost.h>

#include "codeobj/sites.h"
#include "model/derived_rows.h"
#include "model/launch.h"
#include "model/launch_memo.h"
#include "model/wave_classes.h"

/* A multiple of 128 far from both ends of the address space; the value does not matter. */
#define BASE  (1ull << 40)
#define REACH (1ll << 30) /* AFFINE_WRAP_LIMIT: proofs hold for smaller distances between lanes */

struct model_scratch {
	struct probe_cache_lines_scratch lines;
	struct probe_lds_scratch lds;
	struct launch_memo *memo; /* NULL until it is needed */
};

struct model_scratch *model_scratch_create(void)
{
	return calloc(1, sizeof(struct model_scratch));
}

void model_scratch_destroy(struct model_scratch *scratch)
{
	if (scratch)
		launch_memo_destroy(scratch->memo);
	free(scratch);
}

struct launch_memo *model_scratch_memo(struct model_scratch *scratch)
{
	if (!scratch->memo)
		scratch->memo = launch_memo_create();
	return scratch->memo;
}

/* ---- Offsets of lanes ----------------------------------------------------------------------- */

/* The argument or launch parameter in a stride. */
static bool factor_of(const struct model_launch *launch, const struct probe_site_stride *stride,
		      int64_t *ret)
{
	uint32_t bits = stride->bits & ~PROBE_STRIDE_UNSIGNED;
	uint64_t value;

	if (stride->bits & PROBE_STRIDE_LAUNCH) {
		if (!launch_packet_field(launch, stride->offset, &value))
			return false;
	} else if ((bits != 32 && bits != 64) ||
		   !launch_argument(launch, stride->offset, bits / 8, &value)) {
		return false;
	}
	*ret = bits == 32 && !(stride->bits & PROBE_STRIDE_UNSIGNED) ? (int32_t)(uint32_t)value
								     : (int64_t)value;
	return true;
}

static bool stride_of(const struct model_launch *launch, const struct probe_site_stride *stride,
		      int64_t *ret)
{
	int64_t value = 0;

	if (stride->factor && (!factor_of(launch, stride, &value) ||
			       __builtin_mul_overflow(value, stride->factor, &value)))
		return false;
	return !__builtin_add_overflow(value, stride->constant, ret) && *ret > -REACH &&
	       *ret < REACH;
}

/* What ids, and bits of ids, are multiplied by in this launch. */
struct member_strides {
	int64_t id[3];
	int64_t field[PROBE_BITFIELDS];
};

static bool strides_of(const struct model_launch *launch, const struct site_member *member,
		       struct member_strides *ret)
{
	uint8_t multipliers = 0;

	*ret = (struct member_strides){0};
	for (int i = 0; i < PROBE_BITFIELDS; i++) {
		const struct probe_site_bitfield *field = &member->field[i];

		ret->field[i] = 1;
		if (!field->scale || !field->multiplier)
			continue;
		multipliers |= (uint8_t)(1u << (field->multiplier - 1));
		if (!stride_of(launch, &member->stride[field->multiplier - 1], &ret->field[i]))
			return false;
	}
	for (int i = 0; i < 3; i++)
		/* Otherwise there is only one id along this axis. */
		if (launch->group[i] > 1 && !(multipliers >> i & 1) &&
		    !stride_of(launch, &member->stride[i], &ret->id[i]))
			return false;
	return true;
}

/* The address of a lane, minus the uniform part U (struct site_member). */
static bool address_of(const struct model_launch *launch, const struct site_member *member,
		       const struct wave_class *class, const struct member_strides *strides,
		       unsigned lane, int64_t *ret)
{
	const uint32_t *group = launch->group;
	const int64_t id[3] = {lane % group[0], lane / group[0] % group[1],
			       lane / group[0] / group[1]};

	*ret = strides->id[0] * id[0] + strides->id[1] * id[1] + strides->id[2] * id[2];
	for (int i = 0; i < PROBE_BITFIELDS; i++) {
		const struct probe_site_bitfield *field = &member->field[i];
		int64_t value = id[field->axis] >> field->shift & field->mask;

		if (field->scale && field->observed && !class->checked)
			return false;
		if (field->observed)
			value &= class->observed;
		if (__builtin_mul_overflow(value, field->scale, &value) ||
		    __builtin_mul_overflow(value, strides->field[i], &value) ||
		    __builtin_add_overflow(*ret, value, ret))
			return false;
	}
	return true;
}

/* Distance of each lane's address from the first active lane's, by strides. False: unknown. */
static bool offsets_of(const struct model_launch *launch, const struct site_member *member,
		       const struct wave_class *class, int64_t ret[64])
{
	bool first_is_lowest = member->first_is_lowest && !class->checked;
	const uint32_t *group = launch->group;
	struct member_strides strides;
	int64_t first;

	if (!group[0] || !group[1] || !group[2] || !strides_of(launch, member, &strides))
		return false;
	if (!address_of(launch, member, class, &strides, (unsigned)__builtin_ctzll(class->exec),
			&first))
		return false;
	for (uint64_t rest = class->exec; rest; rest &= rest - 1) {
		int64_t *offset = &ret[__builtin_ctzll(rest)];

		if (!address_of(launch, member, class, &strides, (unsigned)__builtin_ctzll(rest),
				offset) ||
		    __builtin_sub_overflow(*offset, first, offset) || *offset <= -REACH ||
		    *offset >= REACH || (first_is_lowest && *offset < 0))
			return false;
	}
	return true;
}

/* ---- Counters ------------------------------------------------------------------------------- */

static void count_lines(struct model_scratch *scratch, const struct probe_site *site, uint64_t exec,
			const uint64_t address[64], struct probe_access_cost *cost)
{
	uint32_t bytes = (uint32_t)__builtin_popcountll(exec) * site->unit;
	struct probe_cache_lines lines =
		probe_cache_lines_count(64, site->unit, exec, address, &scratch->lines);

	probe_access_cost_add_lines(cost, &lines, bytes);
}

static void count_passes(struct model_scratch *scratch, const char *arch,
			 const struct probe_site *site, uint64_t exec, const uint64_t address[64],
			 struct probe_access_cost *cost)
{
	const struct probe_lds_rule rule = probe_lds_rule(
		probe_lds_model_find(arch), 64, site->unit, (enum probe_access_kind)site->access);
	struct probe_lds_cost lds;
	uint32_t narrow[64];

	for (unsigned lane = 0; lane < 64; lane++)
		narrow[lane] = (uint32_t)address[lane];
	lds = probe_lds_count(&rule, exec, narrow, &scratch->lds);
	probe_access_cost_add_lds(cost, &lds);
}

static void count_stride(uint64_t exec, const int64_t offset[64], uint64_t *value)
{
	unsigned first = (unsigned)__builtin_ctzll(exec);
	uint64_t rest = exec & (exec - 1);
	int64_t stride = 0;

	if (rest) {
		unsigned second = (unsigned)__builtin_ctzll(rest);

		stride = offset[second] / (int64_t)(second - first);
		/* The device stores strides in 32 bits. */
		if (stride != (int32_t)stride)
			return;
	}
	for (; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);

		if (offset[lane] != stride * (int64_t)(lane - first))
			return;
	}
	value[PROBE_C_AFFINE] = 1;
	if (!(exec & (exec - 1)))
		return;
	value[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + (uint64_t)stride;
	value[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS - (uint64_t)stride;
}

/* `address`: of the first unit, in each lane. It becomes that of the unit after the last. */
static void count_units(struct model_scratch *scratch, const char *arch,
			const struct probe_site *site, uint64_t exec, uint64_t address[64],
			struct probe_access_cost *cost)
{
	for (unsigned unit = 0; unit < site->size / site->unit; unit++) {
		if (site->space == PROBE_SPACE_LDS)
			count_passes(scratch, arch, site, exec, address, cost);
		else
			count_lines(scratch, site, exec, address, cost);
		for (unsigned lane = 0; lane < 64; lane++)
			address[lane] += site->unit;
	}
}

bool site_cost(const struct site_cost_context *in, const struct site_member *member,
	       const struct wave_class *class, const int64_t offset[64],
	       uint64_t ret[PROBE_COUNTERS])
{
	const struct probe_site *site = &in->table->sites[member->site];
	int64_t distance = offset ? member->address_distance : member->base_distance;
	int64_t by_stride[64] = {0};
	struct probe_access_cost cost = {0};
	uint64_t address[64];

	if (!offset && !offsets_of(in->launch, member, class, by_stride))
		return false;
	offset = offset ? offset : by_stride;
	for (unsigned lane = 0; lane < 64; lane++)
		address[lane] = BASE + class->residue + (uint64_t)distance + (uint64_t)offset[lane];
	memset(ret, 0, PROBE_COUNTERS * sizeof(*ret));
	ret[PROBE_C_EXECUTIONS] = 1;
	ret[PROBE_C_LANES] = (uint64_t)__builtin_popcountll(class->exec);
	count_stride(class->exec, offset, ret);
	count_units(in->scratch, in->launch->arch, site, class->exec, address, &cost);
	probe_access_cost_count(&cost, 1, ret);
	return true;
}
