/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/trace/frame_decode.h"

#include <string.h>

enum {
	REMEMBERED = 8, /* states that DW_CFA_remember_state nests; compilers use one */
	RBP = 6,
	RSP = 7,
	RETURN_ADDRESS = 16,
};

/* The operations of a call frame program. */
enum {
	CFA_ADVANCE = 0x40, /* the operand is in the low 6 bits of these three */
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0,
	CFA_ADVANCE1 = 2,
	CFA_ADVANCE2 = 3,
	CFA_ADVANCE4 = 4,
	CFA_OFFSET_EXTENDED = 5,
	CFA_RESTORE_EXTENDED = 6,
	CFA_UNDEFINED = 7,
	CFA_SAME_VALUE = 8,
	CFA_REMEMBER_STATE = 10,
	CFA_RESTORE_STATE = 11,
	CFA_DEF_CFA = 12,
	CFA_DEF_CFA_REGISTER = 13,
	CFA_DEF_CFA_OFFSET = 14,
	CFA_EXPRESSION = 16,
	CFA_OFFSET_EXTENDED_SF = 17,
	CFA_DEF_CFA_SF = 18,
	CFA_DEF_CFA_OFFSET_SF = 19,
	CFA_GNU_ARGS_SIZE = 0x2e,
};

enum where { SAME, SAVED, UNDEFINED };

/* A row of the table that the program describes: where CFA, rbp and return address are. */
struct row {
	uint64_t cfa_register;
	int64_t cfa, bp, ra;
	enum where bp_is, ra_is;
};

struct program {
	const uint8_t *at, *end;
	uint64_t code_factor;
	int64_t data_factor;
	uintptr_t pc;
	struct row row, first, remembered[REMEMBERED]; /* first: after the common part */
	unsigned depth;
	bool failed;
};

static uint64_t fixed(struct program *program, unsigned size)
{
	uint64_t value = 0;

	if ((size_t)(program->end - program->at) < size) {
		program->failed = true;
		return 0;
	}
	memcpy(&value, program->at, size);
	program->at += size;
	return value;
}

static uint64_t leb(struct program *program, bool sign)
{
	uint64_t value = 0, byte = 0x80;
	unsigned shift = 0;

	for (; byte & 0x80 && shift < 64 && !program->failed; shift += 7) {
		byte = fixed(program, 1);
		value |= (byte & 0x7f) << shift;
	}
	if (sign && byte & 0x40 && shift < 64)
		value |= ~0ull << shift;
	return value;
}

static uint64_t unsigned_leb(struct program *program)
{
	return leb(program, false);
}

static int64_t signed_leb(struct program *program)
{
	return (int64_t)leb(program, true);
}

static void save(struct program *program, uint64_t reg, int64_t offset)
{
	if (reg == RBP) {
		program->row.bp_is = SAVED;
		program->row.bp = offset * program->data_factor;
	} else if (reg == RETURN_ADDRESS) {
		program->row.ra_is = SAVED;
		program->row.ra = offset * program->data_factor;
	}
}

static void restore(struct program *program, uint64_t reg)
{
	if (reg == RBP) {
		program->row.bp_is = program->first.bp_is;
		program->row.bp = program->first.bp;
	} else if (reg == RETURN_ADDRESS) {
		program->row.ra_is = program->first.ra_is;
		program->row.ra = program->first.ra;
	}
}

static void set(struct program *program, uint64_t reg, enum where where)
{
	if (reg == RBP)
		program->row.bp_is = where;
	else if (reg == RETURN_ADDRESS)
		program->row.ra_is = where;
}

/* An expression for a register that no caller is found with. */
static void skip_expression(struct program *program)
{
	uint64_t reg = unsigned_leb(program), length = unsigned_leb(program);

	if (reg == RBP || reg == RETURN_ADDRESS || length > (uint64_t)(program->end - program->at))
		program->failed = true;
	else
		program->at += length;
}

static void remember(struct program *program)
{
	if (program->depth == REMEMBERED)
		program->failed = true;
	else
		program->remembered[program->depth++] = program->row;
}

static void recall(struct program *program)
{
	if (!program->depth)
		program->failed = true;
	else
		program->row = program->remembered[--program->depth];
}

static void advance(struct program *program, uint64_t delta)
{
	program->pc += delta * program->code_factor;
}

static void step_extended(struct program *program, unsigned operation)
{
	uint64_t reg;

	switch (operation) {
	case CFA_NOP:
		break;
	case CFA_ADVANCE1:
	case CFA_ADVANCE2:
	case CFA_ADVANCE4:
		advance(program, fixed(program, 1u << (operation - CFA_ADVANCE1)));
		break;
	case CFA_OFFSET_EXTENDED:
		reg = unsigned_leb(program);
		save(program, reg, (int64_t)unsigned_leb(program));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		reg = unsigned_leb(program);
		save(program, reg, signed_leb(program));
		break;
	case CFA_RESTORE_EXTENDED:
		restore(program, unsigned_leb(program));
		break;
	case CFA_UNDEFINED:
		set(program, unsigned_leb(program), UNDEFINED);
		break;
	case CFA_SAME_VALUE:
		set(program, unsigned_leb(program), SAME);
		break;
	case CFA_REMEMBER_STATE:
		remember(program);
		break;
	case CFA_RESTORE_STATE:
		recall(program);
		break;
	case CFA_DEF_CFA:
		program->row.cfa_register = unsigned_leb(program);
		program->row.cfa = (int64_t)unsigned_leb(program);
		break;
	case CFA_DEF_CFA_SF:
		program->row.cfa_register = unsigned_leb(program);
		program->row.cfa = signed_leb(program) * program->data_factor;
		break;
	case CFA_DEF_CFA_REGISTER:
		program->row.cfa_register = unsigned_leb(program);
		break;
	case CFA_DEF_CFA_OFFSET:
		program->row.cfa = (int64_t)unsigned_leb(program);
		break;
	case CFA_DEF_CFA_OFFSET_SF:
		program->row.cfa = signed_leb(program) * program->data_factor;
		break;
	case CFA_EXPRESSION:
		skip_expression(program);
		break;
	case CFA_GNU_ARGS_SIZE:
		unsigned_leb(program);
		break;
	default: /* such as an expression for the CFA */
		program->failed = true;
	}
}

