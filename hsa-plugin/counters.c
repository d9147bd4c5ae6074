/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include <string.h>

#include "agents.h"

enum { ROWS_AT_ONCE = 64 };

/* A copy of a few megabytes that takes longer than this never ends. */
#define COPY_PATIENCE_NS 10000000000ull
/* The reader's time for making room, when nothing shall be lost. */
#define ROWS_WAIT_NS 2000000000ull

static bool copy(struct probe_queue *queue, void *to, hsa_agent_t to_agent, const void *from,
		 hsa_agent_t from_agent, size_t size, hsa_signal_t done)
{
	struct probe_hsa *hsa = &probe_tool.hsa;

	(void)queue;
	hsa->signal_store_relaxed(done, 1);
	return hsa->memory_async_copy(to, to_agent, from, from_agent, size, 0, NULL, done) ==
	       HSA_STATUS_SUCCESS;
}

static bool wait_for(hsa_signal_t done)
{
	uint64_t ticks = COPY_PATIENCE_NS / 1000000000ull * probe_tool.tick_hz;

	return probe_tool.hsa.signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, ticks,
						    HSA_WAIT_STATE_BLOCKED) < 1;
}

static bool zero(struct probe_queue *queue, uint8_t *arena, size_t size)
{
	return copy(queue, arena, queue->agent->handle, queue->zeros, probe_tool.host->handle, size,
		    queue->zeroed);
}

void probe_counters_init(struct probe_queue *queue)
{
	size_t all = (size_t)PROBE_ARENAS * PROBE_ARENA_BYTES;
	struct probe_hsa *hsa = &probe_tool.hsa;
	uint8_t *arenas;

	queue->gates = probe_agent_host_memory(&probe_tool, queue->agent,
					       PROBE_GATES * sizeof(queue->gates[0]));
	queue->staging =
		probe_agent_host_memory(&probe_tool, queue->agent, 2 * (size_t)PROBE_ARENA_BYTES);
	if (!queue->gates || !queue->staging)
		return;
	queue->zeros = queue->staging + PROBE_ARENA_BYTES;
	if (hsa->signal_create(1, 0, NULL, &queue->copied) ||
	    hsa->signal_create(1, 0, NULL, &queue->zeroed))
		return;
	arenas = probe_agent_device_memory(&probe_tool, queue->agent, all);
	if (!arenas)
		return;
	for (size_t at = 0; at < all; at += PROBE_ARENA_BYTES)
		if (!zero(queue, arenas + at, PROBE_ARENA_BYTES) || !wait_for(queue->zeroed)) {
			hsa->memory_pool_free(arenas);
			return;
		}
	queue->arenas = arenas;
}

void probe_counters_deinit(struct probe_queue *queue)
{
	struct probe_hsa *hsa = &probe_tool.hsa;

	if (queue->arenas)
		hsa->memory_pool_free(queue->arenas);
	if (queue->gates)
		hsa->memory_pool_free(queue->gates);
	if (queue->staging)
		hsa->memory_pool_free(queue->staging);
	if (queue->copied.handle)
		hsa->signal_destroy(queue->copied);
	if (queue->zeroed.handle)
		hsa->signal_destroy(queue->zeroed);
	queue->arenas = queue->staging = queue->zeros = NULL;
	queue->gates = NULL;
	queue->copied.handle = queue->zeroed.handle = 0;
}

void probe_counters_sum(uint64_t *table, uint32_t replicas, uint32_t sites)
{
	size_t words = (size_t)sites * PROBE_COUNTERS;

	for (uint32_t replica = 1; replica < replicas; replica++) {
		const uint64_t *from = table + replica * words;

		for (size_t i = 0; i < words; i++) {
			if (i % PROBE_COUNTERS < PROBE_C_ADDED)
				table[i] += from[i];
			else if (from[i] > table[i])
				table[i] = from[i];
		}
	}
}

static void put_rows(const struct probe_entry *entry, const struct probe_counter_row *rows,
		     uint32_t count, uint32_t *stored, uint64_t *dropped)
{
	uint64_t patience = probe_tool.config.when_full == PROBE_FULL_BLOCK ? ROWS_WAIT_NS : 0;
	struct probe_hr_counters head = {
		.dispatch = entry->id,
		.code_object = entry->kernel->code_object,
		.rows = count,
	};
	struct iovec parts[] = {
		{&head, sizeof(head)},
		{(void *)rows, count * sizeof(rows[0])},
	};

	if (!count)
		return;
	if (probe_segment_put_wait(&probe_tool.segment, PROBE_HR_COUNTERS, parts, 2, patience))
		*dropped += count;
	else
		*stored += count;
}

static void put_table(const struct probe_entry *entry, const uint64_t *table, uint32_t *stored,
		      uint64_t *dropped)
{
	struct probe_counter_row rows[ROWS_AT_ONCE];
	uint32_t count = 0;

	for (uint32_t site = 0; site < entry->kernel->site_count; site++) {
		const uint64_t *value = table + (size_t)site * PROBE_COUNTERS;

		if (!value[PROBE_C_EXECUTIONS])
			continue;
		rows[count].site = entry->kernel->site_first + site;
		rows[count].reserved = 0;
		memcpy(rows[count].value, value, sizeof(rows[count].value));
		if (++count < ROWS_AT_ONCE)
			continue;
		put_rows(entry, rows, count, stored, dropped);
		count = 0;
	}
	put_rows(entry, rows, count, stored, dropped);
}

void probe_counters_collect(struct probe_queue *queue, const struct probe_entry *entry,
			    uint32_t *rows, uint64_t *dropped)
{
	uint32_t sites = entry->kernel->site_count;
	size_t size = (size_t)entry->replicas * sites * PROBE_COUNTERS * 8;
	uint8_t *arena = probe_queue_arena(queue, entry->turn);
	uint64_t *table = (uint64_t *)(void *)queue->staging;
	bool read, zeroing;

	*rows = 0;
	*dropped = 0;
	read = copy(queue, table, probe_tool.host->handle, arena, queue->agent->handle, size,
		    queue->copied) &&
	       wait_for(queue->copied);
	/* Zeros may travel while the rows are summed. */
	zeroing = read && zero(queue, arena, size);
	if (read) {
		probe_counters_sum(table, entry->replicas, sites);
		put_table(entry, table, rows, dropped);
	} else {
		*dropped = sites;
	}
	/*
	 * An arena that could not be zeroed must not be used again, but the gate has to open: from
	 * here on the queue's kernels are refused, and those that wait already count too much.
	 */
	if (!zeroing || !wait_for(queue->zeroed))
		atomic_store(&queue->counters_broken, true);
	__atomic_store_n(&probe_queue_gate(queue, entry->turn)->value, 0, __ATOMIC_RELEASE);
}
