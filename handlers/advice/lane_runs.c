/* SPDX-License-Identifier: MIT */
#include "handlers/advice/lane_runs.h"

#include "handlers/advice/divisor.h"
#include "handlers/advice/lane_offsets.h"
#include "handlers/advice/recorded_addresses.h"

/* The lanes of an execution; `first` is the number of lane 0, from the first wave on. */
struct numbered_lanes {
	uint64_t first, exec;
	const uint64_t *addr;
};

struct runs {
	uint64_t length;
	unsigned breaks; /* lanes that begin a run, after another lane of their wave */
};

/* Does lane + 1 follow the lane's element? Both must be active. */
static bool is_contiguous(const struct advice_site *site, const struct numbered_lanes *lanes,
			  unsigned lane)
{
	return lanes->addr[lane + 1] - lanes->addr[lane] == site->bytes;
}

static uint64_t pairs(const struct numbered_lanes *lanes)
{
	return lanes->exec & lanes->exec >> 1;
}

/* Runs begin at multiples of their length, which divides the numbers of all lanes that begin one.
 */
static void find_length(const struct advice_site *site, const struct numbered_lanes *lanes,
			struct runs *runs)
{
	for (uint64_t rest = pairs(lanes); rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);

		if (is_contiguous(site, lanes, lane))
			continue;
		runs->length = divisor(runs->length, lanes->first + lane + 1);
		runs->breaks++;
	}
}

/* Does a run begin at every multiple? */
static bool has_length(const struct advice_site *site, const struct numbered_lanes *lanes,
		       uint64_t length)
{
	for (uint64_t rest = pairs(lanes); rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);

		if (is_contiguous(site, lanes, lane) == ((lanes->first + lane + 1) % length == 0))
			return false;
	}
	return true;
}

/* Runs of powers of two that divide a wave, as parts of an id are by proof: all waves are alike. */
uint64_t runs_proved(const struct advice_site *site)
{
	struct lane_offsets offsets;
	struct runs runs = {0};

	if (!lane_offsets(site, &offsets))
		return 0;
	for (unsigned wave = 0; wave < offsets.waves; wave++)
		find_length(site,
			    &(struct numbered_lanes){0, offsets.exec[wave],
						     (const uint64_t *)offsets.offset[wave]},
			    &runs);
	for (unsigned wave = 0; wave < offsets.waves && runs.length; wave++)
		if (!has_length(site,
				&(struct numbered_lanes){0, offsets.exec[wave],
							 (const uint64_t *)offsets.offset[wave]},
				runs.length))
			return 0;
	return runs.length && site->wave % runs.length == 0 ? runs.length : 0;
}

/* Lanes numbered in their workgroup, or over all of them. */
static struct numbered_lanes lanes_of(const struct advice_site *site, unsigned execution, bool grid)
{
	const struct recorded_addresses *recorded = site->recorded;
	uint64_t group = recorded->key[execution].wave / 64;

	return (struct numbered_lanes){
		.first = (uint64_t)recorded->wave[execution] * site->wave +
			 (grid ? group * site->items : 0),
		.exec = recorded->exec[execution],
		.addr = recorded->addr[execution],
	};
}

static uint64_t length_recorded(const struct advice_site *site, bool grid)
{
	struct runs runs = {0};

	for (unsigned i = 0; i < site->recorded->executions; i++) {
		struct numbered_lanes lanes = lanes_of(site, i, grid);

		find_length(site, &lanes, &runs);
	}
	/* One run has a beginning and an end. */
	if (runs.breaks < 2)
		return 0;
	for (unsigned i = 0; i < site->recorded->executions; i++) {
		struct numbered_lanes lanes = lanes_of(site, i, grid);

		if (!has_length(site, &lanes, runs.length))
			return 0;
	}
	return runs.length;
}

uint64_t runs_recorded(const struct facts *facts)
{
	const struct advice_site *site = facts->site;
	uint64_t length;

	if (!site->recorded || site->recorded->executions != facts->executions || !site->items)
		return 0;
	length = length_recorded(site, false);
	return length ? length : length_recorded(site, true);
}
