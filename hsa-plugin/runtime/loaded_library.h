/* SPDX-License-Identifier: MIT */
/* Functions of libraries that the application has loaded; none is loaded here. */
#ifndef PROBE_HSA_PLUGIN_RUNTIME_LOADED_LIBRARY_H
#define PROBE_HSA_PLUGIN_RUNTIME_LOADED_LIBRARY_H

/*
 * The address of a function in the first loaded library whose file name begins with `name`; NULL:
 * there is no such library, or it has no such function. Not on a call that is recorded.
 */
void *probe_loaded_function(const char *name, const char *function);

#endif
