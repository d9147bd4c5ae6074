/* SPDX-License-Identifier: MIT */
/*
 * SQL functions about the code objects of a database, NULL if unknown; the connection owns what
 * they cache.
 *
 *	probe_position(code object, symbol)	"file:line" where the kernel is declared
 *	probe_code_size(code object, symbol)	bytes of its code
 *	probe_spills(code object, symbol, 'vgpr' or 'sgpr')	registers that did not fit
 *	probe_basis(code object, site)		"measured" or "derived": where its numbers are from
 *
 * Of an address in the code object's image:
 *
 *	probe_line_at		its "file:line"
 *	probe_kernel_at		the kernel, demangled
 *	probe_instruction_at	the instruction as text
 *	probe_comment_at	file:line and those of the calls it was inlined by, as in rocprofv3
 *	probe_stack_at		the same as a folded stack, outermost first
 */
#ifndef PROBE_CMDS_REPORT_CODE_FUNCTIONS_H
#define PROBE_CMDS_REPORT_CODE_FUNCTIONS_H

#include <sqlite3.h>

int report_code_functions_register(sqlite3 *db);

#endif
