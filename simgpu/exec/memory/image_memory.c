/* SPDX-License-Identifier: MIT */
/*
 * Image instructions: load, store, sample and atomics of images without mipmaps. "AMD Instinct
 * MI200" ISA manual, chapter "Image Instructions". Only these instructions ever access an image of
 * the runtime, including its own copies. Therefore all layouts are treated as linear rows of
 * `pitch` elements; this is exact if the layout really is linear (textures over memory).
 */
#include "simgpu/exec/fault.h"
#include "simgpu/exec/memory/atomic_ops.h"
#include "simgpu/exec/memory/vector_access.h"
#include "simgpu/exec/memory/texel.h"

enum image_type {
	IMAGE_1D = 8,
	IMAGE_2D,
	IMAGE_3D,
	IMAGE_CUBE,
	IMAGE_1D_ARRAY,
	IMAGE_2D_ARRAY,
};

/* The operands of an instruction: registers, resource and sampler. */
struct image {
	u64 base;
	u32 width, height, depth, pitch, first_slice;
	u32 type, selects;
	struct texel_format format;
	unsigned int bytes; /* of an element */
	unsigned int axes;  /* coordinates, including the slice */
	bool slices;	    /* the last coordinate counts slices */
	u32 dmask;
	bool d16;
	const u32 *addr; /* first row of the coordinates */
	u32 *data;
	const u32 *sampler; /* four dwords */
	bool normalised;
};

static unsigned int axes_of(u32 type)
{
	static const u8 axes[16] = {[IMAGE_1D] = 1,   [IMAGE_2D] = 2,	    [IMAGE_3D] = 3,
				    [IMAGE_CUBE] = 3, [IMAGE_1D_ARRAY] = 2, [IMAGE_2D_ARRAY] = 3};

	return axes[type];
}

/* False if it needs a feature that the simulator lacks. */
static bool image_get(struct sim_wave *w, const struct sim_inst *ip, struct image *ret)
{
	const u32 *word = &w->code->word[ip->index];
	const u32 *srd = &w->sgpr[4 * (word[1] >> 16 & 0x1f)];
	u32 sampler = 4 * (word[1] >> 21 & 0x1f);

	*ret = (struct image){
		.base = ((u64)(srd[1] & 0xff) << 32 | srd[0]) << 8,
		.width = (srd[2] & 0x3fff) + 1,
		.height = (srd[2] >> 14 & 0x3fff) + 1,
		.depth = (srd[4] & 0x1fff) + 1,
		.pitch = (srd[4] >> 13 & 0xffff) + 1,
		.first_slice = srd[5] & 0x1fff,
		.type = srd[3] >> 28,
		.selects = srd[3] & 0xfff,
		.format = {srd[1] >> 20 & 63, srd[1] >> 26 & 15},
		.dmask = word[0] >> 8 & 15,
		.d16 = word[1] >> 31,
		.addr = w->vgpr[word[1] & 0xff],
		.data = w->vgpr[(word[1] >> 8 & 0xff) + (word[0] >> 16 & 1) * 256],
		.sampler = &w->sgpr[sampler],
	};
	ret->bytes = texel_bytes(ret->format);
	ret->axes = axes_of(ret->type);
	ret->slices = ret->type >= IMAGE_CUBE;
	ret->normalised = !(word[0] >> 12 & 1) && !(ret->sampler[0] >> 15 & 1);
	if (ret->pitch < ret->width)
		ret->pitch = ret->width;
	if (ret->axes < 2 || ret->type == IMAGE_1D_ARRAY)
		ret->height = 1;
	if (ret->axes < 2 || ret->type == IMAGE_2D)
		ret->depth = 1;
	/* a16: coordinates of 16 bits; lwe: warnings of missing pages. */
	return ret->bytes && ret->axes && !(word[0] & (1u << 15 | 1u << 17));
}

/* Address of element (x, y, z); false if it is outside. Negative numbers count as large. */
static bool element(const struct image *img, const u32 at[3], u64 *addr)
{
	if (at[0] >= img->width || at[1] >= img->height || at[2] >= img->depth)
		return false;
	*addr = img->base + (((u64)at[2] * img->height + at[1]) * img->pitch + at[0]) * img->bytes;
	return true;
}

