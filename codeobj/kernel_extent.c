/* SPDX-License-Identifier: MIT */
#include "codeobj/kernel_extent.h"

#include <string.h>

#include "codeobj/disassembly.h"
#include "codeobj/functions.h"
#include "codeobj/inlines.h"
#include "codeobj/instruction_text.h"
#include "codeobj/kernels.h"

const struct probe_kernel *probe_code_kernel(const struct probe_code *code, const char *symbol)
{
	const struct probe_kernels *kernels = code->kernels;

	for (size_t i = 0; kernels && symbol && i < kernels->count; i++)
		if (!strcmp(kernels->kernels[i].symbol, symbol))
			return &kernels->kernels[i];
	return NULL;
}

const struct probe_symbol *probe_code_symbol(const struct probe_code *code, uint64_t address)
{
	return code->functions ? probe_functions_find(code->functions, address) : NULL;
}

const struct probe_scope *probe_code_function(const struct probe_code *code, uint64_t address)
{
	const struct probe_inlines *inlines = code->inlines;
	const struct probe_scope *scope = inlines ? probe_inlines_find(inlines, address) : NULL;

	while (scope && probe_scope_parent(inlines, scope))
		scope = probe_scope_parent(inlines, scope);
	return scope;
}

/* The last kernel that starts at or before the address and does not end before it. */
static const struct probe_kernel *kernel_before(const struct probe_code *code, uint64_t address)
{
	const struct probe_kernel *best = NULL;
	const struct probe_symbol *symbol;

	if (!code->kernels)
		return NULL;
	for (size_t i = 0; i < code->kernels->count; i++) {
		const struct probe_kernel *kernel = &code->kernels->kernels[i];

		if (kernel->address && kernel->address <= address &&
		    (!best || best->address < kernel->address))
			best = kernel;
	}
	if (!best)
		return NULL;
	/* A symbol without a size ends at the next function. */
	symbol = probe_code_symbol(code, best->address);
	if (symbol && symbol->address == best->address &&
	    (symbol->size ? address - symbol->address >= symbol->size
			  : probe_code_symbol(code, address) != symbol))
		return NULL;
	return best;
}

const struct probe_kernel *probe_code_kernel_at(const struct probe_code *code, uint64_t address,
						const char **function)
{
	const struct probe_kernel *kernel = kernel_before(code, address);
	const struct probe_scope *scope = probe_code_function(code, address);
	const struct probe_symbol *symbol = probe_code_symbol(code, address);

	*function = NULL;
	if (kernel && (!scope || probe_code_function(code, kernel->address) == scope))
		return kernel;
	if (scope)
		*function = code->inlines->names[scope->function];
	else if (code->kernels)
		*function = symbol ? symbol->name : "?";
	return NULL;
}

/* End of the code that starts at the address, according to the symbols. */
static uint64_t end_of(const struct probe_code *code, uint64_t address)
{
	const struct probe_kernels *kernels = code->kernels;
	const struct probe_symbol *symbol = probe_code_symbol(code, address);
	uint64_t end = UINT64_MAX;

	if (symbol && symbol->address == address && symbol->size &&
	    symbol->size < UINT64_MAX - address)
		end = address + symbol->size;
	for (size_t i = 0; kernels && i < kernels->count; i++)
		if (kernels->kernels[i].address > address && kernels->kernels[i].address < end)
			end = kernels->kernels[i].address;
	return end;
}

/* Number of instructions up to the next kernel or function, without padding. */
static size_t length_of(const struct probe_code *code, const struct probe_instruction *rows,
			size_t most)
{
	const struct probe_scope *own = probe_code_function(code, rows->address);
	uint64_t end = end_of(code, rows->address);
	size_t count = 0;

	while (count < most && rows[count].address < end) {
		const struct probe_scope *scope = probe_code_function(code, rows[count].address);

		if (scope && own && scope != own)
			break;
		count++;
	}
	/* Padding may disassemble to any instruction. */
	for (size_t n = count; n; n--)
		if (probe_instruction_terminates(rows[n - 1].text))
			return n;
	return count;
}

uint64_t probe_function_start(const struct probe_code *code,
			      const struct probe_disassembly *disassembly, uint64_t address)
{
	const struct probe_symbol *symbol = probe_code_symbol(code, address);
	const struct probe_scope *scope = probe_code_function(code, address);
	const struct probe_instruction *row = probe_disassembly_find(disassembly, address);

	if (symbol)
		return symbol->address;
	if (!row || !scope)
		return 0;
	while (row > disassembly->rows && probe_code_function(code, row[-1].address) == scope)
		row--;
	return row->address;
}

size_t probe_kernel_extent(const struct probe_code *code,
			   const struct probe_disassembly *disassembly, uint64_t address,
			   const struct probe_instruction **first)
{
	*first = probe_disassembly_find(disassembly, address);
	if (!*first)
		return 0;
	return length_of(code, *first, disassembly->count - (size_t)(*first - disassembly->rows));
}
