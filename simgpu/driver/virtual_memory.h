/* SPDX-License-Identifier: MIT */
/*
 * Memory without an address, which the runtime maps where it wants (interface 1.15): it exports the
 * memory as a dma-buf, imports that as a buffer object of libdrm, and maps this.
 */
#ifndef PROBE_SIMGPU_DRIVER_VIRTUAL_MEMORY_H
#define PROBE_SIMGPU_DRIVER_VIRTUAL_MEMORY_H

#include <stdint.h>

/* A part of the render file. */
struct sim_memory_part {
	uint64_t offset, size;
	uint32_t node; /* whose memory it is */
};

/* A dma-buf of this memory: a descriptor, or -errno. `flags` as for open(). */
int sim_dmabuf_create(const struct sim_memory_part *part, int flags);

#endif
