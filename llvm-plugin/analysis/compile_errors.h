/* SPDX-License-Identifier: MIT */
/* Errors of the compiler during and after the pass, with the function they are about. */
#ifndef PROBE_ANALYSIS_COMPILE_ERRORS_H
#define PROBE_ANALYSIS_COMPILE_ERRORS_H

#include <stdbool.h>
#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * `function`: NULL = unknown. The compiler continues after an error that is not fatal, and may find
 * more errors; after a fatal error the callback must not return.
 */
typedef void (*compile_error_fn)(const char *function, const char *message, bool fatal);
/* The same for a signal by which the compiler would crash; must not return. */
typedef void (*compile_crash_fn)(const char *function, int signal);

/*
 * From now on errors are passed to `caught` instead of the user, and crashes to `crashed`. A
 * compilation with errors ends the process with status 1, at the latest after its last function.
 * Warnings about functions whose names start with `quiet` are dropped, and their notes: options may
 * turn them into errors.
 */
void compile_errors_catch(LLVMModuleRef module, const char *quiet, compile_error_fn caught,
			  compile_crash_fn crashed);
/* From now on such warnings and notes are dropped. */
void compile_warnings_drop(LLVMModuleRef module, const char *quiet);

#ifdef __cplusplus
}
#endif
#endif
