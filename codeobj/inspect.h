/* SPDX-License-Identifier: MIT */
/*
 * Reads one code object: target, site table, kernels, lines. Everything that needs libelf,
 * amd-comgr or libdwarf runs in sandboxed children (child.h), one per part, so that a hostile code
 * object costs at most that part. For host programs only.
 */
#ifndef PROBE_CODEOBJ_INSPECT_H
#define PROBE_CODEOBJ_INSPECT_H

#include <stddef.h>
#include <stdint.h>

#include "codeobj/functions.h"
#include "codeobj/inlines.h"
#include "codeobj/kernels.h"
#include "codeobj/lines.h"
#include "codeobj/sites.h"
#include "common/cleanup.h"

struct probe_err;

enum probe_inspect_part {
	PROBE_INSPECT_SITES = 1,
	PROBE_INSPECT_KERNELS = 2,
	PROBE_INSPECT_LINES = 4,
	PROBE_INSPECT_INLINES = 8,
	PROBE_INSPECT_FUNCTIONS = 16,
};

/* A part that was not requested, does not exist, or could not be read is NULL. */
struct probe_codeobj {
	char *target;			   /* "gfx90a:sramecc+:xnack-" */
	struct probe_sites *sites;	   /* NULL without error: no site table */
	struct probe_kernels *kernels;	   /* NULL without error: not requested */
	struct probe_lines *lines;	   /* NULL without error: no line table */
	struct probe_inlines *inlines;	   /* names demangled; NULL without error: not requested */
	struct probe_functions *functions; /* NULL without error: not requested */
	/* Why a part could not be read; owned. */
	struct probe_err *sites_err, *kernels_err, *lines_err, *inlines_err, *functions_err;
};

/*
 * `bytes` is the ELF image of one code object; `name` is for messages; `parts` is made of enum
 * probe_inspect_part. Fails only if it is not an AMDGPU code object or memory runs out.
 */
struct probe_err *probe_codeobj_inspect(const char *name, const void *bytes, size_t size,
					unsigned parts, struct probe_codeobj **ret);
void probe_codeobj_destroy(struct probe_codeobj *codeobj);
PROBE_DEFINE_RELEASE(probe_codeobj_release, struct probe_codeobj *, probe_codeobj_destroy)

#endif
