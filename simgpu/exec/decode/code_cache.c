/* SPDX-License-Identifier: MIT */
/*
 * Decoded code, by pages, kept until the process ends. A page is decoded once, compared with memory
 * again after sim_code_changed(), and replaced only if its words changed. Replaced pages are not
 * freed, because a wave of another queue may still execute them.
 */
#include "simgpu/exec/decode/code_cache.h"

#include "simgpu/exec/decode/decoder.h"
#include "simgpu/exec/decode/instruction_timing.h"
#include "simgpu/exec/translate.h"
#include "simgpu/isa/instruction_text.h"
#include "simgpu/mem/code_generation.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAGE_BYTES = 4 * SIM_PAGE_DWORDS,
	BUCKETS = 4096,
};

struct slot {
	uint64_t base;
	_Atomic(struct sim_code *) code;
	struct slot *next;
};

static _Atomic(struct slot *) buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool counting;

static _Atomic(struct slot *) *bucket_of(uint64_t base)
{
	return &buckets[(base / PAGE_BYTES * 0x9e3779b97f4a7c15u) >> 52];
}

static struct slot *slot_find(uint64_t base)
{
	/* Pairs with the release in slot_get(): the slot is complete. */
	struct slot *slot = atomic_load_explicit(bucket_of(base), memory_order_acquire);

	while (slot && slot->base != base)
		slot = slot->next;
	return slot;
}

/*
 * Number of executable dwords in [base, base + 4 KiB + 4), from base; skip: number of leading ones
 * that are not.
 */
static uint32_t readable(uint64_t base, uint32_t *skip)
{
	uint64_t at = base, end = base + PAGE_BYTES + 4;
	struct sim_range range;

	*skip = 0;
	if (end < base) /* base is the last page of the address space */
		return 0;
	while (at < end && (sim_mem_find(at, &range) || !(range.flags & SIM_MEM_EXEC)))
		at += 4;
	*skip = (uint32_t)((at - base) / 4);
	while (at < end && !sim_mem_find(at, &range) && range.flags & SIM_MEM_EXEC)
		at = range.end;
	return (uint32_t)(((at < end ? at : end) - base) / 4);
}

/* Handler of the two entries after a page: continues in the next page. */
static const struct sim_inst *next_page(struct sim_wave *w, const struct sim_inst *ip)
{
	return sim_fetch(w, inst_pc(w, ip));
}

static struct sim_code *code_create(uint64_t base, uint64_t generation)
{
	struct sim_code *code = aligned_alloc(64, (sizeof(*code) + 63) & ~(size_t)63);
	uint32_t skip, dwords = readable(base, &skip);

	/* A jump to an address without code creates no page. */
	if (skip >= dwords) {
		free(code);
		return NULL;
	}
	if (!code)
		return NULL;
	memset(code, 0, sizeof(*code));
	code->base = base;
	code->generation = generation;
	code->dwords = dwords;
	for (uint32_t i = skip; i < code->dwords; i++)
		code->word[i] = *(const volatile uint32_t *)(base + 4 * i);
	for (uint32_t i = 0; i < SIM_PAGE_DWORDS; i++) {
		uint32_t avail = i >= skip && i < code->dwords ? code->dwords - i : 0;

		sim_decode(&code->word[i], avail, &code->inst[i]);
		code->inst[i].index = (uint16_t)i;
		sim_timing_make(&code->inst[i], &code->timing[i]);
	}
	for (uint32_t i = 0; i < SIM_PAGE_DWORDS; i++)
		sim_timing_find_plain(&code->timing[i], &code->timing[SIM_PAGE_DWORDS]);
	for (uint32_t i = SIM_PAGE_DWORDS; i < SIM_PAGE_DWORDS + 2; i++) {
		code->inst[i].exec = next_page;
		code->inst[i].index = (uint16_t)i;
	}
	if (atomic_load_explicit(&counting, memory_order_relaxed)) {
		code->pcs = calloc(SIM_PAGE_DWORDS, sizeof(*code->pcs));
		code->times = calloc(SIM_PAGE_DWORDS, sizeof(*code->times));
	}
	return code;
}

