/* SPDX-License-Identifier: MIT */
/* Why a record is missing in the database. See wire_kinds.h for tables. */
#ifndef PROBE_DROP_REASONS_H
#define PROBE_DROP_REASONS_H

/* The word is in the database's names ("dropped.full"), the text follows a number of records. */
#define PROBE_DROP_TABLE(X)                                                                        \
	X(FULL, 0, "full", "ring buffer full")                                                     \
	X(INVALID, 1, "invalid", "malformed or marked invalid")                                    \
	X(CORRUPT, 2, "corrupt", "damaged")                                                        \
	X(UNCOMMITTED, 3, "uncommitted", "not completely written")                                 \
	X(DEVICE, 4, "device", "discarded before they were sent")                                  \
	X(MISSING, 5, "missing", "sent but not received")                                         \
	X(NOT_DERIVED, 6, "not_derived", "not derivable from what was counted")                    \
	X(LOST, 7, "lost", "lost by the sampler")                                                  \
	X(NO_CODE, 8, "no_code", "outside of every loaded code object")                            \
	X(MISALIGNED, 9, "misaligned", "not at an instruction")                                    \
	X(MEMORY, 10, "memory", "out of memory")                                                   \
	X(STORE, 11, "store", "could not be written to the database")

enum probe_drop_reason {
#define PROBE_DROP_ENUM(name, number, word, text) PROBE_DROP_##name = number,
	PROBE_DROP_TABLE(PROBE_DROP_ENUM)
#undef PROBE_DROP_ENUM
		PROBE_DROP_REASONS,
};

#endif
