/* SPDX-License-Identifier: MIT */
/* Records a segment that was filled in this process, with anything, and checks what was stored. */
#ifndef PROBE_TESTS_FUZZ_HOSTILE_RECORDING_H
#define PROBE_TESTS_FUZZ_HOSTILE_RECORDING_H

struct fake_app;
struct run_config;

/*
 * Calls `fill` with a new segment, records it and makes the database `path`. NULL, or what is
 * wrong: no database, or a sum of the accounting.
 */
const char *hostile_recording(const struct run_config *config, const char *path,
			      void (*fill)(struct fake_app *app, void *user), void *user);

#endif
