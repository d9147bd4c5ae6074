/* SPDX-License-Identifier: MIT */
/*
 * The simulated GPU's view of memory: which host ranges it may access, and how.
 *
 * A CPU address equals the GPU address, except for registered host memory, see sim_mem_host(). A
 * device access is therefore a plain host access once its address is known to be in a range that
 * was mapped to the GPU: allocated, registered or managed.
 */
#ifndef PROBE_SIMGPU_MEM_ADDRESS_SPACE_H
#define PROBE_SIMGPU_MEM_ADDRESS_SPACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_mem_flags {
	SIM_MEM_READ = 1,
	SIM_MEM_WRITE = 2,
	SIM_MEM_EXEC = 4,
};

/*
 * Further bits in the same flags: GPU node n may access the range. A check without such a bit
 * accepts any GPU.
 */
#define SIM_MEM_GPU(node) (1u << (8 + (node)))
#define SIM_MEM_EVERYBODY 0xffffff00u

/* A range of addresses the GPU may touch: [base, end), with sim_mem_flags. */
struct sim_range {
	uint64_t base;
	uint64_t end;
	uint32_t flags;
	uint64_t serial; /* of its allocation; never reused */
};

/*
 * Incremented (release) when a range is added, removed or changes its flags. A caller may keep a
 * struct sim_range as long as the generation that it read (acquire) before the look-up is
 * unchanged.
 */
uint64_t sim_mem_generation(void);

/*
 * The mapped range that contains addr. Thread-safe. Returns 0, or -EFAULT and leaves *ret
 * unchanged. Adjacent ranges are not merged: an access across two of them needs two look-ups.
 */
int sim_mem_find(uint64_t addr, struct sim_range *ret);

/*
 * Registered host memory has an address of its own on the GPU; everywhere else the CPU address
 * equals the GPU address. An allowed access to such memory must use sim_mem_host(addr). Contiguous
 * addresses stay contiguous.
 *
 * The runtime puts these addresses next to those of other memory, so a window around them all is
 * only the first test. The second is a count per page of the registrations on it; pages whose
 * numbers differ by a multiple of SIM_ALIAS_PAGES share one.
 */
enum {
	SIM_ALIAS_PAGES = 1 << 18,
	SIM_ALIAS_SPAN = 512, /* pages that are looked at; a wider access is taken for one */
};
extern struct sim_mem_window {
	uint64_t base, end; /* both 0 until something is registered */
} sim_mem_window;
extern _Atomic uint16_t sim_mem_alias_pages[SIM_ALIAS_PAGES];

/* True if an access to [lo, hi) may touch registered memory. */
static inline bool sim_mem_aliased(uint64_t lo, uint64_t hi)
{
	uint64_t first = lo / 4096, last = (hi - 1) / 4096;

	if (hi <= sim_mem_window.base || lo >= sim_mem_window.end)
		return false;
	if (last - first >= SIM_ALIAS_SPAN)
		return true;
	for (uint64_t page = first; page <= last; page++)
		if (atomic_load_explicit(&sim_mem_alias_pages[page % SIM_ALIAS_PAGES],
					 memory_order_relaxed))
			return true;
	return false;
}

/* Host address for an address that sim_mem_find() finds; other addresses are returned unchanged. */
uint64_t sim_mem_host(uint64_t addr);

#endif
