/* SPDX-License-Identifier: MIT */
#include "simgpu/diag/fault_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/diag/source_line.h"
#include "simgpu/group/kernel_name.h"

/* The first byte that was out of bounds: an access may begin within bounds. */
uint64_t sim_fault_address(const struct sim_fault *fault, uint32_t gpu)
{
	uint32_t flags = fault->kind == SIM_FAULT_WRITE	  ? SIM_MEM_WRITE
			 : fault->kind == SIM_FAULT_FETCH ? SIM_MEM_EXEC
							  : SIM_MEM_READ;
	uint64_t bad = fault->addr;

	sim_mem_allows(fault->addr, fault->size ? fault->size : 1, flags | gpu, &bad);
	return bad;
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
		/* The hardware calls this MEM_VIOL of a wave. */
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

	sim_kernel_name(dispatch->launch.kernel.descriptor, name, sizeof(name));
	snprintf(buf, size, "kernel %s, workgroup (%u,%u,%u), wave %u", name, wave->group->id[0],
		 wave->group->id[1], wave->group->id[2], wave->in_group);
}

/* "; at kernel.hip:12": the source line of the instruction at pc. */
static void print_source(char *buf, size_t size, uint64_t pc)
{
	char source[1024];

	buf[0] = '\0';
	switch (sim_source_line(pc, source, sizeof(source))) {
	case 0:
		snprintf(buf, size, "; at %s", source);
		break;
	case -ENODATA:
		snprintf(buf, size, "; source line unknown: compile with -g");
		break;
	}
}

/* "; 16 bytes past the end of ...": the allocation nearest to the address. */
static void print_target(char *buf, size_t size, const struct sim_wave *wave)
{
	const struct sim_fault *fault = &wave->fault;
	uint32_t gpu = wave->group->gpu;
	struct sim_range range;
	char near[256];

	buf[0] = '\0';
	if (error_of(fault->kind) == SIM_ERROR_MEMORY) {
		uint64_t addr = sim_fault_address(fault, gpu);
		bool others = !sim_mem_find(addr, &range) && (range.flags & gpu) != gpu;

		sim_mem_describe(addr, near, sizeof(near));
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

/* Stops without a fault: the wave is already past an s_trap (4 bytes) or ds_gws_* (8 bytes). */
static void print_stop(const struct sim_wave *wave, const char *place, enum sim_stop stop)
{
	uint64_t pc = wave->pc - (stop == SIM_STOP_TRAP ? 4 : 8);
	char source[1100];

	print_source(source, sizeof(source), pc);
	if (stop == SIM_STOP_TRAP)
		sim_print("s_trap %u: %s, pc 0x%" PRIx64 "; the kernel requested an abort "
			  "(assert, __builtin_trap or abort)%s",
			  wave->stop_arg, place, pc, source);
	else
		sim_print("global wave sync other than the barrier of resource 0 is not "
			  "implemented by the simulator: %s, pc 0x%" PRIx64 "%s",
			  place, pc, source);
}

enum sim_error sim_fault_report(const struct sim_dispatch *dispatch, const struct sim_wave *wave,
				enum sim_stop stop)
{
	char place[400];

	print_place(place, sizeof(place), dispatch, wave);
	if (stop == SIM_STOP_FAULT) {
		print_fault(wave, place);
		return error_of(wave->fault.kind);
	}
	print_stop(wave, place, stop);
	return stop == SIM_STOP_TRAP ? SIM_ERROR_TRAP : SIM_ERROR_INSTRUCTION;
}
