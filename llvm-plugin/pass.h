/* SPDX-License-Identifier: MIT */
/*
 * The pass, from outside in: probe_pass_run() (pass.c) reads the options, finds the kernels and
 * what they call (pass_units.c), clones them (pass_clone.c), lists their sites (pass_sites.c), puts
 * a probe before each (pass_insert.c, devlib_link.c) and writes the site table (pass_table.c).
 */
#ifndef PROBE_LLVM_PLUGIN_PASS_H
#define PROBE_LLVM_PLUGIN_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <probe/wire.h>

enum {
	PASS_CC_KERNEL = 91, /* CallingConv::AMDGPU_KERNEL */
	PASS_PATH_MAX = 4096,
};

/* ---- Options (pass_options.c): environment variables, because they reach every compile flow. ----
 */

struct pass_scope {
	char *file;	/* trailing path components; NULL: a function */
	char *function; /* name as in the source, or as the linker knows it */
	uint32_t first, last;
};

/* What the time kind stamps: regions and kernels, functions as well, blocks as well. */
enum pass_stamps { PASS_STAMPS_REGIONS, PASS_STAMPS_FUNCTIONS, PASS_STAMPS_BLOCKS };

/* What makes the `memory` kind cheaper, and can be left out by itself (PROBE_DISABLE). */
enum pass_mechanism {
	PASS_BRANCHES,
	PASS_LAUNCH_ADDRESSES,
	PASS_LANE_ADDRESSES,
	PASS_BIT_FIELDS,
	PASS_MASK_HISTOGRAM,
	PASS_LINE_HISTOGRAM,
	PASS_PREFIX_HISTOGRAM,
	PASS_RUN_COUNTERS,
	PASS_PATTERN_CACHE,
	PASS_SHARED_SLOTS,
	PASS_TWINS,
	PASS_LEADERS,
	PASS_MECHANISMS,
};

struct pass_options {
	uint32_t kinds;	   /* bit (1 << enum probe_kind) */
	uint32_t disabled; /* bit (1 << enum pass_mechanism) */
	uint32_t spaces;   /* bit (1 << enum probe_space): CONSTANT and SCRATCH, if asked for */
	bool by_default;   /* nobody named kinds */
	enum pass_stamps stamps;
	unsigned verbose; /* 1 = a line per module, 2 = what is proved of each site as well */
	bool prove;	  /* count what is proved instead of measuring it */
	bool plain;	  /* code will not be optimised: no lean probes */
	/* Probes in portable code (devlib_portable.h), for waves of so many lanes; 0 = lean ones.
	 */
	unsigned portable;
	unsigned generation;	  /* of the target: 9, 10 or 11 */
	struct pass_scope *scope; /* empty = everything */
	size_t scopes;
};

/* False: *ret_error says why, and the caller frees it. Deinit is due in both cases. */
bool pass_options_init(struct pass_options *options, char **ret_error);
void pass_options_deinit(struct pass_options *options);
bool pass_options_in_scope(const struct pass_options *options, const char *file, uint32_t line);
bool pass_options_function_in_scope(const struct pass_options *options, const char *name,
				    size_t size);
static inline bool pass_enabled(const struct pass_options *options, enum pass_mechanism which)
{
	return !(options->disabled >> which & 1);
}

const char *pass_kind_name(enum probe_kind kind); /* NULL: no such clone */

/* ---- Units (pass_units.c): a kernel, or a device function a kernel calls directly. --------------
 */

struct count_plan;

struct pass_unit {
	LLVMValueRef original;
	LLVMValueRef base; /* clone with the new parameters, vectorised, without probes */
	LLVMValueRef clone[PROBE_KINDS];
	uint32_t first_site, site_count; /* own sites */
	uint32_t proved, counted; /* of those, with proved strides; and not measured for it */
	uint32_t rows;		  /* ids behind the sites: rows of their groups */
	uint32_t range_first, range_end; /* hull of own and called sites */
	uint32_t first_mark;		 /* sites that are no accesses (pass_time.c) */
	uint32_t first_block;		 /* of them, the blocks */
	uint32_t first_group;		 /* of them, the trace kind's groups (pass_trace.c) */
	struct count_plan *count;	 /* pass_count.c; NULL = not this kind */
	bool kernel;
	bool probed; /* it or something it calls has sites */
};

