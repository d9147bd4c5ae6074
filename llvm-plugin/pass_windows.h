/* SPDX-License-Identifier: MIT */
/*
 * Executions with any lanes, of 4-byte words side by side: what they cost follows from which of the
 * wave's windows of 16 lanes are not empty, and from how many lanes there are
 * (PROBE_PROOF_WINDOWS). Masks that conditions on data make seldom come back, and so find no cell.
 */
#ifndef PROBE_LLVM_PLUGIN_PASS_WINDOWS_H
#define PROBE_LLVM_PLUGIN_PASS_WINDOWS_H

#include "pass_cell.h"

bool pass_windows_may(const struct pass_plan *plan, int number);
/* Count this execution and go to .Lprobe_end, or go on if its windows are no lines. */
void pass_windows_put(struct pass_asm *code, const struct plan_group *group,
		      const struct pass_cell_bases *bases, unsigned ctx, unsigned regular);

#endif
