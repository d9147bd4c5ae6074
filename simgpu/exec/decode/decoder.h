/* SPDX-License-Identifier: MIT */
/* Instruction words to struct sim_inst. */
#ifndef PROBE_SIMGPU_EXEC_DECODE_DECODER_H
#define PROBE_SIMGPU_EXEC_DECODE_DECODER_H

#include "simgpu/exec/inst.h"

/*
 * Decodes the instruction in word[0..avail). It never fails: the result may be an instruction that
 * faults.
 */
void sim_decode(const uint32_t *word, unsigned int avail, struct sim_inst *ret);

#endif
