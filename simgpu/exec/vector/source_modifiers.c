/* SPDX-License-Identifier: MIT */
/*
 * Operand modifiers: SDWA, DPP, neg, abs, op_sel, clamp, omod, and the effects of the MODE register
 * on floats. "AMD Instinct MI200" ISA manual, chapters "SDWA", "DPP", "VOP3P". It is the rare path,
 * so it is written for clarity, not for speed.
 */
#include "simgpu/exec/handler_table.h"
#include "simgpu/exec/vector/vector_source.h"

#include "simgpu/exec/vector/dpp.h"
#include "simgpu/exec/vector/mode_rows.h"

/* SDWA select codes. */
static u32 sdwa_select(u32 value, unsigned int sel, bool sext)
{
	unsigned int bits = sel < 4 ? 8 : sel < 6 ? 16 : 32;
	unsigned int at = sel < 4 ? 8 * sel : sel < 6 ? 16 * (sel - 4) : 0;
	u32 field = value >> at & (u32)(bits == 32 ? ~0u : (1u << bits) - 1);

	if (sext && bits < 32)
		field = (u32)((i32)(field << (32 - bits)) >> (32 - bits));
	return field;
}

static void source_sdwa(const struct sim_inst *ip, unsigned int n, u32 *r)
{
	if (n > 1 || (ip->m.src_sel[n] == 6 && !(ip->m.sext >> n & 1)))
		return;
	for (unsigned int l = 0; l < 64; l++)
		r[l] = sdwa_select(r[l], ip->m.src_sel[n], ip->m.sext >> n & 1);
}

static void source_dpp(const struct sim_wave *w, const struct sim_inst *ip, u32 *r, u64 *enabled)
{
	_Alignas(64) u32 old[128];

	memcpy(old, r, sizeof(old));
	for (int l = 0; l < 64; l++) {
		int from = dpp_source(ip->m.dpp_ctrl, l);
		bool valid = from >= 0 && (w->exec >> from & 1);

		if (!dpp_lane_on(ip->m.row_mask, ip->m.bank_mask, l) ||
		    (!valid && !ip->m.bound_ctrl))
			*enabled &= ~(1ull << l);
		r[l] = valid ? old[from] : 0;
		r[64 + l] = valid ? old[64 + from] : 0;
	}
}

/* abs first, then neg, on the sign bit of the operand's width. */
static void source_sign(const struct sim_inst *ip, unsigned int n, u32 *r)
{
	bool neg = ip->m.neg >> n & 1, abs = ip->m.abs >> n & 1;
	u32 sign = ip->type[n] == T_H ? 0x8000 : 0x80000000;

	if (ip->size[n] == 2 && ip->type[n] == T_W)
		r += 64;
	for (unsigned int l = 0; l < 64; l++) {
		if (abs)
			r[l] &= ~sign;
		if (neg)
			r[l] ^= sign;
	}
}

/* VOP3P: op_sel picks the low result's half, op_sel_hi the high one's; neg_lo, neg_hi. */
static void source_packed(const struct sim_inst *ip, unsigned int n, u32 *r)
{
	bool lo = ip->m.opsel >> n & 1, hi = ip->m.opsel_hi >> n & 1;
	u32 neg_lo = (u32)(ip->m.neg >> n & 1), neg_hi = (u32)(ip->m.abs >> n & 1);

	for (unsigned int l = 0; l < 64; l++) {
		if (ip->type[n] == T_K) {
			u32 low = r[l], high = r[64 + l];

			r[l] = (lo ? high : low) ^ neg_lo << 31;
			r[64 + l] = (hi ? high : low) ^ neg_hi << 31;
		} else {
			u32 low = (lo ? r[l] >> 16 : r[l]) & 0xffff;
			u32 high = hi ? r[l] >> 16 : r[l] & 0xffff;

			r[l] = (low ^ neg_lo << 15) | (high ^ neg_hi << 15) << 16;
		}
	}
}

/* v_fma_mix*: op_sel_hi makes the source a half, op_sel selects which; neg_hi means abs. */
static void source_mix(const struct sim_wave *w, const struct sim_inst *ip, unsigned int n, u32 *r)
{
	bool special = w->fp_special & ip->fp, half = ip->m.opsel_hi >> n & 1,
	     high = ip->m.opsel >> n & 1;

	if (special && half)
		row_source_mode(w, ip, r, SIM_OUT_PK_F16);
	else if (special)
		row_source_mode(w, ip, r, SIM_OUT_F32);
	for (unsigned int l = 0; half && l < 64; l++)
		put_f32(r, l, half_to_float((u16)(high ? r[l] >> 16 : r[l])));
	source_sign(ip, n, r);
}

