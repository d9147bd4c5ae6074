/* SPDX-License-Identifier: MIT */
#include "model/wave_classes.h"

#include <stdlib.h>
#include <string.h>

void wave_classes_clear(struct wave_classes *classes)
{
	if (classes->count)
		memset(classes->slot, 0, classes->slots * sizeof(*classes->slot));
	classes->count = 0;
	classes->offsets = false;
}

void wave_classes_deinit(struct wave_classes *classes)
{
	free(classes->class);
	free(classes->offset);
	free(classes->slot);
	*classes = (struct wave_classes){0};
}

static uint64_t hash_of(const struct wave_class *class, const int64_t *offset)
{
	uint64_t hash = class->exec ^ (class->residue | (uint64_t) class->checked << 8 |
				       (uint64_t) class->observed << 16) *
					      0x9e3779b97f4a7c15ull;

	hash *= 0xc2b2ae3d27d4eb4full;
	for (int lane = 0; offset && lane < 64; lane++)
		hash = (hash ^ (uint64_t)offset[lane]) * 0x9e3779b97f4a7c15ull;
	return hash >> 32;
}

static bool same(const struct wave_classes *classes, uint32_t i, const struct wave_class *class,
		 const int64_t *offset)
{
	const struct wave_class *other = &classes->class[i];

	return other->exec == class->exec && other->residue == class->residue &&
	       other->checked == class->checked && other->observed == class->observed &&
	       (!offset || !memcmp(classes->offset[i], offset, sizeof(classes->offset[i])));
}

static uint32_t *find(const struct wave_classes *classes, const struct wave_class *class,
		      const int64_t *offset)
{
	uint64_t at = hash_of(class, offset) & (classes->slots - 1);

	while (classes->slot[at] && !same(classes, classes->slot[at] - 1, class, offset))
		at = (at + 1) & (classes->slots - 1);
	return &classes->slot[at];
}

static bool grow(struct wave_classes *classes, bool offsets)
{
	uint32_t capacity = classes->capacity ? 2 * classes->capacity : 32, slots = 2 * capacity;
	uint32_t *slot = calloc(slots, sizeof(*slot));
	void *grown = realloc(classes->class, capacity * sizeof(*classes->class));

	classes->class = grown ? grown : classes->class;
	if (grown && (offsets || classes->offset)) {
		grown = realloc(classes->offset, capacity * sizeof(*classes->offset));
		classes->offset = grown ? grown : classes->offset;
	}
	if (!grown || !slot) {
		free(slot);
		return false;
	}
	free(classes->slot);
	classes->slot = slot;
	classes->slots = slots;
	classes->capacity = capacity;
	for (uint32_t i = 0; i < classes->count; i++)
		*find(classes, &classes->class[i], offsets ? classes->offset[i] : NULL) = i + 1;
	return true;
}

bool wave_classes_add(struct wave_classes *classes, const struct wave_class *class,
		      const int64_t offset[64])
{
	uint32_t *slot;

	if ((classes->count == classes->capacity || (offset && !classes->offset)) &&
	    !grow(classes, offset != NULL))
		return false;
	classes->offsets = offset != NULL;
	slot = find(classes, class, offset);
	if (*slot) {
		classes->class[*slot - 1].count += class->count;
		return true;
	}
	if (offset)
		memcpy(classes->offset[classes->count], offset, sizeof(*classes->offset));
	classes->class[classes->count++] = *class;
	*slot = classes->count;
	return true;
}

bool wave_classes_subtract(struct wave_classes *classes, const struct wave_class *class)
{
	uint32_t i = classes->count ? *find(classes, class, NULL) : 0;

	if (!class->count)
		return true;
	if (!i || classes->class[i - 1].count < class->count)
		return false;
	classes->class[i - 1].count -= class->count;
	return true;
}

uint64_t wave_classes_count(const struct wave_classes *classes, uint64_t exec)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < classes->count; i++)
		if (classes->class[i].exec == exec)
			sum += classes->class[i].count;
	return sum;
}
