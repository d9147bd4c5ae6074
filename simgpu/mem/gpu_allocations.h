/* SPDX-License-Identifier: MIT */
/*
 * Allocations and registrations of the driver's clients, which own the pages. Through
 * address_space.h, the rest of the device sees only mapped ranges.
 *
 * All functions are thread-safe and return 0 or -errno.
 */
#ifndef PROBE_SIMGPU_MEM_GPU_ALLOCATIONS_H
#define PROBE_SIMGPU_MEM_GPU_ALLOCATIONS_H

#include "simgpu/mem/address_space.h"
#include "simgpu/base/device_parameters.h"

enum sim_block_kind {
	SIM_BLOCK_ALLOC, /* memory of a device, or of the host for devices */
	SIM_BLOCK_USER,	 /* host memory that the runtime pinned */
	SIM_BLOCK_SVM,	 /* managed memory made visible by attributes */
};

/* One allocation or registration. */
struct sim_block {
	enum sim_block_kind kind;
	uint64_t base, size; /* as requested; the GPU sees whole pages */
	uint64_t gpu;	     /* address of base on the GPU */
	uint64_t serial;     /* never reused: distinguishes a reused address from an old one */
	uint32_t node;
	uint32_t access; /* enum sim_mem_flags once mapped */
	bool mapped;
	bool counted; /* memory of another block, which counts it as the device's */
	uint32_t pins; /* queues whose ring or indices are in it */
	uint32_t node_count;
	uint32_t nodes[SIM_NODES];
};

/*
 * A block whose pages the caller owns: want->kind is ALLOC at want->base, or USER with want->gpu as
 * its only GPU address. -ENOMEM if the device is full.
 */
int sim_mem_adopt(const struct sim_block *want);
/*
 * Both identify it by its GPU address: remove it (-EBUSY while it contains a queue's memory), or
 * choose the GPUs that may access it (bit n: node n). After the removal no kernel uses the pages,
 * so that the caller can unmap them.
 */
int sim_mem_disown(uint64_t gpu);
int sim_mem_set_nodes(uint64_t gpu, uint32_t nodes);
/* Bytes of device memory that are free. */
uint64_t sim_mem_available(uint32_t node);

/*
 * Protects memory of a queue from being freed. All of it must be in one block that the device may
 * read and write, else -EFAULT.
 */
int sim_mem_pin(uint64_t base, uint64_t size);
void sim_mem_unpin(uint64_t base);

/*
 * Replaces the managed memory of [base, end), whose ends are not inside a block, by these blocks.
 */
int sim_mem_replace_svm(uint64_t base, uint64_t end, const struct sim_block *blocks, size_t count);

/* The block at this GPU address, mapped or not. */
int sim_mem_query(uint64_t addr, struct sim_block *ret);

/*
 * True if the GPU has all these access rights for every byte; *bad (or NULL) is the first byte
 * without.
 */
bool sim_mem_allows(uint64_t addr, uint64_t size, uint32_t flags, uint64_t *bad);

/* Describes the memory at or near an address that the GPU may not access, for error messages. */
void sim_mem_describe(uint64_t addr, char *buf, size_t size);

/* The host pointer to the GPU's memory at addr, for accesses of the machine itself. */
static inline void *sim_mem_pointer(uint64_t addr)
{
	return (void *)(uintptr_t)(sim_mem_aliased(addr, addr + 1) ? sim_mem_host(addr) : addr);
}

#endif
