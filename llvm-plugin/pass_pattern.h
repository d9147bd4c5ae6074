/* SPDX-License-Identifier: MIT */
/* Arithmetic of linear forms, for those who prove them (pass_prove.h). */
#ifndef PROBE_LLVM_PLUGIN_PASS_PATTERN_H
#define PROBE_LLVM_PLUGIN_PASS_PATTERN_H

#include "pass_prove.h"

static inline int64_t pass_wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t pass_wrap_mul(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

bool pass_pattern_same_strides(const struct pass_pattern *a, const struct pass_pattern *b);
/* U is that value. */
void pass_pattern_set_leaf(struct pass_pattern *form, LLVMValueRef value);
/* The same for what is the same in all lanes: it cannot wrap differently in them. */
void pass_pattern_set_uniform(struct pass_pattern *form, LLVMValueRef value);
void pass_pattern_scale(struct pass_pattern *form, int64_t by);
/* False: the sum is no form. */
bool pass_pattern_add(struct pass_pattern *to, const struct pass_pattern *from);
bool pass_pattern_add_digit(struct pass_pattern *form, const struct pass_digit *digit);
/* Values that must not wrap. */
bool pass_pattern_add_tests(struct pass_pattern *to, const struct pass_pattern *from);
/* 32-bit arithmetic: the small numbers among the equal ones. */
void pass_pattern_cut(struct pass_pattern *form);

#endif
