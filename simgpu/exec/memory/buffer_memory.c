/* SPDX-License-Identifier: MIT */
/*
 * MUBUF loads and stores without format conversion, and the cache control instructions of the
 * encoding.
 */
#include "simgpu/exec/memory/buffer_access.h"

enum placement {
	PLAIN,
	LOW,
	HIGH,
};

static inline u32 place_value(u32 old, u32 value, enum placement how)
{
	if (how == LOW)
		return (old & 0xffff0000) | (value & 0xffff);
	if (how == HIGH)
		return (old & 0xffff) | value << 16;
	return value;
}

static inline void lane_get(const struct sim_wave *w, const struct access *acc, u64 l, void *to,
			    unsigned int bytes)
{
	/* An aligned dword of scratch is contiguous. */
	if (acc->kind == MEM_SCRATCH && bytes == 4 && !(acc->addr[l] & 3))
		memcpy(to, scratch_byte(w, (unsigned int)l, acc->addr[l]), 4);
	else
		mem_get(w, acc, (unsigned int)l, to, bytes);
}

static inline void lane_put(const struct sim_wave *w, const struct access *acc, u64 l,
			    const void *from, unsigned int bytes)
{
	if (acc->kind == MEM_SCRATCH && bytes == 4 && !(acc->addr[l] & 3))
		memcpy(scratch_byte(w, (unsigned int)l, acc->addr[l]), from, 4);
	else
		mem_put(w, acc, (unsigned int)l, from, bytes);
}

/*
 * All lanes access the same aligned offset of the stack, so a row of scratch is a row of the
 * register.
 */
static inline bool one_row(const struct access *acc)
{
	u64 diff = 0;

	if (acc->kind != MEM_SCRATCH || acc->exec != ~0ull || acc->addr[0] & 3)
		return false;
	LANES diff |= acc->addr[l] ^ acc->addr[0];
	return diff == 0;
}

static inline const struct sim_inst *load(struct sim_wave *w, const struct sim_inst *ip,
					  unsigned int bytes, bool sext, enum placement how)
{
	unsigned int spare = bytes < 4 ? 32 - 8 * bytes : 0;
	u32 *d = w->vgpr[ip->dst];
	struct access acc;

	if (!w->exec)
		return ip + 2;
	if (!LEVEL(buffer_prepare)(w, ip, &acc, bytes, SIM_MEM_READ))
		return NULL;
	if (bytes >= 4 && one_row(&acc)) {
		memcpy(d, scratch_byte(w, 0, acc.addr[0]), 64 * bytes);
		return ip + 2;
	}
	EACH_LANE(l, w->exec)
	{
		u32 value[4] = {0};

		if (acc.exec >> l & 1)
			lane_get(w, &acc, l, value, bytes);
		if (sext)
			value[0] = (u32)((i32)(value[0] << spare) >> spare);
		d[l] = place_value(d[l], value[0], how);
		for (unsigned int i = 1; i < bytes / 4; i++)
			d[64 * i + l] = value[i];
	}
	return ip + 2;
}

static inline const struct sim_inst *store(struct sim_wave *w, const struct sim_inst *ip,
					   unsigned int bytes, unsigned int shift)
{
	const u32 *s = w->vgpr[ip->vsrc[1]];
	struct access acc;

	if (!w->exec)
		return ip + 2;
	if (!LEVEL(buffer_prepare)(w, ip, &acc, bytes, SIM_MEM_WRITE))
		return NULL;
	if (bytes >= 4 && one_row(&acc)) {
		memcpy(scratch_byte(w, 0, acc.addr[0]), s, 64 * bytes);
		return ip + 2;
	}
	EACH_LANE(l, acc.exec)
	{
		u32 value[4] = {s[l] >> shift};

		for (unsigned int i = 1; i < bytes / 4; i++)
			value[i] = s[64 * i + l];
		lane_put(w, &acc, l, value, bytes);
	}
	return ip + 2;
}

/* Caches are coherent in the simulator. */
static const struct sim_inst *cache(struct sim_wave *w, const struct sim_inst *ip)
{
	(void)w;
	return ip + 2;
}

#define HANDLER(name, call)                                                                        \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		return call;                                                                       \
	}
HANDLER(load_dword, load(w, ip, 4, false, PLAIN))
HANDLER(load_dwordx2, load(w, ip, 8, false, PLAIN))
HANDLER(load_dwordx3, load(w, ip, 12, false, PLAIN))
HANDLER(load_dwordx4, load(w, ip, 16, false, PLAIN))
HANDLER(load_ubyte, load(w, ip, 1, false, PLAIN))
HANDLER(load_sbyte, load(w, ip, 1, true, PLAIN))
HANDLER(load_ushort, load(w, ip, 2, false, PLAIN))
HANDLER(load_sshort, load(w, ip, 2, true, PLAIN))
HANDLER(load_ubyte_d16, load(w, ip, 1, false, LOW))
HANDLER(load_ubyte_d16_hi, load(w, ip, 1, false, HIGH))
HANDLER(load_sbyte_d16, load(w, ip, 1, true, LOW))
HANDLER(load_sbyte_d16_hi, load(w, ip, 1, true, HIGH))
HANDLER(load_short_d16, load(w, ip, 2, false, LOW))
HANDLER(load_short_d16_hi, load(w, ip, 2, false, HIGH))
HANDLER(store_dword, store(w, ip, 4, 0))
HANDLER(store_dwordx2, store(w, ip, 8, 0))
HANDLER(store_dwordx3, store(w, ip, 12, 0))
HANDLER(store_dwordx4, store(w, ip, 16, 0))
HANDLER(store_byte, store(w, ip, 1, 0))
HANDLER(store_byte_d16_hi, store(w, ip, 1, 16))
HANDLER(store_short, store(w, ip, 2, 0))
HANDLER(store_short_d16_hi, store(w, ip, 2, 16))

#define E(name)                                                                                    \
	{                                                                                          \
		.op = OP_buffer_##name, .kind = X_DIRECT, .handler = name                          \
	}
#define CACHE(name)                                                                                \
	{                                                                                          \
		.op = OP_buffer_##name, .kind = X_DIRECT, .handler = cache                         \
	}
const struct sim_exec LEVEL(sim_exec_buffer)[] = {
	E(load_dword),	   E(load_dwordx2),	  E(load_dwordx3),   E(load_dwordx4),
	E(load_ubyte),	   E(load_sbyte),	  E(load_ushort),    E(load_sshort),
	E(load_ubyte_d16), E(load_ubyte_d16_hi),  E(load_sbyte_d16), E(load_sbyte_d16_hi),
	E(load_short_d16), E(load_short_d16_hi),  E(store_dword),    E(store_dwordx2),
	E(store_dwordx3),  E(store_dwordx4),	  E(store_byte),     E(store_byte_d16_hi),
	E(store_short),	   E(store_short_d16_hi), CACHE(wbinvl1),    CACHE(wbinvl1_vol),
	CACHE(wbl2),	   CACHE(invl2),	  CACHE(inv),	     {0},
};
