/* SPDX-License-Identifier: MIT */
/* The issue of one instruction. */
#ifndef PROBE_SIMGPU_TIME_WAVE_ISSUE_H
#define PROBE_SIMGPU_TIME_WAVE_ISSUE_H

#include "simgpu/time/cost_model.h"

/* Issues w's next instruction now; returns when the one after it can issue. */
uint64_t time_issue(struct time_cu *cu, struct time_wave *w, uint64_t now);
/*
 * Passes the s_waitcnt at which w is. The cycle in which it is met is known, because all
 * instructions it waits for have been issued. Returns when the next instruction can issue.
 */
uint64_t time_pass_waitcnt(struct time_cu *cu, struct time_wave *w, uint64_t ready);
/* When the counters of a wave, which have 6 and 4 bits, can count one more access of a unit. */
uint64_t time_counter_free(const struct time_wave *w, uint32_t unit);

#endif
