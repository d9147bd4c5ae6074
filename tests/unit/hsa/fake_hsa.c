/* SPDX-License-Identifier: MIT */
#include "tests/unit/hsa/fake_hsa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hsa-plugin/queue/queue_pair.h"

struct fake_hsa fake;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

static bool fails(void)
{
	if (!fake.fail_at || ++fake.calls < fake.fail_at)
		return false;
	return fake.calls == fake.fail_at || fake.fail_on;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fake.fail_calloc && fails() ? NULL : __real_calloc(count, size);
}

/* Before each allocation. */
struct block {
	_Alignas(64) struct block *next;
	struct block **at;
	size_t size;
};

static struct block *blocks;

/* Zeroed, aligned as the ABI wants queues, signals and argument blocks. */
static void *allocate(size_t size)
{
	size_t all = sizeof(struct block) + ((size + 63) & ~(size_t)63);
	struct block *block = aligned_alloc(64, all);

	assert_non_null(block);
	memset(block, 0, all);
	*block = (struct block){.next = blocks, .at = &blocks, .size = size};
	if (blocks)
		blocks->at = &block->next;
	blocks = block;
	fake.live++;
	return block + 1;
}

static void release(void *memory)
{
	struct block *block = (struct block *)memory - 1;

	*block->at = block->next;
	if (block->next)
		block->next->at = block->at;
	assert_true(fake.live > 0);
	fake.live--;
	free(block);
}

/* ---- Signals -------------------------------------------------------------------------------- */

static amd_signal_t *signal_of(hsa_signal_t signal)
{
	return (amd_signal_t *)(uintptr_t)signal.handle;
}

hsa_signal_t fake_signal(hsa_signal_value_t value)
{
	amd_signal_t *signal = allocate(sizeof(*signal));

	signal->kind = AMD_SIGNAL_KIND_USER;
	signal->value = value;
	return probe_signal_handle(signal);
}

hsa_signal_value_t fake_signal_value(hsa_signal_t signal)
{
	return probe_signal_get(signal_of(signal));
}

