/* SPDX-License-Identifier: MIT */
/*
 * The rules of wire_device.h section 3, written a second time as plainly as possible: lists and
 * nested loops, no closed forms. What the library computes must equal this.
 */
#ifndef PROBE_TESTS_RULES_REFERENCE_H
#define PROBE_TESTS_RULES_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/rules/cache_lines.h>
#include <probe/rules/lds_model.h>

static inline bool ref_add(uint64_t *set, unsigned *count, uint64_t value)
{
	for (unsigned i = 0; i < *count; i++)
		if (set[i] == value)
			return false;
	set[(*count)++] = value;
	return true;
}

/* Distinct lines of `size` bytes that the lanes touch, byte by byte. */
static inline uint32_t ref_distinct(unsigned unit, uint64_t exec, const uint64_t *addr,
				    unsigned size)
{
	uint64_t set[64 * 16];
	unsigned count = 0;

	for (unsigned lane = 0; lane < 64; lane++)
		for (unsigned byte = 0; exec >> lane & 1 && byte < unit; byte++)
			ref_add(set, &count, (addr[lane] + byte) / size);
	return count;
}

static inline struct probe_cache_lines ref_lines(unsigned wave, unsigned unit, uint64_t exec,
						 const uint64_t *addr)
{
	struct probe_cache_lines lines = {
		.used64 = ref_distinct(unit, exec, addr, 64),
		.used128 = ref_distinct(unit, exec, addr, 128),
	};

	for (unsigned lane = 0; lane < wave; lane += 4) {
		uint64_t quad = exec & 15ull << lane;
		uint32_t used = ref_distinct(unit, quad, addr, 64);

		lines.quads += used ? used : 1;
	}
	return lines;
}

static inline struct probe_lds_rule ref_lds_rule(const char *arch, unsigned wave, unsigned unit,
						 enum probe_access_kind access)
{
	const struct probe_lds_model *model = probe_lds_model_find(arch);

	return (struct probe_lds_rule){
		.phases = probe_lds_model_phases(model, unit, access == PROBE_ACCESS_STORE),
		.phase_wave = model->wave,
		.wave = (uint8_t)wave,
		.unit = (uint8_t)unit,
		.share = access != PROBE_ACCESS_ATOMIC,
	};
}

static inline struct probe_lds_cost ref_lds(const struct probe_lds_rule *rule, uint64_t exec,
					    const uint32_t *addr)
{
	const struct probe_lds_phases *phases = rule->phases;
	struct probe_lds_cost cost = {0};

	for (unsigned half = 0; half < rule->wave; half += rule->phase_wave) {
		for (unsigned p = 0; p < phases->count; p++) {
			uint32_t worst = 1;

			for (unsigned bank = 0; bank < phases->banks; bank++) {
				uint64_t set[64 * 16];
				unsigned count = 0, own = 0;

				for (unsigned lane = 0; lane < 64; lane++) {
					/* Lanes that share nothing are counted one by one. */
					own += rule->share ? 0 : count;
					count = rule->share ? count : 0;
					if (!(exec & phases->lanes[p] << half & 1ull << lane))
						continue;
					for (unsigned byte = 0; byte < rule->unit; byte++) {
						uint32_t dword = (addr[lane] + byte) / 4;

						if (dword % phases->banks == bank)
							ref_add(set, &count, dword);
					}
				}
				worst = own + count > worst ? own + count : worst;
			}
			cost.ideal++;
			cost.passes += worst;
			cost.way = worst > cost.way ? worst : cost.way;
		}
	}
	return cost;
}

/* xorshift: the same numbers on every machine. */
static inline uint64_t ref_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
