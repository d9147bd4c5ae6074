/* SPDX-License-Identifier: MIT */
/* What a compiler leaves in a code object. See wire.h. */
#ifndef PROBE_WIRE_SITES_H
#define PROBE_WIRE_SITES_H

#include <probe/wire_kinds.h>

/* ---- 2. Site table: section .probe_sites, symbol __probe_sites ----------------------------- */

#define PROBE_SITES_MAGIC 0x54495350u /* "PSIT" */
/*
 * Changes with what clones expect of the library in the application, too, which runs those of its
 * own version only.
 */
#define PROBE_SITES_VERSION 8u
/*
 * Tables from this version on can be read: before 3 no group has bins, before 5 nothing is
 * LAUNCHED, before 6 no branch, before 7 no stride is RECKONED, before 8 nothing has HEADS or
 * is EXACT.
 */
#define PROBE_SITES_VERSION_MIN 2u

/*
 * Layout: header, sites[site_count], proofs[proof_count], base_ops, kernels[kernel_count],
 * frames[frame_count], uncovered[uncovered_count], strings. Offsets of strings count from
 * strings_offset; string 0 is "". Every string ends in NUL. proof_count is site_count, or 0 if
 * nothing is proved.
 */
struct probe_sites_header {
	uint32_t magic;
	uint16_t version;
	uint16_t header_size;
	uint32_t total_size;
	uint32_t site_count;
	uint32_t kernel_count;
	uint32_t frame_count;
	uint32_t sites_offset; /* bytes from the header, as the next three */
	uint32_t kernels_offset;
	uint32_t frames_offset;
	uint32_t strings_offset;
	uint32_t strings_size;
	uint32_t uncovered; /* memory accesses of the module that no probe of these kinds covers */
	/* Since header_size 72. Shorter headers have none of these. */
	uint32_t uncovered_offset; /* struct probe_site_uncovered[uncovered_count] */
	uint32_t uncovered_count;
	uint32_t code_before;	/* IR instructions of the kernels and what they call */
	uint32_t code_after;	/* of all clones */
	uint32_t proofs_offset; /* struct probe_site_proof[proof_count] */
	uint32_t proof_count;
	/* Since header_size 80. */
	uint32_t bases_offset; /* struct probe_base_op[base_ops] */
	uint32_t base_ops;
};
#define PROBE_SITES_HEADER_MIN	 48u
#define PROBE_SITES_HEADER_LISTS 72u

/* Why no probe sees an access. */
enum probe_uncovered_reason {
	PROBE_UNCOVERED_INTRINSIC = 1,	/* an intrinsic whose address or width is not known */
	PROBE_UNCOVERED_POINTER = 2,	/* what a call through a pointer does */
	PROBE_UNCOVERED_BY_POINTER = 3, /* in a function that is called through a pointer */
	PROBE_UNCOVERED_EXTERNAL = 4,	/* what a function outside of the module does */
	PROBE_UNCOVERED_SHAPE = 5,	/* too wide, or through a buffer pointer */
	PROBE_UNCOVERED_TARGET = 6,	/* a whole kernel: no probes for its target */
	PROBE_UNCOVERED_REASONS = 7,
};

/* One access, or one call that may make some, that is not probed. */
struct probe_site_uncovered {
	uint32_t file, function, line, column; /* as in struct probe_site */
	uint32_t owner;
	uint32_t what;	 /* string: "load", "store", an intrinsic's or function's name ... */
	uint32_t reason; /* enum probe_uncovered_reason */
	uint32_t reserved;
};

/*
 * One probed access. A lane's access is `size` bytes wide; the machine executes it as size / unit
 * accesses of `unit` bytes (1, 2, 4, 8, 12 or 16), the k-th at address + k * unit. The id of a site
 * is its index; the same access has the same id in every kind's clone. Sites that are no accesses
 * have size and unit 0 and come behind all that are.
 */
struct probe_site {
	uint32_t file;	   /* string: path, joined with its directory if relative; "" = unknown */
	uint32_t function; /* string: the function the line belongs to (innermost inlined) */
	uint32_t line;	   /* 0 = no debug information */
	uint32_t column;
	uint32_t first_frame; /* callers by inlining, innermost first: frames[first .. first+count)
			       */
	uint16_t frame_count;
	uint8_t access; /* enum probe_access_kind */
	uint8_t space;	/* enum probe_space */
	uint16_t size;
	uint16_t unit;
	union {
		uint32_t align; /* known alignment of the address, bytes */
		uint32_t name;	/* string, of REGION, MESSAGE and GROUP sites: see section 5 */
	};
	uint32_t owner; /* string: mangled name of the kernel or device function that holds it */
	uint32_t kinds; /* bit (1 << enum probe_kind) for each kind that probes it */
};

