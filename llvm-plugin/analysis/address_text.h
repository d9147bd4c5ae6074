/* SPDX-License-Identifier: MIT */
/* Addresses and places as text for readers, such as "in + 4*(blockDim.x*blockIdx.x + threadIdx.x)".
 */
#ifndef PROBE_ANALYSIS_ADDRESS_TEXT_H
#define PROBE_ANALYSIS_ADDRESS_TEXT_H

#include "llvm-plugin/analysis/function.h"

#include <string>
#include <vector>

/* `arguments`: names by index; "" = unknown. */
std::string address_text(const analysis &in, const std::vector<std::string> &arguments,
			 const llvm::SCEV *expr);
/*
 * The source position "file:line", outside of headers of HIP and the compiler if an inlined caller
 * is;
 * "" = unknown. `whole`: with directories.
 */
std::string place_of(const llvm::Instruction *inst, bool whole);

#endif
