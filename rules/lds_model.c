/* SPDX-License-Identifier: MIT */
/* LDS costs from phase tables; see <probe/rules/lds_model.h>. */
#include <probe/rules/lds_model.h>

#include <stddef.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "rules/lds_tables.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct probe_lds_model *exact(const char *arch, size_t len)
{
	for (size_t i = 0; i < COUNT(models); i++)
		if (strlen(models[i].arch) == len && !strncmp(models[i].arch, arch, len))
			return &models[i];
	return NULL;
}

/* Length without features: "gfx90a:sramecc+" is gfx90a. */
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

const struct probe_lds_model *probe_lds_model_find(const char *arch)
{
	const struct probe_lds_model *model = exact(arch, name_length(arch));
	const char *family;

	if (model)
		return model;
	family = families[family_of(arch)].model;
	return exact(family, strlen(family));
}

const char *probe_lds_model_note(const char *arch)
{
	const struct probe_lds_model *model = exact(arch, name_length(arch));

	return model ? model->note : families[family_of(arch)].note;
}

const struct probe_lds_phases *probe_lds_model_phases(const struct probe_lds_model *model,
						      unsigned unit, bool write)
{
	enum probe_lds_width width = unit <= 4	 ? PROBE_LDS_B32
				     : unit <= 8 ? PROBE_LDS_B64
				     : unit < 16 ? PROBE_LDS_B96
						 : PROBE_LDS_B128;

	return write ? &model->write[width] : &model->read[width];
}

struct probe_lds_rule probe_lds_rule(const struct probe_lds_model *model, unsigned wave,
				     unsigned unit, enum probe_access_kind access)
{
	return (struct probe_lds_rule){
		.phases = probe_lds_model_phases(model, unit, access == PROBE_ACCESS_STORE),
		.phase_wave = model->wave,
		.wave = (uint8_t)wave,
		.unit = (uint8_t)unit,
		.share = access != PROBE_ACCESS_ATOMIC,
	};
}

/* ---- Counting ------------------------------------------------------------------------------ */

struct phase {
	uint32_t mask; /* banks - 1 */
	uint32_t cost;
	uint8_t bank[64]; /* distinct dwords so far */
};

/* Addresses beyond the size of LDS are not in the table of dwords: compare with all. */
static bool seen_far(const uint32_t addr[64], uint64_t before, unsigned unit, uint32_t dword)
{
	for (; before; before &= before - 1) {
		uint32_t at = addr[__builtin_ctzll(before)];

		if (dword - at / 4 <= (at + unit - 1) / 4 - at / 4)
			return true;
	}
	return false;
}

static void need(struct phase *phase, uint32_t dword)
{
	uint32_t count = ++phase->bank[dword & phase->mask];

	phase->cost = count > phase->cost ? count : phase->cost;
}

static uint32_t phase_cost(const struct probe_lds_rule *rule, uint64_t lanes,
			   const uint32_t addr[64], struct probe_lds_scratch *scratch)
{
	struct phase phase = {.mask = rule->phases->banks - 1u, .cost = 1};
	uint32_t stamp = ++scratch->stamp;
	unsigned unit = rule->unit;

	if (!stamp) {
		memset(scratch->seen, 0, sizeof(scratch->seen));
		stamp = ++scratch->stamp;
	}
	for (uint64_t rest = lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		uint32_t first = addr[lane] / 4, last = (addr[lane] + unit - 1) / 4;

		for (uint32_t dword = first; dword <= last; dword++) {
			if (!rule->share) {
				need(&phase, dword);
				continue;
			}
			if (dword < COUNT(scratch->seen)) {
				if (scratch->seen[dword] == stamp)
					continue;
				scratch->seen[dword] = stamp;
			} else if (seen_far(addr, lanes & ~rest, unit, dword)) {
				continue;
			}
			need(&phase, dword);
		}
	}
	return phase.cost;
}

/* ---- Counting 32 lanes of a dword each, or a part of one, at once -----------------------------
 */

enum { LANES = 32, IDLE = 255 };

#ifdef __x86_64__
/*
 * Compares the banks of 32 lanes pairwise: all rotations of the numbers within halves of a
 * register, with and without swapping the halves. Returns the largest number of lanes on one bank.
 * Returns 0 if two of them may share a dword, that is if the upper parts of their dword numbers,
 * `high`, are equal.
 */
