/* SPDX-License-Identifier: MIT */
/*
 * Wave classes: waves that execute an access with the same active lanes, and at equivalent
 * addresses as far as the cost depends on them. All knowledge about the executions of a site, from
 * the launch or from counters of the device, is a set of classes. The site's counters are the sum
 * over the classes of the cost of one execution times the number of waves (site_cost.h).
 *
 * Example: 10 waves of 64 lanes read a[i] for i < 600. 9 waves are in class {all lanes, residue 0},
 * one is in class {lanes 0 to 23, residue 0}.
 */
#ifndef PROBE_MODEL_WAVE_CLASSES_H
#define PROBE_MODEL_WAVE_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

struct wave_class {
	uint64_t exec;	   /* active lanes */
	uint32_t residue;  /* address in the first active lane, modulo 128 (LDS: 4) */
	uint32_t observed; /* value by which bit fields are masked (probe_site_bitfield.observed) */
	bool checked;	   /* the device has compared the addresses of all lanes */
	uint64_t count;
};

/* All zeros = empty. */
struct wave_classes {
	struct wave_class *class;
	bool offsets;
	/* With `offsets`: distance from the first active lane's address; 0 in inactive lanes. */
	int64_t (*offset)[64];
	uint32_t count, capacity;
	uint32_t *slot; /* hash table: index + 1 */
	uint32_t slots;
};

/* Empties the set and keeps its memory for reuse. */
void wave_classes_clear(struct wave_classes *classes);
void wave_classes_deinit(struct wave_classes *classes);
/*
 * Adds class->count waves. `offset`: distances per lane; NULL if addresses follow from the site's
 * strides. Either all classes of a set have offsets or none has. False without memory.
 */
bool wave_classes_add(struct wave_classes *classes, const struct wave_class *class,
		      const int64_t offset[64]);
/* Subtracts class->count waves. False: the set has fewer. */
bool wave_classes_subtract(struct wave_classes *classes, const struct wave_class *class);
/* Number of waves with these active lanes. */
uint64_t wave_classes_count(const struct wave_classes *classes, uint64_t exec);

#endif