/* True if the words in memory still equal the decoded ones. */
static bool code_current(const struct sim_code *code)
{
	uint32_t skip, dwords = readable(code->base, &skip);

	if (dwords != code->dwords)
		return false;
	for (uint32_t i = skip; i < dwords; i++)
		if (code->word[i] != *(const volatile uint32_t *)(code->base + 4 * i))
			return false;
	return true;
}

/*
 * The current page of code; decodes it if it is new or changed. NULL if there is no code, or no
 * memory.
 */
static struct sim_code *code_get(uint64_t base)
{
	uint64_t generation = atomic_load_explicit(&sim_code_generation, memory_order_acquire);
	struct slot *slot = slot_find(base);
	struct sim_code *code;

	code = slot ? atomic_load_explicit(&slot->code, memory_order_acquire) : NULL;
	if (code && code->generation == generation)
		return code;
	pthread_mutex_lock(&lock);
	slot = slot_find(base);
	code = slot ? atomic_load_explicit(&slot->code, memory_order_relaxed) : NULL;
	if (code && code->generation != generation && code_current(code)) {
		code->generation = generation;
	} else if (!code || code->generation != generation) {
		code = code_create(base, generation);
		if (code && !slot) {
			_Atomic(struct slot *) *bucket = bucket_of(base);

			slot = calloc(1, sizeof(*slot));
			if (slot) {
				slot->base = base;
				slot->next = atomic_load_explicit(bucket, memory_order_relaxed);
				atomic_store_explicit(&slot->code, code, memory_order_relaxed);
				/* Pairs with the acquire in slot_find(). */
				atomic_store_explicit(bucket, slot, memory_order_release);
			}
		} else if (code) {
			/* Pairs with the acquire loads above: the page is complete. */
			atomic_store_explicit(&slot->code, code, memory_order_release);
		}
	}
	pthread_mutex_unlock(&lock);
	return code;
}

const struct sim_inst *sim_fetch(struct sim_wave *w, uint64_t pc)
{
	struct sim_code *code;

	w->pc = pc;
	code = pc & 3 ? NULL : code_get(pc & -(uint64_t)PAGE_BYTES);
	if (!code) {
		w->fault = (struct sim_fault){.kind = SIM_FAULT_FETCH, .addr = pc, .lane = -1};
		w->stop = SIM_STOP_FAULT;
		return NULL;
	}
	w->code = code;
	return sim_entered(w, &code->inst[(pc - code->base) / 4]);
}

const struct sim_timing *sim_wave_timing(const struct sim_wave *wave)
{
	return &wave->code->timing[(wave->pc - wave->code->base) / 4];
}

struct sim_pc_time *sim_pc_time(const struct sim_code *code, const struct sim_timing *at)
{
	return code && code->times ? &code->times[at - code->timing] : NULL;
}

int sim_code_prepare(uint64_t entry)
{
	struct sim_range range;

	if (sim_mem_find(entry, &range) || !(range.flags & SIM_MEM_EXEC))
		return -EFAULT;
	return code_get(entry & -(uint64_t)PAGE_BYTES) ? 0 : -ENOMEM;
}

void sim_pc_counting(bool on)
{
	atomic_store_explicit(&counting, on, memory_order_relaxed);
}

const struct sim_code *sim_code_at(uint64_t pc)
{
	struct slot *slot = slot_find(pc & -(uint64_t)PAGE_BYTES);

	return slot ? atomic_load_explicit(&slot->code, memory_order_acquire) : NULL;
}

static struct sim_pc_counters *counters_of(uint64_t pc)
{
	const struct sim_code *code = sim_code_at(pc);

	return code && code->pcs ? &code->pcs[(pc - code->base) / 4] : NULL;
}

