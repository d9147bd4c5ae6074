/* SPDX-License-Identifier: MIT */
/*
 * The 64-byte records of PC sampling, both methods: layouts of ROCr 7.0's
 * hsa_ven_amd_pc_sampling.h, bit fields of AMD's trap handlers and parser (ROCm/rocm-systems:
 * projects/rocprofiler-sdk/source/lib/rocprofiler-sdk/pc_sampling/parser). Where header and trap
 * handler disagree (chiplet), the trap handler is right.
 *
 * C over bytes: needs no HSA, no GPU and no alignment. Thread-safe.
 */
#ifndef PROBE_PCSAMPLE_DECODE_H
#define PROBE_PCSAMPLE_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "pcsample/sample.h"

#define PROBE_PCS_RECORD_SIZE 64u

enum probe_pcs_verdict {
	PROBE_PCS_VALID,
	PROBE_PCS_INVALID,    /* the snapshot is not valid */
	PROBE_PCS_SKIPPED,    /* gfx1250: a wave could not be sampled */
	PROBE_PCS_BAD_FAMILY, /* unknown family or method: nothing was decoded */
	PROBE_PCS_VERDICTS,
};

struct probe_pcs_layout {
	enum probe_pcs_family family;
	enum probe_pcs_method method;
	unsigned mid_macro; /* bytes to subtract from the PC of a mid-macro sample: 8 on gfx950,
			       else 0 */
};

/* The layout of a target such as "gfx90a:sramecc+:xnack-"; false if it has no PC sampling. */
bool probe_pcs_layout(const char *target, enum probe_pcs_method method,
		      struct probe_pcs_layout *ret);

/* Fills *ret with all fields of the record, unless it returns BAD_FAMILY. */
enum probe_pcs_verdict probe_pcs_decode(const struct probe_pcs_layout *layout,
					const uint8_t record[PROBE_PCS_RECORD_SIZE],
					struct probe_pc_sample *ret);

/*
 * The inverse, for the simulated GPU and for tests: fields that the layout lacks are not written,
 * reserved bits are 0, the snapshot's valid bit is set.
 */
void probe_pcs_encode(const struct probe_pcs_layout *layout, const struct probe_pc_sample *sample,
		      uint8_t record[PROBE_PCS_RECORD_SIZE]);

#endif
