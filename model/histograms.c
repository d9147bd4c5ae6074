/* SPDX-License-Identifier: MIT */
#include "model/histograms.h"

#include <string.h>

#include "model/wave_classes.h"

static const char no_memory[] = "out of memory";
static const char no_row[] = "a row of its histogram belongs to another kernel";

const uint64_t *counter_row(const struct counter_rows *rows, uint32_t id)
{
	return id - rows->first < rows->count ? rows->row[id - rows->first].value : NULL;
}

static const char *add_masks(const struct counter_rows *rows,
			     const struct site_histogram *histogram, uint32_t residue,
			     struct wave_classes *classes)
{
	for (uint32_t i = 0; i < histogram->rows; i++) {
		const uint64_t *words = counter_row(rows, histogram->first_row + i);
		struct probe_bucket_row row;

		if (!words)
			return no_row;
		memcpy(&row, words, sizeof(row));
		for (int k = 0; k < PROBE_ROW_BUCKETS; k++) {
			struct wave_class class = {
				.exec = row.bucket[k].exec,
				.observed = row.bucket[k].residues >> PROBE_BUCKET_OBSERVED &
					    PROBE_OBSERVED_MAX,
				.checked = true,
				.count = row.count[k],
			};

			if (residue != DERIVED_NONE)
				class.residue =
					row.bucket[k].residues >> PROBE_BUCKET_RESIDUE(residue) &
					127;
			if (class.count && !class.exec)
				return "its histogram has a bucket without active lanes";
			if (class.count && !wave_classes_add(classes, &class, NULL))
				return no_memory;
		}
	}
	return NULL;
}

/* The residues of one tested address. */
static const char *add_residues(const struct counter_rows *rows,
				const struct site_histogram *histogram, uint32_t residue,
				uint64_t full, struct wave_classes *classes)
{
	/* Each execution is counted for all tested addresses: any of them will do. */
	uint32_t first = residue == DERIVED_NONE ? 0 : residue * PROBE_RESIDUE_ROWS;

	if (first >= histogram->rows)
		return "its histogram lacks the residues of its address";
	for (uint32_t value = 0; value < 128; value += 4) {
		const uint64_t *words =
			counter_row(rows, histogram->first_row + first + PROBE_RESIDUE_ROW(value));
		struct wave_class class = {.exec = full};

		if (!words)
			return no_row;
		class.residue = residue == DERIVED_NONE ? 0 : value;
		class.count = words[PROBE_RESIDUE_WORD(value)];
		if (class.count && !wave_classes_add(classes, &class, NULL))
			return no_memory;
	}
	return NULL;
}

/* Prefix masks: the number of executions in which each lane was active. */
static const char *add_prefixes(const struct counter_rows *rows,
				const struct site_histogram *histogram,
				struct wave_classes *classes)
{
	uint64_t next = 0;

	for (uint32_t lane = PROBE_PREFIX_ROWS * PROBE_PREFIX_WORDS; lane-- > 0;) {
		const uint64_t *words =
			counter_row(rows, histogram->first_row + lane / PROBE_PREFIX_WORDS);
		struct wave_class class = {.exec = ~0ull >> (63 - lane), .checked = true};
		uint64_t here;

		if (!words)
			return no_row;
		here = words[lane % PROBE_PREFIX_WORDS];
		if (here < next)
			return "counts of its lanes are inconsistent";
		class.count = here - next;
		if (class.count && !wave_classes_add(classes, &class, NULL))
			return no_memory;
		next = here;
	}
	return NULL;
}

const char *histogram_add(const struct counter_rows *rows, const struct site_histogram *histogram,
			  uint32_t residue, uint64_t full, struct wave_classes *classes)
{
	switch (histogram->kind) {
	case HISTOGRAM_MASKS:
		return add_masks(rows, histogram, residue, classes);
	case HISTOGRAM_RESIDUES:
		return full ? add_residues(rows, histogram, residue, full, classes) : NULL;
	default:
		return add_prefixes(rows, histogram, classes);
	}
}

uint64_t histogram_full_waves(const struct counter_rows *rows,
			      const struct site_histogram *histogram, uint64_t full)
{
	struct wave_classes classes = {0};
	uint64_t count = 0;

	if (histogram->kind != HISTOGRAM_PREFIXES &&
	    !histogram_add(rows, histogram, DERIVED_NONE, full, &classes))
		count = wave_classes_count(&classes, full);
	wave_classes_deinit(&classes);
	return count;
}