__attribute__((target("avx2"))) static uint32_t most_meet(const uint8_t bank[LANES],
							  const uint8_t high[LANES], bool share)
{
	const __m256i turn = _mm256_setr_epi8(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0,
					      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0);
	const __m256i banks = _mm256_loadu_si256((const __m256i *)(const void *)bank);
	const __m256i highs = _mm256_loadu_si256((const __m256i *)(const void *)high);
	__m256i meet = _mm256_setzero_si256(), both = meet;
	__m256i at = banks, across = _mm256_permute2x128_si256(at, at, 1);
	__m256i high_at = highs, high_across = _mm256_permute2x128_si256(highs, highs, 1);
	__m128i most;

	for (unsigned i = 0; i < LANES / 2; i++) {
		__m256i same = _mm256_cmpeq_epi8(banks, across);

		meet = _mm256_sub_epi8(meet, same);
		same = _mm256_and_si256(same, _mm256_cmpeq_epi8(highs, high_across));
		both = _mm256_or_si256(both, same);
		across = _mm256_shuffle_epi8(across, turn);
		high_across = _mm256_shuffle_epi8(high_across, turn);
		same = _mm256_cmpeq_epi8(banks, at);
		meet = _mm256_sub_epi8(meet, same);
		if (i) /* i = 0 would compare each lane with itself */
			both = _mm256_or_si256(
				both, _mm256_and_si256(same, _mm256_cmpeq_epi8(highs, high_at)));
		at = _mm256_shuffle_epi8(at, turn);
		high_at = _mm256_shuffle_epi8(high_at, turn);
	}
	at = _mm256_cmpeq_epi8(banks, _mm256_set1_epi8((char)IDLE));
	meet = _mm256_andnot_si256(at, meet);
	if (share && !_mm256_testc_si256(at, both))
		return 0;
	most = _mm_max_epu8(_mm256_castsi256_si128(meet), _mm256_extracti128_si256(meet, 1));
	most = _mm_max_epu8(most, _mm_srli_si128(most, 8));
	most = _mm_max_epu8(most, _mm_srli_si128(most, 4));
	most = _mm_max_epu8(most, _mm_srli_si128(most, 2));
	most = _mm_max_epu8(most, _mm_srli_si128(most, 1));
	return (uint32_t)_mm_cvtsi128_si32(most) & 255;
}
#endif

/* The cost of a phase of neighbouring lanes, each in one dword; 0: not known. */
static uint32_t cost_of_32(unsigned banks, bool share, uint64_t lanes, const uint32_t addr[64])
{
#ifdef __x86_64__
	unsigned shift = (unsigned)__builtin_ctz(banks), first = lanes >> LANES ? LANES : 0, most;
	uint8_t bank[LANES], high[LANES];

	if ((uint32_t)lanes && lanes >> LANES)
		return 0;
	for (unsigned i = 0; i < LANES; i++) {
		uint32_t dword = addr[first + i] / 4;

		bank[i] = (uint8_t)(dword & (banks - 1));
		high[i] = (uint8_t)(dword >> shift);
	}
	for (uint32_t idle = ~(uint32_t)(lanes >> first); idle; idle &= idle - 1)
		bank[__builtin_ctz(idle)] = IDLE;
	most = most_meet(bank, high, share);
	return most || !lanes ? (most ? most : 1) : 0;
#else
	(void)banks, (void)share, (void)lanes, (void)addr;
	return 0;
#endif
}

/* Does cost_of_32() apply? */
static bool is_simple(const struct probe_lds_phases *phases, unsigned unit, const uint32_t addr[64])
{
	uint32_t any = 0;

#ifdef __x86_64__
	if (unit > 4 || unit == 3 || phases->banks > 64 || !__builtin_cpu_supports("avx2"))
		return false;
#else
	(void)phases;
	return false;
#endif
	for (unsigned lane = 0; lane < 64; lane++)
		any |= addr[lane];
	return !(any & (unit - 1));
}

