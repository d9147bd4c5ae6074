/* SPDX-License-Identifier: MIT */
/*
 * LDS reads and writes, and the lane crossbar (permute, swizzle). "AMD Instinct MI200" ISA
 * manual, chapters "Data Share" and "LDS & GDS Instructions".
 */
#include "simgpu/exec/fault.h"
#include "simgpu/exec/memory/lane_groups.h"
#include "simgpu/exec/memory/lds_access.h"

/* n dwords per lane from an offset to d. */
static inline void read_dwords(u64 exec, u32 *d, const u8 *base, const u32 *offset, unsigned int n)
{
	if (exec == ~0ull) {
		read_lanes(base, d, offset, n);
		return;
	}
	EACH_LANE(l, exec)
	for (unsigned int i = 0; i < n; i++)
		memcpy(&d[64 * i + l], base + offset[l] + 4 * i, 4);
}

static inline void write_dwords(u64 exec, const u32 *s, u8 *base, const u32 *offset, unsigned int n)
{
	if (exec == ~0ull) {
		write_lanes(base, s, offset, n);
		return;
	}
	EACH_LANE(l, exec)
	for (unsigned int i = 0; i < n; i++)
		memcpy(base + offset[l] + 4 * i, &s[64 * i + l], 4);
}

/* One element of n dwords per lane, at an offset. */
static inline struct lds_access one_element(const struct sim_inst *ip, unsigned int n,
					    enum lds_kind kind)
{
	return (struct lds_access){.extra = (u32)ip->imm, .bytes = 4 * n, .kind = kind};
}

/* Two elements of n dwords, offsets counted in elements (times 64 for st64). */
static inline void two_elements(const struct sim_inst *ip, unsigned int n, unsigned int scale,
				enum lds_kind kind, struct lds_two *ret)
{
	for (unsigned int i = 0; i < 2; i++)
		ret->access[i] = (struct lds_access){
			.extra = (u32)(i ? ip->imm >> 8 : ip->imm & 255) * 4 * n * scale,
			.bytes = 4 * n,
			.kind = kind,
		};
}

static inline const struct sim_inst *ds_read(struct sim_wave *w, const struct sim_inst *ip,
					     unsigned int n)
{
	_Alignas(64) u32 buffer[64];
	const u32 *offset;
	u8 *base;

	if (!w->exec)
		return ip + 2;
	offset = lds_lanes(w, ip, buffer, one_element(ip, n, LDS_READ), &base);
	if (!offset)
		return NULL;
	read_dwords(w->exec, w->vgpr[ip->dst], base, offset, n);
	return ip + 2;
}

static inline const struct sim_inst *ds_write(struct sim_wave *w, const struct sim_inst *ip,
					      unsigned int n)
{
	_Alignas(64) u32 buffer[64];
	const u32 *offset;
	u8 *base;

	if (!w->exec)
		return ip + 2;
	offset = lds_lanes(w, ip, buffer, one_element(ip, n, LDS_WRITE), &base);
	if (!offset)
		return NULL;
	write_dwords(w->exec, w->vgpr[ip->vsrc[1]], base, offset, n);
	return ip + 2;
}

/* The destination may be the address, so both elements are found before one is read. */
static inline const struct sim_inst *ds_read2(struct sim_wave *w, const struct sim_inst *ip,
					      unsigned int n, unsigned int scale)
{
	struct lds_two two;

	if (!w->exec)
		return ip + 2;
	two_elements(ip, n, scale, LDS_READ, &two);
	if (!lds_lanes_of_two(w, ip, &two))
		return NULL;
	read_dwords(w->exec, w->vgpr[ip->dst], two.base[0], two.offset[0], n);
	read_dwords(w->exec, w->vgpr[ip->dst + n], two.base[1], two.offset[1], n);
	return ip + 2;
}

