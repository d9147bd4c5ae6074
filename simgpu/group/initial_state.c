/* SPDX-License-Identifier: MIT */
/*
 * The initial state of a kernel: "Initial Kernel Execution State" of LLVM's "User Guide for
 * AMDGPU Backend", for gfx90a (packed work-item ids, absolute flat scratch, unified registers) and
 * gfx942 (flat scratch set up by the hardware).
 */
#include "simgpu/group/initial_state.h"

#include <inttypes.h>
#include <string.h>

#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/group/dispatch_state.h"
#include "simgpu/group/kernel_name.h"
#include "simgpu/group/wave_slots.h"
#include "simgpu/group/trace_selection.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/base/simulated_device.h"

/* The fields of a kernel descriptor that are used here, by offset. */
enum {
	KD_SIZE = 64,
	KD_LDS = 0,
	KD_SCRATCH = 4,
	KD_KERNARG = 8,
	KD_ENTRY = 16,
	KD_RSRC3 = 44,
	KD_RSRC1 = 48,
	KD_RSRC2 = 52,
	KD_PROPERTIES = 56,
	KD_PRELOAD = 58,
};

/* kernel_code_properties: which user SGPRs exist, in this order. */
enum {
	KD_SGPR_PRIVATE_BUFFER = 1 << 0,
	KD_SGPR_DISPATCH_PTR = 1 << 1,
	KD_SGPR_QUEUE_PTR = 1 << 2,
	KD_SGPR_KERNARG_PTR = 1 << 3,
	KD_SGPR_DISPATCH_ID = 1 << 4,
	KD_SGPR_FLAT_SCRATCH = 1 << 5,
	KD_SGPR_PRIVATE_SIZE = 1 << 6,
};

/* kernarg_preload: so many dwords from this dword on. */
enum {
	PRELOAD_LENGTH = 0x7f,
	PRELOAD_OFFSET = 7, /* first of nine bits */
	PRELOAD_SKIP = 256, /* bytes */
};

/* compute_pgm_rsrc2. */
enum {
	RSRC2_SCRATCH_OFFSET = 1 << 0,
	RSRC2_GROUP_ID_X = 1 << 7,
	RSRC2_GROUP_ID_Y = 1 << 8,
	RSRC2_GROUP_ID_Z = 1 << 9,
	RSRC2_GROUP_INFO = 1 << 10,
	RSRC2_LANE_ID = 11, /* first of two bits: 0 work-item ids in x, 1 and y, 2 and z */
};

/*
 * The fields of v0 that the kernel requested. The others are 0: LLVM uses all of v0 as x if only x
 * is used (SITargetLowering::allocateSpecialEntryInputVGPRs).
 */
static uint32_t lane_id_mask(const struct sim_dispatch *dispatch)
{
	uint32_t count = (dispatch->launch.kernel.rsrc2 >> RSRC2_LANE_ID & 3) + 1;

	return count < 3 ? (1u << 10 * count) - 1 : ~0u;
}

