/* SPDX-License-Identifier: MIT */
#include "handlers/advice/lane_offsets.h"

#include <string.h>

#include <probe/handler.h>

#include "handlers/advice/recorded_addresses.h"

#define REACH (1ll << 30) /* no proof covers lanes farther apart */

/* A size of the launch by its offset in the dispatch packet; 0 = unknown. */
static uint32_t launch_size(const struct advice_site *site, uint32_t offset)
{
	if (offset == 4 || offset == 6 || offset == 8)
		return site->group[(offset - 4) / 2];
	if (offset == 12 || offset == 16 || offset == 20)
		return site->grid[(offset - 12) / 4];
	return 0;
}

static bool stride_of(const struct advice_site *site, const struct probe_site_stride *proof,
		      int64_t *ret)
{
	uint32_t size = 0;

	if (proof->factor && proof->bits & PROBE_STRIDE_LAUNCH)
		size = launch_size(site, proof->offset);
	if (proof->factor && !size)
		return false;
	*ret = proof->constant + proof->factor * (int64_t)size;
	return *ret > -REACH && *ret < REACH;
}

bool advice_terms_known(const struct advice_site *site)
{
	/* Where data flow does not show what the address depends on, values are the lanes' own. */
	if (!site->info || !site->info->address_class)
		return false;
	for (unsigned i = 0; i < site->term_count; i++)
		if (site->terms[i].of & PROBE_TERM_UNKNOWN)
			return false;
	return site->term_count;
}

bool has_linear_id(const struct advice_site *site)
{
	for (unsigned i = 0; i < site->term_count; i++)
		if (site->terms[i].of & PROBE_TERM_ITEM << 1 && site->terms[i].of & PROBE_TERM_SIZE)
			return true;
	return false;
}

bool advice_is_lanes_own(const struct probe_site_info *info)
{
	return info->address_class == PROBE_ADDRESS_GATHER ||
	       info->address_class == PROBE_ADDRESS_CHASE ||
	       info->address_class == PROBE_ADDRESS_WRAPPED;
}

bool axis_terms(const struct advice_site *site, struct axis_strides *ret)
{
	if (!advice_terms_known(site) || advice_is_lanes_own(site->info))
		return false;
	*ret = (struct axis_strides){.known = {true, true, true}};
	for (unsigned i = 0; i < site->term_count; i++) {
		const struct probe_site_term *term = &site->terms[i];

		for (unsigned axis = 0; axis < 3; axis++) {
			if (!(term->of & PROBE_TERM_ITEM << axis))
				continue;
			ret->stride[axis] += term->step;
			ret->known[axis] &= term->of == PROBE_TERM_ITEM << axis;
			ret->fields |= (term->of & PROBE_TERM_PART) != 0;
		}
	}
	for (int i = 0; i < 3; i++)
		ret->known[i] &= ret->stride[i] > -REACH && ret->stride[i] < REACH;
	return true;
}

/* The address is affine by proof, but its strides are not in the site table. */
static bool is_proved(const struct probe_site_info *info)
{
	return info->address_class == PROBE_ADDRESS_AFFINE ||
	       info->address_class == PROBE_ADDRESS_ROWS;
}

bool axis_strides(const struct advice_site *site, struct axis_strides *ret)
{
	const struct probe_site_info *info = site->info;

	if (!info || !site->group[0] || !site->group[1] || !site->group[2])
		return false;
	if (!info->strides)
		return is_proved(info) && axis_terms(site, ret) && !ret->fields;
	*ret = (struct axis_strides){.fields = false};
	for (int i = 0; i < 3; i++)
		ret->known[i] = stride_of(site, &info->strides[i], &ret->stride[i]);
	for (int i = 0; i < PROBE_BITFIELDS; i++)
		ret->fields |= info->bitfields[i].scale != 0;
	return true;
}

/* False if a field is masked by a value that is known only on the device. */
static bool add_fields(const struct probe_site_info *info, const int64_t id[3], int64_t *sum)
{
	for (int i = 0; i < PROBE_BITFIELDS; i++) {
		const struct probe_site_bitfield *field = &info->bitfields[i];

		if (field->scale && field->observed)
			return false;
		if (field->scale)
			*sum += field->scale * (id[field->axis % 3] >> field->shift & field->mask);
	}
	return true;
}

static bool is_listed(const struct lane_offsets *lanes, unsigned wave)
{
	for (unsigned i = 0; i < wave; i++)
		if (lanes->exec[i] == lanes->exec[wave] &&
		    !memcmp(lanes->offset[i], lanes->offset[wave], sizeof(lanes->offset[i])))
			return true;
	return false;
}

/* Relative to each wave's first lane; waves with equal offsets are listed once. */
static void list_once(struct lane_offsets *lanes)
{
	unsigned waves = lanes->waves;

	lanes->waves = 0;
	for (unsigned wave = 0; wave < waves; wave++) {
		unsigned to = lanes->waves;
		int64_t first = lanes->offset[wave][0];

		for (unsigned lane = 0; lane < 64; lane++)
			lanes->offset[to][lane] = lanes->exec[wave] >> lane & 1
							  ? lanes->offset[wave][lane] - first
							  : 0;
		lanes->exec[to] = lanes->exec[wave];
		lanes->waves += !is_listed(lanes, to);
	}
}

bool lane_offsets(const struct advice_site *site, struct lane_offsets *ret)
{
	const uint32_t *group = site->group;
	struct axis_strides axes;
	uint64_t items;

	if (!axis_strides(site, &axes))
		return false;
	for (int i = 0; i < 3; i++)
		if (group[i] > 1 && !axes.known[i])
			return false;
	items = (uint64_t)group[0] * group[1] * group[2];
	*ret = (struct lane_offsets){.waves = (unsigned)((items + site->wave - 1) / site->wave)};
	if (ret->waves > OFFSET_WAVES)
		return false;
	for (uint64_t item = 0; item < items; item++) {
		const int64_t id[3] = {(int64_t)(item % group[0]),
				       (int64_t)(item / group[0] % group[1]),
				       (int64_t)(item / group[0] / group[1])};
		unsigned wave = (unsigned)(item / site->wave), lane = item % site->wave;
		int64_t at = 0;

		for (int i = 0; i < 3; i++)
			at += group[i] > 1 ? axes.stride[i] * id[i] : 0;
		if (axes.fields && !add_fields(site->info, id, &at))
			return false;
		ret->exec[wave] |= 1ull << lane;
		ret->offset[wave][lane] = at;
	}
	list_once(ret);
	return true;
}

bool lanes_recorded(const struct recorded_addresses *recorded, struct lane_offsets *ret)
{
	*ret = (struct lane_offsets){.waves = 0};
	for (unsigned i = 0; recorded && i < recorded->executions; i++) {
		uint64_t exec = recorded->exec[i], first;

		if (ret->waves == OFFSET_WAVES)
			return false;
		first = recorded->addr[i][__builtin_ctzll(exec)];
		memset(ret->offset[ret->waves], 0, sizeof(ret->offset[0]));
		ret->exec[ret->waves] = exec;
		for (; exec; exec &= exec - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(exec);

			ret->offset[ret->waves][lane] = (int64_t)(recorded->addr[i][lane] - first);
		}
		ret->waves += !is_listed(ret, ret->waves);
	}
	return ret->waves;
}
