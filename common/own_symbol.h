/* SPDX-License-Identifier: MIT */
/* Functions of a library itself. dlsym() also searches the libraries that it needs. */
#ifndef PROBE_COMMON_OWN_SYMBOL_H
#define PROBE_COMMON_OWN_SYMBOL_H

/*
 * The address of `name` if the library that has the symbol `mark` has it as well, otherwise NULL.
 * `library` is a handle of dlopen().
 */
void *probe_own_symbol(void *library, const char *mark, const char *name);

#endif
