/* SPDX-License-Identifier: MIT */
/* The site table that the pass adds to a code object. See wire.h. */
#ifndef PROBE_WIRE_SITES_H
#define PROBE_WIRE_SITES_H

#include <probe/wire_kinds.h>

/* ---- 2. Site table: section .probe_sites, symbol __probe_sites ----------------------------- */

#define PROBE_SITES_MAGIC 0x54495350u /* "PSIT" */
/*
 * Also changes with the interface between clones and the library in the application. The library
 * runs clones of its own version only.
 */
#define PROBE_SITES_VERSION	15u
#define PROBE_SITES_VERSION_MIN 11u /* oldest version that can be read */

/*
 * Layout: header, sites[site_count], proofs[proof_count], groups[group_count],
 * predicates[predicate_count], exprs[expr_count], kernels[kernel_count], frames[frame_count],
 * uncovered[uncovered_count], variables[variable_count], operations[operation_count],
 * terms[term_count], strings.
 *
 * A string is an offset from strings_offset and ends in NUL; string 0 is "". proof_count is
 * site_count, or 0 if no site has a proof.
 */
struct probe_sites_header {
	uint32_t magic;
	uint16_t version;
	uint16_t header_size;
	uint32_t total_size;
	uint32_t site_count;
	uint32_t kernel_count;
	uint32_t frame_count;
	uint32_t sites_offset; /* in bytes from the header, as all offsets here */
	uint32_t kernels_offset;
	uint32_t frames_offset;
	uint32_t strings_offset;
	uint32_t strings_size;
	uint32_t uncovered; /* memory accesses of the module that no probe of these kinds covers */
	uint32_t uncovered_offset; /* struct probe_site_uncovered[uncovered_count] */
	uint32_t uncovered_count;
	uint32_t code_before;	/* IR instructions of the kernels and what they call */
	uint32_t code_after;	/* IR instructions of all clones */
	uint32_t proofs_offset; /* struct probe_site_proof[proof_count] */
	uint32_t proof_count;
	uint32_t exprs_offset; /* struct probe_expr_node[expr_count] */
	uint32_t expr_count;
	uint32_t groups_offset; /* struct probe_site_group[group_count], sorted by row */
	uint32_t group_count;
	uint32_t
		predicates_offset; /* struct probe_site_predicate[predicate_count], sorted by row */
	uint32_t predicate_count;
	uint32_t variables_offset; /* struct probe_site_variable[variable_count] */
	uint32_t variable_count;
	uint32_t operations_offset; /* struct probe_site_operations[operation_count] */
	uint32_t operation_count;
	uint32_t terms_offset; /* struct probe_site_term[term_count], sorted by site */
	uint32_t term_count;
};
#define PROBE_SITES_HEADER_MIN 96u

/* Why an access has no probe. */
enum probe_uncovered_reason {
	PROBE_UNCOVERED_INTRINSIC = 1,	/* intrinsic of unknown address or width */
	PROBE_UNCOVERED_POINTER = 2,	/* accesses of an indirect call's callee */
	PROBE_UNCOVERED_BY_POINTER = 3, /* in a function that is called indirectly */
	PROBE_UNCOVERED_EXTERNAL = 4,	/* accesses of a function outside of the module */
	PROBE_UNCOVERED_SHAPE = 5,	/* too wide, or through a buffer pointer */
	PROBE_UNCOVERED_TARGET = 6,	/* target not supported: whole kernel, or access */
	PROBE_UNCOVERED_COMPILER = 7,	/* whole kernel: its clone does not compile */
	PROBE_UNCOVERED_ASM = 8,	/* inline assembly */
	PROBE_UNCOVERED_CONSTANT = 9,	/* load of constant memory, at an address per lane */
	PROBE_UNCOVERED_REASONS = 10,
};

/* An access without a probe, or a call that may make such accesses. */
struct probe_site_uncovered {
	uint32_t file, function, line, column; /* as in struct probe_site */
	uint32_t owner;
	uint32_t what;	 /* string: "load", "store", an intrinsic's or function's name ... */
	uint32_t reason; /* enum probe_uncovered_reason */
	uint32_t reserved;
};

/*
 * One probed access. A lane accesses `size` bytes. The hardware executes this as size / unit
 * machine accesses of `unit` bytes (1, 2, 4, 8, 12 or 16), the k-th at address + k * unit.
 *
 * The id of a site is its index. An access has the same id in the clones of all kinds. Sites that
 * are not accesses have size and unit 0, and follow all accesses.
 */
