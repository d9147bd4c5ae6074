/* SPDX-License-Identifier: MIT */
/*
 * Demangling in a sandboxed child, with any demangler. Not in names.h, so that programs that use
 * another one do not load amd-comgr.
 */
#ifndef PROBE_CODEOBJ_DEMANGLE_CHILD_H
#define PROBE_CODEOBJ_DEMANGLE_CHILD_H

#include <stddef.h>

struct probe_err;

/*
 * Demangle `count` names in one child. `demangle` allocates with malloc(), a copy of a name that is
 * not mangled; NULL: no memory. (*ret)[i] is the name itself if the child died.
 */
struct probe_err *probe_demangle_in_child(char *(*demangle)(const char *name),
					  const char *const *names, size_t count, char ***ret);
void probe_names_destroy(char **names, size_t count);

#endif
