/* SPDX-License-Identifier: MIT */
/* What the plugin's entry point (analysis/plugin_entry.cpp) calls. */
#ifndef PROBE_LLVM_PLUGIN_MODULE_INSTRUMENT_H
#define PROBE_LLVM_PLUGIN_MODULE_INSTRUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Instrument the module; true if it was changed. `optnone`: compiled with -O0. */
bool probe_pass_run(LLVMModuleRef module, void *analyses, bool optnone);
/* True if this process's LLVM is the one the plugin was built for; else says so.
 */
bool probe_version_check(void);

#ifdef __cplusplus
}
#endif
#endif
