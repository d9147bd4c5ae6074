/* SPDX-License-Identifier: MIT */
/*
 * Scalar memory. "AMD Instinct MI200" ISA manual, chapter "Scalar Memory Operations": the two
 * low address bits are ignored; buffer forms return 0 beyond num_records.
 */
#include "simgpu/exec/fault.h"
#include "simgpu/exec/inst.h"

#include <string.h>

#include "simgpu/exec/scalar/scalar_operands.h"
#include "simgpu/base/device_clock.h"
#include "simgpu/base/device_parameters.h"
#include "simgpu/exec/memory/range_cache.h"

static uint64_t smem_offset(const struct sim_wave *w, const struct sim_inst *ip)
{
	uint64_t offset = (uint64_t)ip->imm;

	if (ip->size[1])
		offset += get_u32(w, ip, 1);
	return offset;
}

/* Base addresses of s_load are 64-bit pairs, whatever size[] says. */
static uint64_t smem_base(const struct sim_wave *w, const struct sim_inst *ip)
{
	uint64_t base;

	memcpy(&base, inst_src(w, ip, 0), sizeof(base));
	return base;
}

/* A scalar offset of scratch counts bytes of 64 lanes ("S_SCRATCH_LOAD" in the ISA manual). */
static uint64_t address(const struct sim_wave *w, const struct sim_inst *ip)
{
	bool scratch =
		ip->row->op >= OP_s_scratch_load_dword && ip->row->op <= OP_s_scratch_store_dwordx4;
	uint64_t offset = smem_offset(w, ip);

	if (scratch && ip->size[1])
		offset += 63ull * get_u32(w, ip, 1);
	return (smem_base(w, ip) + offset) & ~3ull;
}

/* The host pointer to bytes that were checked. */
static void *host_bytes(uint64_t addr)
{
	return (void *)(sim_mem_aliased(addr, addr + 1) ? sim_mem_host(addr) : addr);
}

/* Copies of a known size: gcc's own for an unknown one takes longer to start than to copy. */
static inline void copy_dwords(void *to, const void *from, unsigned int n)
{
	switch (n) {
	case 1:
		memcpy(to, from, 4);
		break;
	case 2:
		memcpy(to, from, 8);
		break;
	case 4:
		memcpy(to, from, 16);
		break;
	case 8:
		memcpy(to, from, 32);
		break;
	default:
		memcpy(to, from, 4 * n);
		break;
	}
}

static const struct sim_inst *s_load(struct sim_wave *w, const struct sim_inst *ip)
{
	uint64_t addr = address(w, ip);
	uint32_t size = 4u * ip->dsize;

	if (!wave_may(w, addr, addr + size, SIM_MEM_READ))
		return sim_fault(w, ip, SIM_FAULT_READ, addr, size, -1);
	copy_dwords((char *)w + ip->sdst, host_bytes(addr), ip->dsize);
	sim_trace_scalar(w, addr, size);
	return ip + 2;
}

static const struct sim_inst *s_store(struct sim_wave *w, const struct sim_inst *ip)
{
	uint64_t addr = address(w, ip);
	uint32_t size = 4u * ip->dsize;

	if (!wave_may(w, addr, addr + size, SIM_MEM_WRITE))
		return sim_fault(w, ip, SIM_FAULT_WRITE, addr, size, -1);
	memcpy(host_bytes(addr), (const char *)w + ip->sdst, size);
	sim_trace_scalar(w, addr, size);
	return ip + 2;
}

/* Buffer resource: base 47:0, stride 61:48, num_records in dword 2. */
static bool buffer_dword(const struct sim_wave *w, const struct sim_inst *ip, uint64_t at,
			 uint64_t *addr)
{
	const uint32_t *srd = inst_src(w, ip, 0);
	uint32_t stride = srd[1] >> 16 & 0x3fff;
	uint64_t limit = stride ? (uint64_t)stride * srd[2] : srd[2];

	*addr = ((uint64_t)(srd[1] & 0xffff) << 32 | srd[0]) + at;
	return at + 4 <= limit;
}

