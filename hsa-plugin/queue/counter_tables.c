/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/queue/counter_tables.h"

#include <string.h>

#include "hsa-plugin/process/agents.h"
#include "hsa-plugin/process/clock.h"
#include "hsa-plugin/queue/counter_sum.h"

enum { ROWS_AT_ONCE = 64, DIRECT_TRY_BYTES = 64 << 10, DIRECT_BYTES_PER_NS = 2 };

/* How long the segment's reader has to free space before records are dropped. */
#define ROWS_WAIT_NS 2000000000ull

static uint32_t sites_of(const struct probe_inflight *dispatch)
{
	return dispatch->kernel->site_count;
}

/* Clears the first `size` bytes of a table after signal `before` (0 = at once). */
static bool clear(const struct probe_queue *queue, const struct probe_counter_table *table,
		  size_t size, hsa_signal_t before)
{
	struct probe_hsa *hsa = &probe_tool.hsa;

	hsa->signal_store_relaxed(table->zeroed, 1);
	return hsa->memory_async_copy(table->device, queue->agent->handle, queue->agent->zeros,
				      probe_tool.host->handle, size, before.handle != 0,
				      before.handle ? &before : NULL,
				      table->zeroed) == HSA_STATUS_SUCCESS;
}

static bool table_init(struct probe_queue *queue, struct probe_counter_table *table, size_t number)
{
	struct probe_hsa *hsa = &probe_tool.hsa;
	uint64_t patience = 10 * probe_tool.tick_hz;

	table->device = queue->device_memory + number * PROBE_TABLE_BYTES;
	table->host = queue->host_memory + number * PROBE_TABLE_BYTES;
	return !hsa->signal_create(1, 0, NULL, &table->copied) &&
	       !hsa->signal_create(1, 0, NULL, &table->zeroed) &&
	       clear(queue, table, PROBE_TABLE_BYTES, (hsa_signal_t){0}) &&
	       hsa->signal_wait_scacquire(table->zeroed, HSA_SIGNAL_CONDITION_LT, 1, patience,
					  HSA_WAIT_STATE_BLOCKED) < 1;
}

/*
 * True if the CPU reads device memory as fast as its own (an APU, the simulated GPU). Copies by the
 * DMA engines are then unnecessary. Reading through a PCIe window, whose write buffers would have
 * to be flushed, is far slower than the limit used here.
 */
static bool is_direct(struct probe_queue *queue)
{
	hsa_agent_t both[2] = {queue->agent->handle, probe_tool.host->handle};
	hsa_amd_memory_pool_access_t access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
	uint64_t best = UINT64_MAX;

	if (probe_tool.hsa.agent_memory_pool_get_info(probe_tool.host->handle, queue->agent->memory,
						      HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS,
						      &access) ||
	    access == HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED ||
	    probe_tool.hsa.agents_allow_access(2, both, NULL, queue->device_memory))
		return false;
	for (int i = 0; i < 3; i++) {
		uint64_t start = probe_now_ns(), time;

		memcpy(queue->host_memory, queue->device_memory, DIRECT_TRY_BYTES);
		time = probe_now_ns() - start;
		best = time < best ? time : best;
	}
	return best * DIRECT_BYTES_PER_NS < DIRECT_TRY_BYTES;
}

void probe_counters_init(struct probe_queue *queue)
{
	struct probe_tool *tool = &probe_tool;
	size_t all = (size_t)PROBE_TABLES * PROBE_TABLE_BYTES;
	/* Nothing reads the sink, so all dispatches share one. */
	size_t sink = tool->config.workgroups_restricted ? PROBE_TABLE_BYTES : 0;
	bool ready = true;

	if (!queue->agent->zeros)
		queue->agent->zeros =
			probe_agent_host_memory(tool, queue->agent, PROBE_TABLE_BYTES);
	queue->gates =
		probe_agent_host_memory(tool, queue->agent, PROBE_GATES * sizeof(queue->gates[0]));
	queue->host_memory = probe_agent_host_memory(tool, queue->agent, all);
	queue->device_memory = probe_agent_device_memory(tool, queue->agent, all + sink);
	if (!queue->agent->zeros || !queue->gates || !queue->host_memory || !queue->device_memory)
		return;
	queue->sink = queue->device_memory + all;
	for (size_t i = 0; i < PROBE_TABLES && ready; i++)
		ready = table_init(queue, &queue->tables[i], i);
	queue->counters = ready;
	queue->direct = ready && is_direct(queue);
}

