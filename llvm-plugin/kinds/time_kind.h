/* SPDX-License-Identifier: MIT */
/* The clones of the kinds with rings, `time` and `trace`. */
#ifndef PROBE_LLVM_PLUGIN_KINDS_TIME_KIND_H
#define PROBE_LLVM_PLUGIN_KINDS_TIME_KIND_H

#include <probe/wire.h>

struct call_unit;
struct call_units;
struct devlib;
struct pass_options;

/* Insert the probes of a kind with rings into its clone. */
void ring_insert(const struct call_units *units, const struct call_unit *unit, enum probe_kind kind,
		 struct devlib *devlib, const struct pass_options *options, void *analyses);

#endif
