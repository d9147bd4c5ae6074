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
#define PROBE_SITES_VERSION	11u
#define PROBE_SITES_VERSION_MIN 11u /* tables from this version on can be read */

/*
 * Layout: header, sites[site_count], proofs[proof_count], groups[group_count],
 * predicates[predicate_count], exprs[expr_count], kernels[kernel_count], frames[frame_count],
 * uncovered[uncovered_count], strings. Offsets of strings count from strings_offset; string 0 is
 * "". Every string ends in NUL. proof_count is site_count, or 0 if nothing is proved.
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
	uint32_t uncovered_offset; /* struct probe_site_uncovered[uncovered_count] */
	uint32_t uncovered_count;
	uint32_t code_before;	/* IR instructions of the kernels and what they call */
	uint32_t code_after;	/* of all clones */
	uint32_t proofs_offset; /* struct probe_site_proof[proof_count] */
	uint32_t proof_count;
	uint32_t exprs_offset; /* struct probe_expr_node[expr_count] */
	uint32_t expr_count;
	uint32_t groups_offset; /* struct probe_site_group[group_count], by rising row */
	uint32_t group_count;
	uint32_t
		predicates_offset; /* struct probe_site_predicate[predicate_count], by rising row */
	uint32_t predicate_count;
};
#define PROBE_SITES_HEADER_MIN 96u

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
	/* How the address depends on the lane; strings are "" and the class is 0 if not known. */
	uint32_t address;      /* string: an expression for readers */
	uint32_t index_source; /* string: "file:line" of the load that the index comes from */
	/* The first access of its block at a constant distance, or the site itself. */
	uint32_t near_site;
	int32_t near_distance; /* from its address to this one's */
	uint8_t address_class; /* enum probe_address_class */
	uint8_t address_flags; /* enum probe_address_flag */
	uint16_t reserved;
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
 * What the compiler proved of an access, so that the `memory` kind need not measure it (section 3).
 * The address in a lane is U + stride[0] * x + stride[1] * y + stride[2] * z + the bit fields, U
 * the same in all lanes, x, y, z the work-item's id.
 */
struct probe_site_stride {
	int64_t constant;
	int64_t factor; /* of a kernel argument, or of a field of the launch; 0 = none */
	/*
	 * Where and how wide that is: in the kernel's argument block, a signed integer of 32 or 64
	 * bits, or one without a sign with PROBE_STRIDE_UNSIGNED; or with PROBE_STRIDE_LAUNCH in
	 * the dispatch packet, an unsigned size of 16 or 32.
	 */
	uint32_t offset;
	uint32_t bits;
};
#define PROBE_STRIDE_LAUNCH   0x80000000u
#define PROBE_STRIDE_UNSIGNED 0x40000000u

/* times * (the id along `axis` >> shift & mask), or that masked by the group's observed value. */
struct probe_site_bitfield {
	int64_t times; /* 0 = there is none */
	uint32_t mask;
	uint8_t axis;
	uint8_t shift;
	uint8_t observed; /* a cell has the value for each execution (section 3) */
	uint8_t reserved;
};
enum {
	PROBE_BITFIELDS = 4,
	PROBE_OBSERVED_MAX = 1023, /* of it, the bits that an id can have */
};

#define PROBE_ROW_NONE 0xffffffffu

/*
 * Expressions: a number of a lane, as a graph. A node's operands are nodes before it. Of a branch
 * the number is 1 where the lane takes it. As the `base` of a site it is an address tested, in the
 * first active lane; only its value modulo 128 is meant, and that is the same for ids of workgroups
 * that are the same modulo 128. As its `address` it is the address in each lane, but for a multiple
 * of 128 that all lanes share, or in LDS for any number that they share.
 */
