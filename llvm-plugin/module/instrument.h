/* SPDX-License-Identifier: MIT */
/* The interface for the plugin's entry point (analysis/plugin_entry.cpp). */
#ifndef PROBE_LLVM_PLUGIN_MODULE_INSTRUMENT_H
#define PROBE_LLVM_PLUGIN_MODULE_INSTRUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Instrument the module; true if it was changed. `level`: compiled with -O0 to -O3. */
bool probe_pass_run(LLVMModuleRef module, void *analyses, unsigned level);
/* True if the plugin was built for this process's LLVM; otherwise prints a message. */
bool probe_version_check(void);

#ifdef __cplusplus
}
#endif
#endif