static void source_modified(struct sim_wave *w, const struct sim_inst *ip, unsigned int n, u32 *r,
			    u64 *enabled)
{
	unsigned int rows = ip->size[n] == 2 ? 2 : 1;
	const u32 *src;

	if (!ip->size[n])
		return;
	src = source_row(w, ip, n, r);
	if (src != r)
		for (unsigned int i = 0; i < rows; i++)
			memcpy(r + 64 * i, src + 64 * i, 256);
	if (ip->m.sdwa)
		source_sdwa(ip, n, r);
	if (ip->m.dpp && n == 0)
		source_dpp(w, ip, r, enabled);
	if (ip->xflags & X_MIX) {
		source_mix(w, ip, n, r);
	} else if (ip->type[n] == T_P || ip->type[n] == T_K) {
		if (ip->enc == ENC_VOP3P)
			source_packed(ip, n, r);
	} else {
		if (ip->type[n] == T_H && ip->m.opsel >> n & 1)
			for (unsigned int l = 0; l < 64; l++)
				r[l] >>= 16;
		source_sign(ip, n, r);
	}
	if (w->fp_special & ip->fp && !(ip->xflags & X_MIX))
		row_source_mode(w, ip, r, ip->in[n]);
}

/*
 * MXCSR for MODE's rounding; denormals are handled separately. Conversions to a narrower type round
 * as f64/f16 do (FPDPRounding in LLVM's tables), as do those of both types but for the sum of
 * v_fma_mix*; functions that are only near the exact value round to nearest.
 */
static u32 mxcsr_of(const struct sim_wave *w, const struct sim_inst *ip)
{
	/* GPU: nearest, up, down, zero. SSE: nearest, down, up, zero. */
	static const u32 rounding[] = {0, 2, 1, 3};
	bool single = !(ip->fp & FP_F64) || ip->xflags & X_MIX;

	if (ip->cls == C_TRANS)
		return 0x1f80;
	return 0x1f80 | rounding[single ? w->mode & 3 : w->mode >> 2 & 3] << 13;
}

/* The body variant for the current MODE. */
static u64 body_run(struct sim_wave *w, const struct sim_inst *ip, u32 *d, u32 (*src)[128],
		    u64 mask)
{
	const struct sim_exec *exec = sim_handler_table_find(ip->row->op);
	u32 saved = _mm_getcsr();

	_mm_setcsr(mxcsr_of(w, ip));
	if (exec->with_mode)
		exec->with_mode(d, src[0], src[1], src[2],
				ip->cls == C_TRANS ? w->mode & ~0xcu : w->mode);
	else
		mask = ip->body(d, src[0], src[1], src[2], mask);
	if (d)
		row_result_mode(w, ip, d);
	_mm_setcsr(saved);
	return mask;
}

/* Stores a narrow result into the part of vdst that dst_sel or op_sel selects. */
static void result_place(const struct sim_wave *w, const struct sim_inst *ip, u32 *d)
{
	const u32 *old = w->vgpr[ip->dst];
	unsigned int sel = ip->m.dst_sel, bits = sel < 4 ? 8 : 16, at;
	u32 mask;

	if (ip->xflags & X_KEEPBYTES) {
		at = 8 * (ip->m.opsel >> 2 & 3);
		for (unsigned int l = 0; l < 64; l++)
			d[l] = (d[l] & 0xff) << at | (old[l] & ~(0xffu << at));
		return;
	}
	if (ip->xflags & X_KEEPHI || ip->m.opsel & 8) {
		at = ip->keep_high || ip->m.opsel & 8 ? 16 : 0;
		mask = 0xffffu << at;
		for (unsigned int l = 0; l < 64; l++)
			d[l] = (d[l] << at & mask) | (old[l] & ~mask);
		return;
	}
	if (!ip->m.sdwa || sel == 6)
		return;
	at = sel < 4 ? 8 * sel : 16 * (sel - 4);
	mask = ((1u << bits) - 1) << at;
	for (unsigned int l = 0; l < 64; l++) {
		u32 v = d[l] << at & mask;
		u32 sign = (u32)((i32)(d[l] << (32 - bits)) >> 31);

		if (ip->m.dst_unused == 1) /* sign-extend: zeros below the field */
			v |= at + bits < 32 ? sign << (at + bits) : 0;
		else if (ip->m.dst_unused == 2)
			v |= old[l] & ~mask;
		d[l] = v;
	}
}

u64 LEVEL(sim_body_modified)(struct sim_wave *w, const struct sim_inst *ip, u32 *d, u64 *enabled,
			     u64 mask)
{
	_Alignas(64) u32 src[3][128];

	for (unsigned int n = 0; n < 3; n++)
		source_modified(w, ip, n, src[n], enabled);
	if (w->fp_special & ip->fp) {
		mask = body_run(w, ip, d, src, mask);
	} else {
		mask = ip->body(d, src[0], src[1], src[2], mask);
		if (d && (ip->m.omod || ip->m.clamp))
			row_result_mode(w, ip, d);
	}
	if (d)
		result_place(w, ip, d);
	return mask;
}

const struct sim_inst *LEVEL(sim_valu_mods)(struct sim_wave *w, const struct sim_inst *ip)
{
	_Alignas(64) u32 tmp[2 * 64];
	u64 enabled = w->exec;

	LEVEL(sim_body_modified)(w, ip, tmp, &enabled, 0);
	row_merge(w->vgpr[ip->dst], tmp, enabled, ip->dsize);
	return ip + ip->words;
}
