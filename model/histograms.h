/* SPDX-License-Identifier: MIT */
/*
 * Histograms that the device keeps in rows of counters (wire.h section 3), read as wave classes.
 *
 * Example: a mask histogram with a bucket {EXEC 0xff, residue 4} that counts 3 gives the class
 * {lanes 0 to 7, residue 4, 3 waves}.
 */
#ifndef PROBE_MODEL_HISTOGRAMS_H
#define PROBE_MODEL_HISTOGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

#include "codeobj/derived_sites.h"

struct wave_classes;

/* The rows of a kernel's launch, those that nothing was counted in, too. */
struct counter_rows {
	const struct probe_counter_row *row;
	uint32_t first, count; /* ids */
};

/* Words of a row; NULL: it is not the kernel's. */
const uint64_t *counter_row(const struct counter_rows *rows, uint32_t id);

/*
 * Adds the classes that a histogram has counted, by a residue of the group, or by none. `full`:
 * EXEC of full waves. NULL, or why there are none: the end of a message.
 */
const char *histogram_add(const struct counter_rows *rows, const struct site_histogram *histogram,
			  uint32_t residue, uint64_t full, struct wave_classes *classes);
/* Full waves that it has counted. */
uint64_t histogram_full_waves(const struct counter_rows *rows,
			      const struct site_histogram *histogram, uint64_t full);

#endif
