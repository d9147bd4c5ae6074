/* SPDX-License-Identifier: MIT */
/* Queues as the application sees them: sizes, failures, sharing, destruction, doorbells. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "hsa-plugin/collector/collector.h"
#include "hsa-plugin/hooks/queue_hooks.h"
#include "tests/unit/hsa/fake_hsa.h"

static struct probe_hsa_hooks hooks;

static void begin(uint32_t kind)
{
	fake_hsa_init(kind, 1 << 18);
	probe_queue_hooks(&hooks);
	atomic_store(&probe_tool.unseen_queues, 0);
}

static void end(void)
{
	probe_collector_stop();
	fake_hsa_deinit();
}

static unsigned unseen(void)
{
	return (unsigned)atomic_load(&probe_tool.unseen_queues);
}

static hsa_queue_t *create(uint32_t size, hsa_queue_type32_t type)
{
	hsa_queue_t *queue = NULL;

	if (hooks.queue_create(fake_gpu()->handle, size, type, NULL, NULL, 0, 0, &queue))
		return NULL;
	assert_non_null(queue);
	return queue;
}

static void destroy(hsa_queue_t *queue)
{
	assert_int_equal(hooks.queue_destroy(queue), HSA_STATUS_SUCCESS);
}

/* A soft queue's doorbell is a plain signal; the runtime's own queues have another kind. */
static bool is_ours(const hsa_queue_t *queue)
{
	const amd_signal_t *doorbell =
		(const amd_signal_t *)(uintptr_t)queue->doorbell_signal.handle;

	return doorbell->kind == AMD_SIGNAL_KIND_USER;
}

static void size_is_the_requested_one(void **state)
{
	struct probe_hr_queue record;
	struct probe_hr_queue_end ended;
	hsa_queue_t *queue;

	(void)state;
	begin(PROBE_KIND_NONE);
	queue = create(256, HSA_QUEUE_TYPE_SINGLE);
	assert_true(is_ours(queue));
	assert_int_equal(queue->size, 256);
	assert_int_equal(queue->type, HSA_QUEUE_TYPE_SINGLE);
	assert_int_equal(((amd_queue_t *)queue)->group_segment_aperture_base_hi, 0x1234);
	assert_true(fake_record(PROBE_HR_QUEUE, &record, sizeof(record)));
	assert_int_equal(record.handle, (uintptr_t)queue);
	assert_int_equal(record.size, 256);
	destroy(queue);
	assert_true(fake_record(PROBE_HR_QUEUE_END, &ended, sizeof(ended)));
	assert_int_equal(ended.id, record.id);
	/* The runtime rounds it up. */
	queue = create(2, HSA_QUEUE_TYPE_MULTI);
	assert_true(is_ours(queue));
	assert_int_equal(queue->size, FAKE_QUEUE_MIN);
	destroy(queue);
	end();
}

static void refusals_are_the_runtimes(void **state)
{
	(void)state;
	begin(PROBE_KIND_NONE);
	assert_null(create(100, HSA_QUEUE_TYPE_MULTI));
	assert_null(create(0, HSA_QUEUE_TYPE_MULTI));
	assert_null(create(2 * FAKE_QUEUE_MAX, HSA_QUEUE_TYPE_MULTI));
	assert_int_equal(fake.live, 0);
	assert_int_equal(unseen(), 0);
	end();
}

static void other_agents_and_an_inactive_tool_get_the_runtimes_queues(void **state)
{
	hsa_queue_t *queue = NULL;

	(void)state;
	begin(PROBE_KIND_NONE);
	assert_int_equal(hooks.queue_create((hsa_agent_t){1}, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL,
					    0, 0, &queue),
			 0);
	assert_false(is_ours(queue));
	destroy(queue);
	atomic_store(&probe_tool.active, false);
	queue = create(64, HSA_QUEUE_TYPE_MULTI);
	assert_false(is_ours(queue));
	assert_int_equal(unseen(), 0);
	destroy(queue);
	end();
}

/*
 * Whatever call of the runtime, or allocation of ours, fails: the application gets a queue of ours
 * or the runtime's, which is counted, and nothing is left behind. Without counters the queue runs
 * originals.
 */