struct pass_units {
	struct pass_unit *unit; /* callees before their callers, recursion apart */
	size_t count, capacity;
	size_t *slot; /* hash of originals: index + 1, 0 = free */
	size_t slots;
};

bool pass_units_collect(struct pass_units *units, LLVMModuleRef module);
void pass_units_deinit(struct pass_units *units);
struct pass_unit *pass_units_find(const struct pass_units *units, LLVMValueRef function);
/* The defined function an instruction calls directly, or NULL. */
LLVMValueRef pass_direct_callee(LLVMValueRef inst);
/* True if the function may be called in a way no clone covers. */
bool pass_address_taken(LLVMValueRef function);

/* ---- Targets (pass_target.c) --------------------------------------------------------------------
 */

/*
 * Can the module's kernels have probes? If not, one sentence, and it gets no clones. If so, options
 * are narrowed to what their target can have.
 */
bool pass_target_check(const struct pass_units *units, struct pass_options *options);

/* How asm for a target's waves is written (pass_asm.h). */
struct pass_wave {
	unsigned lanes;
	const char *exec, *vcc;
	const char *place; /* operand of s_getreg_b32 with what tells compute units apart */
	/* Before scalar code may write EXEC or registers that a memory operation reads. */
	const char *settle;
};

const struct pass_wave *pass_target_wave(const struct pass_options *options);

/* ---- Sites (pass_sites.c) -----------------------------------------------------------------------
 */

enum pass_access {
	PASS_ACCESS_NONE,	/* no memory access, or one that is never of interest */
	PASS_ACCESS_SITE,	/* probed */
	PASS_ACCESS_LOWERED,	/* probed after pass_lower.c has been there */
	PASS_ACCESS_ON_REQUEST, /* constant memory: PROBE_SPACES */
	PASS_ACCESS_UNCOVERED,	/* accesses memory in a way no probe covers */
};

struct pass_site {
	LLVMValueRef pointer;
	enum probe_access_kind access;
	enum probe_space space;
	uint32_t size, unit;
	uint32_t align; /* of a region or message: its name, a string of the table */
};

enum pass_access pass_site_read(LLVMValueRef inst, struct pass_site *ret);
/* Does it access scratch? All but the unit is filled in. */
bool pass_site_scratch(LLVMValueRef inst, struct pass_site *ret);
/* Bytes of the machine accesses that an access is split into; see wire.h. */
uint32_t pass_site_unit(enum probe_space space, enum probe_access_kind access, uint32_t size,
			uint32_t align);
/*
 * The constant `shape` of an access that probes get: unit, number of units << 8, and the SHAPE_
 * bits of devlib_wave.h.
 */
uint32_t pass_site_shape(const struct pass_site *site);
/* File of a debug location, absolute if the compiler told; "" = unknown. */
void pass_location_file(LLVMMetadataRef scope, char *buf, size_t size);
/* Does a wave wait here for the others of its workgroup? */
bool pass_is_barrier(LLVMValueRef inst);
/* Is the line of an instruction one that the user asked for? */
bool pass_in_scope(LLVMValueRef inst, const struct pass_options *options);
/* Is this instruction a site, and within the scope the user asked for? */
bool pass_site_wanted(LLVMValueRef inst, const struct pass_options *options, struct pass_site *ret);

/* ---- Intrinsics (pass_lower.c) ------------------------------------------------------------------
 */

