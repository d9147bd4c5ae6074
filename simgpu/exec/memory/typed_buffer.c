/* SPDX-License-Identifier: MIT */
/*
 * Buffer loads and stores with format conversion (MUBUF *_format_*, MTBUF), and those between
 * memory and LDS. "AMD Instinct MI200" ISA manual, chapter "Vector Memory Buffer Instructions":
 * untyped instructions take format and channel selection from the descriptor; typed ones have the
 * format in the instruction and no selection.
 */
#include "simgpu/exec/fault.h"
#include "simgpu/exec/memory/buffer_access.h"
#include "simgpu/exec/vector/float_bodies.h"
#include "simgpu/exec/memory/texel.h"

/* How channels are stored in registers. */
enum width {
	FULL,	 /* one per register */
	D16,	 /* two per register, 16 bits each */
	D16_HIGH /* one, in the high half */
};

static struct texel_format format_of(const struct sim_wave *w, const struct sim_inst *ip,
				     u32 *selects)
{
	const u32 *srd = inst_src(w, ip, 0);
	u32 word = w->code->word[ip->index];

	*selects = 0xfac; /* x, y, z, w */
	if (ip->enc == ENC_MTBUF)
		return (struct texel_format){word >> 19 & 15, word >> 23 & 7};
	*selects = srd[3] & 0xfff;
	return (struct texel_format){srd[3] >> 15 & 15, srd[3] >> 12 & 7};
}

/* A channel as 16-bit instructions see it. */
static u32 narrow(struct texel_format format, u32 value)
{
	return texel_is_integer(format) ? value & 0xffff : float_to_half(bits_float(value));
}

static u32 widen(struct texel_format format, u32 value)
{
	if (format.number == TEXEL_SINT)
		return (u32)(i32)(i16)value;
	return texel_is_integer(format) ? value & 0xffff : float_bits(half_to_float((u16)value));
}

static void store_channels(u32 *d, const u32 *channel, struct texel_format format,
			   unsigned int count, enum width width)
{
	if (width == FULL) {
		for (unsigned int n = 0; n < count; n++)
			d[64 * n] = channel[n];
		return;
	}
	if (width == D16_HIGH) {
		d[0] = (d[0] & 0xffff) | narrow(format, channel[0]) << 16;
		return;
	}
	for (unsigned int n = 0; n < count; n += 2) {
		u32 high = n + 1 < count ? narrow(format, channel[n + 1]) : d[32 * n] >> 16;

		d[32 * n] = narrow(format, channel[n]) | high << 16;
	}
}

static const struct sim_inst *load(struct sim_wave *w, const struct sim_inst *ip,
				   unsigned int count, enum width width)
{
	u32 selects, *d = w->vgpr[ip->dst];
	struct texel_format format = format_of(w, ip, &selects);
	unsigned int bytes = texel_bytes(format);
	struct access acc;

	if (!w->exec)
		return ip + 2;
	if (!bytes)
		return sim_exec_unimplemented(w, ip);
	if (!LEVEL(buffer_prepare)(w, ip, &acc, bytes, SIM_MEM_READ))
		return NULL;
	EACH_LANE(l, w->exec)
	{
		u32 channel[4] = {0};
		u8 raw[16];

		if (acc.exec >> l & 1) {
			mem_get(w, &acc, (unsigned int)l, raw, bytes);
			texel_read(format, raw, channel);
			texel_select(format, selects, channel);
		}
		store_channels(d + l, channel, format, count, width);
	}
	return ip + 2;
}

static const struct sim_inst *store(struct sim_wave *w, const struct sim_inst *ip,
				    unsigned int count, enum width width)
{
	const u32 *s = w->vgpr[ip->vsrc[1]];
	u32 selects;
	struct texel_format format = format_of(w, ip, &selects);
	unsigned int bytes = texel_bytes(format);
	struct access acc;

	if (!w->exec)
		return ip + 2;
	if (!bytes)
		return sim_exec_unimplemented(w, ip);
	if (!LEVEL(buffer_prepare)(w, ip, &acc, bytes, SIM_MEM_WRITE))
		return NULL;
	EACH_LANE(l, acc.exec)
	{
		u32 channel[4] = {0};
		u8 raw[16];

		for (unsigned int n = 0; n < count; n++) {
			u32 value = width == FULL ? s[64 * n + l] : s[64 * (n / 2) + l];

			if (width != FULL)
				value = widen(format, n & 1 || width == D16_HIGH ? value >> 16
										 : value & 0xffff);
			channel[n] = value;
		}
		texel_write(format, channel, raw);
		mem_put(w, &acc, (unsigned int)l, raw, bytes);
	}
	return ip + 2;
}

/* ---- Between memory and LDS ----------------------------------------------------------------- */

/* Lane l's dword: M0[15:0] + offset of the instruction + 4 * l, within the group's LDS. */
static u8 *lds_dword(struct sim_wave *w, const struct sim_inst *ip, u64 l)
{
	u64 at = (w->sgpr[SIM_M0] & 0xffff) + (u64)ip->imm + 4 * l;

	if (at + 4 <= w->group->lds_size)
		return w->group->lds + at;
	sim_fault(w, ip, SIM_FAULT_LDS, at, 4, (int)l);
	return NULL;
}