static uint32_t read32(const uint8_t *bytes, unsigned offset)
{
	uint32_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static bool read_kernel(uint64_t address, uint32_t gpu, struct sim_kernel *ret)
{
	uint8_t bytes[KD_SIZE];
	struct sim_kernel kernel = {.descriptor = address};
	uint32_t registers, first_agpr;
	int64_t entry;

	if (!address || !sim_mem_allows(address, KD_SIZE, SIM_MEM_READ | gpu, NULL))
		return false;
	memcpy(bytes, sim_mem_pointer(address), KD_SIZE);
	memcpy(&entry, bytes + KD_ENTRY, sizeof(entry));
	kernel.entry = address + (uint64_t)entry;
	kernel.lds = read32(bytes, KD_LDS);
	kernel.scratch = read32(bytes, KD_SCRATCH);
	kernel.kernarg = read32(bytes, KD_KERNARG);
	kernel.rsrc1 = read32(bytes, KD_RSRC1);
	kernel.rsrc2 = read32(bytes, KD_RSRC2);
	kernel.rsrc3 = read32(bytes, KD_RSRC3);
	kernel.properties = read32(bytes, KD_PROPERTIES) & 0xffff;
	kernel.preload = read32(bytes, KD_PROPERTIES) >> 16;
	/* Code for firmware that does not preload comes first. */
	if (kernel.preload & PRELOAD_LENGTH)
		kernel.entry += PRELOAD_SKIP;
	/*
	 * One register file for both kinds: granules of 8 in total, ACCUM_OFFSET in granules of 4.
	 */
	registers = ((kernel.rsrc1 & 0x3f) + 1) * 8;
	first_agpr = ((kernel.rsrc3 & 0x3f) + 1) * 4;
	kernel.vgprs = least(registers, first_agpr);
	kernel.agprs = least(registers - kernel.vgprs, 256);
	*ret = kernel;
	return sim_mem_allows(kernel.entry, 4, SIM_MEM_EXEC | gpu, NULL);
}

static void put_pair(struct sim_dispatch *dispatch, uint32_t *at, uint64_t value)
{
	dispatch->launch.sgpr[(*at)++] = (uint32_t)value;
	dispatch->launch.sgpr[(*at)++] = (uint32_t)(value >> 32);
}

/* Dwords of the kernel arguments, as far as they are readable. */
static void preload(struct sim_dispatch *dispatch, uint32_t at)
{
	uint32_t words = dispatch->launch.kernel.preload;
	uint64_t from = (uint64_t)(uintptr_t)dispatch->packet->kernarg_address +
			4 * (words >> PRELOAD_OFFSET);

	for (uint32_t i = 0; i < (words & PRELOAD_LENGTH) && at < SIM_SGPRS; i++, at++)
		if (sim_mem_allows(from + 4 * i, 4, SIM_MEM_READ, NULL))
			memcpy(&dispatch->launch.sgpr[at], sim_mem_pointer(from + 4 * i), 4);
}

static void fill_user_sgprs(struct sim_dispatch *dispatch)
{
	const amd_queue_t *amd = dispatch->queue->amd;
	uint32_t properties = dispatch->launch.kernel.properties;
	uint32_t at = 0;

	for (int i = 0; i < SIM_SGPRS; i++)
		dispatch->launch.sgpr[i] = (uint32_t)sim_options()->fill;
	if (properties & KD_SGPR_PRIVATE_BUFFER)
		for (int i = 0; i < 4; i++)
			dispatch->launch.sgpr[at++] = amd->scratch_resource_descriptor[i];
	/* Code reads the packet itself, for example to find the workgroup size. */
	if (properties & KD_SGPR_DISPATCH_PTR)
		put_pair(dispatch, &at, (uint64_t)(uintptr_t)dispatch->packet);
	if (properties & KD_SGPR_QUEUE_PTR)
		put_pair(dispatch, &at, (uint64_t)(uintptr_t)amd);
	if (properties & KD_SGPR_KERNARG_PTR)
		put_pair(dispatch, &at, (uint64_t)(uintptr_t)dispatch->packet->kernarg_address);
	if (properties & KD_SGPR_DISPATCH_ID)
		put_pair(dispatch, &at, dispatch->index);
	if (properties & KD_SGPR_FLAT_SCRATCH)
		put_pair(dispatch, &at, dispatch->launch.scratch.base);
	if (properties & KD_SGPR_PRIVATE_SIZE)
		dispatch->launch.sgpr[at++] = dispatch->packet->private_segment_size;
	preload(dispatch, at);
	/*
	 * The hardware appends them after the declared number, whatever the packet processor
	 * loaded.
	 */
	dispatch->launch.group_sgpr = dispatch->launch.kernel.rsrc2 >> 1 & 0x1f;
}

/* v0 of every lane of a whole workgroup; kept while workgroup size and mask are the same. */
static void fill_lane_ids(struct sim_dispatch *dispatch)
{
	const uint32_t *size = dispatch->launch.size;
	uint32_t *ids = &dispatch->launch.lane_ids[0][0], mask = lane_id_mask(dispatch);

	if (!memcmp(size, dispatch->launch.lane_size, sizeof(dispatch->launch.lane_size)) &&
	    mask == dispatch->launch.lane_mask)
		return;
	for (uint32_t z = 0; z < size[2]; z++)
		for (uint32_t y = 0; y < size[1]; y++)
			for (uint32_t x = 0; x < size[0]; x++)
				*ids++ = (x | y << 10 | z << 20) & mask;
	/* Lanes without a work-item in the last wave. */
	while ((ids - &dispatch->launch.lane_ids[0][0]) % SIM_LANES)
		*ids++ = 0;
	memcpy(dispatch->launch.lane_size, size, sizeof(dispatch->launch.lane_size));
	dispatch->launch.lane_mask = mask;
}

static void fill_registers(struct sim_dispatch *dispatch)
{
	const struct sim_kernel *kernel = &dispatch->launch.kernel;
	uint32_t rsrc1 = kernel->rsrc1, rsrc2 = kernel->rsrc2;

	/* MODE: float modes 7..0, dx10_clamp 8, ieee 9, exception enables 18..12, fp16_ovfl 23. */
	dispatch->launch.mode = (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 |
				(rsrc1 >> 23 & 1) << 9 | (rsrc2 >> 24 & 0x7f) << 12 |
				(rsrc1 >> 26 & 1) << 23;
	/* LDS_ALLOC: size 20..12 in units of 128 dwords. */
	dispatch->launch.lds_alloc = (dispatch->launch.lds_bytes + 511) / 512 << 12;
	/* GPR_ALLOC: vector size 13..8, scalar size 27..24, in granules as in RSRC1. */
	dispatch->launch.gpr_alloc = (rsrc1 & 0x3f) << 8 | (rsrc1 >> 6 & 0xf) << 24;
	/* STATUS: trap handler enabled 6, in a group of several waves 11, valid 16. */
	dispatch->launch.status = 1u << 6 | (uint32_t)(dispatch->launch.waves > 1) << 11 | 1u << 16;
}

static enum sim_error refuse(const struct sim_dispatch *dispatch, enum sim_error error,
			     const char *what)
{
	const hsa_kernel_dispatch_packet_t *packet = dispatch->packet;
	char name[256];

	sim_kernel_name(packet->kernel_object, name, sizeof(name));
	sim_print("dispatch of kernel %s refused: %s (grid %u,%u,%u, workgroup %u,%u,%u, LDS %u, "
		  "%u registers per lane)",
		  name, what, packet->grid_size_x, packet->grid_size_y, packet->grid_size_z,
		  packet->workgroup_size_x, packet->workgroup_size_y, packet->workgroup_size_z,
		  packet->group_segment_size,
		  dispatch->launch.kernel.vgprs + dispatch->launch.kernel.agprs);
	return error;
}

static enum sim_error check_sizes(struct sim_dispatch *dispatch)
{
	const hsa_kernel_dispatch_packet_t *packet = dispatch->packet;
	const uint32_t grid[3] = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z};
	uint64_t lanes;

	dispatch->launch.size[0] = packet->workgroup_size_x;
	dispatch->launch.size[1] = packet->workgroup_size_y;
	dispatch->launch.size[2] = packet->workgroup_size_z;
	dispatch->launch.total = 1;
	for (int i = 0; i < 3; i++) {
		if (!dispatch->launch.size[i] || !grid[i])
			return refuse(dispatch, SIM_ERROR_DIMENSIONS, "a dimension is 0");
		dispatch->launch.groups[i] = (grid[i] - 1) / dispatch->launch.size[i] + 1;
		/* A count that overflows could never finish. */
		if (__builtin_mul_overflow(dispatch->launch.total, dispatch->launch.groups[i],
					   &dispatch->launch.total))
			dispatch->launch.total = UINT64_MAX;
	}
	lanes = (uint64_t)dispatch->launch.size[0] * dispatch->launch.size[1] *
		dispatch->launch.size[2];
	if (lanes > SIM_GROUP_LANES)
		return refuse(dispatch, SIM_ERROR_GROUP_SIZE, "workgroup of more than 1024 items");
	dispatch->launch.lds_bytes = packet->group_segment_size;
	if (dispatch->launch.lds_bytes > SIM_CU_LDS)
		return refuse(dispatch, SIM_ERROR_GROUP_MEMORY, "more than 64 KiB of LDS");
	dispatch->launch.waves = (uint32_t)((lanes + SIM_LANES - 1) / SIM_LANES);
	return SIM_ERROR_NONE;
}

enum sim_error sim_launch_prepare(struct sim_dispatch *dispatch)
{
	uint64_t kernarg = (uint64_t)(uintptr_t)dispatch->packet->kernarg_address;
	struct sim_place_request want = {0};
	enum sim_error error;

	dispatch->launch.kernel = (struct sim_kernel){0};
	error = check_sizes(dispatch);
	if (error)
		return error;
	if (!read_kernel(dispatch->packet->kernel_object, SIM_MEM_GPU(dispatch->queue->node),
			 &dispatch->launch.kernel) ||
	    sim_code_prepare(dispatch->launch.kernel.entry))
		return refuse(dispatch, SIM_ERROR_CODE,
			      "no kernel descriptor there, or its code is not executable");
	if (dispatch->launch.kernel.kernarg &&
	    !sim_mem_allows(kernarg, dispatch->launch.kernel.kernarg, SIM_MEM_READ, NULL))
		sim_debug(1, "kernel arguments at 0x%" PRIx64 " are not all readable", kernarg);
	want.waves = dispatch->launch.waves;
	want.lds_bytes = dispatch->launch.lds_bytes;
	want.vgprs = dispatch->launch.kernel.vgprs + dispatch->launch.kernel.agprs;
	if (!sim_place_capacity(&want))
		return refuse(dispatch, SIM_ERROR_REGISTERS,
			      "one compute unit cannot hold a workgroup");
	fill_user_sgprs(dispatch);
	fill_lane_ids(dispatch);
	fill_registers(dispatch);
	sim_trace_select_dispatch(dispatch);
	return SIM_ERROR_NONE;
}

uint32_t sim_launch_extent(const struct sim_dispatch *dispatch, const uint32_t id[3],
			   uint32_t extent[3])
{
	const hsa_kernel_dispatch_packet_t *packet = dispatch->packet;
	const uint32_t grid[3] = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z};
	uint32_t lanes = 1;

	for (int i = 0; i < 3; i++) {
		extent[i] =
			least(dispatch->launch.size[i], grid[i] - id[i] * dispatch->launch.size[i]);
		lanes *= extent[i];
	}
	return (lanes + SIM_LANES - 1) / SIM_LANES;
}

