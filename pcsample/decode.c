/* SPDX-License-Identifier: MIT */
#include "pcsample/decode.h"

#include <string.h>

#include "pcsample/sample_codes.h"
#include "pcsample/record_layout.h"

/* A bit field of one word of the record, and the member that receives its value. */
struct field {
	uint8_t shift, bits;
	uint8_t member; /* offset in struct probe_pc_sample of a uint8_t */
};

#define FIELD(name, high, low)                                                                     \
	{                                                                                          \
		.shift = (low), .bits = (high) - (low) + 1,                                        \
		.member = offsetof(struct probe_pc_sample, name)                                   \
	}

static const struct field gfx9_hw_id[] = {
	FIELD(wave, 3, 0),
	FIELD(simd, 5, 4),
	FIELD(pipe, 7, 6),
	FIELD(cu, 11, 8),
	FIELD(shader_array, 12, 12),
	FIELD(shader_engine, 15, 13),
	FIELD(thread_group, 19, 16),
	FIELD(vm, 23, 20),
	FIELD(queue, 26, 24),
	FIELD(microengine, 31, 30),
	{0},
};

static const struct field gfx12_hw_id[] = {
	FIELD(wave, 4, 0),
	FIELD(queue, 8, 5),
	FIELD(cu, 13, 10),
	FIELD(simd, 15, 14),
	FIELD(shader_array, 16, 16),
	FIELD(microengine, 17, 17),
	FIELD(shader_engine, 19, 18),
	FIELD(pipe, 21, 20),
	FIELD(thread_group, 27, 23),
	FIELD(vm, 31, 28),
	{0},
};

static const struct field gfx12_counts[] = {
	FIELD(load, 5, 0),
	FIELD(store, 11, 6),
	FIELD(bvh, 14, 12),
	FIELD(texture, 20, 15),
	FIELD(ds, 26, 21),
	FIELD(km, 31, 27),
	{0},
};

/* Pipes in the order of the arbiter's bits, the same for issue and stall. */
static const uint16_t gfx9_pipes[8] = {
	PROBE_PCS_PIPE_MISC,	 PROBE_PCS_PIPE_EXPORT, PROBE_PCS_PIPE_FLAT,   PROBE_PCS_PIPE_LDS,
	PROBE_PCS_PIPE_VMEM_TEX, PROBE_PCS_PIPE_SCALAR, PROBE_PCS_PIPE_MATRIX, PROBE_PCS_PIPE_VALU,
};

static const uint16_t gfx12_pipes[8] = {
	PROBE_PCS_PIPE_MISC,	   PROBE_PCS_PIPE_EXPORT,
	PROBE_PCS_PIPE_LDS_DIRECT, PROBE_PCS_PIPE_LDS,
	PROBE_PCS_PIPE_VMEM_TEX,   PROBE_PCS_PIPE_SCALAR,
	PROBE_PCS_PIPE_VALU,	   0,
};

/* The snapshot words of a family. Bit numbers of words data and data1. */
static const struct snapshot {
	const struct field *hw_id;
	const uint16_t *pipes;
	uint8_t type, type_bits, reason; /* in data; a reason has 3 bits */
	uint8_t arbiter, arbiter_word;
	bool chiplet, counts;
} snapshots[] = {
	[PROBE_PCS_GFX9] = {gfx9_hw_id, gfx9_pipes, 3, 4, 7, 10, 0, true, false},
	[PROBE_PCS_GFX12] = {gfx12_hw_id, gfx12_pipes, 2, 4, 6, 6, 1, false, true},
	[PROBE_PCS_GFX1250] = {gfx12_hw_id, gfx12_pipes, 2, 4, 6, 9, 1, true, true},
};

enum {
	GFX1250_WAVE = 9, /* 5 bits: must equal the wave of hw_id */
	GFX1250_LOCKED = 1 << 14,
};

static void read_fields(const struct field *field, uint32_t word, struct probe_pc_sample *ret)
{
	for (; field->bits; field++)
		((uint8_t *)ret)[field->member] =
			(uint8_t)(word >> field->shift & ((1u << field->bits) - 1));
}