/* Bytes of a load that can write to LDS; bit 7: signed. */
static unsigned int lds_load_kind(enum sim_op op)
{
	switch (op) {
	case OP_buffer_load_ubyte:
	case OP_global_load_ubyte:
	case OP_scratch_load_ubyte:
	case OP_global_load_lds_ubyte:
	case OP_scratch_load_lds_ubyte:
		return 1;
	case OP_buffer_load_sbyte:
	case OP_global_load_sbyte:
	case OP_scratch_load_sbyte:
	case OP_global_load_lds_sbyte:
	case OP_scratch_load_lds_sbyte:
		return 0x81;
	case OP_buffer_load_ushort:
	case OP_global_load_ushort:
	case OP_scratch_load_ushort:
	case OP_global_load_lds_ushort:
	case OP_scratch_load_lds_ushort:
		return 2;
	case OP_buffer_load_sshort:
	case OP_global_load_sshort:
	case OP_scratch_load_sshort:
	case OP_global_load_lds_sshort:
	case OP_scratch_load_lds_sshort:
		return 0x82;
	case OP_buffer_load_dword:
	case OP_global_load_dword:
	case OP_scratch_load_dword:
	case OP_global_load_lds_dword:
	case OP_scratch_load_lds_dword:
		return 4;
	default:
		return 0;
	}
}

const struct sim_inst *LEVEL(sim_load_lds)(struct sim_wave *w, const struct sim_inst *ip)
{
	unsigned int kind = lds_load_kind(ip->row->op), bytes = kind & 7, spare = 32 - 8 * bytes;
	struct access acc;

	if (!bytes)
		return sim_exec_unimplemented(w, ip);
	if (!w->exec)
		return ip + 2;
	if (!(ip->enc == ENC_MUBUF ? LEVEL(buffer_prepare)(w, ip, &acc, bytes, SIM_MEM_READ)
				   : LEVEL(mem_prepare)(w, ip, &acc, bytes, SIM_MEM_READ)))
		return NULL;
	EACH_LANE(l, w->exec)
	{
		u8 *to = lds_dword(w, ip, l);
		u32 value = 0;

		if (!to)
			return NULL;
		if (acc.exec >> l & 1)
			mem_get(w, &acc, (unsigned int)l, &value, bytes);
		if (kind & 0x80)
			value = (u32)((i32)(value << spare) >> spare);
		memcpy(to, &value, 4);
	}
	return ip + 2;
}

static const struct sim_inst *store_lds_dword(struct sim_wave *w, const struct sim_inst *ip)
{
	struct access acc;

	if (!w->exec)
		return ip + 2;
	if (!LEVEL(buffer_prepare)(w, ip, &acc, 4, SIM_MEM_WRITE))
		return NULL;
	EACH_LANE(l, acc.exec)
	{
		const u8 *from = lds_dword(w, ip, l);

		if (!from)
			return NULL;
		mem_put(w, &acc, (unsigned int)l, from, 4);
	}
	return ip + 2;
}

#define HANDLER(name, call)                                                                        \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		return call;                                                                       \
	}
#define BOTH(suffix, count, width)                                                                 \
	HANDLER(load_format_##suffix, load(w, ip, count, width))                                   \
	HANDLER(store_format_##suffix, store(w, ip, count, width))
BOTH(x, 1, FULL)
BOTH(xy, 2, FULL)
BOTH(xyz, 3, FULL)
BOTH(xyzw, 4, FULL)
BOTH(d16_x, 1, D16)
BOTH(d16_xy, 2, D16)
BOTH(d16_xyz, 3, D16)
BOTH(d16_xyzw, 4, D16)
BOTH(d16_hi_x, 1, D16_HIGH)

#define E(s, name)                                                                                 \
	{                                                                                          \
		.op = OP_##s##_##name, .kind = X_DIRECT, .handler = name                           \
	}
#define PAIR(s, suffix) E(s, load_format_##suffix), E(s, store_format_##suffix)
#define TYPES(s)                                                                                   \
	PAIR(s, x), PAIR(s, xy), PAIR(s, xyz), PAIR(s, xyzw), PAIR(s, d16_x), PAIR(s, d16_xy),     \
		PAIR(s, d16_xyz), PAIR(s, d16_xyzw)
#define LDS_LOAD(s, type)                                                                          \
	{                                                                                          \
		.op = OP_##s##_load_lds_##type, .kind = X_DIRECT, .handler = LEVEL(sim_load_lds)   \
	}
#define LDS_LOADS(s)                                                                               \
	LDS_LOAD(s, ubyte), LDS_LOAD(s, sbyte), LDS_LOAD(s, ushort), LDS_LOAD(s, sshort),          \
		LDS_LOAD(s, dword)
const struct sim_exec LEVEL(sim_exec_format)[] = {
	TYPES(buffer),
	TYPES(tbuffer),
	PAIR(buffer, d16_hi_x),
	E(buffer, store_lds_dword),
	LDS_LOADS(global),
	LDS_LOADS(scratch),
	{0},
};
