/* SPDX-License-Identifier: MIT */
/*
 * Runs one instruction at a time, compares the registers with a copy from before, and writes the
 * differences. Slow, and only for the wave that was requested.
 */
#include "simgpu/exec/instruction_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "simgpu/exec/vector_level.h"
#include "simgpu/exec/inst.h"
#include "simgpu/isa/instruction_text.h"
#include "simgpu/exec/timing_trace.h"

struct sim_wave *_Atomic sim_traced_wave;
static FILE *log_file;

void sim_instruction_trace_to(FILE *file)
{
	log_file = file;
}

static void write_scalar(const char *name, uint64_t value)
{
	fprintf(log_file, " %s=%" PRIx64, name, value);
}

static void write_scalars(const struct sim_wave *before, const struct sim_wave *now)
{
	static const char *const special[] = {"flat_scratch_lo", "flat_scratch_hi", "xnack_mask_lo",
					      "xnack_mask_hi"};

	for (unsigned int i = 0; i < SIM_SGPRS; i++) {
		char name[16];

		if (before->sgpr[i] == now->sgpr[i])
			continue;
		if (i >= SIM_FLAT_SCRATCH && i < SIM_VCC)
			snprintf(name, sizeof(name), "%s", special[i - SIM_FLAT_SCRATCH]);
		else if (i >= SIM_TTMP0 && i < SIM_M0)
			snprintf(name, sizeof(name), "ttmp%u", i - SIM_TTMP0);
		else
			snprintf(name, sizeof(name), i == SIM_M0 ? "m0" : "s%u", i);
		write_scalar(name, now->sgpr[i]);
	}
	if (before->vcc != now->vcc)
		write_scalar("vcc", now->vcc);
	if (before->scc != now->scc)
		write_scalar("scc", now->scc);
	if (before->mode != now->mode)
		write_scalar("mode", now->mode);
}

/* " v3={0..15:00000001 16:00000002}": the lanes that changed; adjacent equal lanes are merged. */
static void write_row(unsigned int number, const uint32_t *before, const uint32_t *now)
{
	const char *space = "";

	fprintf(log_file, " %c%u={", number < 256 ? 'v' : 'a', number & 255);
	for (unsigned int l = 0; l < SIM_LANES;) {
		unsigned int last = l;

		if (before[l] == now[l]) {
			l++;
			continue;
		}
		while (last + 1 < SIM_LANES && now[last + 1] == now[l] &&
		       before[last + 1] != now[last + 1])
			last++;
		if (last > l)
			fprintf(log_file, "%s%u..%u:%08x", space, l, last, now[l]);
		else
			fprintf(log_file, "%s%u:%08x", space, l, now[l]);
		space = " ";
		l = last + 1;
	}
	fputs("}", log_file);
}

static void write_line(const struct sim_wave *before, const struct sim_wave *now)
{
	uint32_t word[2] = {0};
	struct sim_range range;
	unsigned int words = 0;
	char text[160] = "?";

	if (!sim_mem_find(before->pc, &range)) {
		words = before->pc + 8 <= range.end ? 2 : 1;
		for (unsigned int i = 0; i < words; i++)
			word[i] = ((const volatile uint32_t *)before->pc)[i];
		sim_inst_text(word, words, text, sizeof(text));
	}
	fprintf(log_file, "0x%" PRIx64 " %-48s exec=%016" PRIx64, before->pc, text, now->exec);
	write_scalars(before, now);
	for (unsigned int i = 0; i < SIM_VGPRS; i++)
		if (memcmp(before->vgpr[i], now->vgpr[i], sizeof(now->vgpr[i])))
			write_row(i, before->vgpr[i], now->vgpr[i]);
	fputs("\n", log_file);
}

/* True if the call executed an instruction. Only a stop before one leaves the wave unchanged. */
static bool executed(const struct sim_wave *before, const struct sim_wave *now, enum sim_stop stop)
{
	return stop != SIM_STOP_HOLD && (stop != SIM_STOP_QUANTUM || before->pc != now->pc);
}

/* The cost model keeps a limited number of runs; each call below makes one. */
static bool has_room(const struct sim_wave *wave)
{
	return !wave->trace || wave->trace->runs + 1 < SIM_TRACE_RUNS;
}

enum sim_stop sim_instruction_trace_run(struct sim_wave *wave, uint32_t budget)
{
	const struct sim_level *level = sim_level_get();
	struct sim_wave *before = NULL;
	enum sim_stop stop = SIM_STOP_QUANTUM;

	if (log_file)
		before = aligned_alloc(64, (sizeof(*before) + 63) & ~(size_t)63);
	if (!before)
		return level->run(wave, budget);
	while (budget-- && stop == SIM_STOP_QUANTUM && has_room(wave)) {
		memcpy(before, wave, sizeof(*before));
		stop = level->run(wave, 1);
		if (stop == SIM_STOP_FAULT)
			fprintf(log_file, "0x%" PRIx64 " fault\n", wave->pc);
		if (!executed(before, wave, stop))
			break;
		if (stop != SIM_STOP_FAULT)
			write_line(before, wave);
		/* Permission to pass a held instruction applied to the first one only. */
		if (wave->trace)
			wave->trace->pass = false;
	}
	if (stop == SIM_STOP_END || stop == SIM_STOP_FAULT)
		atomic_store_explicit(&sim_traced_wave, NULL, memory_order_relaxed);
	fflush(log_file);
	free(before);
	return stop;
}