static inline const struct sim_inst *ds_write2(struct sim_wave *w, const struct sim_inst *ip,
					       unsigned int n, unsigned int scale)
{
	struct lds_two two;

	if (!w->exec)
		return ip + 2;
	two_elements(ip, n, scale, LDS_WRITE, &two);
	if (!lds_lanes_of_two(w, ip, &two))
		return NULL;
	write_dwords(w->exec, w->vgpr[ip->vsrc[1]], two.base[0], two.offset[0], n);
	write_dwords(w->exec, w->vgpr[ip->vsrc[2]], two.base[1], two.offset[1], n);
	return ip + 2;
}

enum landing {
	PLAIN,
	LOW,
	HIGH,
};

static inline const struct sim_inst *ds_read_small(struct sim_wave *w, const struct sim_inst *ip,
						   unsigned int bytes, bool sext, enum landing how)
{
	unsigned int spare = 32 - 8 * bytes;
	u32 *d = w->vgpr[ip->dst];
	_Alignas(64) u32 offset[64];

	if (!w->exec)
		return ip + 2;
	if (!lds_prepare(
		    w, ip, offset,
		    (struct lds_access){.extra = (u32)ip->imm, .bytes = bytes, .kind = LDS_READ}))
		return NULL;
	EACH_LANE(l, w->exec)
	{
		u32 v = 0;

		memcpy(&v, w->group->lds + offset[l], bytes);
		if (sext)
			v = (u32)((i32)(v << spare) >> spare);
		d[l] = how == LOW    ? (d[l] & 0xffff0000) | (v & 0xffff)
		       : how == HIGH ? (d[l] & 0xffff) | v << 16
				     : v;
	}
	return ip + 2;
}

static inline const struct sim_inst *ds_write_small(struct sim_wave *w, const struct sim_inst *ip,
						    unsigned int bytes, unsigned int shift)
{
	const u32 *s = w->vgpr[ip->vsrc[1]];
	_Alignas(64) u32 offset[64];

	if (!w->exec)
		return ip + 2;
	if (!lds_prepare(
		    w, ip, offset,
		    (struct lds_access){.extra = (u32)ip->imm, .bytes = bytes, .kind = LDS_WRITE}))
		return NULL;
	EACH_LANE(l, w->exec)
	{
		u32 v = s[l] >> shift;

		memcpy(w->group->lds + offset[l], &v, bytes);
	}
	return ip + 2;
}

#define HANDLER(name, call)                                                                        \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		return call;                                                                       \
	}
HANDLER(ds_read_b32, ds_read(w, ip, 1))
HANDLER(ds_read_b64, ds_read(w, ip, 2))
HANDLER(ds_read_b96, ds_read(w, ip, 3))
HANDLER(ds_read_b128, ds_read(w, ip, 4))
HANDLER(ds_write_b32, ds_write(w, ip, 1))
HANDLER(ds_write_b64, ds_write(w, ip, 2))
HANDLER(ds_write_b96, ds_write(w, ip, 3))
HANDLER(ds_write_b128, ds_write(w, ip, 4))
HANDLER(ds_read2_b32, ds_read2(w, ip, 1, 1))
HANDLER(ds_read2st64_b32, ds_read2(w, ip, 1, 64))
HANDLER(ds_read2_b64, ds_read2(w, ip, 2, 1))
HANDLER(ds_read2st64_b64, ds_read2(w, ip, 2, 64))
HANDLER(ds_write2_b32, ds_write2(w, ip, 1, 1))
HANDLER(ds_write2st64_b32, ds_write2(w, ip, 1, 64))
HANDLER(ds_write2_b64, ds_write2(w, ip, 2, 1))
HANDLER(ds_write2st64_b64, ds_write2(w, ip, 2, 64))
HANDLER(ds_read_u8, ds_read_small(w, ip, 1, false, PLAIN))
HANDLER(ds_read_i8, ds_read_small(w, ip, 1, true, PLAIN))
HANDLER(ds_read_u16, ds_read_small(w, ip, 2, false, PLAIN))
HANDLER(ds_read_i16, ds_read_small(w, ip, 2, true, PLAIN))
HANDLER(ds_read_u8_d16, ds_read_small(w, ip, 1, false, LOW))
HANDLER(ds_read_u8_d16_hi, ds_read_small(w, ip, 1, false, HIGH))
HANDLER(ds_read_i8_d16, ds_read_small(w, ip, 1, true, LOW))
HANDLER(ds_read_i8_d16_hi, ds_read_small(w, ip, 1, true, HIGH))
HANDLER(ds_read_u16_d16, ds_read_small(w, ip, 2, false, LOW))
HANDLER(ds_read_u16_d16_hi, ds_read_small(w, ip, 2, false, HIGH))
HANDLER(ds_write_b8, ds_write_small(w, ip, 1, 0))
HANDLER(ds_write_b8_d16_hi, ds_write_small(w, ip, 1, 16))
HANDLER(ds_write_b16, ds_write_small(w, ip, 2, 0))
HANDLER(ds_write_b16_d16_hi, ds_write_small(w, ip, 2, 16))

