/* SPDX-License-Identifier: MIT */
/*
 * Does a load give each lane an index of its own? The uniformity analysis cannot tell: all that
 * is loaded from flat addresses differs between lanes, and so does each argument of a function.
 * A pitch that is loaded through `this` is the same for all lanes, like one that is an argument.
 */
#ifndef PROBE_ANALYSIS_INDEX_LOAD_H
#define PROBE_ANALYSIS_INDEX_LOAD_H

#include "llvm-plugin/analysis/function.h"

/*
 * How a load's address depends on the lane, according to data flow, also through the module's
 * calls and the private memory of callers. An integer argument of a function whose calls are not
 * all known may be an id, so that it varies.
 */
LaneDependence load_dependence(const analysis &in, const llvm::LoadInst *load);

#endif