static void failures_leave_nothing_behind(void **state)
{
	unsigned ours = 0, theirs = 0, n = 0;

	(void)state;
	do {
		hsa_queue_t *queue;

		begin(PROBE_KIND_MEMORY);
		fake.fail_calloc = true;
		fake.fail_at = ++n;
		errno = 1234;
		queue = create(64, HSA_QUEUE_TYPE_MULTI);
		assert_int_equal(errno, 1234);
		assert_non_null(queue);
		ours += is_ours(queue);
		theirs += !is_ours(queue);
		assert_int_equal(unseen(), !is_ours(queue));
		/* Only the zeros of counter_tables.c may remain. */
		destroy(queue);
		assert_true(fake.live <= 1);
		n = fake.calls < fake.fail_at ? 0 : n;
		fake.fail_at = 0;
		end();
	} while (n);
	/* A queue of ours fails to be made; only its counters or arguments do. */
	assert_in_range(theirs, 6, 12);
	assert_in_range(ours, 15, 40);
}

static void persistent_failure_is_reported(void **state)
{
	(void)state;
	begin(PROBE_KIND_MEMORY);
	fake.fail_at = 1;
	fake.fail_on = true;
	assert_null(create(64, HSA_QUEUE_TYPE_MULTI));
	assert_int_equal(fake.live, 0);
	end();
}

static void cooperative_queue_is_shared(void **state)
{
	hsa_queue_t *first, *second;

	(void)state;
	begin(PROBE_KIND_NONE);
	first = create(128, HSA_QUEUE_TYPE_COOPERATIVE);
	second = create(64, HSA_QUEUE_TYPE_COOPERATIVE);
	assert_ptr_equal(first, second);
	assert_int_equal(first->type, HSA_QUEUE_TYPE_COOPERATIVE);
	destroy(second);
	assert_int_equal(hooks.queue_inactivate(first), 0);
	assert_ptr_not_equal(fake.last, first);
	destroy(first);
	assert_null(fake_gpu()->cooperative);
	end();
}

static void submit(hsa_queue_t *queue, const hsa_kernel_dispatch_packet_t *packet, unsigned count)
{
	uint64_t write = fake_write_index(queue);

	for (unsigned i = 0; i < count; i++, write++)
		memcpy((uint8_t *)queue->base_address + (write & (queue->size - 1)) * 64, packet,
		       64);
	probe_tool.hsa.queue_store_write_index_screlease(queue, write);
}

/* Which store function it is does not matter, nor does the value. */
static void doorbells_relay(void **state)
{
	hsa_kernel_dispatch_packet_t packet = fake_packet(NULL, (hsa_signal_t){0});
	hsa_signal_t other;
	hsa_queue_t *queue;

	(void)state;
	begin(PROBE_KIND_NONE);
	other = fake_signal(0);
	queue = create(64, HSA_QUEUE_TYPE_MULTI);
	submit(queue, &packet, 1);
	hooks.signal_store_relaxed(queue->doorbell_signal, 0);
	submit(queue, &packet, 1);
	hooks.signal_store_screlease(queue->doorbell_signal, 1);
	submit(queue, &packet, 1);
	hooks.signal_silent_store_relaxed(queue->doorbell_signal, -1);
	submit(queue, &packet, 1);
	hooks.signal_silent_store_screlease(queue->doorbell_signal, 7);
	assert_int_equal(probe_tool.hsa.queue_load_read_index_scacquire(queue), 4);
	hooks.signal_store_relaxed(other, 42);
	assert_int_equal(fake_signal_value(other), 42);
	/* Calls that take a queue are for the hardware's, which is where its kernels are. */
	hooks.queue_inactivate(queue);
	fake_hsa_process(fake.last);
	fake_hsa_end_all();
	destroy(queue);
	assert_int_equal(probe_tool.completed, 4);
	probe_tool.hsa.signal_destroy(other);
	end();
}