/* A kernel and its clones. Its sites and those of the functions it calls lie in the given range. */
struct probe_site_kernel {
	uint32_t name; /* string: mangled name of the original */
	uint32_t kinds;
	uint32_t first_site;
	uint32_t site_count;
};

/* One caller of the inlined-at chain. */
struct probe_site_frame {
	uint32_t file;
	uint32_t function;
	uint32_t line;
	uint32_t column;
};

/*
 * What the compiler proved of a site, so that the `memory` kind need not measure it (section 3).
 * The address in a lane is U + stride[0] * x + stride[1] * y + stride[2] * z + digits, U the same
 * in all lanes, x, y, z the work-item's id.
 */
struct probe_site_stride {
	int64_t constant;
	int64_t factor; /* of a kernel argument, or of a field of the launch; 0 = none */
	/*
	 * Where and how wide that is: in the kernel's argument block, a signed integer of 32 or 64
	 * bits, or one without a sign with PROBE_STRIDE_UNSIGNED; or with PROBE_STRIDE_LAUNCH in
	 * the dispatch packet, an unsigned size of 16 or 32; or with PROBE_STRIDE_RECKONED what a
	 * calculation makes of them, 64 bits wide, and `offset` the number of its first step among
	 * struct probe_base_op. It uses no ids.
	 */
	uint32_t offset;
	uint32_t bits;
};
#define PROBE_STRIDE_LAUNCH   0x80000000u
#define PROBE_STRIDE_UNSIGNED 0x40000000u
#define PROBE_STRIDE_RECKONED 0x20000000u

/*
 * times * OP(v), where v = inner[0] * x + inner[1] * y + inner[2] * z, ids counted from the first
 * active lane's; for BITS and AND from the wave's lowest. P is a number that a cell has for each
 * execution (section 3).
 */
enum probe_digit_op {
	PROBE_DIGIT_BITS = 0, /* v >> shift & mask */
	PROBE_DIGIT_AND = 1,  /* v >> shift & mask & P */
	PROBE_DIGIT_ADD = 2,  /* v + P >> shift & mask */
	PROBE_DIGIT_MIN = 3,  /* of v and P - PROBE_DIGIT_BIAS */
	PROBE_DIGIT_MAX = 4,
	/*
	 * Modulo N, from the first active lane's: (v + R) mod N - R, P being R << 10 | N, of two
	 * numbers; v if P is 0, which it is where no lane is across a multiple of N.
	 */
	PROBE_DIGIT_MOD = 5,
	PROBE_DIGIT_OPS = 6,
};
struct probe_site_digit {
	int64_t times;
	uint32_t mask;
	int16_t inner[3];
	uint8_t shift;
	uint8_t op;
	uint8_t with; /* which of the cell's numbers P is */
	uint8_t reserved[3];
};
enum {
	PROBE_DIGITS = 4,
	PROBE_NUMBERS = 3, /* of a cell, each 0 to PROBE_NUMBER_MAX */
	PROBE_NUMBER_MAX = 1023,
	PROBE_DIGIT_BIAS = 512,
};

#define PROBE_ROW_NONE 0xffffffffu

enum probe_proof_flag {
	/* COUNTED: runs once in every wave that its parent runs in, and then with the same lanes.
	 */
	PROBE_PROOF_ONCE = 1,
	/* The cost depends on the address modulo 128: counted where that of lane 0 was 0. */
	PROBE_PROOF_ALIGNED = 2,
	/* ALIGNED: bits 8 to 10 say which of the addresses tested it counts from. */
	PROBE_PROOF_RISING = 4, /* the proof needs that no lane's address is below the first's */
	/*
	 * COUNTED: what waves do there follows from the launch (struct probe_base_op). Of a branch:
	 * which lanes take it. Of a group behind no branch: where the addresses tested lie. Of one
	 * behind branches, which are LAUNCHED then: all it costs, in all waves, so that nothing is
	 * counted or measured, unless no wave is regular.
	 */
	PROBE_PROOF_LAUNCHED = 8,
	PROBE_PROOF_BRANCH = 16, /* COUNTED, LAUNCHED: of a branch, not of a group */
	/* RISING: of what was counted in cells every lane was looked at: it may well be below. */
	PROBE_PROOF_LANES = 32,
	/*
	 * COUNTED: its stride[0].offset is the first of its PROBE_HEAD_ROWS rows of heads
	 * (section 3).
	 */
	PROBE_PROOF_HEADS = 64,
	/*
	 * COUNTED, of a group that is ONCE, behind no branches but those that are LAUNCHED: each of
	 * its sites has a calculation of its own, which makes the whole address in every lane. If
	 * the launch is reckoned (probe_ctx.reckoned) nothing of it is counted or measured.
	 */
	PROBE_PROOF_EXACT = 128,
	/* EXACT: in launches that are not reckoned its sites are measured, all of them. */
	PROBE_PROOF_ALONE = 1 << 11,
	/*
	 * COUNTED: its stride[1].offset is the first of its PROBE_WINDOW_ROWS rows of windows
	 * (section 3).
	 */
	PROBE_PROOF_WINDOWS = 256,
};