/* In pieces for which the compiler has moves: one copy of all takes longer to start than these. */
static void put_launch_sgprs(const struct sim_dispatch *dispatch, struct sim_wave *wave)
{
	enum { PIECE = 16 };

	for (uint32_t i = 0; i < SIM_SGPRS; i += PIECE)
		memcpy(&wave->sgpr[i], &dispatch->launch.sgpr[i], PIECE * sizeof(*wave->sgpr));
}

/* System SGPRs: workgroup ids, workgroup info, scratch offset of the wave. */
static void put_system_sgprs(const struct sim_dispatch *dispatch, struct sim_wave *wave,
			     const struct sim_wave_start *start)
{
	uint32_t rsrc2 = dispatch->launch.kernel.rsrc2;
	uint32_t at = dispatch->launch.group_sgpr;

	for (int i = 0; i < 3; i++)
		if (rsrc2 & (uint32_t)RSRC2_GROUP_ID_X << i)
			wave->sgpr[at++] = wave->group->id[i];
	/* First wave of the group 31, number of waves 5..0. */
	if (rsrc2 & RSRC2_GROUP_INFO)
		wave->sgpr[at++] = (uint32_t)!wave->in_group << 31 | start->waves;
	if (rsrc2 & RSRC2_SCRATCH_OFFSET && !sim_device()->flat_scratch_register)
		wave->sgpr[at++] = start->scratch_wave * dispatch->launch.scratch.wave_bytes;
}

