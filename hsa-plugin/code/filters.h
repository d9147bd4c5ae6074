/* SPDX-License-Identifier: MIT */
/*
 * The configuration of a run, read from the environment (probe/env.h) once when the library is
 * loaded, and the two filters: by kernel name (evaluated once per kernel) and by dispatch (counted
 * per kernel).
 */
#ifndef PROBE_HSA_PLUGIN_CODE_FILTERS_H
#define PROBE_HSA_PLUGIN_CODE_FILTERS_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/selection.h"

struct probe_config {
	char socket[108];
	uint32_t kind;	 /* enum probe_kind; NONE = instrumentation is off */
	uint32_t traced; /* bits of enum probe_traced */
	struct probe_full_policy full;
	struct probe_workgroups workgroups; /* the workgroups that record */
	bool workgroups_restricted;	    /* some workgroups do not record */
	bool include_set, exclude_set;
	bool broken; /* a filter is malformed: no dispatch is instrumented */
	regex_t include, exclude;
	char *library_include, *library_exclude; /* copies of the environment; NULL: include all,
						  * exclude none */
	struct probe_selection selection;
};

/*
 * False if the library has nothing to do: the environment names no socket, or the program is
 * privileged.
 */
bool probe_config_read(struct probe_config *ret);

bool probe_config_wants(const struct probe_config *config, const char *demangled);
/* `uri`: of a code object, "file:///..." or "memory://...". */
bool probe_config_wants_library(const struct probe_config *config, const char *uri);

#endif
