/* SPDX-License-Identifier: MIT */
/*
 * Errors as the runtime hears of them, and the line on stderr that says what really happened.
 *
 * The runtime's own path is the one without KFD exceptions (device_calls.c says why): errors of a
 * queue go into its inactive signal, memory faults through the event of type MEMORY.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "simgpu/group/dispatch.h"
#include "simgpu/mem/nearest_range.h"
#include "simgpu/event/interrupt_events.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/event/hsa_signal.h"
#include "simgpu/diag/source_line.h"

/* Codes of the inactive signal; ROCr 5.2.3 asserts on any other. */
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

void sim_queue_error(struct sim_queue *queue, enum sim_error error)
{
	amd_signal_t *signal = queue->amd ? sim_signal(queue->amd->queue_inactive_signal) : NULL;

	atomic_store_explicit(&queue->dead, true, memory_order_release);
	if (signal)
		sim_signal_store(signal, signal_codes[error]);
}

/* Addresses above 48 bits never reach the page tables: the shader reports them itself. */
static bool in_aperture(uint64_t addr)
{
	uint64_t top = addr >> 47;

	return top == 0 || top == 0x1ffff;
}

/* The first byte that was out of bounds: an access may begin well inside. */
static uint64_t bad_address(const struct sim_fault *fault, uint32_t gpu)
{
	uint32_t flags = fault->kind == SIM_FAULT_WRITE	  ? SIM_MEM_WRITE
			 : fault->kind == SIM_FAULT_FETCH ? SIM_MEM_EXEC
							  : SIM_MEM_READ;
	uint64_t bad = fault->addr;

	sim_mem_allows(fault->addr, fault->size ? fault->size : 1, flags | gpu, &bad);
	return bad;
}

void sim_memory_error(struct sim_queue *queue, const struct sim_fault *fault)
{
	uint32_t gpu = SIM_MEM_GPU(queue->node);
	struct sim_memory_fault report = {.addr = bad_address(fault, gpu), .node = queue->node};
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
	/* Without interrupts there is no such event; a silent hang helps nobody. */
	if (!sim_event_memory_fault(&report))
		sim_queue_error(queue, SIM_ERROR_APERTURE);
}

static const char *fault_text(const struct sim_fault *fault)
{
	switch (fault->kind) {
	case SIM_FAULT_UNKNOWN_OPCODE:
		return "illegal instruction";
	case SIM_FAULT_UNIMPLEMENTED:
		return "instruction not implemented by the simulator";
	case SIM_FAULT_READ:
		return "memory fault on read";
	case SIM_FAULT_WRITE:
		return "memory fault on write";
	case SIM_FAULT_FETCH:
		return "memory fault on instruction fetch";
	case SIM_FAULT_SCRATCH:
		return "access outside the lane's private memory";
	case SIM_FAULT_LDS:
		return "LDS access outside the workgroup's allocation";
	case SIM_FAULT_MISALIGNED:
		return "misaligned access";
	case SIM_FAULT_NONE:
		break;
	}
	return "fault without a kind";
}

static enum sim_error error_of(enum sim_fault_kind kind)
{
	switch (kind) {
	case SIM_FAULT_READ:
	case SIM_FAULT_WRITE:
	case SIM_FAULT_FETCH:
		return SIM_ERROR_MEMORY;
	case SIM_FAULT_LDS:
	case SIM_FAULT_SCRATCH:
	case SIM_FAULT_MISALIGNED:
		/* What the hardware calls MEM_VIOL of a wave. */
		return SIM_ERROR_APERTURE;
	default:
		return SIM_ERROR_INSTRUCTION;
	}
}

/* "kernel vadd, workgroup (1,0,0), wave 2" */
static void print_place(char *buf, size_t size, const struct sim_dispatch *dispatch,
			const struct sim_wave *wave)
{
	char name[256];

	sim_kernel_name(dispatch->kernel.descriptor, name, sizeof(name));
	snprintf(buf, size, "kernel %s, workgroup (%u,%u,%u), wave %u", name, wave->group->id[0],
		 wave->group->id[1], wave->group->id[2], wave->in_group);
}

