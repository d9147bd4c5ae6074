/* SPDX-License-Identifier: MIT */
/*
 * Clones that are dropped, because the compiler cannot generate code for them, or the code would be
 * wrong.
 */
#ifndef PROBE_LLVM_PLUGIN_MODULE_DROPPED_CLONES_H
#define PROBE_LLVM_PLUGIN_MODULE_DROPPED_CLONES_H

#include <stdbool.h>
#include <stdint.h>

struct call_units;
struct compile_failure;
struct site_table;

/* Does any kernel still have a clone of one of these kinds? */
bool dropped_any_left(const struct call_units *units, uint32_t kinds);
/*
 * Drop the clone that failed and the clones of its kind that call it; all clones if the failed
 * function is not a clone.
 */
void dropped_add(struct call_units *units, uint32_t kinds, const struct compile_failure *failure);
void dropped_add_all(struct call_units *units, uint32_t kinds, const char *why);
/* Drop clones with rings of units whose inline assembly uses registers of the cursor. */
void dropped_add_users(struct call_units *units, uint32_t kinds);
/* Add the dropped clones to the site table, for reports, and print warnings. `all`: none is left.
 */
void dropped_list(const struct call_units *units, bool all, struct site_table *table);

#endif