struct probe_site {
	uint32_t file;	   /* string: path, joined with its directory if relative; "" = unknown */
	uint32_t function; /* string: the function the line belongs to (innermost inlined) */
	uint32_t line;	   /* 0 = no debug information */
	uint32_t column;
	uint32_t first_frame; /* inlined-at chain, innermost caller first */
	uint16_t frame_count;
	uint8_t access; /* enum probe_access_kind */
	uint8_t space;	/* enum probe_space */
	uint16_t size;
	uint16_t unit;
	union {
		uint32_t align; /* known alignment of the address in bytes */
		uint32_t name;	/* string, of REGION, MESSAGE and GROUP sites: see section 5 */
	};
	uint32_t owner; /* string: mangled name of its kernel or device function */
	/* Mask of 1 << enum probe_kind: kinds that probe it; and PROBE_SITE_LIKELY_LINE. */
	uint32_t kinds;
	/* How the address depends on the lane. Strings are "" and the class is 0 if unknown. */
	uint32_t address;      /* string: an expression for readers */
	uint32_t index_source; /* string: "file:line" of the load that the index comes from */
	/*
	 * First access of the same basic block at a constant distance, as long as no index wraps
	 * around; else the site itself.
	 */
	uint32_t near_site;
	int32_t near_distance; /* from its address to this one's */
	uint8_t address_class; /* enum probe_address_class */
	uint8_t address_flags; /* enum probe_address_flag */
	uint16_t variable;     /* in LDS, that contains the address: a number; 0 = unknown */
};

/*
 * In `kinds`: the compiler removed the line of the instruction. The position is that of the call by
 * which it was inlined, or of the computation of its address or of the value that it stores.
 */
#define PROBE_SITE_LIKELY_LINE (1u << 31)

/* A variable in LDS: the one with number n is at index n - 1. */
struct probe_site_variable {
	uint32_t row;	  /* bytes of its innermost arrays; 0 = not an array of arrays */
	uint32_t element; /* bytes of their elements */
};

/*
 * A term of an access's address, which is a pointer + a constant + terms. A term is `step` bytes
 * times the values that `of` names. No proof: an index of 32 bits is taken not to wrap.
 */
enum probe_term_flag {
	PROBE_TERM_ITEM = 1,	/* the work-item's id along x; << 1: along y; << 2: along z */
	PROBE_TERM_GROUP = 8,	/* the workgroup's id, as above */
	PROBE_TERM_SIZE = 64,	/* a size of workgroups or of the grid */
	PROBE_TERM_LOOP = 128,	/* the iteration of a loop */
	PROBE_TERM_VALUE = 256, /* an argument, a loaded value, or another one */
	PROBE_TERM_PART = 512,	/* not those values themselves: a quotient, a remainder, ... */
	/* `step` is 0; with LOOP, the address changes with the iteration. */
	PROBE_TERM_UNKNOWN = 1024
};
#define PROBE_TERM_ITEMS  (7u * PROBE_TERM_ITEM) /* along any axis */
#define PROBE_TERM_GROUPS (7u * PROBE_TERM_GROUP)

struct probe_site_term {
	uint32_t site;
	uint16_t of; /* enum probe_term_flag */
	uint16_t reserved;
	int64_t step;
};

/* A kernel and its clones. The range has its sites and those of the functions that it calls. */
struct probe_site_kernel {
	uint32_t name; /* string: mangled name of the original */
	uint32_t kinds;
	uint32_t first_site;
	uint32_t site_count;
};

/* One caller in an inlined-at chain. */
struct probe_site_frame {
	uint32_t file;
	uint32_t function;
	uint32_t line;
	uint32_t column;
};

/* Operations of the `count` kind's row `row` at one place, in each of its executions. */
struct probe_site_operations {
	uint32_t row;	      /* site of kind BLOCK or COUNTED_ROW */
	uint32_t first_frame; /* the place itself, then its callers, innermost first */
	uint16_t frame_count; /* 0 = no debug information */
	uint8_t operation;    /* enum probe_operation */
	uint8_t reserved;
	uint32_t count;
	uint32_t amount; /* see PROBE_OPERATION_TABLE */
};

/*
 * What the compiler proved about an access, so that the `memory` kind need not measure it (section
 * 3). The address in a lane is
 *
 *	U + stride[0] * x + stride[1] * y + stride[2] * z + bit fields
 *
 * where U is uniform, and x, y, z are the id of the work-item.
 */