void sim_pc_time_get(uint64_t pc, struct sim_pc_time *ret)
{
	const struct sim_code *code = sim_code_at(pc);

	*ret = code && code->times ? code->times[(pc - code->base) / 4] : (struct sim_pc_time){0};
}

int sim_pc_counters_get(uint64_t pc, struct sim_pc_counters *ret)
{
	const struct sim_pc_counters *pcs = counters_of(pc);

	if (!pcs || !pcs->execs)
		return -ENOENT;
	*ret = *pcs;
	return 0;
}

const char *sim_pc_name(uint64_t pc)
{
	const struct sim_code *code = sim_code_at(pc);
	const struct sim_inst *inst = code ? &code->inst[(pc - code->base) / 4] : NULL;

	return inst && inst->row ? sim_op_name(inst->row->op) : "";
}

static int by_base(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Pages with code in [base, end), sorted; *count of them. The caller frees the array; NULL without
 * memory.
 */
static uint64_t *pages_in(uint64_t base, uint64_t end, size_t *count)
{
	size_t room = 64;
	uint64_t *page = malloc(room * sizeof(*page));

	*count = 0;
	for (unsigned int b = 0; page && b < BUCKETS; b++) {
		const struct slot *slot = atomic_load_explicit(&buckets[b], memory_order_acquire);

		for (; page && slot; slot = slot->next) {
			if (slot->base >= end || slot->base + PAGE_BYTES <= base)
				continue;
			if (*count == room) {
				uint64_t *more = realloc(page, 2 * room * sizeof(*page));

				if (!more)
					free(page);
				page = more;
				room *= 2;
			}
			if (page)
				page[(*count)++] = slot->base;
		}
	}
	if (page)
		qsort(page, *count, sizeof(*page), by_base);
	return page;
}

int sim_pc_counters_each(uint64_t base, uint64_t end,
			 int (*visit)(void *ctx, uint64_t pc, const struct sim_pc_counters *c),
			 void *ctx)
{
	size_t count;
	uint64_t *page = pages_in(base, end, &count);
	int stop = page ? 0 : -ENOMEM;

	for (size_t i = 0; page && i < count && !stop; i++) {
		const struct sim_pc_counters *pcs = counters_of(page[i]);

		for (unsigned int k = 0; pcs && k < SIM_PAGE_DWORDS && !stop; k++) {
			uint64_t pc = page[i] + 4 * k;

			if (pc >= base && pc < end && pcs[k].execs)
				stop = visit(ctx, pc, &pcs[k]);
		}
	}
	free(page);
	return stop;
}

void sim_opcode_executions(void (*visit)(void *ctx, enum sim_op op, uint64_t execs), void *ctx)
{
	for (unsigned int b = 0; b < BUCKETS; b++) {
		const struct slot *slot = atomic_load_explicit(&buckets[b], memory_order_acquire);

		for (; slot; slot = slot->next) {
			const struct sim_code *code =
				atomic_load_explicit(&slot->code, memory_order_acquire);

			for (unsigned int i = 0; code && code->pcs && i < SIM_PAGE_DWORDS; i++)
				if (code->pcs[i].execs && code->inst[i].row)
					visit(ctx, code->inst[i].row->op, code->pcs[i].execs);
		}
	}
}

void sim_code_describe(uint64_t pc, char *buf, size_t size)
{
	struct sim_range range;
	uint32_t word[2] = {0};
	unsigned int words;
	char text[160];

	if (pc & 3 || sim_mem_find(pc, &range)) {
		snprintf(buf, size, "no memory at 0x%" PRIx64, pc);
		return;
	}
	word[0] = *(const volatile uint32_t *)pc;
	if (pc + 8 <= range.end)
		word[1] = *(const volatile uint32_t *)(pc + 4);
	words = sim_inst_text(word, pc + 8 <= range.end ? 2 : 1, text, sizeof(text));
	if (words == 1)
		snprintf(buf, size, "%s [%08x]", text, word[0]);
	else
		snprintf(buf, size, "%s [%08x %08x]", words ? text : "unknown", word[0], word[1]);
}