/* Up to the row of the byte before `address`. */
static void execute(struct program *program, uintptr_t address)
{
	while (program->at < program->end && program->pc < address && !program->failed) {
		unsigned byte = (unsigned)fixed(program, 1), operand = byte & 0x3f;

		if ((byte & 0xc0) == CFA_ADVANCE)
			advance(program, operand);
		else if ((byte & 0xc0) == CFA_OFFSET)
			save(program, operand, (int64_t)unsigned_leb(program));
		else if ((byte & 0xc0) == CFA_RESTORE)
			restore(program, operand);
		else
			step_extended(program, byte);
	}
}

/* ---- The records of .eh_frame: 32-bit length, 32-bit id or distance, contents ------------------
 */

static void open_record(const uint8_t *record, struct program *program)
{
	int32_t length;

	memcpy(&length, record, sizeof(length));
	program->at = record + 8;
	program->end = record + 4 + (uint32_t)length;
	program->failed |= length < 4; /* -1: 64-bit lengths, which no compiler writes */
}

/* Bytes of a pointer of this encoding; 0: not one that compilers use for code. */
static unsigned pointer_size(unsigned encoding)
{
	switch (encoding == 0x50 ? 0xff : encoding & 0x0f) {
	case 0x00: /* address; with 0x50 it would be aligned */
	case 0x04: /* udata8 */
	case 0x0c: /* sdata8 */
		return 8;
	case 0x03: /* udata4 */
	case 0x0b: /* sdata4 */
		return 4;
	default:
		return 0;
	}
}

/* The common record: factors, the augmentation, the first instructions. */
static void read_common(struct program *program, const uint8_t *record, unsigned *pointer,
			bool *augmented)
{
	const char *augmentation;
	uint64_t length;

	open_record(record, program);
	if (fixed(program, 1) != 1)
		program->failed = true; /* GCC and clang write version 1 */
	augmentation = (const char *)program->at;
	while (fixed(program, 1))
		;
	program->code_factor = unsigned_leb(program);
	program->data_factor = signed_leb(program);
	if (fixed(program, 1) != RETURN_ADDRESS)
		program->failed = true;
	*pointer = 8;
	*augmented = *augmentation == 'z';
	if (!*augmented) {
		program->failed |= *augmentation != 0;
		return;
	}
	length = unsigned_leb(program);
	if (program->failed || length > (uint64_t)(program->end - program->at)) {
		program->failed = true;
		return;
	}
	for (const uint8_t *data = program->at; *++augmentation;) {
		if (*augmentation == 'R')
			*pointer = pointer_size(*data++);
		else if (*augmentation == 'L')
			data++;
		else if (*augmentation == 'P' && pointer_size(*data))
			data += 1 + pointer_size(*data);
		else
			program->failed = true; /* also 'S', a signal's frame */
	}
	program->at += length;
}

static struct probe_frame_rule rule_of(const struct program *program)
{
	const struct row *row = &program->row;
	struct probe_frame_rule rule = {
		.from_bp = row->cfa_register == RBP,
		.saves_bp = row->bp_is == SAVED,
		.cfa = (int32_t)row->cfa,
		.bp = (int32_t)row->bp,
		.last = row->ra_is == UNDEFINED,
	};

	rule.other = program->failed || (row->cfa_register != RBP && row->cfa_register != RSP) ||
		     row->cfa != rule.cfa || row->bp != rule.bp || row->bp_is == UNDEFINED ||
		     (!rule.last && (row->ra_is != SAVED || row->ra != -8));
	return rule;
}

struct probe_frame_rule probe_frame_decode(const void *fde, uintptr_t start, uintptr_t address)
{
	const uint8_t *record = fde;
	struct program program = {.row = {.ra_is = SAME}};
	unsigned pointer;
	bool augmented;
	uint64_t length;
	int32_t back;

	memcpy(&back, record + 4, sizeof(back));
	read_common(&program, record + 4 - back, &pointer, &augmented);
	execute(&program, UINTPTR_MAX);
	program.first = program.row;
	open_record(record, &program);
	fixed(&program, pointer); /* start, which the caller knows, and size */
	fixed(&program, pointer);
	length = augmented ? unsigned_leb(&program) : 0;
	if (!pointer || length > (uint64_t)(program.end - program.at))
		program.failed = true;
	if (!program.failed)
		program.at += length;
	program.pc = start;
	execute(&program, address);
	return rule_of(&program);
}
