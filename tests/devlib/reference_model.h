// SPDX-License-Identifier: MIT
// The rules of wire_device.h section 3 in their simplest form: the counters of one execution, from
// the lanes' addresses. It is independent of the implementation in the device library.
#ifndef PROBE_TESTS_DEVLIB_MODEL_H
#define PROBE_TESTS_DEVLIB_MODEL_H

#include <probe/wire.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

struct wave_access {
	uint64_t exec = 0;
	uint64_t address[64] = {};
	uint8_t space[64] = {}; // resolved: PROBE_SPACE_GLOBAL, _LDS or _SCRATCH
};

struct site_shape {
	uint8_t access;
	uint32_t size, unit;
};

// The phase of a lane in one LDS access (measured on gfx90a and gfx942).
static inline unsigned lds_phase(unsigned lane, unsigned unit, bool store)
{
	static const unsigned read128[8] = {0, 1, 2, 3, 1, 0, 3, 2}; // by quad of a half wave

	if (unit <= 4)
		return lane / 32;
	if (unit == 8)
		return lane / 16;
	if (store)
		return lane / 8;
	return lane / 32 * 4 + read128[lane % 32 / 4];
}

static inline unsigned lds_phases(unsigned unit)
{
	return unit <= 4 ? 2 : unit == 8 ? 4 : 8;
}

struct counters {
	uint64_t value[PROBE_COUNTERS] = {};

	void add(const counters &other)
	{
		for (int i = 0; i < PROBE_COUNTERS; i++)
			if (i < PROBE_C_ADDED)
				value[i] += other.value[i];
			else if (other.value[i] > value[i])
				value[i] = other.value[i];
	}
};

static inline void model_lines(counters &c, const wave_access &a, uint64_t lanes, uint32_t offset,
			       uint32_t unit, int wave)
{
	static const struct {
		uint32_t line;
		int used, needed, excess;
	} kinds[] = {
		{64, PROBE_C_LINES64, PROBE_C_NEEDED64, PROBE_C_EXCESS64},
		{128, PROBE_C_LINES128, PROBE_C_NEEDED128, PROBE_C_EXCESS128},
	};
	uint64_t count = __builtin_popcountll(lanes);

	for (auto &kind : kinds) {
		std::set<uint64_t> used;

		for (int l = 0; l < 64; l++)
			if (lanes >> l & 1)
				for (uint32_t b = 0; b < unit; b++)
					used.insert((a.address[l] + offset + b) / kind.line);
		uint64_t needed = (count * unit + kind.line - 1) / kind.line;

		c.value[kind.used] += used.size();
		c.value[kind.needed] += needed;
		c.value[kind.excess] += used.size() > needed ? used.size() - needed : 0;
	}
	for (int quad = 0; quad < wave / 4; quad++) {
		std::set<uint64_t> used;

		for (int l = 4 * quad; l < 4 * quad + 4; l++)
			if (lanes >> l & 1)
				for (uint32_t b = 0; b < unit; b++)
					used.insert((a.address[l] + offset + b) / 64);
		c.value[PROBE_C_QUADS] += used.empty() ? 1 : used.size();
	}
}

static inline void model_passes(counters &c, const wave_access &a, uint64_t lanes, uint32_t offset,
				uint32_t unit, uint8_t access, int wave)
{
	bool store = access == PROBE_ACCESS_STORE, share = access != PROBE_ACCESS_ATOMIC;
	uint32_t width = unit < 4 ? 4 : unit == 12 ? 16 : unit;

	for (unsigned phase = 0; phase < lds_phases(unit) * wave / 64; phase++) {
		std::map<uint32_t, std::set<uint64_t>> dwords;
		uint64_t worst = 1;

		for (int l = 0; l < 64; l++) {
			if (!(lanes >> l & 1) || lds_phase(l, unit, store) != phase)
				continue;
			uint32_t at = (uint32_t)(a.address[l] + offset) / width * width;

			for (uint32_t d = at / 4; d < (at + (unit < 4 ? 4 : unit)) / 4; d++)
				dwords[d % 32].insert(share ? d : (uint64_t)l << 32 | d);
		}
		for (auto &bank : dwords)
			if (bank.second.size() > worst)
				worst = bank.second.size();
		c.value[PROBE_C_PASSES] += worst;
		c.value[PROBE_C_IDEAL_PASSES]++;
		if (worst > c.value[PROBE_C_MAX_WAY])
			c.value[PROBE_C_MAX_WAY] = worst;
	}
}

// A wave of 32 equals the lower half of a wave of 64.
static inline counters model(const wave_access &a, const site_shape &shape, int wave = 64)
{
	counters c;
	std::vector<int> lanes;
	uint64_t global = 0, lds = 0;

	for (int l = 0; l < 64; l++) {
		if (!(a.exec >> l & 1))
			continue;
		lanes.push_back(l);
		if (a.space[l] == PROBE_SPACE_GLOBAL)
			global |= 1ull << l;
		if (a.space[l] == PROBE_SPACE_LDS)
			lds |= 1ull << l;
	}
	if (lanes.empty())
		return c;
	c.value[PROBE_C_EXECUTIONS] = 1;
	c.value[PROBE_C_LANES] = lanes.size();
	for (uint32_t offset = 0; offset < shape.size; offset += shape.unit) {
		if (global)
			model_lines(c, a, global, offset, shape.unit, wave);
		if (lds)
			model_passes(c, a, lds, offset, shape.unit, shape.access, wave);
	}
	int64_t stride = 0;
	bool affine = true;

	for (size_t i = 1; i < lanes.size(); i++) {
		int64_t step = (int64_t)(a.address[lanes[i]] - a.address[lanes[0]]);
		int64_t gap = lanes[i] - lanes[0];

		if (step % gap || (i > 1 && step / gap != stride) ||
		    step / gap != (int32_t)(step / gap))
			affine = false;
		stride = step / gap;
	}
	c.value[PROBE_C_AFFINE] = affine;
	if (affine && lanes.size() > 1) {
		c.value[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + stride;
		c.value[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS - stride;
	}
	return c;
}

#endif
