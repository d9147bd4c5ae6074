/* SPDX-License-Identifier: MIT */
/*
 * Maps an address to the code object loaded there. Loads and unloads are in the order of the sample
 * stream, because the sampler is flushed before either. A reused address therefore means the newer
 * code object. Not thread-safe: one map per stream.
 */
#ifndef PROBE_PCSAMPLE_CODE_MAP_H
#define PROBE_PCSAMPLE_CODE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct probe_code_range {
	uint64_t base, size; /* as loaded: [base, base + size) */
	uint64_t delta;	     /* address in the ELF image = pc - delta (symbols, DWARF) */
	uint64_t id;	     /* set by the caller, unique in the run */
	void *user;	     /* set by the caller */
};

struct probe_code_map {
	struct probe_code_range *ranges; /* sorted by base, disjoint */
	size_t count, room;
	size_t last; /* index of the range found last */
};

/* A zeroed struct is an empty map. */
void probe_code_map_destroy(struct probe_code_map *map);

/*
 * 0; -EINVAL for an empty range or one that wraps; -EEXIST if it overlaps a loaded one (an unload
 * was missed: unload that one first); -ENOMEM.
 */
int probe_code_map_load(struct probe_code_map *map, const struct probe_code_range *range);

/* 0, or -ENOENT. */
int probe_code_map_unload(struct probe_code_map *map, uint64_t id);

/* NULL if there is no code object. Valid until the next load or unload. */
const struct probe_code_range *probe_code_map_find(struct probe_code_map *map, uint64_t pc);

#endif
