/* SPDX-License-Identifier: MIT */
#include "cmds/record/sample_records.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/options/run_options.h"
#include "cmds/record/recording.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "pcsample/profile.h"
#include "wire/segment_reader.h"

enum {
	PART_BYTES = 3500, /* packed bytes per row of the store: just under a page */
	RAW_RECORDS = 1024,
	PENDING_MAX = 1 << 20, /* samples that are kept with their dispatches, 8 to 32 bytes each */
};

/* Samples of one code object on one agent; kept after it has been unloaded. */
struct run_sampled_code {
	struct run_sampled_code *next;
	struct probe_pcs_rows rows;
	uint32_t code_object;
};

/* Limits for code objects that state impossible sizes, and for those that state none. */
#define CODE_SPAN_MAX	(512ull << 20)
#define CODE_SPAN_LEAST (16ull << 20)

struct run_sampler {
	struct probe_pcs_attributor attributor;
	struct run_sampled_code *codes;
	struct recording *recording;
	uint64_t lost;
	struct probe_pcs_profile profile; /* of the dispatch being stored */
	/* Packed rows not yet stored, and the range of their dispatches. */
	uint8_t *part;
	size_t part_size, part_capacity;
	uint64_t first, last;
	uint64_t pending; /* since the last flush */
};

/* A hardware queue, by its number. */
struct run_hardware {
	uint32_t doorbell, size;
};

static struct run_sampler *sampler_of(const struct recording *recording, uint32_t agent)
{
	return run_table_get(&recording->samples.samplers, agent);
}

bool samples_queue(struct recording *recording, const struct segment_record *rec)
{
	struct probe_hr_queue_hardware hr;
	struct run_hardware *hardware;

	memcpy(&hr, rec->payload, sizeof(hr));
	if (!hr.size)
		return false;
	hardware = malloc(sizeof(*hardware));
	if (!hardware)
		return false;
	*hardware = (struct run_hardware){hr.doorbell, hr.size};
	return run_table_put(&recording->samples.hardware, hr.id, hardware);
}

/* ---- Samples of one dispatch ---------------------------------------------------------------- */

static struct probe_pcs_rows *rows_of(struct run_sampler *sampler, uint32_t code_object)
{
	for (struct run_sampled_code *code = sampler->codes; code; code = code->next)
		if (code->code_object == code_object)
			return &code->rows;
	return NULL;
}

static void store_part(struct run_sampler *sampler)
{
	if (sampler->part_size)
		probe_facts_sample_part(sampler->recording->facts, sampler->first, sampler->last,
					sampler->part, sampler->part_size);
	sampler->part_size = 0;
}

/* Without memory, reports do not know the dispatch of these samples. */
static void add_part(struct run_sampler *sampler, uint64_t dispatch, uint32_t code_object)
{
	size_t need = sampler->part_size + PROBE_PCS_PACK_ROOM(sampler->profile.count);
	uint8_t *part;

	if (need > sampler->part_capacity) {
		part = realloc(sampler->part, 2 * need);
		if (!part)
			return;
		sampler->part = part;
		sampler->part_capacity = 2 * need;
	}
	if (!sampler->part_size)
		sampler->first = sampler->last = dispatch;
	if (dispatch < sampler->first)
		sampler->first = dispatch;
	if (dispatch > sampler->last)
		sampler->last = dispatch;
	sampler->part_size += probe_pcs_profile_pack(&sampler->profile, dispatch, code_object,
						     sampler->part + sampler->part_size);
	if (sampler->part_size >= PART_BYTES)
		store_part(sampler);
}

/* Returns the number of samples that could not be counted. */
static uint64_t add_rows(struct run_sampler *sampler, uint32_t code_object)
{
	const struct probe_pcs_profile *profile = &sampler->profile;
	struct probe_pcs_rows *rows = rows_of(sampler, code_object);
	uint64_t bad = 0;

	for (size_t i = 0; i < profile->count; i++) {
		const struct probe_pcs_profile_row *row = &profile->rows[i];
		struct probe_pcs_row sums = {
			.dual = row->dual, .lanes = row->lanes, .waves = row->waves};

		if (!rows || !probe_pcs_rows_add(rows, row->index, row->state, row->samples, &sums))
			bad += row->samples;
	}
	return bad;
}

static void spill(void *user, const struct probe_dispatch_entry *entry)
{
	struct run_sampler *sampler = user;
	struct probe_pcs_counts *counts = &sampler->attributor.counts;
	uint64_t bad = entry->event_count;

	if (probe_pcs_profile_make(&sampler->profile, entry->events, entry->event_count)) {
		bad = add_rows(sampler, entry->event_code);
		add_part(sampler, entry->dispatch, entry->event_code);
	}
	counts->attributed -= bad;
	counts->dropped += bad;
}