/* Stores coordinates as x, y, and z or slice. */
static void place(const struct image *img, const u32 *coord, u32 at[3])
{
	at[0] = coord[0];
	at[1] = img->axes > 1 && img->type != IMAGE_1D_ARRAY ? coord[1] : 0;
	at[2] = img->axes == 3 ? coord[2] : img->type == IMAGE_1D_ARRAY ? coord[1] : 0;
	if (img->slices)
		at[2] += img->first_slice;
}

/*
 * Addresses of the lanes' integer coordinates, checked. Lanes outside are removed from acc->exec.
 */
static bool prepare(struct sim_wave *w, const struct sim_inst *ip, const struct image *img,
		    struct access *acc, u32 need)
{
	acc->kind = MEM_GLOBAL;
	acc->bytes = img->bytes;
	acc->exec = 0;
	acc->contiguous = false;
	EACH_LANE(l, w->exec)
	{
		u32 coord[3] = {0}, at[3];

		for (unsigned int n = 0; n < img->axes; n++)
			coord[n] = img->addr[64 * n + l];
		place(img, coord, at);
		acc->exec |= (u64)element(img, at, &acc->addr[l]) << l;
	}
	return !acc->exec || LEVEL(mem_check_global)(w, ip, acc, need);
}

/* Stores the channels of the mask, packed; with d16 two per register. */
static void store_channels(const struct image *img, u64 l, const u32 *channel)
{
	u32 value[4] = {0};
	unsigned int n = 0;

	for (unsigned int c = 0; c < 4; c++)
		if (img->dmask >> c & 1 || (!img->dmask && !c))
			value[n++] = channel[c];
	for (unsigned int i = 0; !img->d16 && i < n; i++)
		img->data[64 * i + l] = value[i];
	for (unsigned int i = 0; img->d16 && i < n; i++)
		value[i] = texel_is_integer(img->format) ? value[i] & 0xffff
							 : float_to_half(bits_float(value[i]));
	for (unsigned int i = 0; img->d16 && i < n; i += 2)
		img->data[32 * i + l] = value[i] | (i + 1 < n ? value[i + 1] << 16 : 0);
}

static void take(const struct image *img, u64 l, u32 *channel)
{
	unsigned int n = 0;

	for (unsigned int c = 0; c < 4; c++) {
		u32 raw;

		channel[c] = 0;
		if (!(img->dmask >> c & 1))
			continue;
		raw = img->d16 ? img->data[64 * (n / 2) + l] >> 16 * (n % 2)
			       : img->data[64 * n + l];
		n++;
		if (img->d16 && img->format.number == TEXEL_SINT)
			raw = (u32)(i32)(i16)raw;
		else if (img->d16 && img->format.number == TEXEL_UINT)
			raw &= 0xffff;
		else if (img->d16)
			raw = float_bits(half_to_float((u16)raw));
		channel[c] = raw;
	}
}

/* Copies elements in their memory format, in dwords. */
static void raw_read(const struct image *img, const void *from, bool sign, u32 *channel)
{
	u8 bytes[16];

	memcpy(bytes, from, img->bytes);
	memset(bytes + img->bytes,
	       sign && bytes[img->bytes - 1] & 0x80 && img->bytes < 4 ? 0xff : 0, 16 - img->bytes);
	memcpy(channel, bytes, 16);
}

enum conversion {
	CONVERT,
	RAW,
	RAW_SIGNED,
};

static const struct sim_inst *load(struct sim_wave *w, const struct sim_inst *ip,
				   enum conversion how)
{
	struct access acc;
	struct image img;

	if (!w->exec)
		return ip + 2;
	if (!image_get(w, ip, &img))
		return sim_exec_unimplemented(w, ip);
	if (!prepare(w, ip, &img, &acc, SIM_MEM_READ))
		return NULL;
	EACH_LANE(l, w->exec)
	{
		u32 channel[4] = {0};

		if (acc.exec >> l & 1 && how == CONVERT) {
			texel_read(img.format, (const void *)acc.addr[l], channel);
			texel_select(img.format, img.selects, channel);
		} else if (acc.exec >> l & 1) {
			raw_read(&img, (const void *)acc.addr[l], how == RAW_SIGNED, channel);
		}
		store_channels(&img, l, channel);
	}
	return ip + 2;
}

