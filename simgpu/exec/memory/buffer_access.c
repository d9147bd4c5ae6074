/* SPDX-License-Identifier: MIT */
/*
 * Buffer addressing. Resource descriptor: base 47:0, stride 61:48, swizzle 63, num_records in
 * dword 2, index stride 118:117, add-tid 119 ("AMD Instinct MI200" ISA manual, "Buffer Resource
 * Descriptor"). The private stack uses descriptors with swizzle, index stride 64 and add-tid:
 * byte o of lane t is at base + soffset + (o / 4) * 256 + t * 4 + o % 4, so soffset counts
 * bytes of the whole wave.
 */
#include "simgpu/exec/memory/buffer_access.h"
#include "simgpu/exec/fault.h"

struct buffer {
	u64 base;
	u32 stride;
	u32 records;
	bool swizzle;
	bool add_tid;
};

static struct buffer read_descriptor(const u32 *srd)
{
	return (struct buffer){
		.base = (u64)(srd[1] & 0xffff) << 32 | srd[0],
		.stride = srd[1] >> 16 & 0x3fff,
		.records = srd[2],
		.swizzle = srd[1] >> 31,
		.add_tid = srd[3] >> 23 & 1,
	};
}

/* Byte offset within the record (or buffer), and the index of the record. */
static u32 lane_offset(const struct sim_wave *w, const struct sim_inst *ip, u64 l, u32 *index)
{
	unsigned int row = ip->vsrc[0];
	u32 offset = (u32)ip->imm;

	*index = 0;
	if (ip->bits & SIM_BUF_IDXEN)
		*index = w->vgpr[row++][l];
	if (ip->bits & SIM_BUF_OFFEN)
		offset += w->vgpr[row][l];
	return offset;
}

static bool prepare_scratch(struct sim_wave *w, const struct sim_inst *ip, struct access *acc,
			    const struct buffer *buf)
{
	u64 start = buf->base + *inst_src(w, ip, 1) - (u64)w->scratch;
	u32 index;

	acc->kind = MEM_SCRATCH;
	acc->contiguous = false;
	EACH_LANE(l, acc->exec)
	{
		u64 at = start / SIM_LANES + lane_offset(w, ip, l, &index);

		acc->addr[l] = at;
		if (!(start % 256) && at + acc->bytes <= w->scratch_lane_size)
			continue;
		sim_fault(w, ip, SIM_FAULT_SCRATCH, at, acc->bytes, (int)l);
		return false;
	}
	LEVEL(mem_trace_scratch)(w, acc);
	return true;
}

bool LEVEL(buffer_prepare)(struct sim_wave *w, const struct sim_inst *ip, struct access *acc,
			   unsigned int bytes, u32 need)
{
	struct buffer buf = read_descriptor(inst_src(w, ip, 0));
	u64 inside = 0;

	acc->exec = w->exec;
	acc->bytes = bytes;
	if (buf.add_tid && buf.swizzle)
		return prepare_scratch(w, ip, acc, &buf);
	if (buf.add_tid || buf.swizzle) { /* other swizzles are for graphics */
		sim_exec_unimplemented(w, ip);
		return false;
	}
	acc->kind = MEM_GLOBAL;
	EACH_LANE(l, acc->exec)
	{
		u32 index, offset = lane_offset(w, ip, l, &index);
		bool ok =
			buf.stride ? index < buf.records : (u64)offset + bytes <= (u64)buf.records;

		acc->addr[l] = buf.base + *inst_src(w, ip, 1) + offset + (u64)buf.stride * index;
		inside |= (u64)ok << l;
	}
	acc->exec = inside;
	acc->contiguous = false;
	return !inside || LEVEL(mem_check_global)(w, ip, acc, need);
}