/*
 * If there was no flush for long: stores the pending samples; their dispatches remain open for
 * more.
 */
static void spill_all(struct run_sampler *sampler)
{
	const struct probe_dispatch_map *map = &sampler->attributor.dispatches;

	for (size_t i = 0; i < map->room; i++) {
		struct probe_dispatch_entry *entry = &map->slots[i];

		if (!entry->dispatch || !entry->event_count)
			continue;
		spill(sampler, entry);
		free(entry->events);
		entry->events = NULL;
		entry->event_count = entry->event_room = 0;
	}
	sampler->pending = 0;
}

/* No more samples of this entry can follow. */
static void retired(void *user, const struct probe_dispatch_entry *entry)
{
	struct run_sampler *sampler = user;

	if (entry->event_count)
		spill(sampler, entry);
	if (entry->samples)
		probe_facts_sample_dispatch(sampler->recording->facts, entry->dispatch,
					    entry->samples);
}

/*
 * The number of bytes of a loaded code object that can be instructions. Its file contains all of
 * them, in segments whose alignment adds little; memory beyond that is zeroed variables.
 */
static uint64_t code_span(const struct run_code *code)
{
	uint64_t most = 2 * (code->hr.bytes < CODE_SPAN_MAX ? code->hr.bytes : CODE_SPAN_MAX) +
			CODE_SPAN_LEAST;

	return code->hr.load_size < most ? code->hr.load_size : most;
}

static void sampled_code_destroy(struct run_sampled_code *sampled)
{
	probe_pcs_rows_destroy(&sampled->rows);
	free(sampled);
}

PROBE_DEFINE_RELEASE(sampled_code_release, struct run_sampled_code *, sampled_code_destroy)

static int add_code(struct run_sampler *sampler, const struct run_code *code)
{
	PROBE_AUTO(sampled_code_release)
	struct run_sampled_code *sampled = calloc(1, sizeof(*sampled));
	struct probe_code_range range = {
		.base = code->hr.load_base,
		.size = code_span(code),
		.delta = (uint64_t)code->hr.load_delta,
		.id = code->hr.id,
	};
	int err;

	if (!sampled)
		return -ENOMEM;
	err = probe_pcs_rows_init(&sampled->rows, range.size);
	if (err)
		return err;
	range.user = &sampled->rows;
	err = probe_code_map_load(&sampler->attributor.code, &range);
	if (err)
		return err;
	sampled->code_object = code->hr.id;
	sampled->next = sampler->codes;
	sampler->codes = PROBE_KEEP(sampled);
	return 0;
}

static void load(struct run_sampler *sampler, const struct run_code *code)
{
	int err = add_code(sampler, code);

	if (err)
		record_log_put(&sampler->recording->log, PROBE_LOG_WARNING, "probe-run",
			       "samples in code object %u cannot be counted: %s", code->hr.id,
			       strerror(-err));
}

/* Loads the code objects that were loaded before sampling began. */
static void load_all(struct recording *recording, struct run_sampler *sampler, uint32_t agent)
{
	const struct run_table *codes = &recording->objects.codes;

	for (uint32_t i = 0; i < codes->capacity; i++) {
		const struct run_code *code = codes->items[i];

		if (code && !code->unloaded && code->hr.agent == agent)
			load(sampler, code);
	}
}

bool samples_sampler(struct recording *recording, const struct segment_record *rec)
{
	struct probe_pcs_layout layout;
	const struct run_agent *agent;
	struct run_sampler *sampler;
	struct probe_hr_sampler hr;
	char provider[64] = "";

	memcpy(&hr, rec->payload, sizeof(hr));
	agent = run_table_get(&recording->objects.agents, hr.agent);
	/* The runtime was shut down and started again: sampling continues. */
	sampler = sampler_of(recording, hr.agent);
	if (sampler)
		return hr.method == (uint32_t)sampler->attributor.layout.method;
	if (!agent || hr.provider_len >= sizeof(provider) ||
	    hr.provider_len > rec->size - sizeof(hr) || hr.unit > 2 ||
	    !probe_pcs_layout(agent->arch, (enum probe_pcs_method)hr.method, &layout))
		return false;
	memcpy(provider, rec->payload + sizeof(hr), hr.provider_len);
	sampler = calloc(1, sizeof(*sampler));
	if (!sampler || probe_pcs_attributor_init(&sampler->attributor, &layout)) {
		free(sampler);
		return false;
	}
	sampler->recording = recording;
	sampler->attributor.dispatches.retired = retired;
	sampler->attributor.dispatches.user = sampler;
	sampler->attributor.spill = spill;
	sampler->attributor.spill_user = sampler;
	if (!run_table_put(&recording->samples.samplers, hr.agent, sampler))
		return false;
	load_all(recording, sampler, hr.agent);
	probe_facts_sampler(recording->facts, &hr, provider);
	return true;
}

