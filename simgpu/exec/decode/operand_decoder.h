/* SPDX-License-Identifier: MIT */
/* The state of an instruction that is being decoded, and its operands. */
#ifndef PROBE_SIMGPU_EXEC_DECODE_OPERAND_DECODER_H
#define PROBE_SIMGPU_EXEC_DECODE_OPERAND_DECODER_H

#include "simgpu/exec/inst.h"

enum {
	SRC_SHARED_BASE = 235,
	SRC_PRIVATE_LIMIT = 238,
	SRC_SDWA = 249,
	SRC_DPP = 250,
	SRC_VCCZ = 251,
	SRC_SCC = 253,
	SRC_LITERAL = 255,
	SRC_VGPR = 256,
	SADDR_OFF = 0x7f,
};

struct decoder {
	const uint32_t *word;
	struct sim_inst *ip;
	const struct sim_opcode *row;
	enum sim_encoding enc;
	uint32_t literal;
	uint32_t src0; /* src0 as an operand number, after SDWA or DPP has used the field */
	bool scalar_dst;
	bool fp64;
	bool bad; /* an operand number that does not exist */
};

/* Decodes an operand into source slot n. */
void decode_source_vector(struct decoder *d, unsigned int n, unsigned int row);
void decode_source_scalar(struct decoder *d, unsigned int n, uint32_t code);
void decode_source(struct decoder *d, unsigned int n, uint32_t code, const struct sim_operand *o);

void decode_scalar_destination(struct decoder *d, uint32_t code);
uint32_t decode_field(const uint32_t *word, unsigned int at, unsigned int bits);

#endif
