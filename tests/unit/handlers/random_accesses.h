/* SPDX-License-Identifier: MIT */
/* Random sites, waves and accesses for the tests of handlers, with each lane's address. */
#ifndef PROBE_TESTS_HANDLERS_RANDOM_H
#define PROBE_TESTS_HANDLERS_RANDOM_H

#include "tests/unit/handlers/fake_host.h"
#include "tests/unit/rules/rules_reference.h"

enum { RANDOM_LDS_APERTURE = 0x10000, RANDOM_SCRATCH_APERTURE = 0x20000 };

static const struct probe_dispatch_info random_dispatch = {
	.size = sizeof(random_dispatch),
	.id = 1,
	.kernel = "kernel",
	.arch = "gfx90a:sramecc+:xnack-",
	.code_object = 3,
	.kernel_id = 5,
	.wave_size = 64,
	.group = {256, 1, 1},
	.lds_aperture = RANDOM_LDS_APERTURE,
	.scratch_aperture = RANDOM_SCRATCH_APERTURE,
};

struct random_access {
	struct probe_access access;
	struct probe_wave_info wave;
	uint64_t addresses[64];
	int32_t offsets[64];
	bool active[64]; /* by lane */
	uint64_t addr[64];
};

static inline uint32_t random_add_site(struct host_state *state, enum probe_access_kind access,
				       enum probe_space space, uint16_t bytes, uint16_t unit)
{
	uint32_t id = host_add_site(state, access, space, bytes, unit);

	state->sites[id].line = 10 + id;
	state->sites[id].column = 5;
	return id;
}

/* Every space, size and kind of access: 54 sites. */
static inline void random_add_sites(struct host_state *state)
{
	static const enum probe_space spaces[] = {PROBE_SPACE_GLOBAL, PROBE_SPACE_LDS,
						  PROBE_SPACE_FLAT};
	static const uint16_t shapes[][2] = {{1, 1}, {4, 4}, {8, 8}, {12, 12}, {16, 16}, {128, 16}};

	for (size_t s = 0; s < 3; s++)
		for (size_t k = 0; k < 6; k++)
			for (int a = PROBE_ACCESS_LOAD; a <= PROBE_ACCESS_ATOMIC; a++)
				random_add_site(state, (enum probe_access_kind)a, spaces[s],
						shapes[k][0], shapes[k][1]);
}

static inline uint64_t random_exec(uint64_t *seed)
{
	uint64_t exec = ~0ull;

	if (ref_random(seed) % 4 == 0)
		exec = ref_random(seed);
	else if (ref_random(seed) % 2)
		exec = ~0ull >> ref_random(seed) % 64 << ref_random(seed) % 64;
	return exec ? exec : 1;
}

/* Global addresses within 1 MiB, LDS ones within 32 KiB. */
static inline uint64_t random_base(uint64_t *seed, unsigned space, uint64_t align)
{
	static const uint64_t high[] = {RANDOM_LDS_APERTURE, RANDOM_SCRATCH_APERTURE, 0x7f12, 0};
	uint64_t low = ref_random(seed) % 0x8000 / align * align;
	uint64_t far = ref_random(seed) % 0x100000 / align * align + 0x100000;

	if (space == PROBE_SPACE_LDS)
		return low;
	if (space == PROBE_SPACE_FLAT && ref_random(seed) % 4)
		return high[ref_random(seed) % 3] << 32 | low;
	return 0x7f1200000000 + far;
}

/* An access by a wave of which fewer lanes than 64 may exist. */
static inline void random_access(uint64_t *seed, const struct probe_site_info *site,
				 struct random_access *ret)
{
	uint64_t align = ref_random(seed) % 4 ? site->unit : 1, ranks[64];
	uint32_t range = 1u << (3 + ref_random(seed) % 12);
	struct probe_access *access = &ret->access;
	unsigned n = 0;

	ret->wave = (struct probe_wave_info){
		.group = {(uint32_t)(ref_random(seed) % 3), 0, 0},
		.wave = (uint32_t)(ref_random(seed) % 4),
		.hw_id = (uint32_t)(ref_random(seed) % 4) << 8,
		.exec = ref_random(seed) % 3 ? ~0ull : ~0ull >> ref_random(seed) % 64,
	};
	*access = (struct probe_access){.site = site->id, .wave = &ret->wave};
	access->exec = random_exec(seed) & ret->wave.exec;
	access->exec = access->exec ? access->exec : 1;
	access->lanes = (uint8_t)__builtin_popcountll(access->exec);
	access->base = random_base(seed, site->space, align);
	for (unsigned i = 0; i < 64; i++) {
		ret->offsets[i] = (int32_t)(ref_random(seed) % range / align * align);
		ret->addresses[i] = random_base(seed, site->space, align);
	}
	access->form = (uint8_t)(PROBE_FORM_AFFINE + ref_random(seed) % 3);
	if (access->form == PROBE_FORM_AFFINE) {
		access->stride = (int64_t)(ref_random(seed) % range) - (int64_t)(range / 4);
		access->stride -= access->stride % (int64_t)align;
		access->base += 0x40000; /* above what a negative stride reaches */
	} else if (access->form == PROBE_FORM_NEAR) {
		access->offsets = ret->offsets;
	} else {
		access->base = 0;
		access->addresses = ret->addresses;
	}
	probe_access_expand(access, ranks);
	for (unsigned lane = 0; lane < 64; lane++) {
		ret->active[lane] = access->exec >> lane & 1;
		ret->addr[lane] = ret->active[lane] ? ranks[n++] : 0;
	}
}

/* The address space of a lane, determined independently of the handlers. */
static inline enum probe_space random_space(const struct probe_site_info *site, uint64_t addr)
{
	if (site->space != PROBE_SPACE_FLAT)
		return (enum probe_space)site->space;
	if (addr >> 32 == RANDOM_LDS_APERTURE)
		return PROBE_SPACE_LDS;
	return addr >> 32 == RANDOM_SCRATCH_APERTURE ? PROBE_SPACE_SCRATCH : PROBE_SPACE_GLOBAL;
}

static inline void random_send(const struct probe_handler *handler, void *instance,
			       const struct probe_access *access, size_t count)
{
	struct probe_batch batch = {
		.size = sizeof(batch),
		.stream = PROBE_STREAM_ACCESS,
		.dispatch = &random_dispatch,
		.count = count,
		.access = access,
	};

	assert_int_equal(handler->batch(instance, &batch), 0);
}

#endif