static const struct sim_inst *store(struct sim_wave *w, const struct sim_inst *ip,
				    enum conversion how)
{
	struct access acc;
	struct image img;

	if (!w->exec)
		return ip + 2;
	if (!image_get(w, ip, &img))
		return sim_exec_unimplemented(w, ip);
	if (!prepare(w, ip, &img, &acc, SIM_MEM_WRITE))
		return NULL;
	EACH_LANE(l, acc.exec)
	{
		u32 channel[4];

		take(&img, l, channel);
		if (how == CONVERT)
			texel_write(img.format, channel, (void *)acc.addr[l]);
		else
			memcpy((void *)acc.addr[l], channel, img.bytes);
	}
	return ip + 2;
}

static const struct sim_inst *get_resinfo(struct sim_wave *w, const struct sim_inst *ip)
{
	struct image img;
	u32 channel[4];

	if (!w->exec)
		return ip + 2;
	if (!image_get(w, ip, &img))
		return sim_exec_unimplemented(w, ip);
	channel[0] = img.width;
	channel[1] = img.type == IMAGE_1D_ARRAY ? img.depth - img.first_slice : img.height;
	channel[2] = img.slices ? img.depth - img.first_slice : img.depth;
	channel[3] = 1; /* number of mipmap levels */
	img.format.number = TEXEL_UINT;
	EACH_LANE(l, w->exec)
	store_channels(&img, l, channel);
	return ip + 2;
}

/* ---- Sampling ------------------------------------------------------------------------------- */

/* One axis of a sample: two elements, and the weight of the second in 256ths. */
struct axis {
	i32 at[2];
	u32 weight;
	bool outside[2]; /* this element has the border colour */
};

static i32 wrap(i32 at, i32 size)
{
	at %= size;
	return at < 0 ? at + size : at;
}

static i32 mirror(i32 at, i32 size)
{
	at = wrap(at, 2 * size);
	return at < size ? at : 2 * size - 1 - at;
}

/* Clamp modes of the sampler ("Sampler Resource Definition"). */
static i32 bring_inside(i32 at, i32 size, u32 mode, bool *outside)
{
	i32 inside = at < 0 ? 0 : at >= size ? size - 1 : at;

	*outside = false;
	switch (mode) {
	case 0:
		return wrap(at, size);
	case 1:
		return mirror(at, size);
	case 3: /* mirrored once, then like 2, 4 or 6 */
	case 5:
	case 7:
		if (at < 0)
			at = -1 - at;
		inside = at >= size ? size - 1 : at;
		*outside = mode != 3 && at >= size;
		return inside;
	case 2:
		return inside;
	default:
		*outside = at != inside;
		return inside;
	}
}

static struct axis sample_axis(float coord, u32 size, u32 mode, bool linear, bool normalised)
{
	double at = normalised ? (double)coord * size : (double)coord;
	struct axis axis = {.weight = 0};
	double low;

	if (!(at > -1e9 && at < 1e9))
		at = at > 0 ? 1e9 : at < 0 ? -1e9 : 0;
	/* The unit uses eight fraction bits. */
	if (linear)
		at = floor((at - 0.5) * 256 + 0.5) / 256;
	low = floor(at);
	axis.weight = linear ? (u32)((at - low) * 256) : 0;
	for (unsigned int n = 0; n < 2; n++)
		axis.at[n] = bring_inside((i32)low + (i32)n, (i32)size, mode, &axis.outside[n]);
	return axis;
}

static u32 border(const struct image *img, unsigned int c)
{
	u32 kind = img->sampler[3] >> 30;

	return float_bits(kind == 2 || (kind == 1 && c == 3) ? 1 : 0);
}

