/* SPDX-License-Identifier: MIT */
/* Decodes call frame information (.eh_frame; DWARF 5, section 6.4; LSB, "exception frames"). */
#ifndef PROBE_HSA_PLUGIN_TRACE_FRAME_DECODE_H
#define PROBE_HSA_PLUGIN_TRACE_FRAME_DECODE_H

#include "hsa-plugin/trace/frame_rules.h"

/* `fde`: of the function that begins at `start` and contains the byte before `address`. */
struct probe_frame_rule probe_frame_decode(const void *fde, uintptr_t start, uintptr_t address);

#endif