enum probe_expr_code {
	PROBE_EXPR_CONSTANT = 1, /* `value` */
	PROBE_EXPR_ARGUMENT,	 /* what is at byte `value` of the kernel's argument block */
	PROBE_EXPR_PACKET, /* the size of workgroup or grid at byte `value` of the dispatch packet
			    */
	PROBE_EXPR_GROUP,  /* the workgroup's id along axis `value` */
	PROBE_EXPR_ITEM,   /* the work-item's */
	PROBE_EXPR_ADD,	   /* from here on of two operands, the first and the second */
	PROBE_EXPR_SUB,
	PROBE_EXPR_MUL,
	PROBE_EXPR_AND,
	PROBE_EXPR_OR,
	PROBE_EXPR_XOR,
	PROBE_EXPR_SHL,
	PROBE_EXPR_LSHR, /* from here on: in bases never of what is made of ids */
	PROBE_EXPR_ASHR,
	PROBE_EXPR_UDIV,
	PROBE_EXPR_SDIV,
	PROBE_EXPR_UMIN,
	PROBE_EXPR_UMAX,
	PROBE_EXPR_SMIN,
	PROBE_EXPR_SMAX,
	PROBE_EXPR_UREM,
	PROBE_EXPR_SREM,
	PROBE_EXPR_EQ, /* 1 or 0; `bits` are those of what is compared */
	PROBE_EXPR_NE,
	PROBE_EXPR_ULT, /* the first is less than the second */
	PROBE_EXPR_ULE,
	PROBE_EXPR_SLT,
	PROBE_EXPR_SLE,
	PROBE_EXPR_SELECT, /* the second operand if the first is not 0, else the third */
	PROBE_EXPR_SEXT,   /* of one, from 32 bits to 64: in bases, too, as the next ones */
	PROBE_EXPR_ZEXT,
	PROBE_EXPR_TRUNC, /* from 64 bits to 32 */
	PROBE_EXPR_CODES,
};
#define PROBE_EXPR_NONE 0xffffffffu

/*
 * A node computes in `bits` (32 or 64) bits; operands are truncated to that first. A division by 0
 * and a shift by too many bits have no value.
 */
struct probe_expr_node {
	uint8_t op; /* enum probe_expr_code */
	uint8_t bits;
	uint16_t reserved;
	uint32_t operand[3]; /* 0 where there is none */
	int64_t value;
};

/* Of a site, an access: how it follows from the counters of its group. */
struct probe_site_proof {
	uint32_t group; /* the row of its group; NONE = measured */
	int32_t delta;	/* from the address that was tested to this site's */
	/* The cost depends on the address modulo 128: counted where that of lane 0 was 0. */
	uint8_t aligned;
	uint8_t address; /* aligned: which of the addresses tested it counts from */
	/*
	 * The proof needs that no lane's address is below the first's. Of what was counted in
	 * histograms, every lane was looked at: there it may well be below.
	 */
	uint8_t rising;
	uint8_t reserved[5];
	uint32_t base;	  /* PROBE_GROUP_LAUNCH, aligned: expression of the address tested; NONE */
	uint32_t lanes;	  /* PROBE_GROUP_LANES: expression of an address in each lane; NONE */
	int64_t distance; /* from there to this site's */
	struct probe_site_stride stride[3];
	struct probe_site_bitfield bitfield[PROBE_BITFIELDS]; /* added */
};

enum probe_group_flag {
	/* Runs once in every wave that its parent runs in, and then with the same lanes. */
	PROBE_GROUP_ONCE = 1,
	/*
	 * Where the addresses tested are follows from the launch (struct probe_expr_node). Of a
	 * group behind predicates, which follow from the launch then: all it costs, in all waves,
	 * so that nothing is counted or measured, unless no wave is regular.
	 */
	PROBE_GROUP_LAUNCH = 2,
	/*
	 * Of a group that is ONCE, behind no predicates but those that follow from the launch: each
	 * of its sites has an expression of its own, which is the whole address in every lane. If
	 * the launch is enumerated (probe_ctx.enumerated), nothing of it is counted or measured.
	 */
	PROBE_GROUP_LANES = 4,
	PROBE_GROUP_LANES_ONLY =
		8, /* LANES: in other launches its sites are measured, all of them */
};

/* Sites of one block, with one row of counters (section 3) and up to three histograms. */
struct probe_site_group {
	uint32_t row;
	uint32_t parent; /* the row of the predicate that it is behind; NONE = every wave runs it */
	uint32_t flags;	 /* enum probe_group_flag */
	/* The first rows of its histograms by execution mask, residue and prefix mask; NONE. */
	uint32_t mask_rows, residue_rows, prefix_rows;
};

/*
 * A block that runs once in every wave that its parent runs in, but for the waves, or lanes, that
 * its row counts as not taken.
 */
struct probe_site_predicate {
	uint32_t row;
	uint32_t parent; /* the row of another one, a lower id; NONE */
	uint32_t
		condition; /* expression, if it follows from the launch which lanes take it; NONE */
	uint32_t reserved;
};

#endif
