/* SPDX-License-Identifier: MIT */
/* The clone of the kind `memory`. */
#ifndef PROBE_LLVM_PLUGIN_KINDS_MEMORY_KIND_H
#define PROBE_LLVM_PLUGIN_KINDS_MEMORY_KIND_H

struct call_unit;
struct call_units;
struct devlib;
struct pass_options;

/* Insert the kind's probes into a unit's clone, as planned. */
void memory_insert(const struct call_units *units, const struct call_unit *unit,
		   struct devlib *devlib, const struct pass_options *options, void *analyses);

#endif