static void destroying_waits_for_completed_kernels(void **state)
{
	hsa_kernel_dispatch_packet_t packet;
	hsa_signal_t signal;
	hsa_queue_t *queue;

	(void)state;
	begin(PROBE_KIND_NONE);
	signal = fake_signal(60);
	packet = fake_packet(NULL, signal);
	queue = create(64, HSA_QUEUE_TYPE_MULTI);
	submit(queue, &packet, 60);
	hooks.signal_store_relaxed(queue->doorbell_signal, 59);
	hooks.queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH);
	fake_hsa_process(fake.last);
	assert_int_equal(fake.running_count, 60);
	fake_hsa_end_all();
	destroy(queue);
	assert_int_equal(fake_signal_value(signal), 0);
	assert_int_equal(probe_tool.completed, 60);
	probe_tool.hsa.signal_destroy(signal);
	end();
}

/* The runtime's error reaches the application with its own handle, and no kernel is waited for. */
static hsa_queue_t *reported;
static void (*runtimes_callback)(hsa_status_t, hsa_queue_t *, void *);
static void *runtimes_data;
static __typeof__(hsa_queue_create) *fakes_create;

static void on_error(hsa_status_t status, hsa_queue_t *source, void *data)
{
	assert_int_equal(status, HSA_STATUS_ERROR_EXCEPTION);
	assert_int_equal(*(int *)data, 99);
	reported = source;
}

static hsa_status_t keep_callback(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
				  void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
				  uint32_t private_size, uint32_t group_size, hsa_queue_t **ret)
{
	runtimes_callback = callback;
	runtimes_data = data;
	return fakes_create(agent, size, type, callback, data, private_size, group_size, ret);
}

static void failed_queue_is_not_waited_for(void **state)
{
	hsa_kernel_dispatch_packet_t packet = fake_packet(NULL, (hsa_signal_t){0});
	hsa_queue_t *queue = NULL;
	int data = 99;

	(void)state;
	begin(PROBE_KIND_NONE);
	fakes_create = probe_tool.hsa.queue_create;
	probe_tool.hsa.queue_create = keep_callback;
	assert_int_equal(hooks.queue_create(fake_gpu()->handle, 64, HSA_QUEUE_TYPE_MULTI, on_error,
					    &data, 0, 0, &queue),
			 0);
	submit(queue, &packet, 3);
	hooks.signal_store_relaxed(queue->doorbell_signal, 2);
	hooks.queue_inactivate(queue);
	fake_hsa_process(fake.last);
	assert_int_equal(fake.running_count, 3);
	runtimes_callback(HSA_STATUS_ERROR_EXCEPTION, fake.last, runtimes_data);
	assert_ptr_equal(reported, queue);
	/* With its kernels in flight. */
	destroy(queue);
	assert_int_equal(probe_tool.completed, 0);
	end();
}

/* ---- Queues of runtimes after 7.2: stand-ins for the runtime's functions -------------------- */

static hsa_status_t result;	 /* of the next call of a stand-in */
static unsigned refused_at;	 /* descriptors of this size are refused */
static uint32_t described_calls; /* descriptors that a stand-in saw */
static struct probe_queue_descriptor described;

static hsa_status_t create_amd(hsa_agent_t agent, struct probe_queue_descriptor *descriptors,
			       uint32_t count)
{
	hsa_status_t first = result;

	for (uint32_t i = 0; i < count; i++) {
		struct probe_queue_descriptor *d = &descriptors[i];
		hsa_status_t status = result;

		described_calls++;
		described = *d;
		d->queue = NULL;
		if (!status && d->private_size == refused_at)
			status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
		if (!status)
			status = probe_tool.hsa.queue_create(agent, d->bytes / 64, d->type,
							     d->callback, d->callback_data, 0, 0,
							     &d->queue);
		first = first ? first : status;
	}
	return first;
}

static hsa_status_t acquire(hsa_agent_t agent, uint32_t type, uint32_t priority,
			    void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
			    uint64_t flags, hsa_queue_t **queue)
{
	assert_int_equal(flags, UINT64_MAX);
	if (result || priority > 2)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	return probe_tool.hsa.queue_create(agent, 64, type, callback, data, 0, 0, queue);
}

