/* SPDX-License-Identifier: MIT */
/*
 * Errors of a queue are stored in its inactive signal, or as the kernel driver's exceptions if the
 * runtime has enabled them (driver/sampling_ioctls.c). Memory faults are reported through the event
 * of type MEMORY.
 */
#include "simgpu/queue/queue_error.h"

#include "simgpu/diag/fault_report.h"
#include "simgpu/event/hsa_signal.h"
#include "simgpu/event/interrupt_events.h"
#include "simgpu/mem/gpu_allocations.h"

/* Codes of the inactive signal; ROCr 5.2.3 asserts on any other code. */
static const int64_t signal_codes[] = {
	[SIM_ERROR_DIMENSIONS] = 2,	      /* INCOMPATIBLE_ARGUMENTS */
	[SIM_ERROR_GROUP_MEMORY] = 4,	      /* INVALID_ALLOCATION */
	[SIM_ERROR_CODE] = 8,		      /* INVALID_CODE_OBJECT */
	[SIM_ERROR_PACKET] = 32,	      /* INVALID_PACKET_FORMAT */
	[SIM_ERROR_GROUP_SIZE] = 64,	      /* INVALID_ARGUMENT */
	[SIM_ERROR_REGISTERS] = 128,	      /* INVALID_ISA */
	[SIM_ERROR_VENDOR_PACKET] = 256,      /* INVALID_PACKET_FORMAT */
	[SIM_ERROR_APERTURE] = 0x20000000,    /* MEMORY_APERTURE_VIOLATION */
	[SIM_ERROR_INSTRUCTION] = 0x40000000, /* ILLEGAL_INSTRUCTION */
	[SIM_ERROR_TRAP] = 0x80000000,	      /* EXCEPTION */
};

/* Numbers of the kernel driver's exceptions (enum kfd_dbg_trap_exception_code). */
static const uint8_t exception_codes[] = {
	[SIM_ERROR_DIMENSIONS] = 16,	[SIM_ERROR_GROUP_MEMORY] = 17, [SIM_ERROR_CODE] = 18,
	[SIM_ERROR_PACKET] = 20,	[SIM_ERROR_GROUP_SIZE] = 21,   [SIM_ERROR_REGISTERS] = 22,
	[SIM_ERROR_VENDOR_PACKET] = 23, [SIM_ERROR_APERTURE] = 6,      [SIM_ERROR_INSTRUCTION] = 4,
	[SIM_ERROR_TRAP] = 2,
};

static void raise_exception(const struct sim_queue *queue, enum sim_error error)
{
	_Atomic uint64_t *bits;

	if (!sim_mem_allows(queue->exceptions, sizeof(*bits), SIM_MEM_WRITE, NULL))
		return;
	bits = sim_mem_pointer(queue->exceptions);
	atomic_fetch_or(bits, (uint64_t)1 << (exception_codes[error] - 1));
	sim_event_set(queue->exception_event);
}

void sim_queue_error(struct sim_queue *queue, enum sim_error error)
{
	amd_signal_t *signal = queue->amd ? sim_signal(queue->amd->queue_inactive_signal) : NULL;

	atomic_store_explicit(&queue->dead, true, memory_order_release);
	if (queue->exceptions)
		raise_exception(queue, error);
	else if (signal)
		sim_signal_store(signal, signal_codes[error]);
}

/* Addresses above 48 bits never reach the page tables: the shader itself reports them. */
static bool in_aperture(uint64_t addr)
{
	uint64_t top = addr >> 47;

	return top == 0 || top == 0x1ffff;
}

void sim_memory_error(struct sim_queue *queue, const struct sim_fault *fault)
{
	uint32_t gpu = SIM_MEM_GPU(queue->node);
	struct sim_memory_fault report = {.addr = sim_fault_address(fault, gpu),
					  .node = queue->node};
	struct sim_range range;

	if (!in_aperture(fault->addr)) {
		sim_queue_error(queue, SIM_ERROR_APERTURE);
		return;
	}
	if (!sim_mem_find(report.addr, &range) && range.flags & gpu) {
		report.read_only = fault->kind == SIM_FAULT_WRITE;
		report.no_execute = fault->kind == SIM_FAULT_FETCH;
	}
	atomic_store_explicit(&queue->dead, true, memory_order_release);
	/*
	 * Without interrupts there is no such event; an error message is better than a silent hang.
	 */
	if (!sim_event_memory_fault(&report))
		sim_queue_error(queue, SIM_ERROR_APERTURE);
}
