/* SPDX-License-Identifier: MIT */
/*
 * Effects of MODE on rows of floats other than rounding: denormals of sources and results become
 * zero, minimum and maximum handle signalling NaNs, results are scaled (omod) and clamped. "AMD
 * Instinct MI200" ISA manual, chapters "Floating-point modes", "Output modifiers".
 */
#ifndef PROBE_SIMGPU_EXEC_VECTOR_MODE_ROWS_H
#define PROBE_SIMGPU_EXEC_VECTOR_MODE_ROWS_H

#include "simgpu/exec/vector/float_bodies.h"
#include "simgpu/exec/scalar/mode_register.h"

static inline u32 flush16(u32 bits)
{
	return bits & 0x7c00 ? bits : bits & 0x8000;
}

static inline u64 flush64(u64 bits)
{
	return bits & 0x7ffull << 52 ? bits : bits & 1ull << 63;
}

static inline u32 quieted16(u32 bits)
{
	return (bits & 0x7fff) > 0x7c00 ? bits | 0x200 : bits;
}

static inline u32 quieted32(u32 bits)
{
	return nan32(bits) ? quiet32(bits) : bits;
}

/*
 * Whether to keep denormals of sources (bit 0) and results (bit 1): for single precision, and for
 * the other types.
 */
static inline u32 denorm_bits(const struct sim_wave *w, enum sim_out type)
{
	return w->mode >> (type == SIM_OUT_F32 || type == SIM_OUT_PK_F32 ? 4 : 6) & 3;
}

static inline void row_flush(u32 *r, enum sim_out type)
{
	unsigned int rows = type == SIM_OUT_PK_F32 ? 128 : 64;

	for (unsigned int l = 0; l < rows; l++) {
		if (type == SIM_OUT_F32 || type == SIM_OUT_PK_F32)
			put_f32(r, l, flush32(get_f32(r, l)));
		else if (type == SIM_OUT_F16)
			r[l] = (r[l] & 0xffff0000) | flush16(r[l] & 0xffff);
		else if (type == SIM_OUT_PK_F16)
			r[l] = flush16(r[l] & 0xffff) | flush16(r[l] >> 16) << 16;
		else if (type == SIM_OUT_F64)
			put_u64(r, l, flush64(get_u64(r, l)));
	}
}

/* Without IEEE mode minimum and maximum treat a signalling NaN like a quiet one. */
static inline void row_quiet(u32 *r, enum sim_out type)
{
	for (unsigned int l = 0; l < 64; l++) {
		u64 wide = type == SIM_OUT_F64 ? get_u64(r, l) : 0;

		if (type == SIM_OUT_F32)
			r[l] = quieted32(r[l]);
		else if (type == SIM_OUT_F16)
			r[l] = (r[l] & 0xffff0000) | quieted16(r[l] & 0xffff);
		else if (type == SIM_OUT_PK_F16)
			r[l] = quieted16(r[l] & 0xffff) | quieted16(r[l] >> 16) << 16;
		else if (nan64(wide))
			put_u64(r, l, quiet64(wide));
	}
}

static inline void row_source_mode(const struct sim_wave *w, const struct sim_inst *ip, u32 *r,
				   enum sim_out type)
{
	if (type == SIM_OUT_INT)
		return;
	if (!(denorm_bits(w, type) & 1))
		row_flush(r, type);
	if (w->fp_special & ip->fp & FP_IEEE)
		row_quiet(r, type);
}

/* omod and clamp of one result; a NaN is clamped to 0 only with DX10_CLAMP. */
struct finish {
	f64 factor; /* 1: no omod */
	f64 least;  /* omod: smaller results become +0, and so does -0 */
	bool clamp, nan_to_zero;
};

static inline f64 finish_one(f64 v, const struct finish *f)
{
	if (f->factor != 1)
		v = fabs(v * f->factor) < f->least ? 0 : v * f->factor;
	if (f->clamp && v != v)
		return f->nan_to_zero ? 0 : v;
	if (f->clamp)
		v = v > 0 ? v < 1 ? v : 1 : 0;
	return v;
}

static inline u32 finish_half(u32 half, const struct finish *f)
{
	return float_to_half((f32)finish_one((f64)half_to_float((u16)half), f));
}

static inline void row_finish(u32 *d, enum sim_out type, const struct finish *f)
{
	for (unsigned int l = 0; l < 64; l++) {
		switch (type) {
		case SIM_OUT_F16:
			d[l] = finish_half(d[l], f);
			break;
		case SIM_OUT_PK_F32:
			put_f32(d, 64 + l, (f32)finish_one((f64)get_f32(d, 64 + l), f));
			__attribute__((fallthrough));
		case SIM_OUT_F32:
			put_f32(d, l, (f32)finish_one((f64)get_f32(d, l), f));
			break;
		case SIM_OUT_F64:
			put_f64(d, l, finish_one(get_f64(d, l), f));
			break;
		case SIM_OUT_PK_F16:
			d[l] = finish_half(d[l] & 0xffff, f) | finish_half(d[l] >> 16, f) << 16;
			break;
		default:
			return;
		}
	}
}

/*
 * omod applies only while result denormals are off and IEEE mode is off, and then flushes its own
 * results, too.
 */
static inline void row_result_mode(const struct sim_wave *w, const struct sim_inst *ip, u32 *d)
{
	static const f64 factor[] = {1, 2, 4, 0.5};
	static const f64 least[] = {[SIM_OUT_F16] = 0x1p-14,
				    [SIM_OUT_F32] = 0x1p-126,
				    [SIM_OUT_F64] = 0x1p-1022,
				    [SIM_OUT_PK_F16] = 0x1p-14,
				    [SIM_OUT_PK_F32] = 0x1p-126};
	enum sim_out type = ip->out;
	bool flush = !(denorm_bits(w, type) & 2);
	bool omod = ip->m.omod && flush && !(w->mode & MODE_IEEE);
	struct finish f = {omod ? factor[ip->m.omod] : 1, least[type], ip->m.clamp,
			   w->mode & MODE_DX10_CLAMP};

	if (type == SIM_OUT_INT)
		return;
	if (flush && (ip->fp || omod))
		row_flush(d, type);
	if (omod || f.clamp)
		row_finish(d, type, &f);
}

#endif