/*
 * A workgroup cut off by the grid's edge has waves as if the remaining extent were its size:
 * work-items are numbered by "current work-group size" (HSA PRM 2.2), without gaps.
 */
static void put_lane_ids(const struct sim_dispatch *dispatch, struct sim_wave *wave,
			 const struct sim_wave_start *start)
{
	const uint32_t *extent = start->extent;
	uint32_t lane = wave->in_group * SIM_LANES;

	if (!memcmp(extent, dispatch->launch.size, sizeof(dispatch->launch.size))) {
		memcpy(wave->vgpr[0], dispatch->launch.lane_ids[wave->in_group],
		       sizeof(wave->vgpr[0]));
		return;
	}
	for (uint32_t i = 0; i < SIM_LANES; i++, lane++)
		wave->vgpr[0][i] = (lane % extent[0] | lane / extent[0] % extent[1] << 10 |
				    (lane / extent[0] / extent[1] & 0x3ff) << 20) &
				   lane_id_mask(dispatch);
}

static void fill_vgprs(const struct sim_dispatch *dispatch, struct sim_wave *wave)
{
	uint32_t value = (uint32_t)sim_options()->fill;
	const struct sim_kernel *kernel = &dispatch->launch.kernel;
	uint32_t *first = wave->vgpr[1], *last = wave->vgpr[kernel->vgprs];
	uint32_t *agprs = wave->vgpr[256], *agprs_end = wave->vgpr[256] + kernel->agprs * SIM_LANES;

	if (!value) {
		memset(first, 0, (size_t)(last - first) * sizeof(*first));
		/* Even of no bytes, memset() is slow where no memory is present yet (AVX-512). */
		if (agprs != agprs_end)
			memset(agprs, 0, (size_t)(agprs_end - agprs) * sizeof(*agprs));
		return;
	}
	while (first < last)
		*first++ = value;
	while (agprs < agprs_end)
		*agprs++ = value;
}

