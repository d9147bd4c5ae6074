/* SPDX-License-Identifier: MIT */
/* Decodes the vector encodings. */
#ifndef PROBE_SIMGPU_EXEC_DECODE_VECTOR_DECODER_H
#define PROBE_SIMGPU_EXEC_DECODE_VECTOR_DECODER_H

#include "simgpu/exec/decode/operand_decoder.h"

/* Operands and modifiers of VOP1, VOP2, VOPC, VOP3 and VOP3P. */
void decode_vop(struct decoder *d);

#endif