static const struct sim_inst *s_buffer_load(struct sim_wave *w, const struct sim_inst *ip)
{
	uint64_t offset = smem_offset(w, ip) & ~3ull, addr;
	uint32_t value[16] = {0};

	for (unsigned int i = 0; i < ip->dsize; i++) {
		if (!buffer_dword(w, ip, offset + 4 * i, &addr))
			continue;
		if (!wave_may(w, addr, addr + 4, SIM_MEM_READ))
			return sim_fault(w, ip, SIM_FAULT_READ, addr, 4, -1);
		memcpy(&value[i], host_bytes(addr), 4);
	}
	memcpy((char *)w + ip->sdst, value, 4u * ip->dsize);
	buffer_dword(w, ip, offset, &addr);
	sim_trace_scalar(w, addr, 4u * ip->dsize);
	return ip + 2;
}

static const struct sim_inst *s_buffer_store(struct sim_wave *w, const struct sim_inst *ip)
{
	uint64_t offset = smem_offset(w, ip) & ~3ull, addr;

	for (unsigned int i = 0; i < ip->dsize; i++) {
		if (!buffer_dword(w, ip, offset + 4 * i, &addr))
			continue;
		if (!wave_may(w, addr, addr + 4, SIM_MEM_WRITE))
			return sim_fault(w, ip, SIM_FAULT_WRITE, addr, 4, -1);
		memcpy(host_bytes(addr), (const char *)w + ip->sdst + 4 * i, 4);
	}
	buffer_dword(w, ip, offset, &addr);
	sim_trace_scalar(w, addr, 4u * ip->dsize);
	return ip + 2;
}

static const struct sim_inst *s_memtime(struct sim_wave *w, const struct sim_inst *ip)
{
	put_u64(w, ip, w->trace ? w->trace->cycles : sim_clock_cycles());
	return ip + 2;
}

static const struct sim_inst *s_memrealtime(struct sim_wave *w, const struct sim_inst *ip)
{
	put_u64(w, ip, w->trace ? w->trace->cycles / sim_tick_cycles() : sim_clock_ticks());
	return ip + 2;
}

/*
 * The scalar cache is coherent here and pages stay mapped, so there is nothing to write back,
 * invalidate or probe.
 */
static const struct sim_inst *cache(struct sim_wave *w, const struct sim_inst *ip)
{
	(void)w;
	return ip + 2;
}

#define E(name, fn)                                                                                \
	{                                                                                          \
		.op = OP_##name, .kind = X_DIRECT, .handler = fn                                   \
	}
const struct sim_exec sim_exec_smem[] = {
	E(s_load_dword, s_load),
	E(s_load_dwordx2, s_load),
	E(s_load_dwordx4, s_load),
	E(s_load_dwordx8, s_load),
	E(s_load_dwordx16, s_load),
	E(s_store_dword, s_store),
	E(s_store_dwordx2, s_store),
	E(s_store_dwordx4, s_store),
	E(s_buffer_load_dword, s_buffer_load),
	E(s_buffer_load_dwordx2, s_buffer_load),
	E(s_buffer_load_dwordx4, s_buffer_load),
	E(s_buffer_load_dwordx8, s_buffer_load),
	E(s_buffer_load_dwordx16, s_buffer_load),
	E(s_buffer_store_dword, s_buffer_store),
	E(s_buffer_store_dwordx2, s_buffer_store),
	E(s_buffer_store_dwordx4, s_buffer_store),
	E(s_memtime, s_memtime),
	E(s_memrealtime, s_memrealtime),
	E(s_scratch_load_dword, s_load),
	E(s_scratch_load_dwordx2, s_load),
	E(s_scratch_load_dwordx4, s_load),
	E(s_scratch_store_dword, s_store),
	E(s_scratch_store_dwordx2, s_store),
	E(s_scratch_store_dwordx4, s_store),
	E(s_atc_probe, cache),
	E(s_atc_probe_buffer, cache),
	E(s_dcache_discard, cache),
	E(s_dcache_discard_x2, cache),
	E(s_dcache_inv, cache),
	E(s_dcache_inv_vol, cache),
	E(s_dcache_wb, cache),
	E(s_dcache_wb_vol, cache),
	{0},
};
