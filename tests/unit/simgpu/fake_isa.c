/* SPDX-License-Identifier: MIT */
#include "tests/unit/simgpu/fake_isa.h"

#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/diag/fidelity.h"
#include "simgpu/exec/instruction_trace.h"
#include "simgpu/exec/memory/single_place.h"
#include "simgpu/exec/vector_level.h"
#include "simgpu/isa/opcodes.h"

#include <errno.h>
#include <stdio.h>

#include "simgpu/sampling/sampled_instruction.h"
#include "simgpu/time/dispatch_simulation.h"
#include "simgpu/exec/timing_trace.h"

fake_program fake_current;

void fake_advance(struct sim_wave *wave)
{
	wave->pc += 4;
}

/* The entry of a test's kernel is page-aligned, so the low bits are the step. */
enum sim_stop sim_wave_run(struct sim_wave *wave, uint32_t budget)
{
	(void)budget;
	wave->group->counters->insts += 1000;
	return fake_current(wave, (wave->pc & 0xfff) / 4);
}

/* The cost model for any host. */
const struct sim_level sim_level_base;

const struct sim_level *sim_level_get(void)
{
	return &sim_level_base;
}

int sim_time_run_avx2(struct sim_dispatch *dispatch)
{
	return sim_time_run(dispatch);
}

/* Fake programs have no instructions. */
void sim_choose_instruction_set(enum sim_instruction_set set)
{
	(void)set;
}

/* Fake programs leave no trace and are never held. */
const struct sim_timing *sim_wave_timing(const struct sim_wave *wave)
{
	(void)wave;
	return NULL;
}

bool sim_wave_place(const struct sim_wave *wave, struct sim_place_access *ret)
{
	(void)wave, (void)ret;
	return false;
}

struct sim_loaded sim_wave_loads(const struct sim_wave *w)
{
	(void)w;
	return (struct sim_loaded){0};
}

bool sim_wave_loaded(const struct sim_wave *w, const struct sim_loaded *loaded, uint64_t *ret)
{
	(void)w, (void)loaded, (void)ret;
	return false;
}

enum sim_value_use sim_wave_uses(const struct sim_wave *w, const struct sim_loaded *loaded,
				 uint64_t *with)
{
	(void)w, (void)loaded, (void)with;
	return SIM_VALUE_USED;
}

const void *sim_place_host(uint64_t addr, uint32_t bytes)
{
	(void)addr, (void)bytes;
	return NULL;
}

struct sim_pc_time *sim_pc_time(const struct sim_code *code, const struct sim_timing *at)
{
	(void)code;
	(void)at;
	return NULL;
}

void sim_pc_time_get(uint64_t pc, struct sim_pc_time *ret)
{
	*ret = (struct sim_pc_time){.issued = pc == 0x1000};
}

void sim_sampled_at(const struct sim_code *code, const struct sim_timing *at,
		    struct sim_sampled_inst *ret)
{
	(void)code;
	(void)at;
	*ret = (struct sim_sampled_inst){0};
}

bool sim_sampled_pc(uint64_t pc, struct sim_sampled_inst *ret)
{
	*ret = (struct sim_sampled_inst){.pc = pc};
	return true;
}

int sim_code_prepare(uint64_t entry)
{
	return entry ? 0 : -EFAULT;
}

void sim_pc_counting(bool on)
{
	(void)on;
}

int sim_pc_counters_get(uint64_t pc, struct sim_pc_counters *ret)
{
	if (pc != 0x1000)
		return -ENOENT;
	*ret = (struct sim_pc_counters){.execs = 7, .lanes = 448};
	return 0;
}

int sim_pc_counters_each(uint64_t base, uint64_t end,
			 int (*visit)(void *ctx, uint64_t pc, const struct sim_pc_counters *c),
			 void *ctx)
{
	struct sim_pc_counters counters = {.execs = 7, .lanes = 448};

	return base <= 0x1000 && end > 0x1000 ? visit(ctx, 0x1000, &counters) : 0;
}

const char *sim_pc_name(uint64_t pc)
{
	return pc == 0x1000 ? "fake" : "";
}

void sim_code_describe(uint64_t pc, char *buf, size_t size)
{
	snprintf(buf, size, "fake instruction at 0x%llx", (unsigned long long)pc);
}

struct sim_wave *_Atomic sim_traced_wave;

void sim_instruction_trace_to(FILE *file)
{
	(void)file;
}

void sim_fidelity_report(FILE *to)
{
	(void)to;
}