/* The position at which lane l samples. */
static void sample_axes(const struct image *img, u64 l, struct axis axes[3])
{
	bool linear = img->sampler[2] >> 20 & 1;
	u32 z_filter = img->sampler[2] >> 24 & 3; /* none: the same filter as x and y */
	u32 size[3] = {img->width, img->height, img->depth};

	memset(axes, 0, 3 * sizeof(*axes));
	for (unsigned int n = 0; n < img->axes; n++) {
		float coord = bits_float(img->addr[64 * n + l]);
		bool slice = img->slices && n == img->axes - 1;
		unsigned int to = slice ? 2 : n;

		if (!slice) {
			axes[to] = sample_axis(coord, size[to], img->sampler[0] >> 3 * n & 7,
					       n < 2 || !z_filter ? linear : z_filter == 2,
					       img->normalised);
			continue;
		}
		coord = rintf(coord);
		coord = coord > 0 ? coord : 0;
		axes[2].at[0] = (i32)img->first_slice + (i32)(coord < 8192 ? coord : 8192);
		if (axes[2].at[0] >= (i32)img->depth)
			axes[2].at[0] = (i32)img->depth - 1;
	}
}

/* The sample of one lane. */
struct lane_sample {
	const struct image *img;
	const struct axis *axes; /* three of them */
	u64 lane;
};

/* One of up to eight elements of a sample; false if the memory may not be read. */
static bool tap(struct sim_wave *w, const struct sim_inst *ip, const struct lane_sample *point,
		unsigned int n, u32 channel[4])
{
	const struct image *img = point->img;
	const struct axis *axes = point->axes;
	u32 at[3];
	u64 addr;

	for (unsigned int i = 0; i < 3; i++) {
		at[i] = (u32)axes[i].at[n >> i & 1];
		if (!axes[i].outside[n >> i & 1])
			continue;
		for (unsigned int c = 0; c < 4; c++)
			channel[c] = border(img, c);
		return true;
	}
	memset(channel, 0, 4 * sizeof(*channel));
	if (!element(img, at, &addr)) /* the image does not have this slice */
		return true;
	if (!wave_may(w, addr, addr + img->bytes, SIM_MEM_READ)) {
		sim_fault(w, ip, SIM_FAULT_READ, addr, img->bytes, (int)point->lane);
		return false;
	}
	if (sim_mem_aliased(addr, addr + img->bytes))
		addr = sim_mem_host(addr);
	texel_read(img->format, (const void *)addr, channel);
	texel_select(img->format, img->selects, channel);
	return true;
}

/* The weighted sum of the elements around the lane's position. */
static bool sample_lane(struct sim_wave *w, const struct sim_inst *ip,
			const struct lane_sample *point, u32 result[4])
{
	const struct axis *axes = point->axes;
	double sum[4] = {0};

	for (unsigned int n = 0; n < 8; n++) {
		double weight = 1;
		u32 channel[4];

		for (unsigned int i = 0; i < 3; i++)
			weight *= (n >> i & 1 ? axes[i].weight : 256 - axes[i].weight) / 256.0;
		if (weight == 0)
			continue;
		if (!tap(w, ip, point, n, channel))
			return false;
		if (weight == 1) {
			memcpy(result, channel, sizeof(channel));
			return true;
		}
		for (unsigned int c = 0; c < 4; c++)
			sum[c] += weight * (double)bits_float(channel[c]);
	}
	for (unsigned int c = 0; c < 4; c++)
		result[c] = float_bits((float)sum[c]);
	return true;
}

static const struct sim_inst *sample(struct sim_wave *w, const struct sim_inst *ip)
{
	struct access acc = {.kind = MEM_GLOBAL};
	_Alignas(64) struct axis axes[64][3];
	struct image img;

	if (!w->exec)
		return ip + 2;
	if (!image_get(w, ip, &img) || img.type == IMAGE_CUBE)
		return sim_exec_unimplemented(w, ip);
	acc.bytes = img.bytes;
	EACH_LANE(l, w->exec)
	{
		u32 at[3];

		sample_axes(&img, l, axes[l]);
		for (unsigned int i = 0; i < 3; i++)
			at[i] = (u32)axes[l][i].at[0];
		acc.exec |= (u64)element(&img, at, &acc.addr[l]) << l;
	}
	/* Cache lines and cost are those of the first elements. */
	if (acc.exec && !LEVEL(mem_check_global)(w, ip, &acc, SIM_MEM_READ))
		return NULL;
	EACH_LANE(l, w->exec)
	{
		struct lane_sample point = {.img = &img, .axes = axes[l], .lane = l};
		u32 channel[4];

		if (!sample_lane(w, ip, &point, channel))
			return NULL;
		store_channels(&img, l, channel);
	}
	return ip + 2;
}

