/* SPDX-License-Identifier: MIT */
/*
 * A decoded instruction, which the interpreter executes. There is one per code dword, so that a
 * branch target is an array index. Operands are ready-made addresses, either absolute (constants)
 * or relative to the wave (registers).
 */
#ifndef PROBE_SIMGPU_EXEC_INST_H
#define PROBE_SIMGPU_EXEC_INST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "simgpu/isa/opcodes.h"
#include "simgpu/exec/wave.h"
#include "simgpu/exec/timing_trace.h"

struct sim_inst;
struct sim_block;

/*
 * Executes one instruction; returns the next one, or NULL with wave->stop set and wave->pc at the
 * position where the wave continues (after the instruction, or at it for faults).
 */
typedef const struct sim_inst *sim_handler(struct sim_wave *w, const struct sim_inst *ip);

/*
 * The operation of a vector instruction on whole rows: 64 lanes; 64-bit values are a row of low
 * halves followed by a row of high halves. It processes all lanes and ignores EXEC. mask_in is the
 * carry or select mask; the result is the mask result of compares and carries. d may be one of the
 * sources.
 */
typedef uint64_t sim_body(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c,
			  uint64_t mask_in);

enum {
	SIM_PAGE_DWORDS = 1024,
	SIM_BUF_OFFEN = 1,
	SIM_BUF_IDXEN = 2,
	SIM_BUF_LDS = 4,
	SIM_SCRATCH_VECTOR = 8, /* scratch: the address has a vector part */
};

enum sim_out {
	SIM_OUT_INT,
	SIM_OUT_F16,
	SIM_OUT_F32,
	SIM_OUT_F64,
	SIM_OUT_PK_F16,
	SIM_OUT_PK_F32,
};

/* Source modifiers: SDWA or DPP, and those of VOP3/VOP3P. */
struct sim_mods {
	uint8_t neg, abs;	 /* bit per source; VOP3P: neg_lo and neg_hi */
	uint8_t opsel, opsel_hi; /* bit per source, bit 3 = destination */
	uint8_t clamp, omod;
	bool sdwa, dpp;
	uint8_t dst_sel, dst_unused;
	uint8_t src_sel[2];
	uint8_t sext;
	uint16_t dpp_ctrl;
	uint8_t row_mask, bank_mask, bound_ctrl;
};

struct sim_inst {
	sim_handler *exec;
	_Atomic(struct sim_block *) block; /* translate.h: machine code that starts here, or NULL */
	sim_body *body;
	uintptr_t off[3]; /* sources; relative to the wave if bit n of rel is set */
	const struct sim_opcode *row;
	uint32_t literal;
	int64_t imm;	    /* offset, branch target, simm16, ... */
	sim_handler *inner; /* the handler that sim_exec_special() wraps */
	uint32_t heat;	    /* how often control arrived here, counted up to the threshold of
			     * translation */
	uint16_t index;	    /* index of the dword in its page */
	uint16_t memo;	    /* index in the thread's table of access costs */
	uint16_t dst;	    /* vector destination row */
	uint16_t sdst;	    /* scalar destination: byte offset in struct sim_wave */
	uint16_t vsrc[3];   /* memory: vector rows of address, data0, data1 */
	uint8_t words;
	uint8_t cls;
	uint8_t enc;
	uint8_t rel;
	uint8_t scalar;	  /* sources that are one scalar for all lanes and not yet a row */
	uint8_t constant; /* sources that are constants */
	uint8_t specials; /* sources that need wave->special */
	uint8_t special[3];
	uint8_t size[3];   /* dwords of the sources */
	uint8_t type[3];   /* enum sim_type of the sources */
	uint8_t in[3];	   /* enum sim_out of the sources: what MODE may flush */
	bool modded;	   /* any field of m is used */
	uint8_t out;	   /* enum sim_out: the type of the result for omod and clamp */
	uint8_t keep_high; /* X_KEEPHI: the result goes to the high half */
	uint8_t dsize;	   /* dwords of the destination */
	uint8_t fp;	   /* relevant bits of wave->fp_special */
	uint8_t glc;
	uint8_t saddr;	/* memory: source slot 0 holds a scalar address */
	uint8_t bits;	/* MUBUF, FLAT: SIM_*; DS: gds; compares: 1 = also writes EXEC */
	uint8_t xflags; /* flags of the execute entry */
	uint8_t trace;	/* SIM_TRACE_* marks for the run loop */
	struct sim_mods m;
};

/* Decoded instructions of one 4 KiB page of code. */
struct sim_code {
	uint64_t base;
	_Atomic uint64_t generation;	    /* sim_code_generation at the last comparison with
					     * memory */
	uint32_t dwords;		    /* number of readable ones, from base */
	struct sim_pc_counters *pcs;	    /* one per dword, or NULL */
	struct sim_pc_time *times;	    /* likewise */
	uint32_t word[SIM_PAGE_DWORDS + 1]; /* the decoded words */
	/*
	 * Two entries after the page continue in the next one: an instruction may end one dword
	 * into it.
	 */
	struct sim_inst inst[SIM_PAGE_DWORDS + 2];
	struct sim_timing timing[SIM_PAGE_DWORDS + 2];
};

/*
 * How an operation executes; one table per vector level, and one for operations that do not depend
 * on it.
 */
enum sim_exec_kind {
	X_NONE,
	X_DIRECT, /* fn is the handler */
	X_VALU,	  /* fn is a body: vdst = f(src0, src1, src2) */
	X_VOPC,	  /* fn is a body that returns a mask */
	X_MASK,	  /* fn is a body with a mask as input or output, in addition to vdst */
};

enum {
	FP_F32 = 1,
	FP_F64 = 2,	   /* also f16 */
	X_KEEPHI = 4,	   /* 16-bit result that preserves the other half of vdst */
	X_PACKED = 8,	   /* VOP3P: op_sel and neg are per half and handled by the body */
	X_MIX = 16,	   /* v_*_mix*: op_sel_hi makes a source f16, neg_hi is abs */
	X_FMACC = 32,	   /* vdst is also source 2 */
	X_KEEPBYTES = 128, /* 8-bit result that op_sel puts into one byte of vdst */
	FP_IEEE = 64,	   /* minimum, maximum: MODE.IEEE decides what a signalling NaN does */
};

struct sim_exec {
	uint16_t op;
	uint8_t kind;
	uint8_t flags;
	union {
		sim_handler *handler;
		sim_body *body;
	};
	sim_body *clamped;
	sim_body *with_mode; /* used in place of body if MODE matters; its m is MODE */
};

static inline uint64_t inst_pc(const struct sim_wave *w, const struct sim_inst *ip)
{
	return w->code->base + 4u * ip->index;
}

static inline const uint32_t *inst_src(const struct sim_wave *w, const struct sim_inst *ip,
				       unsigned int n)
{
	uintptr_t rel = (uintptr_t)w & -(uintptr_t)(ip->rel >> n & 1);

	return (const uint32_t *)(ip->off[n] + rel);
}

#endif