static hsa_status_t signal_create(hsa_signal_value_t value, uint32_t count,
				  const hsa_agent_t *consumers, hsa_signal_t *ret)
{
	(void)count;
	(void)consumers;
	if (fails())
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*ret = fake_signal(value);
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t signal_destroy(hsa_signal_t signal)
{
	release(signal_of(signal));
	return HSA_STATUS_SUCCESS;
}

static void signal_store(hsa_signal_t signal, hsa_signal_value_t value)
{
	amd_signal_t *to = signal_of(signal);

	if (to->kind == AMD_SIGNAL_KIND_DOORBELL)
		fake.doorbell = (uint64_t)value;
	__atomic_store_n(&to->value, value, __ATOMIC_RELEASE);
}

static hsa_signal_value_t signal_load(hsa_signal_t signal)
{
	return fake_signal_value(signal);
}

static hsa_signal_value_t signal_wait(hsa_signal_t signal, hsa_signal_condition_t condition,
				      hsa_signal_value_t value, uint64_t timeout,
				      hsa_wait_state_t state)
{
	(void)condition;
	(void)value;
	(void)timeout;
	(void)state;
	fake_hsa_copy();
	return fake_signal_value(signal);
}

static void signal_subtract(hsa_signal_t signal, hsa_signal_value_t value)
{
	__atomic_sub_fetch(&signal_of(signal)->value, value, __ATOMIC_RELEASE);
}

/* ---- Memory --------------------------------------------------------------------------------- */

static hsa_status_t pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags,
				  void **ret)
{
	(void)pool;
	(void)flags;
	if (fails())
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*ret = allocate(size);
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t pool_free(void *memory)
{
	release(memory);
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t allow_access(uint32_t count, const hsa_agent_t *agents, const uint32_t *flags,
				 const void *memory)
{
	(void)count;
	(void)agents;
	(void)flags;
	(void)memory;
	return fails() ? HSA_STATUS_ERROR : HSA_STATUS_SUCCESS;
}

static hsa_status_t agent_pool_info(hsa_agent_t agent, hsa_amd_memory_pool_t pool,
				    hsa_amd_agent_memory_pool_info_t attribute, void *ret)
{
	(void)agent;
	(void)pool;
	(void)attribute;
	*(hsa_amd_memory_pool_access_t *)ret =
		fake.direct ? HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT
			    : HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t memory_lock(void *memory, size_t size, hsa_agent_t *agents, int count,
				void **ret)
{
	(void)size;
	(void)agents;
	(void)count;
	if (fails())
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	fake.locked++;
	*ret = memory;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t async_copy(void *to, hsa_agent_t to_agent, const void *from,
			       hsa_agent_t from_agent, size_t size, uint32_t count,
			       const hsa_signal_t *after, hsa_signal_t done)
{
	(void)to_agent;
	(void)from_agent;
	if (fails())
		return HSA_STATUS_ERROR;
	if (fake.lose_copies)
		return HSA_STATUS_SUCCESS;
	assert_true(fake.copy_count < FAKE_COPIES_MAX);
	fake.copies[fake.copy_count++] = (struct fake_copy){
		to, from, size, count ? *after : (hsa_signal_t){0}, done,
	};
	if (!fake.hold_copies)
		fake_hsa_copy();
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t async_copy_enable(bool enable)
{
	(void)enable;
	return HSA_STATUS_SUCCESS;
}

/* As the runtime's: from the time stamps of a signal that it knows a copy of. */
static hsa_status_t async_copy_time(hsa_signal_t handle, hsa_amd_profiling_async_copy_time_t *ret)
{
	const amd_signal_t *signal = (const amd_signal_t *)(uintptr_t)handle.handle;

	if (!signal->reserved2)
		return HSA_STATUS_ERROR;
	ret->start = signal->start_ts;
	ret->end = signal->end_ts;
	return HSA_STATUS_SUCCESS;
}

static void stamp(hsa_signal_t handle)
{
	amd_signal_t *signal = (amd_signal_t *)(uintptr_t)handle.handle;

	signal->reserved2 = 1;
	signal->start_ts = FAKE_TICK;
	signal->end_ts = FAKE_TICK + 10;
}

void fake_hsa_copy(void)
{
	size_t kept = 0;

	for (size_t i = 0; i < fake.copy_count; i++) {
		struct fake_copy copy = fake.copies[i];

		if (copy.after.handle && fake_signal_value(copy.after) != 0) {
			fake.copies[kept++] = copy;
			continue;
		}
		memcpy(copy.to, copy.from, copy.size);
		stamp(copy.done);
		signal_subtract(copy.done, 1);
	}
	fake.copy_count = kept;
}

/* ---- Queues --------------------------------------------------------------------------------- */

static hsa_status_t make_queue(uint32_t size, hsa_queue_type32_t type, hsa_signal_t doorbell,
			       hsa_queue_t **ret)
{
	amd_queue_t *queue;

	if (!size || (size & (size - 1)) || (size > FAKE_QUEUE_MAX && !fake.large_queues))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (fails())
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	queue = allocate(sizeof(*queue));
	queue->hsa_queue.type = type;
	queue->hsa_queue.size = size;
	queue->hsa_queue.features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH;
	queue->hsa_queue.doorbell_signal = doorbell;
	queue->hsa_queue.base_address = allocate((size_t)size * 64);
	for (uint32_t i = 0; i < size; i++)
		((uint16_t *)queue->hsa_queue.base_address)[32 * i] = HSA_PACKET_TYPE_INVALID
								      << HSA_PACKET_HEADER_TYPE;
	*ret = &queue->hsa_queue;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
				 void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
				 uint32_t private_size, uint32_t group_size, hsa_queue_t **ret)
{
	hsa_signal_t doorbell = fake_signal(-1);
	hsa_status_t status;

	(void)agent;
	(void)callback;
	(void)data;
	(void)private_size;
	(void)group_size;
	signal_of(doorbell)->kind = AMD_SIGNAL_KIND_DOORBELL;
	status = make_queue(size && size < FAKE_QUEUE_MIN ? FAKE_QUEUE_MIN : size, type, doorbell,
			    ret);
	if (status)
		release(signal_of(doorbell));
	else
		((amd_queue_t *)*ret)->group_segment_aperture_base_hi = 0x1234;
	return status;
}

static hsa_status_t soft_queue_create(hsa_region_t region, uint32_t size, hsa_queue_type32_t type,
				      uint32_t features, hsa_signal_t doorbell, hsa_queue_t **ret)
{
	(void)region;
	(void)features;
	return make_queue(size, type, doorbell, ret);
}

static hsa_status_t queue_destroy(hsa_queue_t *queue)
{
	/* A soft queue's doorbell is its maker's. */
	if (signal_of(queue->doorbell_signal)->kind == AMD_SIGNAL_KIND_DOORBELL)
		release(signal_of(queue->doorbell_signal));
	release(queue->base_address);
	release(queue);
	return HSA_STATUS_SUCCESS;
}

static uint64_t load_read_index(const hsa_queue_t *queue)
{
	return __atomic_load_n(&((const amd_queue_t *)queue)->read_dispatch_id, __ATOMIC_ACQUIRE);
}

static void store_read_index(const hsa_queue_t *queue, uint64_t value)
{
	__atomic_store_n(&((amd_queue_t *)(uintptr_t)queue)->read_dispatch_id, value,
			 __ATOMIC_RELEASE);
}

uint64_t fake_write_index(const hsa_queue_t *queue)
{
	return __atomic_load_n(&((const amd_queue_t *)queue)->write_dispatch_id, __ATOMIC_ACQUIRE);
}

static void store_write_index(const hsa_queue_t *queue, uint64_t value)
{
	__atomic_store_n(&((amd_queue_t *)(uintptr_t)queue)->write_dispatch_id, value,
			 __ATOMIC_RELEASE);
}

static hsa_status_t enable_profiler(hsa_queue_t *queue, int enable)
{
	(void)enable;
	fake.last = queue;
	return fails() ? HSA_STATUS_ERROR : HSA_STATUS_SUCCESS;
}

static hsa_status_t queue_inactivate(hsa_queue_t *queue)
{
	fake.last = queue;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t set_priority(hsa_queue_t *queue, hsa_amd_queue_priority_t priority)
{
	(void)priority;
	fake.last = queue;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t agent_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *ret)
{
	(void)agent;
	assert_int_equal(attribute, HSA_AGENT_INFO_QUEUE_MIN_SIZE);
	*(uint32_t *)ret = FAKE_QUEUE_MIN;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t convert_tick(hsa_agent_t agent, uint64_t tick, uint64_t *ret)
{
	(void)agent;
	*ret = 2 * tick;
	return HSA_STATUS_SUCCESS;
}

/* ---- The packet processor ------------------------------------------------------------------- */

static bool barrier_holds(const hsa_barrier_and_packet_t *packet)
{
	for (int i = 0; i < 5; i++)
		if (packet->dep_signal[i].handle && fake_signal_value(packet->dep_signal[i]) != 0)
			return true;
	return false;
}

static bool process_packet(void *bytes)
{
	uint16_t *header = bytes;
	uint32_t type = *header >> HSA_PACKET_HEADER_TYPE & 0xff;
	const hsa_barrier_and_packet_t *barrier = bytes;

	if (type == HSA_PACKET_TYPE_INVALID)
		return false;
	if (*header >> HSA_PACKET_HEADER_BARRIER & 1 && fake.running_count)
		return false;
	if (type == HSA_PACKET_TYPE_BARRIER_AND && barrier_holds(barrier))
		return false;
	if (type == HSA_PACKET_TYPE_BARRIER_AND && barrier->completion_signal.handle)
		signal_subtract(barrier->completion_signal, 1);
	if (type == HSA_PACKET_TYPE_KERNEL_DISPATCH) {
		assert_true(fake.running_count < FAKE_RUNNING_MAX);
		memcpy(&fake.running[fake.running_count++], bytes, 64);
	}
	fake.processed[fake.processed_count++ % FAKE_RUNNING_MAX] = *header;
	*header = HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE;
	return true;
}

void fake_hsa_process(hsa_queue_t *hardware)
{
	uint64_t read = load_read_index(hardware), write = fake_write_index(hardware);

	assert_true(write - read <= hardware->size);
	if (write)
		assert_int_equal(fake.doorbell, write - 1);
	while (read < write && process_packet((uint8_t *)hardware->base_address +
					      (read & (hardware->size - 1)) * 64))
		store_read_index(hardware, ++read);
}

void fake_hsa_end(size_t index)
{
	hsa_signal_t signal = fake.running[index].completion_signal;

	assert_true(index < fake.running_count);
	memmove(&fake.running[index], &fake.running[index + 1],
		(fake.running_count - index - 1) * sizeof(fake.running[0]));
	fake.running_count--;
	if (!signal.handle)
		return;
	signal_of(signal)->start_ts = FAKE_TICK;
	signal_of(signal)->end_ts = FAKE_TICK + 10;
	signal_subtract(signal, 1);
}

void fake_hsa_end_all(void)
{
	while (fake.running_count)
		fake_hsa_end(0);
}

/* ---- The tool ------------------------------------------------------------------------------- */

static const struct probe_hsa functions = {
	.agent_get_info = agent_info,
	.queue_create = queue_create,
	.soft_queue_create = soft_queue_create,
	.queue_destroy = queue_destroy,
	.queue_inactivate = queue_inactivate,
	.queue_load_read_index_scacquire = load_read_index,
	.queue_store_read_index_screlease = store_read_index,
	.queue_store_write_index_screlease = store_write_index,
	.signal_create = signal_create,
	.signal_destroy = signal_destroy,
	.signal_load_scacquire = signal_load,
	.signal_store_relaxed = signal_store,
	.signal_store_screlease = signal_store,
	.signal_silent_store_relaxed = signal_store,
	.signal_silent_store_screlease = signal_store,
	.signal_wait_scacquire = signal_wait,
	.signal_subtract_screlease = signal_subtract,
	.profiling_set_profiler_enabled = enable_profiler,
	.convert_tick = convert_tick,
	.queue_set_priority = set_priority,
	.memory_pool_allocate = pool_allocate,
	.memory_pool_free = pool_free,
	.memory_async_copy = async_copy,
	.profiling_async_copy_enable = async_copy_enable,
	.profiling_get_async_copy_time = async_copy_time,
	.agent_memory_pool_get_info = agent_pool_info,
	.agents_allow_access = allow_access,
	.memory_lock = memory_lock,
};

static void add_agents(struct probe_tool *tool)
{
	tool->agents[0] =
		(struct probe_agent){.handle = {1}, .index = 0, .memory = {1}, .region = {1}};
	tool->agents[1] = (struct probe_agent){
		.handle = {2},
		.index = 1,
		.gpu = true,
		.queue_max = FAKE_QUEUE_MAX,
		.wave_slots = 8,
		.compute_units = 2,
		.target = "gfx90a",
		.lds_max = 64 << 10,
		.memory = {2},
	};
	tool->agent_count = 2;
	tool->host = &tool->agents[0];
}

void fake_hsa_init(uint32_t kind, uint64_t host_bytes)
{
	struct probe_tool *tool = &probe_tool;

	memset(&fake, 0, sizeof(fake));
	memset(tool, 0, sizeof(*tool));
	tool->hsa = functions;
	tool->tick_hz = 1000000000;
	tool->config = (struct probe_config){
		.kind = kind,
		.full = {.action = PROBE_FULL_DROP, .sample_every = 1},
		.workgroups = {.last = {UINT32_MAX, UINT32_MAX, UINT32_MAX}},
	};
	assert_true(probe_selection_parse(NULL, &tool->config.selection));
	add_agents(tool);
	assert_int_equal(segment_file_create(&fake.file, host_bytes, 8, 4096), 0);
	assert_int_equal(probe_segment_open(&tool->segment, fake.file.fd, fake.file.size), 0);
	atomic_store(&tool->active, true);
}

void fake_hsa_deinit(void)
{
	unsigned kept = 0, live;

	atomic_store(&probe_tool.active, false);
	probe_segment_close(&probe_tool.segment);
	segment_file_destroy(&fake.file);
	/* These live as long as the runtime: zeros of counter_tables.c, states of rings.c. */
	for (uint32_t i = 0; i < probe_tool.agent_count; i++) {
		struct probe_agent *agent = &probe_tool.agents[i];

		kept += (agent->zeros ? 1 : 0) + (agent->rings_tried ? 2 : 0);
		agent->zeros = NULL;
	}
	live = fake.live;
	while (blocks)
		release(blocks + 1);
	assert_in_range(live, 0, kept);
}

struct probe_agent *fake_gpu(void)
{
	return &probe_tool.agents[1];
}

struct probe_queue *fake_queue_create(uint32_t size)
{
	struct probe_queue_request request = {
		.agent = fake_gpu(),
		.size = size,
		.type = HSA_QUEUE_TYPE_MULTI,
	};
	struct probe_queue *queue = probe_queue_pair_create(&request);

	assert_non_null(queue);
	queue->id = 1;
	return queue;
}

void fake_submit(struct probe_queue *queue, const void *packet)
{
	hsa_queue_t *soft = queue->soft;
	uint64_t write = fake_write_index(soft);
	uint8_t *to = (uint8_t *)soft->base_address + (write & (soft->size - 1)) * 64;

	assert_true(write - load_read_index(soft) < soft->size);
	memcpy(to, packet, 64);
	store_write_index(soft, write + 1);
}

bool fake_record(uint32_t type, void *payload, size_t size)
{
	struct probe_host_rec record = {0};
	int found;

	do {
		found = segment_file_next(&fake.file, &record, payload, size);
		assert_true(found >= 0);
	} while (found && record.type != type);
	return found;
}