/* "; at kernel.hip:12": what the debug information says of the instruction at pc. */
static void print_source(char *buf, size_t size, uint64_t pc)
{
	char source[1024];
	int err = sim_source_line(pc, source, sizeof(source));

	buf[0] = '\0';
	if (!err)
		snprintf(buf, size, "; at %s", source);
	else if (err == -ENODATA)
		snprintf(buf, size, "; source line unknown: compile with -g");
}

/* "; 16 bytes past the end of ...": what the address missed. */
static void print_target(char *buf, size_t size, const struct sim_wave *wave)
{
	const struct sim_fault *fault = &wave->fault;
	uint32_t gpu = wave->group->gpu;
	struct sim_range range;
	char near[256];

	buf[0] = '\0';
	if (error_of(fault->kind) == SIM_ERROR_MEMORY) {
		uint64_t addr = bad_address(fault, gpu);
		bool others = !sim_mem_find(addr, &range) && (range.flags & gpu) != gpu;

		sim_near_describe(addr, near, sizeof(near));
		snprintf(buf, size, "; %s%s", near,
			 others ? ", which is mapped to other GPUs only" : "");
	} else if (fault->kind == SIM_FAULT_LDS) {
		snprintf(buf, size, "; the workgroup has %u bytes", wave->group->lds_size);
	} else if (fault->kind == SIM_FAULT_SCRATCH) {
		snprintf(buf, size, "; a lane has %u bytes", wave->scratch_lane_size);
	}
}

static void print_fault(const struct sim_wave *wave, const char *place)
{
	const struct sim_fault *fault = &wave->fault;
	char inst[160] = "?", lane[32] = "", addr[64] = "", target[300], source[1100] = "";

	if (fault->kind != SIM_FAULT_FETCH)
		sim_code_describe(wave->pc, inst, sizeof(inst));
	if (fault->lane >= 0 && error_of(fault->kind) != SIM_ERROR_INSTRUCTION)
		snprintf(lane, sizeof(lane), ", lane %d", fault->lane);
	if (error_of(fault->kind) != SIM_ERROR_INSTRUCTION)
		snprintf(addr, sizeof(addr), ", address 0x%" PRIx64 " (%u bytes)", fault->addr,
			 fault->size);
	print_target(target, sizeof(target), wave);
	if (fault->kind != SIM_FAULT_FETCH)
		print_source(source, sizeof(source), wave->pc);
	sim_print("%s: %s%s%s, pc 0x%" PRIx64 ": %s%s%s", fault_text(fault), place, lane, addr,
		  wave->pc, inst, target, source);
}

/* Stops without a fault: the wave already stands behind an s_trap (4 bytes) or ds_gws_* (8). */
static void print_stop(const struct sim_wave *wave, const char *place, enum sim_stop stop)
{
	uint64_t pc = wave->pc - (stop == SIM_STOP_TRAP ? 4 : 8);
	char source[1100];

	print_source(source, sizeof(source), pc);
	if (stop == SIM_STOP_TRAP)
		sim_print("s_trap %u: %s, pc 0x%" PRIx64 "; the kernel asked to be aborted "
			  "(assert, __builtin_trap or abort)%s",
			  wave->stop_arg, place, pc, source);
	else
		sim_print("global wave sync other than the barrier of resource 0 is not "
			  "implemented by the simulator: %s, pc 0x%" PRIx64 "%s",
			  place, pc, source);
}

void sim_wave_error(struct sim_dispatch *dispatch, const struct sim_wave *wave, enum sim_stop stop)
{
	enum sim_error error = SIM_ERROR_INSTRUCTION;
	char place[400];

	/* Only the first fault of a dispatch is told; the others stop with it. */
	if (atomic_exchange_explicit(&dispatch->stop, true, memory_order_acq_rel))
		return;
	print_place(place, sizeof(place), dispatch, wave);
	if (stop == SIM_STOP_FAULT) {
		error = error_of(wave->fault.kind);
		print_fault(wave, place);
	} else {
		if (stop == SIM_STOP_TRAP)
			error = SIM_ERROR_TRAP;
		print_stop(wave, place, stop);
	}
	if (error == SIM_ERROR_MEMORY)
		sim_memory_error(dispatch->queue, &wave->fault);
	else
		sim_queue_error(dispatch->queue, error);
}
