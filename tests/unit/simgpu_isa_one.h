/* SPDX-License-Identifier: MIT */
/* The one lab of a test program: its setup opens it, this closes it. */
#ifndef PROBE_TESTS_SIMGPU_ISA_ONE_H
#define PROBE_TESTS_SIMGPU_ISA_ONE_H

#include "simgpu_isa_lab.h"

static struct lab lab;

static inline int teardown(void **state)
{
	(void)state;
	lab_close(&lab);
	return 0;
}

#endif
