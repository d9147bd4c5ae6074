/* SPDX-License-Identifier: MIT */
/* Errors of the code generator that follows the pass, with the function they are about. */
#ifndef PROBE_ANALYSIS_COMPILE_ERRORS_H
#define PROBE_ANALYSIS_COMPILE_ERRORS_H

#include <stdbool.h>
#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * `function`: NULL = unknown. The compiler goes on after an error that is not fatal, which may find
 * more of them; after a fatal one it must not.
 */
typedef void (*compile_error_fn)(const char *function, const char *message, bool fatal);

/*
 * From here on errors go to `caught` instead of the user. A compilation with errors ends the
 * process with status 1, at the latest when its last function is done. Warnings about functions
 * whose names begin with `quiet` are dropped: they may be errors by the user's options.
 */
void compile_errors_catch(LLVMModuleRef module, const char *quiet, compile_error_fn caught);

#ifdef __cplusplus
}
#endif
#endif
