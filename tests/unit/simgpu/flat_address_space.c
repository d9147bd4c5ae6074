/* SPDX-License-Identifier: MIT */
/* The machine's side of the border for tests of the instruction set: all memory is the GPU's. */
#include "tests/unit/simgpu/flat_address_space.h"

#include <errno.h>

#include "simgpu/mem/address_space.h"
#include "simgpu/base/device_clock.h"

static struct sim_range ranges[16];
static unsigned int count;
static uint64_t generation = 1;

void host_memory_reset(void)
{
	count = 0;
	generation++;
}

void host_memory_add(const void *base, size_t size, uint32_t flags)
{
	ranges[count++] = (struct sim_range){
		.base = (uint64_t)base,
		.end = (uint64_t)base + size,
		.flags = flags,
	};
	generation++;
}

uint64_t sim_mem_generation(void)
{
	return generation;
}

int sim_mem_find(uint64_t addr, struct sim_range *ret)
{
	for (unsigned int i = 0; i < count; i++) {
		if (addr < ranges[i].base || addr >= ranges[i].end)
			continue;
		*ret = ranges[i];
		return 0;
	}
	return -EFAULT;
}

/* Nothing is registered host memory here. */
struct sim_mem_window sim_mem_window;
_Atomic uint16_t sim_mem_alias_pages[SIM_ALIAS_PAGES];

uint64_t sim_mem_host(uint64_t addr)
{
	return addr;
}

static const struct sim_device device = {.core_mhz = 1700};
const struct sim_device *_Atomic sim_device_chosen = &device;

const struct sim_device *sim_device_choose(void)
{
	return &device;
}

uint64_t sim_clock_ns(void)
{
	return 1000;
}

uint64_t sim_clock_ticks(void)
{
	return 0x123456789abcull;
}

uint64_t sim_clock_cycles(void)
{
	return 0xfedcba987654ull;
}
