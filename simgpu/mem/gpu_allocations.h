/* SPDX-License-Identifier: MIT */
/*
 * Allocations and registrations behind the thunk's memory calls. address_space.h is what the rest
 * of the device sees of it: mapped ranges only.
 *
 * All functions are thread-safe and return 0 or -errno.
 */
#ifndef PROBE_SIMGPU_MEM_GPU_ALLOCATIONS_H
#define PROBE_SIMGPU_MEM_GPU_ALLOCATIONS_H

#include "simgpu/mem/address_space.h"
#include "simgpu/base/device_parameters.h"

enum sim_block_kind {
	SIM_BLOCK_ALLOC, /* made by sim_mem_alloc(): we own the pages */
	SIM_BLOCK_USER,	 /* host memory the runtime pinned */
	SIM_BLOCK_SVM,	 /* managed memory made visible by attributes */
	SIM_BLOCK_OWN,	 /* pages of the thunk itself, always visible */
};

/*
 * One allocation or registration. Handed out by sim_mem_query() as a copy, except that the node
 * lists stay valid until the block is removed (the thunk interface returns pointers to them).
 */
struct sim_block {
	enum sim_block_kind kind;
	uint64_t base, size; /* as requested; the GPU sees whole pages */
	uint64_t gpu;	     /* address of base on the GPU */
	uint64_t serial;     /* never used twice: distinguishes a reused address from an old one */
	uint32_t node;
	uint32_t mem_flags;  /* HsaMemFlags, opaque here */
	uint32_t access;     /* enum sim_mem_flags once mapped */
	uint32_t registered; /* user blocks: registrations not yet undone */
	uint32_t mapped;     /* maps not yet undone; other kinds: 0 or 1 */
	uint32_t pins;	     /* queues whose ring or indices are in it */
	uint32_t node_count;
	uint32_t nodes[SIM_NODES];
	const uint32_t *node_list; /* the block's own nodes[] */
	void *user_data;
};

/* want->kind ALLOC; want->base is an address to insist on, or 0. Fills *ret. */
int sim_mem_alloc(const struct sim_block *want, uint64_t *ret);
/* base exactly as allocated, else -EINVAL; -EBUSY while a queue's memory is in it. */
int sim_mem_free(uint64_t base);

/*
 * A block whose pages the caller owns, mapped to no GPU yet: want->kind ALLOC at want->base, or USER
 * with want->gpu as the one address at which the GPU sees it. -ENOMEM if the device is full.
 */
int sim_mem_adopt(const struct sim_block *want);
/*
 * The same by its address on the GPU: remove it (-EBUSY while a queue's memory is in it), or choose
 * the GPUs that may access it (bit n: node n).
 */
int sim_mem_disown(uint64_t gpu);
int sim_mem_set_nodes(uint64_t gpu, uint32_t nodes);
/* Bytes of device memory that are free. */
uint64_t sim_mem_available(uint32_t node);

/* Memory of a queue, all in one block the device may read and write (else -EFAULT): not freed. */
int sim_mem_pin(uint64_t base, uint64_t size);
void sim_mem_unpin(uint64_t base);

/*
 * A block of another kind. A user block with the same base counts up and may grow; it then gets a
 * new address on the GPU, and the old one stays valid as well.
 */
int sim_mem_register(const struct sim_block *want);
int sim_mem_deregister(uint64_t base);
/* Managed memory of [base, end), which ends at no block's middle, is now these blocks. */
int sim_mem_replace_svm(uint64_t base, uint64_t end, const struct sim_block *blocks, size_t count);

/* addr may be anywhere inside a block; *ret (unless NULL) is its address on the GPU. */
int sim_mem_map(uint64_t addr, const uint32_t *nodes, uint32_t count, uint64_t *ret);
int sim_mem_unmap(uint64_t addr);
int sim_mem_query(uint64_t addr, struct sim_block *ret);
int sim_mem_set_user_data(uint64_t addr, void *data);

/* Whether the GPU may do all of flags to every byte; *bad is the first it may not (or NULL). */
bool sim_mem_allows(uint64_t addr, uint64_t size, uint32_t flags, uint64_t *bad);

/* What is at or near an address that the GPU may not access, for error messages. */
void sim_mem_describe(uint64_t addr, char *buf, size_t size);

/* The host's view of what the GPU has at addr, for accesses of the machine itself. */
static inline void *sim_mem_pointer(uint64_t addr)
{
	return (void *)(uintptr_t)(sim_mem_aliased(addr, addr + 1) ? sim_mem_host(addr) : addr);
}

#endif
