/* SPDX-License-Identifier: MIT */
/*
 * Names of a function's arguments, as in the source. Optimisations remove, split and promote
 * arguments of device functions, and ABIs add some, so that a position says nothing there: names
 * come from debug information of the values.
 */
#ifndef PROBE_ANALYSIS_ARGUMENT_NAMES_H
#define PROBE_ANALYSIS_ARGUMENT_NAMES_H

#include "llvm-plugin/analysis/function.h"

#include <string>
#include <vector>

/* By index; "" = unknown, as for parts of a struct. */
std::vector<std::string> argument_names(const analysis &in);
/* "view.pitch", for a value loaded from a structure that the kernel receives by value; "" = unknown. */
std::string argument_member(const analysis &in, const llvm::Value *value);

#endif
