/* SPDX-License-Identifier: MIT */
/* Preloaded into a compiler: the pass crashes when it makes the clone CRASH_AT, in the way
 * CRASH_BY. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>

static int overflow(volatile char *below)
{
	volatile char frame[4096];

	frame[0] = *below;
	return overflow(frame) + frame[0];
}

/* Called once for each clone of a kernel, and by nothing else. */
void LLVMSetVisibility(LLVMValueRef value, LLVMVisibility visibility)
{
	void (*set)(LLVMValueRef, LLVMVisibility) =
		(void (*)(LLVMValueRef, LLVMVisibility))dlsym(RTLD_NEXT, "LLVMSetVisibility");
	const char *at = getenv("CRASH_AT"), *by = getenv("CRASH_BY");
	size_t size;

	if (at && !strcmp(LLVMGetValueName2(value, &size), at)) {
		if (!strcmp(by, "overflow"))
			overflow("");
		raise(atoi(by));
	}
	set(value, visibility);
}
