/* SPDX-License-Identifier: MIT */
/*
 * Accesses that are measured: calls of the device library's functions as devlib_measure.h says, in
 * asm blocks for the reasons given there.
 */
#ifndef PROBE_LLVM_PLUGIN_PASS_MEASURE_H
#define PROBE_LLVM_PLUGIN_PASS_MEASURE_H

#include "pass_asm.h"
#include "pass_lead.h"

struct pass_measure {
	struct devlib *devlib;
	LLVMBuilderRef builder;
	LLVMValueRef clone;
	LLVMValueRef wave; /* the wave's word (devlib_memory.c) */
	void *analyses;
	struct {
		LLVMValueRef function, address;
	} first[8]; /* shared functions whose addresses are known */
	unsigned firsts;
};

/* Are the units of this access counted by one call? */
bool pass_measure_is_one_call(const struct pass_site *site);
/* What units of this size in LDS are counted as multiples of: see devlib_fast_passes.h. */
uint32_t pass_measure_lds_width(const struct pass_site *site);
/* Do both accesses, under the same EXEC, at the same addresses, have the same counters? */
bool pass_measure_alike(const struct pass_site *a, const struct pass_site *b);
/* Where all lanes access memory: 32 bits in LDS, else 64. */
LLVMValueRef pass_measure_address(struct pass_measure *in, const struct pass_site *site);
/*
 * Measure the access at `address` in the row `id` and those that `also` says (devlib_measure.h),
 * where the builder stands.
 */
void pass_measure_put(struct pass_measure *in, const struct pass_site *site, uint32_t id,
		      LLVMValueRef address, uint32_t also);

/*
 * The same for an access of one call that leads others; and of one that is counted already if the
 * bit `behind` is set in what a leader counted.
 */
struct pass_measure_behind {
	unsigned behind;
	LLVMValueRef counted;
	const char *in; /* a scalar register, if that is NULL */
};
void pass_measure_lead(struct pass_measure *in, const struct pass_site *site, uint32_t id,
		       LLVMValueRef address, uint32_t also, struct pass_lead *lead);
void pass_measure_follow(struct pass_measure *in, const struct pass_site *site, uint32_t id,
			 LLVMValueRef address, uint32_t also,
			 const struct pass_measure_behind *behind);

/*
 * The parts of that, for other code: arguments of a call; the call, behind the function's wait (an
 * operand keeps the function); and, if v0 tells that only the first row was counted, the others,
 * one by one, which takes the scalar register called `rest`. `wave` and `address` are numbers of
 * operands, `also` is a number or a scalar register.
 */
void pass_measure_row(struct pass_asm *code, unsigned wave, uint32_t id, const char *also);
void pass_measure_place(struct pass_asm *code, const struct pass_site *site, unsigned address);
void pass_measure_call(struct pass_asm *code, LLVMValueRef function);
void pass_measure_rows(struct pass_asm *code, const struct pass_site *site, LLVMValueRef function,
		       unsigned wave, unsigned address, uint32_t id, const char *also,
		       const char *rest);

#endif
