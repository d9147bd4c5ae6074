/* SPDX-License-Identifier: MIT */
/*
 * What a program is doing, as one line on a terminal while it takes long. Only if standard error is
 * a terminal; never in logs and pipes. Nothing is drawn by a timer: loops and callbacks of long
 * work call probe_progress_tick(). All functions may be called by any thread.
 */
#ifndef PROBE_COMMON_PROGRESS_H
#define PROBE_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Milliseconds before the first line; 0 draws every step at once, for tests. */
#define PROBE_PROGRESS_DELAY_VARIABLE "PROBE_PROGRESS_DELAY"

enum {
	PROBE_PROGRESS_DELAY_MS = 1000,
	PROBE_PROGRESS_STEP_MS = 200, /* at most one line in this time */
};

/* Lines are drawn from here on, unless `quiet`, or standard error is not a terminal. */
void probe_progress_setup(bool quiet);

/* Milliseconds of a clock that only rises. A test has one of its own. */
extern uint64_t (*probe_progress_clock)(void);

/* Names what is done now. The time counts from the first step after probe_progress_end(). */
void probe_progress_step(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How much of the step is done, in any unit; `total` 0: unknown. */
void probe_progress_amount(uint64_t done, uint64_t total);

/* Draws the line if it is time. */
void probe_progress_tick(void);

/* Erases the line before something else is printed; a later tick draws it again. */
void probe_progress_hide(void);

/* The work is done: erases the line. */
void probe_progress_end(void);

#endif