/*
 * A number of a lane, as steps of a calculator with a stack. Of a branch it is 1 where the lane
 * takes it. Of a group it is an address tested, in the first active lane; only its value modulo 128
 * is meant, and that is the same for ids of workgroups that are the same modulo 128. Of a site of a
 * group that is EXACT it is the address, but for a multiple of 128 that all lanes share, or in LDS
 * for any number that they share. Numbers have `bits` (32 or 64); what is taken from the stack was
 * put there last.
 */
enum probe_base_code {
	/* The calculation for address `index` tested of group `value`, or for site `value`, begins;
	   PROBE_ROW_NONE: that of a stride. */
	PROBE_BASE_OF = 1,
	PROBE_BASE_CONSTANT, /* put `value` */
	PROBE_BASE_ARGUMENT, /* put what is at `offset` in the kernel's argument block */
	PROBE_BASE_PACKET,   /* the size of workgroup or grid at `offset` in the dispatch packet */
	PROBE_BASE_GROUP,    /* the workgroup's id along axis `index` */
	PROBE_BASE_ITEM,     /* the work-item's */
	PROBE_BASE_ADD,	     /* take two, put one: the sum */
	PROBE_BASE_SUB,	     /* the second taken less the first taken, as in the next ones */
	PROBE_BASE_MUL,
	PROBE_BASE_AND,
	PROBE_BASE_OR,
	PROBE_BASE_XOR,
	PROBE_BASE_SHL,
	PROBE_BASE_LSHR, /* from here on: in addresses tested never of what is made of ids */
	PROBE_BASE_ASHR,
	PROBE_BASE_UDIV,
	PROBE_BASE_SDIV,
	PROBE_BASE_UMIN,
	PROBE_BASE_UMAX,
	PROBE_BASE_SMIN,
	PROBE_BASE_SMAX,
	PROBE_BASE_UREM,
	PROBE_BASE_SREM,
	PROBE_BASE_EQ, /* put 1 or 0; `bits` are those of what is compared */
	PROBE_BASE_NE,
	PROBE_BASE_ULT, /* the second taken is less than the first taken */
	PROBE_BASE_ULE,
	PROBE_BASE_SLT,
	PROBE_BASE_SLE,
	PROBE_BASE_SELECT, /* take three: the second taken if the third taken is not 0, or the first
			    */
	PROBE_BASE_SEXT,   /* from 32 bits to 64: in addresses, too, as the next ones */
	PROBE_BASE_ZEXT,
	PROBE_BASE_TRUNC,  /* from 64 bits to 32 */
	PROBE_BASE_KEEP,   /* note what was put last as number `index` */
	PROBE_BASE_KEPT,   /* put that again */
	PROBE_BASE_BESIDE, /* alone: `value` more than what the calculation for site `offset` makes
			    */
	PROBE_BASE_CODES,
};
struct probe_base_op {
	uint8_t code; /* enum probe_base_code */
	uint8_t bits;
	uint16_t index;
	uint32_t offset;
	int64_t value;
};
enum { PROBE_BASE_STACK = 16, PROBE_BASE_NOTES = 16 };

struct probe_site_proof {
	uint32_t group; /* its COUNTED row's id; NONE = measured. Of such a row: its parent, a lower
			   id */
	uint32_t shared; /* a row; NONE. Of a site: what it costs, measured for several. Of a group:
			    first of its PROBE_CELL_ROWS rows of cells (section 3) */
	/* From the address that was tested to this site's. Of a group: its first bin's row; 0 =
	 * none. */
	int32_t delta;
	uint32_t flags; /* enum probe_proof_flag */
	struct probe_site_stride stride[3];
	struct probe_site_digit digit[PROBE_DIGITS]; /* added; times = 0: none */
};

#endif
