/* SPDX-License-Identifier: MIT */
#include "simgpu/mem/nearest_range.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	FREED = 4096, /* number of ranges that are remembered */
};
/*
 * An allocation further away than FAR is unrelated to the address. One within CLOSE is the likely
 * cause even if the host has a page of its own at the address.
 */
#define FAR   ((uint64_t)1 << 40)
#define CLOSE ((uint64_t)1 << 20)

static struct sim_near freed_ranges[FREED];
static uint64_t freed_count; /* the next one is stored at freed_count % FREED */

uint64_t sim_near_distance(const struct sim_near *near, uint64_t addr)
{
	if (addr < near->base)
		return near->base - addr;
	return addr < near->end ? 0 : addr - near->end + 1;
}

void sim_near_freed(const struct sim_near *freed)
{
	freed_ranges[freed_count % FREED] = *freed;
	freed_ranges[freed_count++ % FREED].state = SIM_NEAR_FREED;
}

void sim_near_reused(uint64_t base, uint64_t end)
{
	uint64_t count = freed_count < FREED ? freed_count : FREED;

	for (uint64_t i = 0; i < count; i++)
		if (freed_ranges[i].base < end && base < freed_ranges[i].end)
			freed_ranges[i].base = freed_ranges[i].end = 0;
}

bool sim_near_find_freed(uint64_t addr, struct sim_near *ret)
{
	uint64_t count = freed_count < FREED ? freed_count : FREED;
	uint64_t best = UINT64_MAX;
	bool found = false;

	/* Newest first, because addresses are reused. */
	for (uint64_t i = 1; i <= count && best; i++) {
		const struct sim_near *near = &freed_ranges[(freed_count - i) % FREED];
		uint64_t distance = sim_near_distance(near, addr);

		if (!near->end || distance >= best)
			continue;
		best = distance;
		*ret = *near;
		found = true;
	}
	return found;
}

static const char *kind_text(const struct sim_near *near)
{
	switch (near->kind) {
	case SIM_BLOCK_USER:
		return "registered host memory";
	case SIM_BLOCK_SVM:
		return "managed memory";
	case SIM_BLOCK_ALLOC:
		break;
	}
	return near->node == SIM_NODE_CPU ? "host-visible memory" : "device memory";
}

static const char *freed_text(const struct sim_near *near)
{
	return near->kind == SIM_BLOCK_ALLOC ? "freed " : "no longer ";
}

/* The kernel was given the host's pointer instead of hipHostGetDevicePointer's. */
static void describe_host_address(uint64_t addr, const struct sim_near *near, char *buf,
				  size_t size)
{
	snprintf(buf, size,
		 "%" PRIu64 " bytes into the host's address of %s 0x%" PRIx64 "-0x%" PRIx64
		 "; the GPU's address is 0x%" PRIx64 " (hipHostGetDevicePointer)",
		 addr - near->base, kind_text(near), near->base, near->end,
		 near->gpu + (addr - near->base));
}

static const char *inside_text(const struct sim_near *near)
{
	if (near->state == SIM_NEAR_FREED)
		return freed_text(near);
	if (near->state == SIM_NEAR_UNMAPPED)
		return "not mapped to the GPU: ";
	if (!(near->access & SIM_MEM_WRITE))
		return near->access & SIM_MEM_EXEC ? "read-only, executable " : "read-only ";
	return near->access & SIM_MEM_EXEC ? "executable " : "";
}

/* A stray host pointer: the process can read it, but it was never mapped to the GPU. */
static bool host_has(uint64_t addr)
{
	char byte;
	struct iovec local = {&byte, 1}, remote = {(void *)(uintptr_t)addr, 1};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

void sim_near_describe(uint64_t addr, const struct sim_near *near, char *buf, size_t size)
{
	uint64_t distance = near ? sim_near_distance(near, addr) : FAR;

	buf[0] = '\0';
	if (addr < SIM_PAGE) {
		snprintf(buf, size, "a null pointer");
		return;
	}
	if (distance > CLOSE && host_has(addr)) {
		snprintf(buf, size, "host memory that was never given to the GPU");
		return;
	}
	if (!distance && near->gpu != near->base && near->state != SIM_NEAR_FREED) {
		describe_host_address(addr, near, buf, size);
		return;
	}
	if (distance >= FAR) {
		snprintf(buf, size, "nothing was allocated near it");
	} else if (!distance) {
		snprintf(buf, size,
			 "%" PRIu64 " bytes into %s%s 0x%" PRIx64 "-0x%" PRIx64 " (%" PRIu64
			 " bytes)",
			 addr - near->base, inside_text(near), kind_text(near), near->base,
			 near->end, near->end - near->base);
	} else {
		bool before = addr < near->base;

		snprintf(buf, size,
			 "%" PRIu64 " bytes %s %s%s 0x%" PRIx64 "-0x%" PRIx64 " (%" PRIu64
			 " bytes)",
			 before ? distance : distance - 1, before ? "before" : "past the end of",
			 near->state == SIM_NEAR_FREED ? freed_text(near) : "", kind_text(near),
			 near->base, near->end, near->end - near->base);
	}
}
