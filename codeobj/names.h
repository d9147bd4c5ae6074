/* SPDX-License-Identifier: MIT */
/* Demangled names of symbols (amd-comgr). */
#ifndef PROBE_CODEOBJ_NAMES_H
#define PROBE_CODEOBJ_NAMES_H

#include <stddef.h>

#include "codeobj/demangle_child.h" /* probe_names_destroy() */

/*
 * Demangle `count` names in one sandboxed child. (*ret)[i] is the name itself if it is not mangled,
 * or if the child died. Free with probe_names_destroy().
 */
struct probe_err *probe_names_demangle(const char *const *names, size_t count, char ***ret);

/* In the child. Allocated with malloc(); NULL only if there is no memory. */
char *probe_name_demangle(const char *name);

#endif
