/* SPDX-License-Identifier: MIT */
/* Looks functions up in libraries that the application has loaded; it loads none. */
#ifndef PROBE_HSA_PLUGIN_RUNTIME_LOADED_LIBRARY_H
#define PROBE_HSA_PLUGIN_RUNTIME_LOADED_LIBRARY_H

#include <stdbool.h>

/*
 * The address of a function in the first loaded library whose file name begins with `name`. NULL if
 * there is no such library, or if it lacks the function. Not to be called during a recorded call.
 */
void *probe_loaded_function(const char *name, const char *function);

/*
 * True if a loaded object other than the library itself names the function among its dynamic
 * symbols: it may call it.
 */
bool probe_loaded_import(const char *library, const char *function);

#endif