struct probe_site_stride {
	int64_t constant;
	int64_t factor; /* of a kernel argument or a launch parameter; 0 = none */
	/*
	 * Position and width of that value. In the kernel's argument block: an integer of 32 or 64
	 * bits, signed unless PROBE_STRIDE_UNSIGNED is set. With PROBE_STRIDE_LAUNCH, in the
	 * dispatch packet: an unsigned size of 16 or 32 bits.
	 */
	uint32_t offset;
	uint32_t bits;
};
#define PROBE_STRIDE_LAUNCH   0x80000000u
#define PROBE_STRIDE_UNSIGNED 0x40000000u

/*
 * scale * (id along `axis` >> shift & mask). With `observed`, the masked bits are combined with the
 * group's observed value by another and. The site's
 * stride[multiplier - 1] is another factor, and of no id then.
 */
struct probe_site_bitfield {
	int64_t scale; /* 0 = there is none */
	uint32_t mask;
	uint8_t axis;
	uint8_t shift;
	uint8_t observed;   /* the histogram's bucket has that value (section 3) */
	uint8_t multiplier; /* 0 = none */
};
enum {
	PROBE_BITFIELDS = 4,
	PROBE_OBSERVED_MAX = 1023, /* the bits that an id can have */
};

#define PROBE_ROW_NONE 0xffffffffu

/*
 * Expressions: a value per lane, as a graph. Operands of a node precede it. An expression is used
 * as
 *
 * - the condition of a predicate: not 0 in the lanes that take the branch; of a loop, how often
 *   the lane starts another iteration;
 * - the `base` of a site: a tested address in the first active lane. Only its value modulo 128 is
 *   meaningful. It is the same for workgroup ids that are equal modulo 128;
 * - the address in each lane (probe_site_proof.lanes), except for a multiple of 128 that all lanes
 *   share; in LDS, except for any value that all lanes share. In a loop whose iterations are not
 *   evaluated, the address in the first one, and the distance from there to the next one.
 */
enum probe_expr_code {
	PROBE_EXPR_CONSTANT = 1, /* `value` */
	PROBE_EXPR_ARGUMENT,	 /* value at byte `value` of the kernel's argument block */
	PROBE_EXPR_PACKET,	 /* workgroup or grid size at byte `value` of the dispatch packet */
	PROBE_EXPR_GROUP,	 /* id of the workgroup along axis `value` */
	PROBE_EXPR_ITEM,	 /* id of the work-item along axis `value` */
	PROBE_EXPR_ADD,		 /* two operands from here on */
	PROBE_EXPR_SUB,
	PROBE_EXPR_MUL,
	PROBE_EXPR_AND,
	PROBE_EXPR_OR,
	PROBE_EXPR_XOR,
	PROBE_EXPR_SHL,
	PROBE_EXPR_LSHR, /* from here on: in a `base`, operands never depend on ids */
	PROBE_EXPR_ASHR,
	PROBE_EXPR_UDIV,
	PROBE_EXPR_SDIV,
	PROBE_EXPR_UMIN,
	PROBE_EXPR_UMAX,
	PROBE_EXPR_SMIN,
	PROBE_EXPR_SMAX,
	PROBE_EXPR_UREM,
	PROBE_EXPR_SREM,
	PROBE_EXPR_EQ, /* 1 or 0; `bits` is the width of the operands */
	PROBE_EXPR_NE,
	PROBE_EXPR_ULT, /* first operand less than the second */
	PROBE_EXPR_ULE,
	PROBE_EXPR_SLT,
	PROBE_EXPR_SLE,
	PROBE_EXPR_SELECT, /* second operand if the first is not 0, else the third */
	PROBE_EXPR_SEXT,   /* one operand, 32 to 64 bits; from here on: any operand in a `base` */
	PROBE_EXPR_ZEXT,
	PROBE_EXPR_TRUNC,   /* 64 to 32 bits */
	PROBE_EXPR_REVERSE, /* the bits, in reverse; in no `base` */
	/*
	 * No operand: iterations of loop `value` around the access that are complete; 0 is the
	 * outermost loop. In no `base`.
	 */
	PROBE_EXPR_ITERATION,
	PROBE_EXPR_CODES,
};
#define PROBE_EXPR_NONE 0xffffffffu
enum {
	PROBE_LOOPS_MAX = 4,   /* around an access whose predicates follow from the launch */
	PROBE_GUARDS_MAX = 20, /* such predicates that guard one access, loops included */
	PROBE_STEPS_MAX = 512, /* different nodes in all their conditions */
};