/* Pull: lane i reads from the lane that its address names; inactive source lanes give 0. */
static const struct sim_inst *ds_bpermute_b32(struct sim_wave *w, const struct sim_inst *ip)
{
	const u32 *addr = w->vgpr[ip->vsrc[0]], *s = w->vgpr[ip->vsrc[1]];
	_Alignas(64) u32 tmp[64];

	for (unsigned int l = 0; l < 64; l++) {
		unsigned int from = (addr[l] + (u32)ip->imm) / 4 & 63;

		tmp[l] = w->exec >> from & 1 ? s[from] : 0;
	}
	row_merge(w->vgpr[ip->dst], tmp, w->exec, 1);
	sim_trace_lds(w, 1, 0, 0, false);
	return ip + 2;
}

/* Push: lane i sends to the lane that its address names; the highest sender wins. */
static const struct sim_inst *ds_permute_b32(struct sim_wave *w, const struct sim_inst *ip)
{
	const u32 *addr = w->vgpr[ip->vsrc[0]], *s = w->vgpr[ip->vsrc[1]];
	_Alignas(64) u32 tmp[64] = {0};

	EACH_LANE(l, w->exec)
	tmp[(addr[l] + (u32)ip->imm) / 4 & 63] = s[l];
	row_merge(w->vgpr[ip->dst], tmp, w->exec, 1);
	sim_trace_lds(w, 1, 0, 0, false);
	return ip + 2;
}

/* The lane that lane l reads: quad mode (bit 15), rotation (0xc000 up), else bit masks of 32. */
/*
 * The FFT patterns: the bits of a lane number are reversed, except the upper ones that `keep`
 * selects.
 */
static unsigned int swizzle_fft(unsigned int keep, unsigned int l)
{
	unsigned int reversed = 0;

	if (keep == 31)
		return l;
	for (unsigned int bit = 0; bit < 5; bit++)
		reversed |= (l >> bit & 1) << (4 - bit);
	return (l & 32) | reversed >> __builtin_popcount(keep) | (l & keep);
}

static unsigned int swizzle_lane(u32 pattern, unsigned int l)
{
	unsigned int at = l & 31, base = l & 32, by = pattern >> 5 & 31, keep = pattern & 31;

	if (pattern >= 0xe000)
		return swizzle_fft(keep, l);
	if (pattern >= 0xc000) {
		unsigned int turned = pattern >> 10 & 1 ? at - by : at + by;

		return base | (at & keep) | (turned & ~keep & 31);
	}
	if (pattern & 0x8000)
		return (l & 60) | (pattern >> 2 * (l & 3) & 3);
	return base | (((at & keep) | by) ^ (pattern >> 10 & 31));
}

static const struct sim_inst *ds_swizzle_b32(struct sim_wave *w, const struct sim_inst *ip)
{
	const u32 *s = w->vgpr[ip->vsrc[0]];
	u32 pattern = (u32)ip->imm & 0xffff;
	_Alignas(64) u32 tmp[64];

	for (unsigned int l = 0; l < 64; l++) {
		unsigned int from = swizzle_lane(pattern, l);

		tmp[l] = w->exec >> from & 1 ? s[from] : 0;
	}
	row_merge(w->vgpr[ip->dst], tmp, w->exec, 1);
	sim_trace_lds(w, 1, 0, 0, false);
	return ip + 2;
}

