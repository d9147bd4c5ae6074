/* SPDX-License-Identifier: MIT */
/*
 * PC samples of one traced process: an attributor per sampled agent, fed in the order of the host
 * records, and its counts as rows of the store at the end of the run.
 */
#ifndef PROBE_CMDS_RECORD_SAMPLE_RECORDS_H
#define PROBE_CMDS_RECORD_SAMPLE_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

#include "pcsample/attribute.h"

struct probe_seg_rec;
struct run_code;
struct run_dispatch;
struct run_session;

struct run_sample_counts {
	struct probe_pcs_counts pcs; /* of all agents */
	uint64_t lost;		     /* by providers */
};

/* Records; false: it makes no sense. */
bool run_samples_queue(struct run_session *session, const struct probe_seg_rec *rec);
bool run_samples_sampler(struct run_session *session, const struct probe_seg_rec *rec);
bool run_samples_take(struct run_session *session, const struct probe_seg_rec *rec);

/* What else the stream tells. Nothing happens while no agent is sampled. */
void run_samples_load(struct run_session *session, const struct run_code *code);
void run_samples_unload(struct run_session *session, uint32_t code_object);
void run_samples_dispatch(struct run_session *session, const struct run_dispatch *dispatch);
void run_samples_complete(struct run_session *session, const struct run_dispatch *dispatch);

void run_samples_counts(const struct run_session *session, struct run_sample_counts *ret);

/* Write everything into the store. */
void run_samples_store(struct run_session *session);
void run_samples_deinit(struct run_session *session);

#endif
