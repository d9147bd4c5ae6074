/* SPDX-License-Identifier: MIT */
/*
 * Domain tables of PC sampling (wire_kinds.h): methods, units, types of issued instructions, and
 * reasons of stalled waves. Numbers of types and reasons are those of rocprofiler-sdk's public
 * enumerations, so that exported files agree with rocprofv3's.
 */
#ifndef PROBE_SAMPLING_H
#define PROBE_SAMPLING_H

#define PROBE_SAMPLING_METHOD_TABLE(X)                                                             \
	X(HOST_TRAP, 0, "host trap", "waves are interrupted; what they do is not known")           \
	X(STOCHASTIC, 1, "stochastic", "hardware samples a wave, with its stall reason")

enum probe_pcs_method {
#define PROBE_PCS_METHOD_ENUM(name, number, word, text) PROBE_PCS_##name = number,
	PROBE_SAMPLING_METHOD_TABLE(PROBE_PCS_METHOD_ENUM)
#undef PROBE_PCS_METHOD_ENUM
};

/* Units of a sampling interval. */
#define PROBE_SAMPLING_UNIT_TABLE(X)                                                               \
	X(MICROSECONDS, 0, "us", "microseconds")                                                   \
	X(CYCLES, 1, "cycles", "clock cycles of the shader engines")                               \
	X(INSTRUCTIONS, 2, "instructions", "executed instructions")

/*
 * rocprofiler_pc_sampling_instruction_type_t: type of an issued instruction. The word is the
 * enumerator without its prefix ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_.
 */
#define PROBE_PCS_TYPE_TABLE(X)                                                                    \
	X(NONE, 0, "NONE", "not known")                                                            \
	X(VALU, 1, "VALU", "vector arithmetic")                                                    \
	X(MATRIX, 2, "MATRIX", "matrix (MFMA, WMMA)")                                              \
	X(SCALAR, 3, "SCALAR", "scalar arithmetic or memory")                                      \
	X(TEX, 4, "TEX", "vector memory")                                                          \
	X(LDS, 5, "LDS", "LDS")                                                                    \
	X(LDS_DIRECT, 6, "LDS_DIRECT", "LDS parameter load")                                       \
	X(FLAT, 7, "FLAT", "flat memory")                                                          \
	X(EXPORT, 8, "EXPORT", "export")                                                           \
	X(MESSAGE, 9, "MESSAGE", "message")                                                        \
	X(BARRIER, 10, "BARRIER", "barrier")                                                       \
	X(BRANCH_NOT_TAKEN, 11, "BRANCH_NOT_TAKEN", "branch not taken")                            \
	X(BRANCH_TAKEN, 12, "BRANCH_TAKEN", "branch taken")                                        \
	X(JUMP, 13, "JUMP", "jump")                                                                \
	X(OTHER, 14, "OTHER", "other")                                                             \
	X(NO_INST, 15, "NO_INST", "no instruction")                                                \
	X(DUAL_VALU, 16, "DUAL_VALU", "two vector instructions at once")

enum probe_pcs_type {
#define PROBE_PCS_TYPE_ENUM(name, number, word, text) PROBE_PCS_TYPE_##name = number,
	PROBE_PCS_TYPE_TABLE(PROBE_PCS_TYPE_ENUM)
#undef PROBE_PCS_TYPE_ENUM
		PROBE_PCS_TYPES,
};

/*
 * rocprofiler_pc_sampling_instruction_not_issued_reason_t: why a wave did not issue. The word is
 * the column of reports, which may be the sum of several reasons. The text is the enumerator
 * without its prefix ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_.
 */
#define PROBE_PCS_REASON_TABLE(X)                                                                  \
	X(NONE, 0, "other", "NONE")                                                                \
	X(NO_INSTRUCTION, 1, "fetch", "NO_INSTRUCTION_AVAILABLE")                                  \
	X(ALU_DEPENDENCY, 2, "alu", "ALU_DEPENDENCY")                                              \
	X(WAITCNT, 3, "waitcnt", "WAITCNT")                                                        \
	X(INTERNAL, 4, "internal", "INTERNAL_INSTRUCTION")                                         \
	X(BARRIER, 5, "barrier", "BARRIER_WAIT")                                                   \
	X(ARBITER_NOT_WIN, 6, "arbiter", "ARBITER_NOT_WIN")                                        \
	X(ARBITER_WIN_EX_STALL, 7, "arbiter", "ARBITER_WIN_EX_STALL")                              \
	X(OTHER, 8, "other", "OTHER_WAIT")                                                         \
	X(SLEEP, 9, "sleep", "SLEEP_WAIT")

enum probe_pcs_reason {
#define PROBE_PCS_REASON_ENUM(name, number, word, text) PROBE_PCS_REASON_##name = number,
	PROBE_PCS_REASON_TABLE(PROBE_PCS_REASON_ENUM)
#undef PROBE_PCS_REASON_ENUM
		PROBE_PCS_REASONS,
};

#endif