static hsa_status_t give_back(hsa_queue_t *queue)
{
	return queue ? probe_tool.hsa.queue_destroy(queue) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

static hsa_status_t refuse_priority(hsa_queue_t *queue, hsa_amd_queue_priority_t priority)
{
	fake.last = queue;
	return priority > 2 ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS;
}

static hsa_status_t queue_info(hsa_queue_t *queue, int attribute, void *value)
{
	fake.last = queue;
	if (attribute > 16)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	memset(value, 0xff, attribute == 2 ? 4 : 8);
	return HSA_STATUS_SUCCESS;
}

static void begin_newer(void)
{
	begin(PROBE_KIND_NONE);
	probe_tool.hsa.queue_create_amd = create_amd;
	probe_tool.hsa.counted_queue_acquire = acquire;
	probe_tool.hsa.counted_queue_release = give_back;
	probe_tool.hsa.queue_set_priority = refuse_priority;
	probe_tool.hsa.queue_get_info = queue_info;
	result = HSA_STATUS_SUCCESS;
	refused_at = 1;
	described_calls = 0;
}

static struct probe_queue_descriptor descriptor(uint32_t packets)
{
	return (struct probe_queue_descriptor){
		.version = PROBE_QUEUE_DESCRIPTOR,
		.bytes = packets * 64,
		.priority = HSA_AMD_QUEUE_PRIORITY_HIGH,
		.private_size = UINT32_MAX,
		.cu_mask_count = 32,
		.flags = 1,
	};
}

/* Hardware queues get the descriptor's properties, in system memory, at a size for the relay. */
static void described_queues_are_ours(void **state)
{
	struct probe_queue_descriptor d[2] = {descriptor(256), descriptor(64)};

	(void)state;
	begin_newer();
	d[1].type = HSA_QUEUE_TYPE_SINGLE;
	assert_int_equal(hooks.queue_create_amd(fake_gpu()->handle, d, 2), 0);
	assert_true(is_ours(d[0].queue) && is_ours(d[1].queue));
	assert_int_equal(d[0].queue->size, 256);
	assert_int_equal(d[1].queue->size, 64);
	assert_int_equal(d[1].queue->type, HSA_QUEUE_TYPE_SINGLE);
	assert_int_equal(described.priority, HSA_AMD_QUEUE_PRIORITY_HIGH);
	assert_int_equal(described.cu_mask_count, 32);
	assert_int_equal(described.flags, 0);
	assert_int_equal(described.bytes, PROBE_HARDWARE_MIN * 64);
	/* The application's own descriptor stays as it was. */
	assert_true(d[0].bytes == 256 * 64 && d[0].flags == 1 && !d[0].callback);
	assert_int_equal(unseen(), 0);
	destroy(d[0].queue);
	destroy(d[1].queue);
	end();
}

/* Whatever cannot be adopted is the runtime's, and its queues for kernels are counted. */
static void other_descriptors_are_the_runtimes(void **state)
{
	struct probe_queue_descriptor d[3] = {descriptor(64), descriptor(64), descriptor(64)};

	(void)state;
	begin_newer();
	/* Partial success: the second one is refused. */
	d[1].private_size = refused_at;
	assert_int_equal(hooks.queue_create_amd(fake_gpu()->handle, d, 3),
			 HSA_STATUS_ERROR_OUT_OF_RESOURCES);
	assert_true(d[0].queue && !d[1].queue && d[2].queue);
	destroy(d[0].queue);
	destroy(d[2].queue);
	/* A copy engine runs no kernels. */
	d[0].engine = 1;
	assert_int_equal(hooks.queue_create_amd(fake_gpu()->handle, d, 1), 0);
	assert_false(is_ours(d[0].queue));
	assert_int_equal(unseen(), 0);
	destroy(d[0].queue);
	/* One descriptor of another version: nothing is known of where the others begin. */
	d[0].engine = 0;
	d[1].private_size = 0;
	d[2].version = 2;
	described_calls = 0;
	assert_int_equal(hooks.queue_create_amd(fake_gpu()->handle, d, 3), 0);
	assert_int_equal(described_calls, 3);
	for (int i = 0; i < 3; i++) {
		assert_false(is_ours(d[i].queue));
		destroy(d[i].queue);
	}
	assert_int_equal(unseen(), 3);
	assert_int_equal(hooks.queue_create_amd(fake_gpu()->handle, NULL, 0), 0);
	result = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	assert_int_equal(hooks.queue_create_amd(fake_gpu()->handle, d, 3), result);
	assert_int_equal(unseen(), 3);
	end();
}

static void counted_queues_are_ours(void **state)
{
	hsa_queue_t *queue = NULL, *other = NULL;
	uint32_t users = 0;

	(void)state;
	begin_newer();
	probe_tool.agents[1].queue_max = 1 << 17;
	/* The fake runtime has no queue of that size. */
	assert_int_equal(hooks.counted_queue_acquire(fake_gpu()->handle, HSA_QUEUE_TYPE_MULTI, 2,
						     NULL, NULL, UINT64_MAX, &queue),
			 0);
	assert_false(is_ours(queue));
	assert_int_equal(unseen(), 1);
	assert_int_equal(hooks.counted_queue_release(queue), 0);
	fake.large_queues = true;
	assert_int_equal(hooks.counted_queue_acquire(fake_gpu()->handle, HSA_QUEUE_TYPE_MULTI, 2,
						     NULL, NULL, UINT64_MAX, &queue),
			 0);
	assert_int_equal(hooks.counted_queue_acquire(fake_gpu()->handle, HSA_QUEUE_TYPE_MULTI, 2,
						     NULL, NULL, UINT64_MAX, &other),
			 0);
	assert_true(is_ours(queue) && is_ours(other) && queue != other);
	assert_int_equal(hooks.queue_get_info(queue, 2, &users), 0);
	assert_int_equal(users, 1);
	assert_int_equal(hooks.queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_LOW),
			 HSA_STATUS_ERROR_INVALID_QUEUE);
	assert_int_equal(hooks.queue_cu_set_mask(queue, 0, NULL), HSA_STATUS_ERROR_INVALID_QUEUE);
	assert_int_equal(hooks.counted_queue_release(queue), 0);
	assert_int_equal(hooks.counted_queue_release(other), 0);
	assert_int_equal(unseen(), 1);
	assert_int_equal(hooks.counted_queue_acquire(fake_gpu()->handle, HSA_QUEUE_TYPE_MULTI, 3,
						     NULL, NULL, UINT64_MAX, &queue),
			 HSA_STATUS_ERROR_INVALID_ARGUMENT);
	assert_int_equal(hooks.counted_queue_release(NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
	assert_int_equal(unseen(), 1);
	end();
}

/* The application's packets are counted by the soft queue. */
static void pointers_are_the_soft_queues(void **state)
{
	hsa_queue_t *queue;
	uint64_t value = 0;

	(void)state;
	begin_newer();
	queue = create(64, HSA_QUEUE_TYPE_MULTI);
	assert_int_equal(hooks.queue_get_info(queue, 15, &value), 0);
	assert_int_equal(value, (uintptr_t) & ((amd_queue_t *)queue)->read_dispatch_id);
	assert_int_equal(hooks.queue_get_info(queue, 16, &value), 0);
	assert_int_equal(value, (uintptr_t) & ((amd_queue_t *)queue)->write_dispatch_id);
	assert_int_equal(hooks.queue_get_info(queue, 1, &value), 0);
	assert_int_equal(value, UINT64_MAX);
	assert_ptr_not_equal(fake.last, queue);
	assert_int_equal(hooks.queue_get_info(queue, 17, &value),
			 HSA_STATUS_ERROR_INVALID_ARGUMENT);
	destroy(queue);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_is_the_requested_one),
		cmocka_unit_test(described_queues_are_ours),
		cmocka_unit_test(other_descriptors_are_the_runtimes),
		cmocka_unit_test(counted_queues_are_ours),
		cmocka_unit_test(pointers_are_the_soft_queues),
		cmocka_unit_test(refusals_are_the_runtimes),
		cmocka_unit_test(other_agents_and_an_inactive_tool_get_the_runtimes_queues),
		cmocka_unit_test(failures_leave_nothing_behind),
		cmocka_unit_test(persistent_failure_is_reported),
		cmocka_unit_test(cooperative_queue_is_shared),
		cmocka_unit_test(doorbells_relay),
		cmocka_unit_test(destroying_waits_for_completed_kernels),
		cmocka_unit_test(failed_queue_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