static void free_memory(void *memory)
{
	if (memory)
		probe_tool.hsa.memory_pool_free(memory);
}

void probe_counters_deinit(struct probe_queue *queue)
{
	for (size_t i = 0; i < PROBE_TABLES; i++) {
		if (queue->tables[i].copied.handle)
			probe_tool.hsa.signal_destroy(queue->tables[i].copied);
		if (queue->tables[i].zeroed.handle)
			probe_tool.hsa.signal_destroy(queue->tables[i].zeroed);
	}
	free_memory(queue->device_memory);
	free_memory(queue->host_memory);
	free_memory(queue->gates);
	queue->counters = false;
}

static void put_rows(const struct probe_inflight *dispatch, const struct probe_counter_row *rows,
		     uint32_t count, uint32_t *stored, uint64_t *dropped)
{
	uint64_t patience = probe_tool.config.full.action == PROBE_FULL_BLOCK ? ROWS_WAIT_NS : 0;
	struct probe_hr_counters head = {
		.dispatch = dispatch->id,
		.code_object = dispatch->kernel->code_object,
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

static bool is_empty(const uint64_t *value)
{
	/*
	 * Every row that counted anything has a non-zero value in one of its first words
	 * (wire_device.h section 3).
	 */
	for (int i = 0; i < PROBE_C_ADDED; i++)
		if (value[i])
			return false;
	return true;
}

static void put_table(const struct probe_inflight *dispatch, const uint64_t *table,
		      uint32_t *stored, uint64_t *dropped)
{
	struct probe_counter_row rows[ROWS_AT_ONCE];
	uint32_t count = 0;

	for (uint32_t site = 0; site < dispatch->kernel->site_count; site++) {
		const uint64_t *value = table + (size_t)site * PROBE_COUNTERS;

		if (is_empty(value))
			continue;
		rows[count].site = dispatch->kernel->site_first + site;
		rows[count].reserved = 0;
		memcpy(rows[count].value, value, sizeof(rows[count].value));
		if (++count < ROWS_AT_ONCE)
			continue;
		put_rows(dispatch, rows, count, stored, dropped);
		count = 0;
	}
	put_rows(dispatch, rows, count, stored, dropped);
}

void probe_counters_begin(struct probe_queue *queue, struct probe_inflight *dispatch)
{
	struct probe_counter_table *table = probe_queue_table(queue, dispatch->table_use);
	size_t size = (size_t)dispatch->replicas * sites_of(dispatch) * PROBE_COUNTERS * 8;
	struct probe_hsa *hsa = &probe_tool.hsa;

	if (table->broken)
		return;
	if (queue->direct) {
		memcpy(table->host, table->device, size);
		memset(table->device, 0, size);
		return;
	}
	hsa->signal_store_relaxed(table->copied, 1);
	hsa->signal_store_relaxed(table->zeroed, 1);
	if (hsa->memory_async_copy(table->host, probe_tool.host->handle, table->device,
				   queue->agent->handle, size, 0, NULL, table->copied) ||
	    !clear(queue, table, size, table->copied))
		/* Neither signal will change, so the next poll abandons the copy. */
		dispatch->copy_start = 0;
}

bool probe_counters_end(struct probe_queue *queue, struct probe_inflight *dispatch, bool give_up,
			uint32_t *rows, uint64_t *dropped)
{
	struct probe_counter_table *table = probe_queue_table(queue, dispatch->table_use);
	uint64_t *values = (uint64_t *)(void *)table->host;

	*rows = 0;
	*dropped = 0;
	if (!table->broken &&
	    (queue->direct || probe_tool.hsa.signal_load_scacquire(table->zeroed) < 1)) {
		probe_counters_sum(values, dispatch->replicas, sites_of(dispatch));
		put_table(dispatch, values, rows, dropped);
	} else if (table->broken || give_up) {
		/*
		 * Its gate must open nevertheless. From here on the queue's kernels run
		 * uninstrumented; those in flight that use the table lose their counters, too.
		 */
		table->broken = true;
		atomic_store(&queue->counters_broken, true);
		*dropped = sites_of(dispatch);
	} else {
		return false;
	}
	__atomic_store_n(&probe_queue_gate(queue, dispatch->table_use)->value, 0, __ATOMIC_RELEASE);
	return true;
}
