/* SPDX-License-Identifier: MIT */
/* Processes a wave: issues its instructions, from the slot in which it continues on. */
#ifndef PROBE_SIMGPU_TIME_WAVE_ISSUE_H
#define PROBE_SIMGPU_TIME_WAVE_ISSUE_H

#include "simgpu/time/cost_model.h"

/*
 * Issues instructions of w from cu->now on, until it waits long, needs another wave or unit to
 * catch up, or has no trace left.
 */
void time_wave_issue(struct time_cu *cu, struct time_wave *w);

#endif
