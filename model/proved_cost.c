/* SPDX-License-Identifier: MIT */
#include "model/proved_cost.h"

#include <stdlib.h>
#include <string.h>

#include <probe/rules/access_cost.h>

#include "model/launch_memo.h"
#include "model/launch_expr.h"

/* Any multiple of 128 far from both ends: where exactly does not matter. */
#define BASE  (1ull << 40)
#define REACH (1ll << 30) /* PASS_WRAP_LIMIT */

struct proved_scratch {
	struct probe_cache_lines_scratch lines;
	struct probe_lds_scratch lds;
	struct launch_memo *memo; /* NULL until asked for */
};

struct proved_scratch *proved_scratch_create(void)
{
	return calloc(1, sizeof(struct proved_scratch));
}

void proved_scratch_destroy(struct proved_scratch *scratch)
{
	if (scratch)
		launch_memo_destroy(scratch->memo);
	free(scratch);
}

struct launch_memo *proved_scratch_memo(struct proved_scratch *scratch)
{
	if (!scratch->memo)
		scratch->memo = launch_memo_create();
	return scratch->memo;
}

static bool argument(const struct proved_launch *launch, const struct probe_site_stride *stride,
		     int64_t *ret)
{
	uint32_t bits = stride->bits & ~PROBE_STRIDE_UNSIGNED;
	uint64_t value;

	if (stride->bits & PROBE_STRIDE_LAUNCH)
		return launch_field(launch, stride->offset, ret);
	if ((bits != 32 && bits != 64) ||
	    !launch_argument(launch, stride->offset, bits / 8, &value))
		return false;
	if (bits == 64 || stride->bits & PROBE_STRIDE_UNSIGNED)
		*ret = (int64_t)value;
	else
		*ret = (int32_t)(uint32_t)value;
	return true;
}

static bool step(const struct proved_launch *launch, const struct probe_site_stride *stride,
		 int64_t *ret)
{
	int64_t value = 0;

	if (stride->factor && (!argument(launch, stride, &value) ||
			       __builtin_mul_overflow(value, stride->factor, &value)))
		return false;
	return !__builtin_add_overflow(value, stride->constant, ret) && *ret > -REACH &&
	       *ret < REACH;
}

static void ids_of(const struct proved_launch *launch, unsigned lane, int64_t ret[3])
{
	const uint32_t *group = launch->group;

	ret[0] = lane % group[0];
	ret[1] = lane / group[0] % group[1];
	ret[2] = lane / group[0] / group[1];
}

/* What a bit field is in a lane with these ids. */
static bool bitfield_of(const struct probe_site_bitfield *bitfield, const struct execution *e,
			const int64_t id[3], int64_t *ret)
{
	int64_t value;

	if (bitfield->axis > 2 || bitfield->shift > 31 || (bitfield->observed && !e->numbered))
		return false;
	value = id[bitfield->axis] >> bitfield->shift & bitfield->mask;
	if (bitfield->observed)
		value &= (int64_t)e->observed;
	return !__builtin_mul_overflow(value, bitfield->times, ret);
}

static bool address_of(const struct probe_site_proof *proof, const struct execution *e,
		       const int64_t steps[3], const int64_t id[3], int64_t *ret)
{
	*ret = steps[0] * id[0] + steps[1] * id[1] + steps[2] * id[2];
	for (int i = 0; i < PROBE_BITFIELDS; i++) {
		int64_t value;

		if (!proof->bitfield[i].times)
			continue;
		if (!bitfield_of(&proof->bitfield[i], e, id, &value) ||
		    __builtin_add_overflow(*ret, value, ret))
			return false;
	}
	return true;
}

/* Of each active lane, from the first one's address. */
static bool distances(const struct proved_launch *launch, const struct probe_site_proof *proof,
		      const struct execution *e, int64_t ret[64])
{
	const uint32_t *group = launch->group;
	bool seen = e->numbered;
	int64_t steps[3] = {0}, first_id[3], first;

	if (!group[0] || !group[1] || !group[2])
		return false;
	for (int i = 0; i < 3; i++)
		/* There is but one id along this axis. */
		if (group[i] > 1 && !step(launch, &proof->stride[i], &steps[i]))
			return false;
	ids_of(launch, (unsigned)__builtin_ctzll(e->exec), first_id);
	if (!address_of(proof, e, steps, first_id, &first))
		return false;
	for (unsigned lane = 0; lane < 64; lane++) {
		int64_t id[3];

		if (!(e->exec >> lane & 1))
			continue;
		ids_of(launch, lane, id);
		if (!address_of(proof, e, steps, id, &ret[lane]) ||
		    __builtin_sub_overflow(ret[lane], first, &ret[lane]))
			return false;
		if (ret[lane] <= -REACH || ret[lane] >= REACH ||
		    (proof->rising && !seen && ret[lane] < 0))
			return false;
	}
	return true;
}

static void count_lines(struct proved_scratch *scratch, const struct probe_site *site,
			uint64_t exec, const uint64_t address[64], struct probe_access_cost *cost)
{
	uint32_t bytes = (uint32_t)__builtin_popcountll(exec) * site->unit;
	struct probe_cache_lines lines =
		probe_cache_lines_count(64, site->unit, exec, address, &scratch->lines);

	probe_access_cost_add_lines(cost, &lines, bytes);
}

static void count_passes(struct proved_scratch *scratch, const char *arch,
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

static void count_stride(uint64_t exec, const int64_t distance[64], uint64_t *value)
{
	unsigned first = (unsigned)__builtin_ctzll(exec);
	uint64_t rest = exec & (exec - 1);
	int64_t stride = 0;

	if (rest) {
		unsigned second = (unsigned)__builtin_ctzll(rest);

		stride = distance[second] / (int64_t)(second - first);
		/* As the device keeps it. */
		if (stride != (int32_t)stride)
			return;
	}
	for (; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);

		if (distance[lane] != stride * (int64_t)(lane - first))
			return;
	}
	value[PROBE_C_AFFINE] = 1;
	if (!(exec & (exec - 1)))
		return;
	value[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + (uint64_t)stride;
	value[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS - (uint64_t)stride;
}

void proved_cost_of(struct proved_scratch *scratch, const char *arch, const struct probe_site *site,
		    uint64_t exec, uint64_t place, const int64_t distance[64],
		    uint64_t value[PROBE_COUNTERS])
{
	struct probe_access_cost cost = {0};
	uint64_t address[64];

	memset(value, 0, PROBE_COUNTERS * sizeof(*value));
	value[PROBE_C_EXECUTIONS] = 1;
	value[PROBE_C_LANES] = (uint64_t)__builtin_popcountll(exec);
	count_stride(exec, distance, value);
	for (unsigned unit = 0; unit < site->size / site->unit; unit++) {
		for (unsigned lane = 0; lane < 64; lane++)
			address[lane] = BASE + place + (uint64_t)distance[lane] + unit * site->unit;
		if (site->space == PROBE_SPACE_LDS)
			count_passes(scratch, arch, site, exec, address, &cost);
		else
			count_lines(scratch, site, exec, address, &cost);
	}
	probe_access_cost_count(&cost, 1, value);
}

bool proved_cost(struct proved_scratch *scratch, const struct proved_launch *launch,
		 const struct probe_site *site, const struct probe_site_proof *proof,
		 const struct execution *e, uint64_t value[PROBE_COUNTERS])
{
	int64_t distance[64] = {0};

	if (!e->exec || !distances(launch, proof, e, distance))
		return false;
	proved_cost_of(scratch, launch->arch, site, e->exec,
		       e->base + (uint64_t)(int64_t)proof->delta, distance, value);
	return true;
}