static uint16_t read_pipes(const uint16_t pipes[8], uint32_t bits)
{
	uint16_t set = 0;

	for (unsigned i = 0; i < 8; i++)
		set |= bits >> i & 1 ? pipes[i] : 0;
	return set;
}

bool probe_pcs_layout(const char *target, enum probe_pcs_method method,
		      struct probe_pcs_layout *ret)
{
	static const struct {
		const char *gfx;
		enum probe_pcs_family family;
		unsigned mid_macro;
		bool stochastic;
	} targets[] = {
		/* gfx90a hardware has no stochastic sampling; the simulated one offers it. */
		{"gfx90a", PROBE_PCS_GFX9, 0, true},	{"gfx942", PROBE_PCS_GFX9, 0, true},
		{"gfx950", PROBE_PCS_GFX9, 8, true},	{"gfx1200", PROBE_PCS_GFX12, 0, false},
		{"gfx1201", PROBE_PCS_GFX12, 0, false}, {"gfx1250", PROBE_PCS_GFX1250, 0, true},
	};
	size_t length = strcspn(target, ":");

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		if (strlen(targets[i].gfx) != length || strncmp(target, targets[i].gfx, length))
			continue;
		if (method == PROBE_PCS_STOCHASTIC && !targets[i].stochastic)
			return false;
		*ret = (struct probe_pcs_layout){targets[i].family, method, targets[i].mid_macro};
		return true;
	}
	return false;
}

static enum probe_pcs_verdict judge(enum probe_pcs_family family, uint32_t data,
				    const struct probe_pc_sample *sample)
{
	if (!(data & DATA_VALID))
		return PROBE_PCS_INVALID;
	if (family == PROBE_PCS_GFX9 && data & GFX9_ERROR)
		return PROBE_PCS_INVALID;
	if (family == PROBE_PCS_GFX1250 && (data >> GFX1250_WAVE & 0x1f) != sample->wave)
		return PROBE_PCS_INVALID;
	if (family == PROBE_PCS_GFX1250 && data & GFX1250_LOCKED)
		return PROBE_PCS_SKIPPED;
	return PROBE_PCS_VALID;
}

static enum probe_pcs_verdict read_snapshot(const struct probe_pcs_layout *layout,
					    const uint8_t *record, struct probe_pc_sample *ret)
{
	const struct snapshot *s = &snapshots[layout->family];
	uint32_t word[2] = {read32(record + AT_SNAPSHOT), read32(record + AT_SNAPSHOT + 4)};
	uint32_t data = word[0], arbiter = word[s->arbiter_word] >> s->arbiter;

	ret->issued = data & DATA_ISSUED;
	/* The hardware does not clear the field that does not apply. */
	if (ret->issued)
		ret->type = probe_pcs_type_of(layout->family,
					      data >> s->type & ((1u << s->type_bits) - 1));
	else
		ret->reason = probe_pcs_reason_of(layout->family, data >> s->reason & 7);
	ret->arb_issue = read_pipes(s->pipes, arbiter);
	ret->arb_stall = read_pipes(s->pipes, arbiter >> 8);
	ret->wave_count = (uint8_t)(word[1] & WAVE_COUNT);
	if (layout->family == PROBE_PCS_GFX9) {
		ret->dual = data & GFX9_DUAL;
		if (word[1] & GFX9_MID_MACRO)
			ret->pc -= layout->mid_macro;
	}
	if (s->counts) {
		ret->has_counts = true;
		read_fields(gfx12_counts, read32(record + AT_SNAPSHOT + 8), ret);
	}
	return judge(layout->family, data, ret);
}

static bool known(const struct probe_pcs_layout *layout)
{
	return (unsigned)layout->family < sizeof(snapshots) / sizeof(snapshots[0]) &&
	       (layout->method == PROBE_PCS_HOST_TRAP || layout->method == PROBE_PCS_STOCHASTIC);
}

