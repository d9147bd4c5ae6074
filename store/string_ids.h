/* SPDX-License-Identifier: MIT */
/* Ids of strings that a database stores once each: a map from text to number, in memory. */
#ifndef PROBE_STORE_STRING_IDS_H
#define PROBE_STORE_STRING_IDS_H

#include <stddef.h>
#include <stdint.h>

struct probe_string_ids {
	struct probe_string_id {
		uint64_t hash;
		uint32_t id; /* 0 = free */
		uint32_t length;
		char *text;
	} * slots;
	size_t capacity; /* a power of two */
	uint32_t count, last;
};

/* The first new id is `first`, which is not 0. */
void probe_string_ids_init(struct probe_string_ids *ids, uint32_t first);
void probe_string_ids_deinit(struct probe_string_ids *ids);

/*
 * The id of a string; *added: 1 if it is new. 0 without memory, or with too many of them
 * (PROBE_STRING_IDS_MAX).
 */
uint32_t probe_string_ids_get(struct probe_string_ids *ids, const char *text, size_t length,
			      int *added);

#define PROBE_STRING_IDS_MAX (1u << 20)

#endif