/* Address = offset + M0[15:0] + 4 * lane. */
static inline bool addtid(struct sim_wave *w, const struct sim_inst *ip, u32 *offset,
			  enum lds_kind kind)
{
	u32 base = (u32)ip->imm + (w->sgpr[SIM_M0] & 0xffff);

	for (unsigned int l = 0; l < 64; l++)
		offset[l] = base + 4 * l;
	EACH_LANE(l, w->exec)
	{
		if (offset[l] + 4 > w->group->lds_size) {
			sim_fault(w, ip, SIM_FAULT_LDS, offset[l], 4, (int)l);
			return false;
		}
	}
	lds_count(w, ip, offset, (struct lds_access){.bytes = 4, .kind = kind});
	return true;
}

static const struct sim_inst *ds_read_addtid_b32(struct sim_wave *w, const struct sim_inst *ip)
{
	_Alignas(64) u32 offset[64];

	if (!w->exec)
		return ip + 2;
	if (!addtid(w, ip, offset, LDS_READ))
		return NULL;
	read_dwords(w->exec, w->vgpr[ip->dst], w->group->lds, offset, 1);
	return ip + 2;
}

static const struct sim_inst *ds_write_addtid_b32(struct sim_wave *w, const struct sim_inst *ip)
{
	_Alignas(64) u32 offset[64];

	if (!w->exec)
		return ip + 2;
	if (!addtid(w, ip, offset, LDS_WRITE))
		return NULL;
	write_dwords(w->exec, w->vgpr[ip->vsrc[1]], w->group->lds, offset, 1);
	return ip + 2;
}

static const struct sim_inst *ds_nop(struct sim_wave *w, const struct sim_inst *ip)
{
	(void)w;
	return ip + 2;
}

/* Global wave sync: the machine decides; it receives the opcode and, in bits 31:8, the offset. */
static const struct sim_inst *gws(struct sim_wave *w, const struct sim_inst *ip)
{
	w->pc = inst_pc(w, ip) + 8;
	w->stop = SIM_STOP_GWS;
	w->stop_arg = ip->row->code | (u32)ip->imm << 8;
	return NULL;
}

#define E(name)                                                                                    \
	{                                                                                          \
		.op = OP_##name, .kind = X_DIRECT, .handler = name                                 \
	}
#define GWS(name)                                                                                  \
	{                                                                                          \
		.op = OP_ds_gws_##name, .kind = X_DIRECT, .handler = gws                           \
	}
const struct sim_exec LEVEL(sim_exec_lds)[] = {
	E(ds_read_b32),
	E(ds_read_b64),
	E(ds_read_b96),
	E(ds_read_b128),
	E(ds_write_b32),
	E(ds_write_b64),
	E(ds_write_b96),
	E(ds_write_b128),
	E(ds_read2_b32),
	E(ds_read2st64_b32),
	E(ds_read2_b64),
	E(ds_read2st64_b64),
	E(ds_write2_b32),
	E(ds_write2st64_b32),
	E(ds_write2_b64),
	E(ds_write2st64_b64),
	E(ds_read_u8),
	E(ds_read_i8),
	E(ds_read_u16),
	E(ds_read_i16),
	E(ds_read_u8_d16),
	E(ds_read_u8_d16_hi),
	E(ds_read_i8_d16),
	E(ds_read_i8_d16_hi),
	E(ds_read_u16_d16),
	E(ds_read_u16_d16_hi),
	E(ds_write_b8),
	E(ds_write_b8_d16_hi),
	E(ds_write_b16),
	E(ds_write_b16_d16_hi),
	E(ds_bpermute_b32),
	E(ds_permute_b32),
	E(ds_swizzle_b32),
	E(ds_read_addtid_b32),
	E(ds_write_addtid_b32),
	E(ds_nop),
	GWS(init),
	GWS(barrier),
	GWS(sema_v),
	GWS(sema_br),
	GWS(sema_p),
	GWS(sema_release_all),
	{0},
};
