/* SPDX-License-Identifier: MIT */
/*
 * An application without a GPU. It speaks the socket protocol and writes a segment as the library
 * and the device do, so that probe-run can be tested and measured alone.
 */
#ifndef PROBE_TESTS_CMD_FAKE_APP_H
#define PROBE_TESTS_CMD_FAKE_APP_H

#include <stddef.h>
#include <stdint.h>

#include "wire/segment_writer.h"

struct fake_app {
	uint64_t load_size; /* of the code object to announce; 0 = 4096 */
	struct probe_segment seg;
	int sock;
	uint32_t next_ring;
	void *image; /* NULL = fake_code_object() */
	size_t image_size;
	uint64_t sample_at; /* offset of the first sampled instruction; 0 = 64 */
	uint64_t calls; /* made so far */
	/* What it has handed over, by its own count: host records, counter rows, trace records. */
	uint64_t host, rows, traced;
	uint64_t unpublished; /* trace records that the ring's head does not cover */
};

/* 0, or -errno; -ENOTCONN if PROBE_SOCKET is not set. */
int fake_connect(struct fake_app *app, uint32_t rings);

/* Process, CPU and GPU agent, queue 1, code object 1 with three sites, kernel 1 and clones 2, 3. */
void fake_announce(struct fake_app *app, const char *source);

/* Announces this file as the code object, loaded 0x1000 below its addresses. 0 or -errno. */
int fake_image(struct fake_app *app, const char *path);

void fake_dispatch(struct fake_app *app, uint64_t id, uint32_t kind, uint32_t verdict);
/* `rows` counter rows of sites 0, 1, 2, 0, ...: executions row + 1. */
void fake_counters(struct fake_app *app, uint64_t id, uint32_t rows);
void fake_complete(struct fake_app *app, uint64_t id, uint32_t rows, uint64_t rows_dropped);

/* `count` calls of hipFake, one after the other, which is announced before the first. */
void fake_calls(struct fake_app *app, uint32_t count);

/*
 * Writes one wave of `records` records into the next ring; `form` is enum probe_form (0 = each form
 * in rotation). Waits for the reader when the ring is full.
 */
void fake_wave(struct fake_app *app, uint64_t dispatch, uint32_t records, unsigned form);
/* More records of the last wave, which it does not publish: a quarter of the ring holds them. */
void fake_unpublished(struct fake_app *app, uint32_t records);

/*
 * Writes the per-wave storage of a dispatch: `waves` waves, a head with `stride` and `spans`, then
 * `places` slots of 64 bytes, which contain waves with a span of site 2.
 */
void fake_stored_waves(struct fake_app *app, uint64_t dispatch, uint32_t waves, uint32_t stride,
		       uint32_t spans, uint32_t places);

/* The GPU is sampled from now on; `method`: enum probe_pcs_method. */
void fake_sampler(struct fake_app *app, uint32_t method);
/*
 * `count` samples of a dispatch in code object 1, evenly distributed over its time: instruction
 * sample_at / 4 + i % 8; those with odd i are stalled with reason 1 + i % 7; half the lanes are
 * active. Then one sample each outside of the code object, not at an instruction, and (stochastic)
 * marked invalid; and 5 reported as lost.
 */
void fake_samples(struct fake_app *app, uint64_t dispatch, uint32_t method, uint32_t count);

void fake_exit_record(struct fake_app *app, uint64_t dispatches);

/* An ELF64 image with section .probe_sites: three sites of `source`. Returns its size. */
size_t fake_code_object(void *out, size_t room, const char *source);

#endif