void sim_wave_init(const struct sim_dispatch *dispatch, struct sim_wave *wave,
		   const struct sim_wave_start *start)
{
	uint32_t lanes = start->extent[0] * start->extent[1] * start->extent[2];
	uint32_t left = lanes - wave->in_group * SIM_LANES;

	wave->pc = dispatch->launch.kernel.entry;
	wave->exec = left >= SIM_LANES ? UINT64_MAX : ((uint64_t)1 << left) - 1;
	wave->vcc = 0;
	wave->scc = false;
	wave->mode = dispatch->launch.mode;
	wave->hw_id = start->hw_id;
	wave->xcc = start->xcc;
	wave->lds_alloc = dispatch->launch.lds_alloc;
	wave->gpr_alloc = dispatch->launch.gpr_alloc;
	wave->trapsts = 0;
	wave->status = dispatch->launch.status;
	wave->gpr_idx = 0;
	wave->scratch = NULL;
	wave->scratch_lane_size = dispatch->launch.scratch.wave_bytes / SIM_LANES;
	if (dispatch->launch.scratch.wave_bytes)
		wave->scratch = (uint8_t *)(uintptr_t)(dispatch->launch.scratch.base +
						       (uint64_t)start->scratch_wave *
							       dispatch->launch.scratch.wave_bytes);
	wave->code = NULL;
	if (wave->gpu != wave->group->gpu) {
		/* The cached ranges were checked for another GPU. */
		wave->gpu = wave->group->gpu;
		wave->cache_generation = 0;
	}
	wave->trace = NULL;
	sim_trace_select_wave(dispatch, wave);
	wave->stop_arg = 0;
	wave->fault = (struct sim_fault){0};
	put_launch_sgprs(dispatch, wave);
	put_system_sgprs(dispatch, wave, start);
	fill_vgprs(dispatch, wave);
	put_lane_ids(dispatch, wave, start);
}
