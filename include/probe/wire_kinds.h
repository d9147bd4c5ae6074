/* SPDX-License-Identifier: MIT */
/* Probe kinds, access kinds, address spaces and address classes. See wire.h. */
#ifndef PROBE_WIRE_KINDS_H
#define PROBE_WIRE_KINDS_H

#include <stdint.h>

/* ---- 1. Kinds, accesses, spaces ------------------------------------------------------------ */

/*
 * Domain tables. Each row X(NAME, number, "word", "text") defines one value. The enums below, the
 * words in commands and files (<probe/words.h>) and the views of the store (store/sql_words.h) are
 * generated from these rows. Numbers are part of the wire format and of databases: they never
 * change and are never reused.
 */

/* Probe kinds. The clone of kernel <k> for a kind is the kernel "__probe_<word>_<k>". */
#define PROBE_KIND_TABLE(X)                                                                        \
	X(MEMORY, 1, "memory", "exact counters of each memory access, made on the device")         \
	X(TRACE, 2, "trace", "every address, compressed")                                          \
	X(TIME, 3, "time", "time stamps of functions, blocks and regions")                         \
	X(COUNT, 4, "count", "executions and active lanes of basic blocks")

enum probe_kind {
	PROBE_KIND_NONE = 0,
#define PROBE_KIND_ENUM(name, number, word, text) PROBE_KIND_##name = number,
	PROBE_KIND_TABLE(PROBE_KIND_ENUM)
#undef PROBE_KIND_ENUM
		PROBE_KINDS,
};

/* Do clones of this kind write records to rings (section 5)? */
static inline int probe_kind_has_rings(uint32_t kind)
{
	return kind == PROBE_KIND_TRACE || kind == PROBE_KIND_TIME;
}

/* Do clones of this kind count in rows of counters (section 3)? */
static inline int probe_kind_has_counters(uint32_t kind)
{
	return kind == PROBE_KIND_MEMORY || kind == PROBE_KIND_COUNT;
}

/*
 * Kinds of sites.
 *
 * - LOAD, STORE, ATOMIC: memory accesses.
 * - BLOCK: sites of the `count` kind.
 * - REGION, FUNCTION: sites of the `time` kind.
 * - MESSAGE: calls of probe_emit() and probe_emit_lanes() (device.h).
 * - GROUP: accesses of a block that the `trace` kind records together.
 * - MEASURED_ROW, COUNTED_ROW: rows of counters of the `memory` and `count` kinds that several
 *   sites share (section 3).
 */
#define PROBE_ACCESS_TABLE(X)                                                                      \
	X(LOAD, 1, "load", "reads memory")                                                         \
	X(STORE, 2, "store", "writes memory")                                                      \
	X(ATOMIC, 3, "atomic", "reads and writes memory in one operation")                         \
	X(BLOCK, 4, "block", "a basic block")                                                      \
	X(REGION, 5, "region", "a call of probe_region_begin() or probe_region_end()")             \
	X(FUNCTION, 6, "function", "a kernel, or a device function that was not inlined")          \
	X(MESSAGE, 7, "message", "a call of probe_emit() or probe_emit_lanes()")                   \
	X(MEASURED_ROW, 8, "measured row", "a row of counters measured for several sites")         \
	X(GROUP, 9, "group", "accesses of a block that are recorded together")                     \
	X(COUNTED_ROW, 10, "counted row", "a row of counters that sites are derived from")

enum probe_access_kind {
#define PROBE_ACCESS_ENUM(name, number, word, text) PROBE_ACCESS_##name = number,
	PROBE_ACCESS_TABLE(PROBE_ACCESS_ENUM)
#undef PROBE_ACCESS_ENUM
};

/* Is the site a shared row of counters, without a source location? */
static inline int probe_site_is_row(uint32_t access)
{
	return access == PROBE_ACCESS_COUNTED_ROW || access == PROBE_ACCESS_MEASURED_ROW;
}

/* Address spaces, numbered as LLVM's AMDGPU back end numbers them. */
#define PROBE_SPACE_TABLE(X)                                                                       \
	X(FLAT, 0, "flat", "global memory, LDS or scratch, by the address")                        \
	X(GLOBAL, 1, "global", "device memory")                                                    \
	X(LDS, 3, "lds", "local data share of the workgroup")                                      \
	X(CONSTANT, 4, "constant", "device memory that no kernel writes")                          \
	X(SCRATCH, 5, "scratch", "private memory of a work-item")                                  \
	X(BUFFER, 7, "buffer", "device memory through a buffer descriptor")

enum probe_space {
#define PROBE_SPACE_ENUM(name, number, word, text) PROBE_SPACE_##name = number,
	PROBE_SPACE_TABLE(PROBE_SPACE_ENUM)
#undef PROBE_SPACE_ENUM
};

/* Address classes: how an address depends on the lane, according to its data flow. */
#define PROBE_ADDRESS_TABLE(X)                                                                     \
	X(UNIFORM, 1, "uniform", "one address for all lanes")                                      \
	X(AFFINE, 2, "affine", "one stride, by proof")                                             \
	X(ROWS, 3, "rows", "several strides, by proof")                                            \
	X(WRAPPED, 4, "wrapped", "an index with a remainder, a minimum or a choice")               \
	X(COMPUTED, 5, "computed", "computed, with no stride that could be proved")                \
	X(GATHER, 6, "gather", "an index that was loaded")                                         \
	X(CHASE, 7, "chase", "a pointer that was loaded, or an index that the access loads itself")