static struct probe_lds_cost count(const struct probe_lds_rule *rule, uint64_t exec,
				   const uint32_t addr[64], struct probe_lds_scratch *scratch)
{
	const struct probe_lds_phases *phases = rule->phases;
	bool simple = is_simple(phases, rule->unit, addr);
	struct probe_lds_cost cost = {0};

	for (unsigned half = 0; half < rule->wave; half += rule->phase_wave) {
		for (unsigned i = 0; i < phases->count; i++) {
			uint64_t lanes = exec & phases->lanes[i] << half;
			uint32_t passes =
				simple ? cost_of_32(phases->banks, rule->share, lanes, addr) : 0;

			if (!passes)
				passes = phase_cost(rule, lanes, addr, scratch);
			cost.passes += passes;
			cost.way = passes > cost.way ? passes : cost.way;
			cost.ideal++;
		}
	}
	return cost;
}

/*
 * If all lanes move by the same number of dwords, banks are rotated and shared dwords stay shared.
 * So the cost depends on the distances from the first lane, and on its place in a dword. Loops in
 * kernels have few such patterns, and comparing one is several times as fast as counting.
 */
static bool is_known(const struct probe_lds_pattern *pattern, const struct probe_lds_rule *rule,
		     const uint32_t addr[64])
{
	const struct probe_lds_rule *known = &pattern->rule;
	uint32_t moved = addr[0] - pattern->addr[0], differ = moved % 4, any = 0;

	for (unsigned lane = 0; lane < 64; lane++) {
		differ |= addr[lane] - pattern->addr[lane] - moved;
		any |= addr[lane] | pattern->addr[lane];
	}
	/* Only addresses far beyond LDS wrap around. */
	return !differ && !(any >> 31) && known->phases == rule->phases &&
	       known->phase_wave == rule->phase_wave && known->wave == rule->wave &&
	       known->unit == rule->unit && known->share == rule->share;
}

struct probe_lds_cost probe_lds_count(const struct probe_lds_rule *rule, uint64_t exec,
				      const uint32_t addr[64], struct probe_lds_scratch *scratch)
{
	uint32_t some = (addr[1] - addr[0]) * 5 + (addr[16] - addr[0]) * 3 + addr[63] - addr[0];
	struct probe_lds_pattern *pattern =
		&scratch->known[(some >> 2 ^ some >> 7 ^ rule->unit) % PROBE_LDS_PATTERNS];

	if (exec != UINT64_MAX)
		return count(rule, exec, addr, scratch);
	if (!is_known(pattern, rule, addr)) {
		pattern->cost = count(rule, exec, addr, scratch);
		pattern->rule = *rule;
		memcpy(pattern->addr, addr, sizeof(pattern->addr));
	}
	return pattern->cost;
}

/* ---- Closed forms -------------------------------------------------------------------------- */

/*
 * The lanes of a phase are distinct modulo the number of lanes per phase, and an access covers
 * banks / lanes banks. With a stride of `steps` accesses, as many lanes share a bank as the largest
 * power of two that divides `steps`.
 */
bool probe_lds_count_affine(const struct probe_lds_rule *rule, uint32_t base, int64_t stride,
			    struct probe_lds_cost *ret)
{
	const struct probe_lds_phases *phases = rule->phases;
	unsigned halves = rule->wave > rule->phase_wave ? rule->wave / rule->phase_wave : 1;
	unsigned unit = rule->unit;
	uint32_t width = unit <= 4 ? 4 : unit <= 8 ? 8 : 16, way = 1;
	uint32_t most = phases->banks * 4u / width;
	uint32_t steps;

	/* Large strides would wrap around the 32 bits of an LDS address. */
	if (stride > 0x1000000 || stride < -0x1000000)
		return false;
	/* Lanes closer than a dword share one. */
	if (!rule->share && stride > -4 && stride < 4)
		return false;
	if (rule->wave < rule->phase_wave ||
	    (unsigned)__builtin_popcountll(phases->lanes[0]) != most)
		return false;
	if (stride & (width - 1)) {
		/*
		 * Contiguous 1- and 2-byte accesses: adjacent lanes share dwords without conflict.
		 */
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
	*ret = (struct probe_lds_cost){
		.passes = halves * phases->count * way,
		.ideal = halves * phases->count,
		.way = way,
	};
	return true;
}