/* ---- Samples one by one --------------------------------------------------------------------- */

#define RAW_SIZE (PROBE_PCS_RECORD_SIZE + 16u) /* as in table probe_rawsample */

static void raw_record(struct run_sampler *sampler, const uint8_t *record, uint8_t *out)
{
	const struct probe_dispatch_entry *entry;
	const struct probe_code_range *range = NULL;
	struct probe_pc_sample sample;
	uint64_t dispatch = 0;
	uint32_t tail[2] = {0};

	memcpy(out, record, PROBE_PCS_RECORD_SIZE);
	if (probe_pcs_decode(&sampler->attributor.layout, record, &sample) == PROBE_PCS_VALID &&
	    !(sample.pc & 3))
		range = probe_code_map_find(&sampler->attributor.code, sample.pc);
	entry = probe_dispatch_map_find(&sampler->attributor.dispatches,
					probe_dispatch_key(sample.correlation));
	if (range) {
		tail[0] = htole32((uint32_t)range->id);
		tail[1] = htole32(1);
		dispatch = entry ? htole64(entry->dispatch) : 0;
	}
	memcpy(out + PROBE_PCS_RECORD_SIZE, &dispatch, sizeof(dispatch));
	memcpy(out + PROBE_PCS_RECORD_SIZE + 8, tail, sizeof(tail));
}

/* Stored before the delivery retires dispatches. */
static void store_raw(struct run_sampler *sampler, uint32_t agent, const uint8_t *records,
		      uint32_t count)
{
	uint8_t *bytes = malloc((size_t)RAW_RECORDS * RAW_SIZE);

	if (!bytes) {
		record_log_put(&sampler->recording->log, PROBE_LOG_WARNING, "probe-run",
			       "no memory to keep %u samples one by one", count);
		return;
	}
	for (uint32_t at = 0, n; at < count; at += n) {
		n = count - at < RAW_RECORDS ? count - at : RAW_RECORDS;
		for (uint32_t i = 0; i < n; i++)
			raw_record(sampler, records + (size_t)(at + i) * PROBE_PCS_RECORD_SIZE,
				   bytes + (size_t)i * RAW_SIZE);
		probe_facts_sample_raw(sampler->recording->facts, agent, n, bytes,
				       (size_t)n * RAW_SIZE);
	}
	free(bytes);
}

bool samples_read(struct recording *recording, const struct segment_record *rec)
{
	struct run_sampler *sampler;
	struct probe_hr_samples hr;

	memcpy(&hr, rec->payload, sizeof(hr));
	sampler = sampler_of(recording, hr.agent);
	if (!sampler || hr.count > (rec->size - sizeof(hr)) / PROBE_PCS_RECORD_SIZE)
		return false;
	if (hr.lost > RECORD_COUNT_MAX)
		return false;
	sampler->lost += hr.lost;
	probe_pcs_attribute(&sampler->attributor, rec->payload + sizeof(hr), hr.count);
	if (recording->config->pc_sampling_raw)
		store_raw(sampler, hr.agent, rec->payload + sizeof(hr), hr.count);
	/*
	 * A record is a part of a delivery, and the size of the runtime's buffers is unknown. Only
	 * after a flush it is certain that no more samples of a dispatch follow.
	 */
	sampler->pending += hr.count;
	if (hr.flags & PROBE_SAMPLES_FLUSHED)
		probe_dispatch_map_delivered(&sampler->attributor.dispatches, true);
	else if (sampler->pending > PENDING_MAX)
		spill_all(sampler);
	if (hr.flags & PROBE_SAMPLES_FLUSHED)
		sampler->pending = 0;
	return true;
}

void samples_load(struct recording *recording, const struct run_code *code)
{
	struct run_sampler *sampler = sampler_of(recording, code->hr.agent);

	if (sampler)
		load(sampler, code);
}

void samples_unload(struct recording *recording, uint32_t code_object)
{
	struct run_code *code = run_table_get(&recording->objects.codes, code_object);
	struct run_sampler *sampler = code ? sampler_of(recording, code->hr.agent) : NULL;

	if (code)
		code->unloaded = true;
	if (sampler)
		probe_code_map_unload(&sampler->attributor.code, code_object);
}

static bool key_of(const struct recording *recording, const struct run_dispatch *dispatch,
		   struct run_sampler **sampler, uint64_t *key)
{
	const struct run_hardware *hardware =
		run_table_get(&recording->samples.hardware, dispatch->hr.queue);

	*sampler = sampler_of(recording, dispatch->hr.agent);
	if (!*sampler || !hardware)
		return false;
	*key = probe_dispatch_key_of(dispatch->hr.packet, hardware->size, hardware->doorbell);
	return true;
}

