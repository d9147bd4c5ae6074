/* SPDX-License-Identifier: MIT */
/* The site table of a module (include/probe/wire_sites.h) while it is built. */
#ifndef PROBE_LLVM_PLUGIN_SITES_TABLE_BUILDER_H
#define PROBE_LLVM_PLUGIN_SITES_TABLE_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "common/expr.h"
#include "llvm-plugin/analysis/address_class.h"

struct access_site;
struct call_unit;
struct call_units;

struct table_bytes {
	uint8_t *data;
	size_t size, capacity;
};

struct site_table {
	struct table_bytes sites, proofs, groups, predicates, kernels, frames, strings, uncovered;
	struct table_bytes operations, terms;
	struct expr_graph exprs;
	uint32_t *slot; /* hash of strings: offset + 1 */
	size_t slots, string_count;
	/* Variables in LDS, LLVMValueRef each. A variable's number is its index + 1. */
	struct table_bytes variables;
	struct table_bytes variable_rows; /* struct probe_site_variable of each */
	uint32_t code_before, code_after; /* IR instructions of the originals, of all clones */
};

uint32_t site_table_sites(const struct site_table *table);
uint32_t site_table_uncovered(const struct site_table *table);
void site_table_init(struct site_table *table);
void site_table_deinit(struct site_table *table);
/* The string's offset; equal strings are stored once. */
uint32_t site_table_string(struct site_table *table, const char *text, size_t size);
/* `owner`: the original function of the instruction; `inst` may be in a clone of it. */
void site_table_add_site(struct site_table *table, LLVMValueRef inst,
			 const struct access_site *site, LLVMValueRef owner, uint32_t kinds);
/* The same for a function, at the line where it is declared. */
void site_table_add_function(struct site_table *table, LLVMValueRef function,
			     const struct access_site *site, LLVMValueRef owner, uint32_t kinds);
void site_table_add_uncovered(struct site_table *table, LLVMValueRef inst, LLVMValueRef owner,
			      enum probe_uncovered_reason reason, const char *what);
/* Set the proof of the site added last. */
void site_table_set_proof(struct site_table *table, const struct probe_site_proof *proof);
/* Set the address of the site added last. Sites of its unit start at `first_site`. */
void site_table_set_address(struct site_table *table, const struct address_description *address,
			    uint32_t first_site);
/*
 * Add operations at the place of `inst` (NULL: unknown), which may be in a clone of `owner`.
 * `again`: at the place of those added last.
 */
void site_table_add_operations(struct site_table *table, LLVMValueRef inst, LLVMValueRef owner,
			       bool again, struct probe_site_operations operations);
/* Rows must be added in ascending order. */
void site_table_add_group(struct site_table *table, const struct probe_site_group *group);
void site_table_add_predicate(struct site_table *table,
			      const struct probe_site_predicate *predicate);
void site_table_add_kernel(struct site_table *table, const struct call_unit *unit, uint32_t kinds);
/* Make the table a global of the module, which is kept. */
void site_table_emit(struct site_table *table, LLVMModuleRef module);

#endif