/* ---- Atomics -------------------------------------------------------------------------------- */

typedef u64 atomic_fn(void *p, u64 x, u64 y);

/* Elements of 32 or 64 bits; the data registers contain the new value, then the one to compare. */
static const struct sim_inst *atomic(struct sim_wave *w, const struct sim_inst *ip,
				     atomic_fn *narrow, atomic_fn *wide, bool two)
{
	bool glc = w->code->word[ip->index] >> 13 & 1;
	struct access acc;
	struct image img;
	unsigned int dwords;

	if (!w->exec)
		return ip + 2;
	if (!image_get(w, ip, &img) || (img.bytes != 4 && img.bytes != 8))
		return sim_exec_unimplemented(w, ip);
	if (!prepare(w, ip, &img, &acc, SIM_MEM_READ | SIM_MEM_WRITE))
		return NULL;
	dwords = img.bytes / 4;
	EACH_LANE(l, acc.exec)
	{
		u64 x = 0, y = 0, old;

		for (unsigned int i = dwords; i--;) {
			x = x << 32 | img.data[64 * i + l];
			y = y << 32 | (two ? img.data[64 * (dwords + i) + l] : 0);
		}
		old = (dwords == 1 ? narrow : wide)((void *)acc.addr[l], x, y);
		for (unsigned int i = 0; glc && i < dwords; i++)
			img.data[64 * i + l] = (u32)(old >> 32 * i);
	}
	return ip + 2;
}

#define HANDLER(name, call)                                                                        \
	static const struct sim_inst *image_##name(struct sim_wave *w, const struct sim_inst *ip)  \
	{                                                                                          \
		return call;                                                                       \
	}
#define ATOMIC(name, two) HANDLER(atomic_##name, atomic(w, ip, at_##name##_32, at_##name##_64, two))
HANDLER(load, load(w, ip, CONVERT))
HANDLER(load_pck, load(w, ip, RAW))
HANDLER(load_pck_sgn, load(w, ip, RAW_SIGNED))
HANDLER(store, store(w, ip, CONVERT))
HANDLER(store_pck, store(w, ip, RAW))
HANDLER(get_resinfo, get_resinfo(w, ip))
HANDLER(sample, sample(w, ip))
ATOMIC(swap, false)
ATOMIC(cmpswap, true)
ATOMIC(add, false)
ATOMIC(sub, false)
ATOMIC(smin, false)
ATOMIC(umin, false)
ATOMIC(smax, false)
ATOMIC(umax, false)
ATOMIC(and, false)
ATOMIC(or, false)
ATOMIC(xor, false)
ATOMIC(inc, false)
ATOMIC(dec, false)

#define AS(name, fn)                                                                               \
	{                                                                                          \
		.op = OP_image_##name, .kind = X_DIRECT, .handler = image_##fn                     \
	}
#define E(name) AS(name, name)
/* There is only one mipmap level, so the forms with a level equal those without. */
const struct sim_exec LEVEL(sim_exec_image)[] = {
	E(load),
	E(load_pck),
	E(load_pck_sgn),
	AS(load_mip, load),
	AS(load_mip_pck, load_pck),
	AS(load_mip_pck_sgn, load_pck_sgn),
	E(store),
	E(store_pck),
	AS(store_mip, store),
	AS(store_mip_pck, store_pck),
	E(get_resinfo),
	E(sample),
	E(atomic_swap),
	E(atomic_cmpswap),
	E(atomic_add),
	E(atomic_sub),
	E(atomic_smin),
	E(atomic_umin),
	E(atomic_smax),
	E(atomic_umax),
	E(atomic_and),
	E(atomic_or),
	E(atomic_xor),
	E(atomic_inc),
	E(atomic_dec),
	{0},
};