/* How an intrinsic accesses memory. */
enum pass_form {
	PASS_FORM_NONE,	   /* not at all, or it is none */
	PASS_FORM_UNKNOWN, /* in a way no probe covers */
	PASS_FORM_POINTER, /* at its first operand, with data of its second one's type */
	PASS_FORM_LOWERED, /* the rest is lowered */
	PASS_FORM_COPY = PASS_FORM_LOWERED,
	PASS_FORM_RAW,
	PASS_FORM_RAW_SWAP,
	PASS_FORM_STRUCT,
	PASS_FORM_STRUCT_SWAP,
	PASS_FORM_RAW_LDS,
	PASS_FORM_STRUCT_LDS,
	PASS_FORM_GLOBAL_LDS,
};

/* Name of the function an instruction calls directly, "" = it does not. */
const char *pass_called_name(LLVMValueRef inst);
enum pass_form pass_form_of(LLVMValueRef inst);
/* In a base clone: what needs blocks of its own first, then what only marks addresses. */
void pass_lower_copies(LLVMValueRef function, const struct pass_options *options, void *analyses);
void pass_mark(LLVMValueRef function, const struct pass_options *options, void *analyses);
bool pass_is_marker(LLVMValueRef inst);
void pass_marker_read(LLVMValueRef inst, struct pass_site *ret);
/* Drop all markers of a module. */
void pass_unmark(LLVMModuleRef module);

/* ---- Table (pass_table.c) -----------------------------------------------------------------------
 */

struct pass_bytes {
	uint8_t *data;
	size_t size, capacity;
};

struct pass_table {
	struct pass_bytes sites, proofs, groups, predicates, exprs, kernels, frames, strings,
		uncovered;
	uint32_t *slot; /* hash of strings: offset + 1 */
	size_t slots, string_count;
	uint32_t code_before, code_after; /* IR instructions of the originals, of all clones */
};

uint32_t pass_table_sites(const struct pass_table *table);
uint32_t pass_table_uncovered(const struct pass_table *table);
void pass_table_init(struct pass_table *table);
void pass_table_deinit(struct pass_table *table);
uint32_t pass_table_string(struct pass_table *table, const char *text, size_t size);
/* `owner`: the original that holds the instruction; `inst` may lie in a clone of it. */
void pass_table_add_site(struct pass_table *table, LLVMValueRef inst, const struct pass_site *site,
			 LLVMValueRef owner, uint32_t kinds);
/* The same for a function, at the line where it is declared. */
void pass_table_add_function(struct pass_table *table, LLVMValueRef function,
			     const struct pass_site *site, LLVMValueRef owner, uint32_t kinds);
void pass_table_add_uncovered(struct pass_table *table, LLVMValueRef inst, LLVMValueRef owner,
			      enum probe_uncovered_reason reason, const char *what);
/* Of the site added last. */
void pass_table_set_proof(struct pass_table *table, const struct probe_site_proof *proof);
/* Rows are added by rising id. */
void pass_table_add_group(struct pass_table *table, const struct probe_site_group *group);
void pass_table_add_predicate(struct pass_table *table,
			      const struct probe_site_predicate *predicate);
/* Steps of an expression, the first of them PROBE_EXPR_OF. */
void pass_table_add_expr(struct pass_table *table, const struct probe_expr_op *op, unsigned ops);
void pass_table_add_kernel(struct pass_table *table, const struct pass_unit *unit, uint32_t kinds);
void pass_table_emit(struct pass_table *table, LLVMModuleRef module);

/* pass_uncovered.c: what no probe of these kinds covers. */
void pass_uncovered_list(struct pass_table *table, const struct pass_units *units,
			 LLVMModuleRef module);
uint32_t pass_count_code(LLVMValueRef function);

/* ---- Clones and probes --------------------------------------------------------------------- */

/* pass_clone.c: the base clone of a unit, and a kind's clone of its base. */
void pass_clone_base(struct pass_unit *unit, LLVMModuleRef module,
		     const struct pass_options *options, void *analyses);