enum probe_pcs_verdict probe_pcs_decode(const struct probe_pcs_layout *layout,
					const uint8_t record[PROBE_PCS_RECORD_SIZE],
					struct probe_pc_sample *ret)
{
	const struct snapshot *s;
	uint32_t wave;

	if (!known(layout))
		return PROBE_PCS_BAD_FAMILY;
	s = &snapshots[layout->family];
	wave = read32(record + AT_WAVE);
	*ret = (struct probe_pc_sample){
		.pc = read64(record + AT_PC),
		.exec = read64(record + AT_EXEC),
		.workgroup = {read32(record + AT_WORKGROUP), read32(record + AT_WORKGROUP + 4),
			      read32(record + AT_WORKGROUP + 8)},
		.wave_in_group = wave & 0x3f,
		.chiplet = s->chiplet ? (uint8_t)(wave >> 8) : 0,
		.timestamp = read64(record + AT_TIMESTAMP),
		.correlation = read64(record + AT_CORRELATION),
	};
	read_fields(s->hw_id, read32(record + AT_HW_ID), ret);
	if (layout->method == PROBE_PCS_HOST_TRAP)
		return PROBE_PCS_VALID;
	return read_snapshot(layout, record, ret);
}

/* ---- Encoding ------------------------------------------------------------------------------- */

static uint32_t write_fields(const struct field *field, const struct probe_pc_sample *sample)
{
	uint32_t word = 0;

	for (; field->bits; field++)
		word |= (((const uint8_t *)sample)[field->member] & ((1u << field->bits) - 1))
			<< field->shift;
	return word;
}

static uint32_t write_pipes(const uint16_t pipes[8], uint16_t set)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < 8; i++)
		bits |= (uint32_t)((set & pipes[i]) != 0) << i;
	return bits;
}

static void write_snapshot(const struct probe_pcs_layout *layout,
			   const struct probe_pc_sample *sample, uint8_t *record)
{
	const struct snapshot *s = &snapshots[layout->family];
	uint32_t word[2] = {DATA_VALID, sample->wave_count & WAVE_COUNT};

	if (sample->issued)
		word[0] |= DATA_ISSUED | probe_pcs_type_raw(layout->family, sample->type)
						 << s->type;
	else
		word[0] |= probe_pcs_reason_raw(layout->family, sample->reason) << s->reason;
	if (layout->family == PROBE_PCS_GFX9 && sample->dual)
		word[0] |= GFX9_DUAL;
	if (layout->family == PROBE_PCS_GFX1250)
		word[0] |= (sample->wave & 0x1fu) << GFX1250_WAVE;
	word[s->arbiter_word] |= (write_pipes(s->pipes, sample->arb_issue) |
				  write_pipes(s->pipes, sample->arb_stall) << 8)
				 << s->arbiter;
	write32(record + AT_SNAPSHOT, word[0]);
	write32(record + AT_SNAPSHOT + 4, word[1]);
	if (s->counts)
		write32(record + AT_SNAPSHOT + 8, write_fields(gfx12_counts, sample));
}

void probe_pcs_encode(const struct probe_pcs_layout *layout, const struct probe_pc_sample *sample,
		      uint8_t record[PROBE_PCS_RECORD_SIZE])
{
	const struct snapshot *s = &snapshots[layout->family];

	memset(record, 0, PROBE_PCS_RECORD_SIZE);
	write64(record + AT_PC, sample->pc);
	write64(record + AT_EXEC, sample->exec);
	for (int i = 0; i < 3; i++)
		write32(record + AT_WORKGROUP + 4 * i, sample->workgroup[i]);
	write32(record + AT_WAVE, (sample->wave_in_group & 0x3fu) |
					  (s->chiplet ? (uint32_t)sample->chiplet << 8 : 0));
	write32(record + AT_HW_ID, write_fields(s->hw_id, sample));
	write64(record + AT_TIMESTAMP, sample->timestamp);
	write64(record + AT_CORRELATION, sample->correlation);
	if (layout->method == PROBE_PCS_STOCHASTIC)
		write_snapshot(layout, sample, record);
}