void samples_dispatch(struct recording *recording, const struct run_dispatch *dispatch)
{
	struct run_sampler *sampler;
	uint64_t key;
	int err;

	if (!key_of(recording, dispatch, &sampler, &key))
		return;
	err = probe_dispatch_map_add(&sampler->attributor.dispatches, key, dispatch->hr.id);
	/* The queue wrapped before a flush: late samples are attributed to the newer dispatch. */
	if (err == -EBUSY) {
		probe_dispatch_map_complete(&sampler->attributor.dispatches, key);
		probe_dispatch_map_delivered(&sampler->attributor.dispatches, true);
		probe_dispatch_map_add(&sampler->attributor.dispatches, key, dispatch->hr.id);
	}
}

void samples_complete(struct recording *recording, const struct run_dispatch *dispatch)
{
	struct run_sampler *sampler;
	struct probe_dispatch_entry *entry;
	uint64_t key;

	if (!key_of(recording, dispatch, &sampler, &key))
		return;
	entry = probe_dispatch_map_find(&sampler->attributor.dispatches, key);
	if (entry && entry->dispatch == dispatch->hr.id)
		probe_dispatch_map_complete(&sampler->attributor.dispatches, key);
}

void samples_counts(const struct recording *recording, struct run_sample_counts *ret)
{
	const struct run_table *samplers = &recording->samples.samplers;

	*ret = (struct run_sample_counts){0};
	for (uint32_t i = 0; i < samplers->capacity; i++) {
		const struct run_sampler *sampler = samplers->items[i];
		const struct probe_pcs_counts *counts;

		if (!sampler)
			continue;
		counts = &sampler->attributor.counts;
		ret->lost += sampler->lost;
		ret->pcs.received += counts->received;
		ret->pcs.attributed += counts->attributed;
		ret->pcs.no_dispatch += counts->no_dispatch;
		ret->pcs.no_code += counts->no_code;
		ret->pcs.foreign += counts->foreign;
		ret->pcs.misaligned += counts->misaligned;
		ret->pcs.invalid += counts->invalid;
		ret->pcs.skipped += counts->skipped;
		ret->pcs.dropped += counts->dropped;
	}
}

/* ---- Into the store ------------------------------------------------------------------------- */

static void store_row(struct recording *recording, uint32_t code_object, uint64_t offset,
		      const struct probe_pcs_row *row, bool states)
{
	struct probe_facts_sample_row sums = {
		.lanes = row->lanes, .waves = row->waves, .dual = row->dual};

	for (unsigned i = 0; i < PROBE_PCS_TYPES; i++)
		sums.samples += row->issued[i];
	for (unsigned i = 0; i < PROBE_PCS_REASONS; i++)
		sums.samples += row->stalled[i];
	probe_facts_sample(recording->facts, code_object, offset, &sums);
	for (unsigned i = 0; states && i < PROBE_PCS_TYPES; i++)
		if (row->issued[i])
			probe_facts_sample_state(recording->facts, code_object, offset, true, i,
						 row->issued[i]);
	for (unsigned i = 0; states && i < PROBE_PCS_REASONS; i++)
		if (row->stalled[i])
			probe_facts_sample_state(recording->facts, code_object, offset, false, i,
						 row->stalled[i]);
}

static void store_sampler(struct recording *recording, struct run_sampler *sampler)
{
	bool states = sampler->attributor.layout.method == PROBE_PCS_STOCHASTIC;

	probe_dispatch_map_destroy(&sampler->attributor.dispatches);
	store_part(sampler);
	for (struct run_sampled_code *code = sampler->codes; code; code = code->next) {
		struct probe_pcs_row row;

		for (uint64_t i = 0; i < code->rows.count; i++)
			if (probe_pcs_rows_at(&code->rows, i, &row))
				store_row(recording, code->code_object, 4 * i, &row, states);
	}
}

void samples_store(struct recording *recording)
{
	const struct run_table *samplers = &recording->samples.samplers;

	for (uint32_t i = 0; i < samplers->capacity; i++)
		if (samplers->items[i])
			store_sampler(recording, samplers->items[i]);
}

void samples_deinit(struct sample_state *samples)
{
	for (uint32_t i = 0; i < samples->samplers.capacity; i++) {
		struct run_sampler *sampler = samples->samplers.items[i];

		if (!sampler)
			continue;
		sampler->attributor.dispatches.retired = NULL;
		probe_pcs_attributor_destroy(&sampler->attributor);
		while (sampler->codes) {
			struct run_sampled_code *code = sampler->codes;

			sampler->codes = code->next;
			sampled_code_destroy(code);
		}
		probe_pcs_profile_destroy(&sampler->profile);
		free(sampler->part);
		free(sampler);
	}
	for (uint32_t i = 0; i < samples->hardware.capacity; i++)
		free(samples->hardware.items[i]);
	free(samples->samplers.items);
	free(samples->hardware.items);
}
