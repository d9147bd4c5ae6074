/* SPDX-License-Identifier: MIT */
/*
 * Asm that counts in rows of the counter table (wire_device.h section 3). It uses s4 to s13, v0 to
 * v3, vcc and scc (asm_build_adding()), and preserves EXEC. `ctx` is the operand that holds the
 * wave's probe_ctx.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_COUNTER_ROWS_H
#define PROBE_LLVM_PLUGIN_EMIT_COUNTER_ROWS_H

#include <stdint.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/inline_asm.h"

enum { COUNTER_ROW_BYTES = PROBE_COUNTERS * 8 };

/* Add 1 to a word of a row in a regular wave; `regular` is the operand number of its EXEC. */
void emit_add_one(struct asm_block *code, unsigned ctx, unsigned regular, uint32_t row,
		  unsigned word);
/* Load s[8:9] = the address that row 0 would have, s10 = replica_mask, s11 = bytes of a replica. */
void emit_load_rows(struct asm_block *code, unsigned ctx);
/*
 * The address of a word in this wave's replica, in two parts, so that other code hides the latency
 * of the load: s13 and s[8:11]; then s10 = the word's offset from s[8:9].
 */
void emit_replica(struct asm_block *code, unsigned ctx);
void emit_row_address(struct asm_block *code, uint32_t row, unsigned word);
/* At the wave's end: add scalar registers to words of rows. */
struct run_counter {
	uint32_t row;
	unsigned word, sgpr;
};
void run_counters_flush(struct asm_block *code, const struct run_counter *sums, unsigned count,
			unsigned ctx);

#endif
