/* SPDX-License-Identifier: MIT */
/*
 * Was the plugin built for the LLVM of this process? Checked before any function of LLVM is called.
 *
 * The check must not depend on LLVM's structures. It tests which C functions exist: LLVMGetVersion
 * was added in LLVM 16, LLVMPointerTypeInContext in LLVM 15.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/module/instrument.h"
#include "llvm-plugin/base/llvm-compat.h"

/* 0 = no LLVM was found; 14 represents all versions before 15. */
static unsigned running_major(void)
{
	void (*get)(unsigned *, unsigned *, unsigned *);
	unsigned major = 0, minor = 0, patch = 0;

	/* The conversion of dlsym()'s result to a function pointer that POSIX recommends. */
	*(void **)&get = dlsym(RTLD_DEFAULT, "LLVMGetVersion");
	if (get) {
		get(&major, &minor, &patch);
		return major;
	}
	if (dlsym(RTLD_DEFAULT, "LLVMPointerTypeInContext"))
		return 15;
	return dlsym(RTLD_DEFAULT, "LLVMContextCreate") ? 14 : 0;
}

/* Path of the plugin for another major version: next to ours, lib/probe/llvm-<N>/libprobe.so. */
static void other_plugin(unsigned major, char *buf, size_t size)
{
	char own[64];
	Dl_info info;
	char *at;

	buf[0] = 0;
	if (!dladdr((void *)running_major, &info) || !info.dli_fname)
		return;
	snprintf(own, sizeof(own), "/llvm-%d/", LLVM_VERSION_MAJOR);
	at = strstr(info.dli_fname, own);
	if (!at)
		return;
	snprintf(buf, size, "%.*s/llvm-%u/%s", (int)(at - info.dli_fname), info.dli_fname, major,
		 at + strlen(own));
}

bool probe_version_check(void)
{
	unsigned major = running_major();
	char other[4096];

	if (major == LLVM_VERSION_MAJOR)
		return true;
	other_plugin(major, other, sizeof(other));
	if (!major)
		fprintf(stderr,
			"probe: this plugin is for LLVM %d, but the compiler that loads it shows no "
			"LLVM; use a clang that exports LLVM's symbols\n",
			LLVM_VERSION_MAJOR);
	else
		fprintf(stderr,
			"probe: this plugin is for LLVM %d, but the compiler that loads it is LLVM "
			"%s%u; use %s, as 'probe-config --pass-plugin --llvm %u' prints it\n",
			LLVM_VERSION_MAJOR, major < 15 ? "older than 15: " : "", major,
			other[0] ? other : "the plugin of that version", major);
	return false;
}
