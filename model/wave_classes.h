/* SPDX-License-Identifier: MIT */
/*
 * Wave classes: waves that execute an access with the same lanes, and at the same addresses as far
 * as the cost is concerned. Whatever is known of the executions of a site, from the launch or from
 * counters of the device, is a set of classes; the site's counters are the sum over the classes of
 * what one execution costs, times how many there are (site_cost.h).
 *
 * Example: of 10 waves of 64 lanes that read a[i] for i < 600, 9 are of class {all lanes, residue
 * 0}, and one is of {lanes 0 to 23, residue 0}.
 */
#ifndef PROBE_MODEL_WAVE_CLASSES_H
#define PROBE_MODEL_WAVE_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

struct wave_class {
	uint64_t exec;	   /* lanes */
	uint32_t residue;  /* of the address in the first of them, modulo 128 */
	uint32_t observed; /* the value that bit fields are masked by; counted with them */
	bool checked;	   /* the device has looked at the address of every lane */
	uint64_t count;
};

/* All zeros = empty. */
struct wave_classes {
	struct wave_class *class;
	bool offsets;
	int64_t (*offset)[64]; /* if so: from the first lane's address; 0 in lanes that are not
				  active */
	uint32_t count, capacity;
	uint32_t *slot; /* hash table: index + 1 */
	uint32_t slots;
};

/* Keeps the memory. */
void wave_classes_clear(struct wave_classes *classes);
void wave_classes_deinit(struct wave_classes *classes);
/*
 * Adds class->count waves. `offset` NULL: addresses follow from the site's strides; all classes of
 * a set have offsets, or none has. False without memory.
 */
bool wave_classes_add(struct wave_classes *classes, const struct wave_class *class,
		      const int64_t offset[64]);
/* Takes waves away. False: there are not as many. */
bool wave_classes_subtract(struct wave_classes *classes, const struct wave_class *class);
/* Waves with these lanes. */
uint64_t wave_classes_count(const struct wave_classes *classes, uint64_t exec);

#endif