enum probe_address_class {
#define PROBE_ADDRESS_ENUM(name, number, word, text) PROBE_ADDRESS_##name = number,
	PROBE_ADDRESS_TABLE(PROBE_ADDRESS_ENUM)
#undef PROBE_ADDRESS_ENUM
};

enum probe_address_flag {
	PROBE_ADDRESS_MEMBER = 1,  /* of a member of a struct */
	PROBE_ADDRESS_GUARDED = 2, /* after a branch that may be divergent */
	/* The stride between loop iterations is not known to be a multiple of 128 bytes. */
	PROBE_ADDRESS_MOVES = 4,
	/* The loaded index is from LDS or scratch, or the result of an atomic update. */
	PROBE_ADDRESS_STAGED = 8,
	/*
	 * An argument or a loaded value is added to the index, times a constant that is not a
	 * multiple of 128 bytes.
	 */
	PROBE_ADDRESS_SHIFTS = 16,
	/*
	 * The same bit, of a gather: the work-item may read several indices, as those of a row of a
	 * sparse matrix, so that sorting would move them to other work-items.
	 */
	PROBE_ADDRESS_LISTED = 16,
	PROBE_ADDRESS_RESULT = 32, /* an atomic update whose old value the kernel uses */
	PROBE_ADDRESS_EXCHANGE =
		64, /* an exchange, a compare-and-swap, atomicInc(): do not add up */
	PROBE_ADDRESS_UPDATE = 128, /* the index comes from an atomic update, not from a load */
};

/*
 * Operations of code, as instructions of LLVM's IR after its optimiser: an operation on a vector
 * counts once per element. The machine needs several instructions for some of them (a division, an
 * addition of 64 bits) and none for others. `amount`, per active lane:
 *
 * - FP16, FP32, FP64: floating-point operations, two for a fused multiplication and addition.
 * - SPECIAL: one each, as AMD's profilers count transcendental instructions.
 * - MATRIX_...: operations per wave, not per lane.
 * - accesses of memory: bytes; UNIFORM_READ: per wave, not per lane.
 * - others: 0.
 */
#define PROBE_OPERATION_TABLE(X)                                                                   \
	X(FP16, 1, "fp16", "additions and multiplications of 16 bits")                             \
	X(FP32, 2, "fp32", "additions and multiplications of 32 bits")                             \
	X(FP64, 3, "fp64", "additions and multiplications of 64 bits")                             \
	X(SPECIAL, 4, "special", "divisions, square roots and transcendental functions")           \
	X(MATRIX_FP16, 5, "matrix_fp16", "matrix operations on floats of 16 bits")                 \
	X(MATRIX_FP32, 6, "matrix_fp32", "matrix operations on floats of 32 bits")                 \
	X(MATRIX_FP64, 7, "matrix_fp64", "matrix operations on floats of 64 bits")                 \
	X(MATRIX_FP8, 8, "matrix_fp8", "matrix operations on floats of 8 bits")                    \
	X(INTEGER, 9, "integer", "integer and bit operations that differ between lanes")           \
	X(SCALAR, 10, "scalar", "integer operations that are the same in all lanes")               \
	X(ADDRESS, 11, "address", "computations of addresses that differ between lanes")           \
	X(CONVERT, 12, "convert", "conversions between types")                                     \
	X(COMPARE, 13, "compare", "comparisons, selections, minima, maxima, rounding")             \
	X(LANES, 14, "lanes", "exchange between lanes")                                            \
	X(GLOBAL_READ, 15, "global_read", "loads from memory")                                     \
	X(GLOBAL_WRITE, 16, "global_write", "stores to memory")                                    \
	X(GLOBAL_ATOMIC, 17, "global_atomic", "atomic operations in memory")                       \
	X(LDS_READ, 18, "lds_read", "loads from LDS")                                              \
	X(LDS_WRITE, 19, "lds_write", "stores to LDS")                                             \
	X(LDS_ATOMIC, 20, "lds_atomic", "atomic operations in LDS")                                \
	X(UNIFORM_READ, 21, "uniform_read", "loads of one address for all lanes")                  \
	X(SCRATCH, 22, "scratch", "accesses of private memory, without spilled registers")         \
	X(BRANCH, 23, "branch", "conditional branches")                                            \
	X(CALL, 24, "call", "calls of functions that were not inlined")                            \
	X(BARRIER, 25, "barrier", "barriers of a workgroup")                                       \
	X(OTHER, 26, "other", "others, such as inline assembly")                                   \
	X(MATRIX_I8, 27, "matrix_i8", "matrix operations on integers of 8 bits")                   \
	X(FLAT, 28, "flat", "accesses through flat addresses: of memory, LDS or private memory")

enum probe_operation {
	PROBE_OPERATION_NONE = 0, /* no machine code is expected */
#define PROBE_OPERATION_ENUM(name, number, word, text) PROBE_OPERATION_##name = number,
	PROBE_OPERATION_TABLE(PROBE_OPERATION_ENUM)
#undef PROBE_OPERATION_ENUM
		PROBE_OPERATIONS,
};

#endif
