/* SPDX-License-Identifier: MIT */
/*
 * Reads the histograms in rows of counters (wire_device.h section 3) as wave classes.
 *
 * Example: a bucket {EXEC 0xff, residue 4} with count 3 is the class {lanes 0 to 7, residue 4, 3
 * waves}.
 */
#ifndef PROBE_MODEL_HISTOGRAMS_H
#define PROBE_MODEL_HISTOGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

#include "codeobj/derived_sites.h"

struct wave_classes;

/* All rows of a kernel's launch, including those without counts. */
struct counter_rows {
	const struct probe_counter_row *row;
	uint32_t first, count; /* ids */
};

/* Words of a row; NULL: it is not one of the kernel's. */
const uint64_t *counter_row(const struct counter_rows *rows, uint32_t id);

/*
 * Adds the classes of a histogram, with the residues of one tested address or without. `full`: EXEC
 * of regular waves. Returns NULL, or the reason for a failure, as the end of a message.
 */
const char *histogram_add(const struct counter_rows *rows, const struct site_histogram *histogram,
			  uint32_t residue, uint64_t full, struct wave_classes *classes);
/* Number of regular waves in a histogram. */
uint64_t histogram_full_waves(const struct counter_rows *rows,
			      const struct site_histogram *histogram, uint64_t full);

#endif
