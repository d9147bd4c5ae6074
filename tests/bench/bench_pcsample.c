/* SPDX-License-Identifier: MIT */
/*
 * How many PC samples per second are decoded, attributed and counted, on one core:
 *   bench_pcsample
 * Prints "<method>_<distinct addresses> <million samples per second>" per line; "dispatches" in
 * front: counted per dispatch too and packed, with "_bytes" behind: bytes per sample. Records are
 * read from 256 MiB, more than any cache holds, as they would come from a device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "pcsample/attribute.h"
#include "pcsample/profile.h"

enum { SAMPLES = 4 << 20, DISPATCHES = 256, BASE = 0x100000 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fill(const struct probe_pcs_layout *layout, uint8_t *records, uint32_t addresses)
{
	uint64_t seed = 88172645463325252u;

	for (uint32_t i = 0; i < SAMPLES; i++) {
		struct probe_pc_sample sample = {.exec = seed % 4 ? ~0ull : seed, .wave_count = 16};

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		sample.pc = BASE + 4 * (seed >> 20) % (4ull * addresses) / 4 * 4;
		/* As delivered: one dispatch after the other, some samples late. */
		sample.correlation =
			(i / (SAMPLES / DISPATCHES) - (i && !(seed % 64))) % DISPATCHES;
		/* An instruction has one type, and two possible stall reasons. */
		sample.issued = seed >> 10 & 1;
		sample.type = sample.issued ? (uint8_t)(1 + sample.pc / 4 % 7) : 0;
		sample.reason =
			sample.issued ? 0 : (uint8_t)(1 + (sample.pc / 4 + (seed >> 11 & 1)) % 7);
		probe_pcs_encode(layout, &sample, records + (size_t)i * PROBE_PCS_RECORD_SIZE);
	}
}

struct packer {
	struct probe_pcs_profile profile;
	struct probe_pcs_rows *rows;
	uint8_t *bytes;
	uint64_t packed;
};

static void spill(void *user, const struct probe_dispatch_entry *entry)
{
	struct packer *packer = user;
	const struct probe_pcs_profile *profile = &packer->profile;

	if (!probe_pcs_profile_make(&packer->profile, entry->events, entry->event_count))
		return;
	for (size_t i = 0; i < profile->count; i++) {
		const struct probe_pcs_profile_row *row = &profile->rows[i];
		struct probe_pcs_row sums = {
			.dual = row->dual, .lanes = row->lanes, .waves = row->waves};

		probe_pcs_rows_add(packer->rows, row->index, row->state, row->samples, &sums);
	}
	packer->packed +=
		probe_pcs_profile_pack(profile, entry->dispatch, entry->event_code, packer->bytes);
}

static int run(const char *name, enum probe_pcs_method method, uint32_t addresses, uint8_t *records,
	       bool dispatches)
{
	struct probe_pcs_layout layout = {PROBE_PCS_GFX9, method, 0};
	struct probe_pcs_attributor attributor;
	struct probe_pcs_rows rows;
	struct probe_code_range range = {
		.base = BASE, .size = 4ull * addresses, .id = 1, .user = &rows};
	struct packer packer = {.rows = &rows};
	double start;
	int err = probe_pcs_attributor_init(&attributor, &layout);

	if (!err)
		err = probe_pcs_rows_init(&rows, range.size);
	if (!err)
		err = probe_code_map_load(&attributor.code, &range);
	for (uint64_t i = 0; i < DISPATCHES && !err; i++)
		err = probe_dispatch_map_add(&attributor.dispatches, i, i + 1);
	if (err)
		return err;
	if (dispatches) {
		packer.bytes = malloc(PROBE_PCS_PACK_ROOM(PROBE_PCS_EVENTS));
		attributor.spill = spill;
		attributor.spill_user = &packer;
		attributor.dispatches.retired = spill;
		attributor.dispatches.user = &packer;
		if (!packer.bytes)
			return -1;
	}
	fill(&layout, records, addresses);
	start = now();
	for (uint32_t i = 0; i < SAMPLES; i += 65536) {
		probe_pcs_attribute(&attributor, records + (size_t)i * PROBE_PCS_RECORD_SIZE,
				    65536);
		/*
		 * The dispatches of the previous delivery: late samples belong to earlier
		 * dispatches.
		 */
		for (uint32_t d = i < 65536 ? 0 : (i - 65536) / (SAMPLES / DISPATCHES);
		     i && d < i / (SAMPLES / DISPATCHES); d++)
			probe_dispatch_map_complete(&attributor.dispatches, d);
		probe_dispatch_map_delivered(&attributor.dispatches, true);
	}
	if (dispatches)
		probe_dispatch_map_destroy(&attributor.dispatches);
	printf("%s%s_%u %.1f\n", dispatches ? "dispatches_" : "", name, addresses,
	       SAMPLES / (now() - start) / 1e6);
	if (dispatches)
		printf("dispatches_%s_%u_bytes %.2f\n", name, addresses,
		       (double)packer.packed / SAMPLES);
	if (attributor.counts.attributed != SAMPLES)
		err = -1;
	probe_pcs_attributor_destroy(&attributor);
	probe_pcs_profile_destroy(&packer.profile);
	free(packer.bytes);
	probe_pcs_rows_destroy(&rows);
	return err;
}

int main(void)
{
	uint8_t *records = malloc((size_t)SAMPLES * PROBE_PCS_RECORD_SIZE);
	int err = records ? 0 : -1;

	for (uint32_t addresses = 1000; addresses <= 100000 && !err; addresses *= 10) {
		for (int dispatches = 0; dispatches < 2 && !err; dispatches++) {
			err = run("stochastic", PROBE_PCS_STOCHASTIC, addresses, records,
				  dispatches);
			if (!err)
				err = run("host_trap", PROBE_PCS_HOST_TRAP, addresses, records,
					  dispatches);
		}
	}
	free(records);
	if (err)
		fprintf(stderr, "bench_pcsample: failed\n");
	return err ? 1 : 0;
}
