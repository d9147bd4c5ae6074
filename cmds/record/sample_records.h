/* SPDX-License-Identifier: MIT */
/*
 * PC samples of a recording. Each sampled agent has an attributor, which receives the host records
 * in order; its counts are stored as rows at the end of the run.
 */
#ifndef PROBE_CMDS_RECORD_SAMPLE_RECORDS_H
#define PROBE_CMDS_RECORD_SAMPLE_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

#include "cmds/record/process_objects.h"
#include "pcsample/attribute.h"

struct segment_record;
struct run_code;
struct run_dispatch;
struct recording;

struct sample_state {
	struct run_table samplers; /* by agent */
	struct run_table hardware; /* queues, by number */
};

struct run_sample_counts {
	struct probe_pcs_counts pcs; /* of all agents */
	uint64_t lost;		     /* lost by providers */
};

/* Handle host records; false if malformed. */
bool samples_queue(struct recording *recording, const struct segment_record *rec);
bool samples_sampler(struct recording *recording, const struct segment_record *rec);
bool samples_read(struct recording *recording, const struct segment_record *rec);

/* Handle other events; they do nothing while no agent is sampled. */
void samples_load(struct recording *recording, const struct run_code *code);
void samples_unload(struct recording *recording, uint32_t code_object);
void samples_dispatch(struct recording *recording, const struct run_dispatch *dispatch);
void samples_complete(struct recording *recording, const struct run_dispatch *dispatch);

void samples_counts(const struct recording *recording, struct run_sample_counts *ret);

/* Writes everything into the store. */
void samples_store(struct recording *recording);
void samples_deinit(struct sample_state *samples);

#endif