void pass_clone_kind(struct pass_unit *unit, LLVMModuleRef module, enum probe_kind kind);

/* devlib_link.c: the device library's functions, linked into the module while we work. */
enum devlib_function {
	DEVLIB_MEMORY_ENTER,
	DEVLIB_MEMORY_SITE, /* the same for groups of proved sites, and how rows are added to */
	DEVLIB_MEMORY_CELL,
	DEVLIB_MEMORY_ANY,   /* a unit of an access: a copy per shape */
	DEVLIB_MEMORY_FIRST, /* the first unit, called as devlib_measure.h says */
	DEVLIB_MEMORY_KEEP,  /* the same, and what to keep (devlib_keep.h), and how that is added */
	DEVLIB_MEMORY_REPEAT,
	DEVLIB_TRACE_ANY,
	DEVLIB_TRACE_CALL, /* where optimised code cannot go on by itself */
	DEVLIB_TRACE_SITE,
	DEVLIB_TRACE_ODD,
	DEVLIB_TRACE_ODD_LDS,
	DEVLIB_TRACE_BARRIER,
	DEVLIB_TRACE_BLOCK, /* of one site; the next is of two, and so on */
	DEVLIB_TRACE_BLOCK_LAST = DEVLIB_TRACE_BLOCK + PROBE_GROUP_BASES - 1,
	DEVLIB_CURSOR_ENTER,
	DEVLIB_CURSOR_EXIT,
	DEVLIB_TIME_BEGIN,
	DEVLIB_TIME_END,
	DEVLIB_TIME_SPAN_BEGIN,
	DEVLIB_TIME_SPAN_END,
	DEVLIB_LATE_ENTER,
	DEVLIB_LATE_BEGIN,
	DEVLIB_LATE_END,
	DEVLIB_LATE_EXIT,
	DEVLIB_EMIT_BEGIN,
	DEVLIB_EMIT_WORD,
	DEVLIB_RING_REFILL,
	DEVLIB_COUNT_BLOCK,
	DEVLIB_COUNT_PLAIN,
	DEVLIB_SELECT, /* the context of a wave, by the workgroup filter */
	DEVLIB_UNIFORM,
	DEVLIB_FUNCTIONS,
};

/* The SHAPE_ bits of devlib_wave.h, above unit (8 bits) and number of units (8 bits). */
enum {
	DEVLIB_SHAPE_STORE = 1 << 16,
	DEVLIB_SHAPE_UNALIGNED = 1 << 17,
	DEVLIB_SHAPE_LDS = 1 << 18,
	DEVLIB_SHAPE_FLAT = 1 << 19,
	DEVLIB_SHAPE_ATOMIC = 1 << 20,
	/* Of copies only: called by code that is not optimised, with a stack to use. */
	DEVLIB_SHAPE_PLAIN = 1 << 21,
	/* With that: called by portable code that is optimised, whose stamps need no stack. */
	DEVLIB_SHAPE_CURSOR = 1 << 22,
	DEVLIB_SHAPE_MORE = 1 << 23,
};

/*
 * Vector registers that these may use (devlib_measure.h). With fewer, gfx906 spills some, to a
 * stack that is not there, and gfx908 and gfx90a to accumulation registers that the caller may be
 * using.
 */
#define PASS_SHARED_VGPRS 28

/* A function that lean probes call: the original's copy for one shape. */
struct devlib_shared {
	enum devlib_function original;
	uint32_t shape;
	LLVMValueRef copy;
};

struct devlib {
	bool portable; /* copies hold what they call */
	LLVMValueRef function[DEVLIB_FUNCTIONS];
	struct devlib_shared *shared;
	size_t shared_count;
};

/* In portable code or not, as the options say. */
bool devlib_link(struct devlib *devlib, LLVMModuleRef module, const struct pass_options *options,
		 char **ret_error);
