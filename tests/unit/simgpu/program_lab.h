/* SPDX-License-Identifier: MIT */
/* The one lab of a test program: its setup opens it, this closes it. */
#ifndef PROBE_TESTS_UNIT_SIMGPU_PROGRAM_LAB_H
#define PROBE_TESTS_UNIT_SIMGPU_PROGRAM_LAB_H

#include "tests/unit/simgpu/snippet_lab.h"

static struct lab lab;

static inline int teardown(void **state)
{
	(void)state;
	lab_close(&lab);
	return 0;
}

#endif
