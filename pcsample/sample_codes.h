/* SPDX-License-Identifier: MIT */
/* Codes of instruction types and stall reasons: raw codes of a family, public codes, names. */
#ifndef PROBE_PCSAMPLE_SAMPLE_CODES_H
#define PROBE_PCSAMPLE_SAMPLE_CODES_H

#include <stdint.h>

#include "pcsample/sample.h"

/* The public code; PROBE_PCS_TYPE_NONE or PROBE_PCS_REASON_NONE if the family lacks the raw one. */
uint8_t probe_pcs_type_of(enum probe_pcs_family family, unsigned raw);
uint8_t probe_pcs_reason_of(enum probe_pcs_family family, unsigned raw);

/* The raw code; 0 if the family lacks it. */
unsigned probe_pcs_type_raw(enum probe_pcs_family family, unsigned type);
unsigned probe_pcs_reason_raw(enum probe_pcs_family family, unsigned reason);

/*
 * "VALU", "WAITCNT", ...: the enumerators of rocprofiler-sdk without their prefix
 * ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_ or .._NOT_ISSUED_REASON_; "NONE" for values beyond.
 */
const char *probe_pcs_type_name(unsigned type);
const char *probe_pcs_reason_name(unsigned reason);

#endif