/*
 * A node computes in `bits` (32 or 64) bits, to which its operands are truncated. A division by 0
 * and a shift by too many bits have no value.
 */
struct probe_expr_node {
	uint8_t op; /* enum probe_expr_code */
	uint8_t bits;
	uint16_t reserved;
	uint32_t operand[3]; /* 0 where there is none */
	int64_t value;
};

/* How the counters of an access are derived from those of its group. */
struct probe_site_proof {
	uint32_t group; /* row of its group; PROBE_ROW_NONE = measured */
	int32_t delta;	/* this site's address minus the tested address */
	/*
	 * The cost depends on the tested address modulo 128, for which the group counts residues.
	 */
	uint8_t aligned;
	uint8_t address; /* aligned: index of the tested address */
	/*
	 * The proof requires that no lane's address is less than the first active lane's. For
	 * executions in histograms all lanes were compared, so that this need not hold there.
	 */
	uint8_t first_is_lowest;
	/*
	 * PROBE_GROUP_LOOP: an expression, or NONE. In one of the loops, `stepped`, nothing but the
	 * address depends on the iteration, which moves it by `step` bytes in all lanes. The host
	 * evaluates each iteration of the other loops.
	 */
	uint8_t stepped;
	uint32_t step;
	uint32_t base;	  /* PROBE_GROUP_LAUNCH, aligned: expression of the tested address; NONE */
	uint32_t lanes;	  /* PROBE_GROUP_LANES: expression of the address per lane; NONE */
	int64_t distance; /* this site's address minus `lanes` */
	struct probe_site_stride stride[3];
	struct probe_site_bitfield bitfield[PROBE_BITFIELDS]; /* summands */
};

enum probe_group_flag {
	/* Executes once in every wave that executes its parent, with the same active lanes. */
	PROBE_GROUP_ONCE = 1,
	/*
	 * The tested addresses follow from the launch (struct probe_expr_node). If predicates guard
	 * the group, these follow from the launch as well. The host then derives the cost of all
	 * waves, and nothing is counted or measured, unless no wave is regular.
	 */
	PROBE_GROUP_LAUNCH = 2,
	/*
	 * For a group with PROBE_GROUP_ONCE or PROBE_GROUP_LOOP whose predicates all follow from
	 * the launch: each site has an expression for the complete address in every lane. If the
	 * host enumerates the launch (probe_ctx.enumerated), nothing is counted or measured.
	 */
	PROBE_GROUP_LANES = 4,
	/* PROBE_GROUP_LANES, and in launches that are not enumerated its sites are measured. */
	PROBE_GROUP_LANES_ONLY = 8,
	/*
	 * PROBE_GROUP_LANES, in loops: they are among its predicates, and PROBE_GROUP_ONCE is not
	 * set.
	 */
	PROBE_GROUP_LOOP = 16,
	/*
	 * Of the executions that are not counted in another way, a sample is measured, chosen at
	 * random: one in PROBE_GROUP_EVERY(flags). All of them are in two words of the group's row;
	 * the rows of its sites have those that were measured. Sites whose addresses are not proved
	 * are in such groups, too, which have no other executions.
	 */
	PROBE_GROUP_SAMPLED = 32,
};
#define PROBE_GROUP_EVERY_SHIFT	 16
#define PROBE_GROUP_EVERY(flags) ((flags) >> PROBE_GROUP_EVERY_SHIFT)
#define PROBE_MEASURED_EVERY_MAX 1000u

/* Sites of one basic block, with one row of counters (section 3) and up to three histograms. */
struct probe_site_group {
	uint32_t row;
	uint32_t parent; /* row of the predicate that guards it; NONE = every wave executes it */
	uint32_t flags;	 /* enum probe_group_flag */
	/* First rows of its histograms: execution masks, residues, prefix masks; NONE. */
	uint32_t mask_rows, residue_rows, prefix_rows;
};

/*
 * A block that executes once in every wave that executes its parent, except for the waves or lanes
 * that its row counts as not taken.
 */
struct probe_site_predicate {
	uint32_t row;
	uint32_t parent; /* row of another predicate with a lower id; NONE */
	/* Expression, if the launch determines which lanes take the branch; NONE. */
	uint32_t condition;
	/*
	 * 1: the block is a loop's body, which lanes execute 1 + `condition` times.
	 */
	uint32_t loop;
};

#endif
