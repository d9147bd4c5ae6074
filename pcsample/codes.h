/* SPDX-License-Identifier: MIT */
/* Raw codes of the snapshot words against the public ones, per family. */
#ifndef PROBE_PCSAMPLE_CODES_H
#define PROBE_PCSAMPLE_CODES_H

#include <stdint.h>

#include "pcsample/sample.h"

/* PROBE_PCS_TYPE_NONE and PROBE_PCS_REASON_NONE for codes the family does not have. */
uint8_t probe_pcs_type_of(enum probe_pcs_family family, unsigned raw);
uint8_t probe_pcs_reason_of(enum probe_pcs_family family, unsigned raw);

/* The raw code; 0 for what the family cannot say. */
unsigned probe_pcs_type_raw(enum probe_pcs_family family, unsigned type);
unsigned probe_pcs_reason_raw(enum probe_pcs_family family, unsigned reason);

#endif