/*
 * The copy of a shared function for a shape, which is its last argument if it depends on it; made
 * at first use for the target of `like`.
 */
LLVMValueRef devlib_share(struct devlib *devlib, enum devlib_function original, uint32_t shape,
			  LLVMValueRef like, void *analyses);
/* Drop what is not used any more. */
void devlib_unlink(struct devlib *devlib, void *analyses);

/* pass_insert.c: put the kind's probes into a unit's clone; site ids count up from
 * unit->first_site. */
void pass_insert(const struct pass_units *units, const struct pass_unit *unit, enum probe_kind kind,
		 struct devlib *devlib, const struct pass_options *options, void *analyses);

/* Put the unit's sites and rows into the table, and in the unit how many there are. */
void pass_list_unit(struct pass_unit *unit, LLVMModuleRef module, struct pass_table *table,
		    const struct pass_options *options, void *analyses);

/*
 * LLVM 15's module LDS lowering misses a constant LDS address that was folded into a vector: the
 * clone would get the variable twice. An opaque zero keeps it from folding.
 */
LLVMValueRef pass_opaque_lds(LLVMBuilderRef builder, LLVMValueRef pointer);

/*
 * The active lanes, of `lanes` in a wave, in which the condition is true. Not the comparison
 * itself: LLVM 15 cannot select "is a number" of two halves for a mask.
 */
LLVMValueRef pass_ballot(LLVMBuilderRef builder, LLVMValueRef condition, unsigned lanes);

/* Join the `ret void`s of a kernel into one and return it; NULL if the kernel never returns. */
LLVMValueRef pass_single_return(LLVMValueRef kernel);
/* First instruction of a function behind its allocas, all of which come before it afterwards. */
LLVMValueRef pass_entry_point(LLVMValueRef function);
/* Does this call end the wave? */
bool pass_ends_wave(LLVMValueRef inst);
/* Is the function, or all code, compiled without optimisation? */
bool pass_is_plain(LLVMValueRef function, const struct pass_options *options);

/* ---- Calls of device.h, and the `time` kind (pass_time.c) ----------------------------------- */

/*
 * Scalar registers left to the compiler where devlib_cursor.h keeps some, and those it reserves on
 * top: 2 for vcc, or 6 with flat_scratch and xnack, which a kernel or function may do without. The
 * fewest count: with 6, one that reserves 2 would reach s81.
 */
#define PASS_CURSOR_SGPRS "80"
enum { PASS_CURSOR_LAST = 93 }; /* the last one that it keeps */

bool pass_is_message(LLVMValueRef inst);
bool pass_marks_any(LLVMModuleRef module);
/* Take what is left of them out of the module. */
void pass_marks_remove(LLVMModuleRef module);
/* Add the unit's sites that are no accesses to the table. */
void pass_time_list(struct pass_unit *unit, struct pass_table *table,
		    const struct pass_options *options);
/* The same for the groups of its accesses. */
void pass_trace_list(struct pass_unit *unit, struct pass_table *table,
		     const struct pass_options *options, void *analyses);
/* The clone of a kind with rings. */
void pass_ring_insert(const struct pass_units *units, const struct pass_unit *unit,
		      enum probe_kind kind, struct devlib *devlib,
		      const struct pass_options *options, void *analyses);

/* ---- The `count` kind (pass_count.c) -------------------------------------------------------- */

/* Make the unit's clone, and list its blocks: rows behind the unit's other sites. */
void pass_count_list(struct pass_unit *unit, LLVMModuleRef module, struct pass_table *table,
		     const struct pass_options *options, void *analyses);
void pass_count_insert(const struct pass_units *units, const struct pass_unit *unit,
		       struct devlib *devlib, const struct pass_options *options, void *analyses);
void pass_count_deinit(struct pass_unit *unit);

/* ---- Small things (pass_support.c): out of memory ends the compiler, as it does everywhere in it.
 * -- */

void *pass_alloc(void *old, size_t size);
char *pass_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
