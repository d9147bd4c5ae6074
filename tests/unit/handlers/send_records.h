/* SPDX-License-Identifier: MIT */
/* One instance of a handler of accesses, and accesses of one kernel to send to it. */
#ifndef PROBE_TESTS_HANDLERS_SEND_H
#define PROBE_TESTS_HANDLERS_SEND_H

#include <inttypes.h>
#include <stdlib.h>

#include "tests/unit/handlers/fake_host.h"
#include "tests/unit/rules/rules_reference.h"

extern const struct probe_handler probe_handler;

static struct host_state host_state;
static struct probe_host host;
static void *instance;

static struct probe_dispatch_info dispatch = {
	.size = sizeof(dispatch),
	.id = 1,
	.kernel = "kernel",
	.arch = "gfx90a:sramecc+:xnack-",
	.code_object = 3,
	.kernel_id = 5,
	.wave_size = 64,
	.group = {64, 1, 1},
	.lds_aperture = 0x10000,
	.scratch_aperture = 0x20000,
};

static inline int start(void **state)
{
	(void)state;
	memset(&host_state, 0, sizeof(host_state));
	host = host_of(&host_state);
	dispatch.group[0] = 64;
	dispatch.group[1] = dispatch.group[2] = 1;
	dispatch.arch = "gfx90a:sramecc+:xnack-";
	dispatch.lds_bytes = 0;
	return probe_handler.open(&host, &instance);
}

static inline uint32_t add_site(enum probe_access_kind access, enum probe_space space,
				uint16_t bytes, uint16_t unit)
{
	return host_add_site(&host_state, access, space, bytes, unit);
}

/* The terms of a site's address: up to the first one without values, at most SEND_TERMS. */
enum { SEND_TERMS = 4 };
static inline void set_terms(uint32_t site, const struct probe_site_term *terms)
{
	uint32_t count = 0;

	while (count < SEND_TERMS && terms[count].of)
		count++;
	host_state.sites[site].terms = terms;
	host_state.sites[site].term_count = count;
}

static inline void send(const struct probe_access *access, size_t count)
{
	struct probe_batch batch = {
		.size = sizeof(batch),
		.stream = PROBE_STREAM_ACCESS,
		.dispatch = &dispatch,
		.count = count,
		.access = access,
	};

	assert_int_equal(probe_handler.batch(instance, &batch), 0);
}

static inline void send_counter_rows(const struct probe_counter_row *rows, size_t count)
{
	struct probe_batch batch = {
		.size = sizeof(batch),
		.stream = PROBE_STREAM_COUNTERS,
		.dispatch = &dispatch,
		.count = count,
		.counters = rows,
	};

	assert_int_equal(probe_handler.batch(instance, &batch), 0);
}

static inline void send_affine(uint32_t site, uint64_t exec, uint64_t base, int64_t stride)
{
	struct probe_access access = {
		.site = site,
		.form = PROBE_FORM_AFFINE,
		.lanes = (uint8_t)__builtin_popcountll(exec),
		.exec = exec,
		.base = base,
		.stride = stride,
	};

	send(&access, 1);
}

/* Some lanes of a wave, by the addresses of all. */
static inline void send_lanes(uint32_t site, const struct probe_wave_info *wave, uint64_t exec,
			      const uint64_t addr[64])
{
	uint64_t ranks[64];
	struct probe_access access = {
		.site = site,
		.form = PROBE_FORM_FULL,
		.lanes = (uint8_t)__builtin_popcountll(exec),
		.exec = exec,
		.addresses = ranks,
		.wave = wave,
	};
	unsigned n = 0;

	for (uint64_t rest = exec; rest; rest &= rest - 1)
		ranks[n++] = addr[__builtin_ctzll(rest)];
	send(&access, 1);
}

/* A full wave by its addresses. */
static inline void send_full(uint32_t site, const uint64_t addr[64])
{
	struct probe_access access = {
		.site = site,
		.form = PROBE_FORM_FULL,
		.lanes = 64,
		.exec = ~0ull,
		.addresses = addr,
	};

	send(&access, 1);
}

static inline void finish(void)
{
	assert_int_equal(probe_handler.close(instance), 0);
	instance = NULL;
}

static inline int64_t get(size_t row, const char *name)
{
	return host_get(&host_state, row, name);
}

/* out[x * n + y] of a 32 x 32 workgroup; tile[x * pitch + y] as well. */
static inline void send_columns(uint32_t site, uint64_t base, uint64_t pitch)
{
	uint64_t addr[64];

	dispatch.group[0] = 32;
	for (uint64_t wave = 0; wave < 16; wave++) {
		for (uint64_t lane = 0; lane < 64; lane++)
			addr[lane] = base + 4 * (lane % 32 * pitch + wave * 2 + lane / 32);
		send_full(site, addr);
	}
}

#endif
