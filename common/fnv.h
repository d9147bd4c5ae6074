/* SPDX-License-Identifier: MIT */
/*
 * FNV-1a, 64 bits: the hash of short strings, for tables in memory and for stored identifiers.
 * Source: draft-eastlake-fnv. Not for hostile input: collisions can be chosen.
 */
#ifndef PROBE_COMMON_FNV_H
#define PROBE_COMMON_FNV_H

#include <stddef.h>
#include <stdint.h>

/* The low bits alone are well mixed: a table may take its index from them. Thread-safe. */
static inline uint64_t probe_fnv1a(const void *bytes, size_t size)
{
	const uint8_t *byte = bytes;
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3u;
	return hash;
}

#endif
