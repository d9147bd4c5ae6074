/* SPDX-License-Identifier: MIT */
/* One kernel dispatch: every verdict, the clone's packet and arguments, gates, argument blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "hsa-plugin/collector/completion.h"
#include "hsa-plugin/collector/packet_relay.h"
#include "hsa-plugin/queue/queue_pair.h"
#include "tests/unit/hsa/fake_hsa.h"

enum { SITES = 3 };

struct dispatch_test {
	struct probe_queue *queue;
	struct fake_kernel kernel;
	hsa_kernel_dispatch_packet_t packet;
};

static void begin(struct dispatch_test *test, uint32_t kind)
{
	fake_hsa_init(kind, 1 << 18);
	test->queue = fake_queue_create(64);
	fake_kernel_init(&test->kernel, SITES);
	test->packet = fake_packet(&test->kernel, (hsa_signal_t){0});
}

static void end(struct dispatch_test *test)
{
	fake_kernel_deinit(&test->kernel);
	probe_queue_pair_destroy(test->queue);
	fake_hsa_deinit();
}

static bool submit(struct dispatch_test *test)
{
	fake_submit(test->queue, &test->packet);
	return probe_relay(test->queue);
}

/* The packet as the hardware gets it, once no earlier one is in its way. */
static const hsa_kernel_dispatch_packet_t *launch(struct dispatch_test *test)
{
	assert_true(submit(test));
	fake_hsa_process(test->queue->real);
	assert_true(fake.running_count > 0);
	return &fake.running[fake.running_count - 1];
}

static void collect(struct dispatch_test *test)
{
	fake_hsa_end_all();
	while (probe_queue_collect(test->queue, true))
		;
}

static uint32_t scope(uint16_t header, int shift)
{
	return header >> shift & 3;
}

static const struct probe_ctx *context_of(const hsa_kernel_dispatch_packet_t *packet,
					  uint64_t flags)
{
	uint64_t address;

	memcpy(&address, (const char *)packet->kernarg_address + 16, sizeof(address));
	assert_int_equal(address & 63 & flags, flags);
	return (const struct probe_ctx *)(uintptr_t)(address & ~flags);
}

static void clone_gets_arguments_and_context(void **state)
{
	const hsa_kernel_dispatch_packet_t *packet;
	struct probe_hr_dispatch record;
	struct probe_hr_arguments head;
	const struct probe_ctx *ctx;
	struct dispatch_test test;

	(void)state;
	begin(&test, PROBE_KIND_MEMORY);
	test.packet.grid_size_x = PROBE_REPLICAS_MAX * 64;
	packet = launch(&test);
	assert_int_equal(packet->kernel_object, test.kernel.clone.object);
	assert_int_equal((uintptr_t)packet->kernarg_address % 32, 0);
	assert_memory_equal(packet->kernarg_address, test.kernel.arguments, 12);
	assert_int_equal(scope(packet->header, HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE),
			 HSA_FENCE_SCOPE_SYSTEM);
	assert_int_equal(scope(packet->header, HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE),
			 HSA_FENCE_SCOPE_SYSTEM);
	ctx = context_of(packet, 0);
	assert_int_equal(ctx->version, PROBE_CTX_VERSION);
	assert_int_equal(ctx->dispatch, 1);
	assert_int_equal(ctx->counters, (uintptr_t)test.queue->tables[0].device);
	assert_int_equal(ctx->site_first, 100);
	assert_int_equal(ctx->site_count, SITES);
	assert_int_equal(ctx->replica_mask, PROBE_REPLICAS_MAX - 1);
	assert_int_equal(ctx->first_row + 100 * PROBE_COUNTERS * 8, ctx->counters);
	assert_int_equal(ctx->replica_mask_and_size >> 32, SITES * PROBE_COUNTERS * 8);
	assert_int_equal(ctx->lds_aperture, 0x1234);
	assert_true(fake_record(PROBE_HR_DISPATCH, &record, sizeof(record)));
	assert_int_equal(record.verdict, PROBE_V_SWAPPED);
	assert_int_equal(record.kernel, test.kernel.original.id);
	assert_int_equal(record.launched, test.kernel.clone.id);
	assert_int_equal(record.kind, PROBE_KIND_MEMORY);
	assert_int_equal(record.kernel_object, test.kernel.original.object);
	assert_true(fake_record(PROBE_HR_ARGUMENTS, &head, sizeof(head)));
	assert_int_equal(head.dispatch, 1);
	assert_int_equal(head.bytes, 24);
	collect(&test);
	end(&test);
}

/* The second context's counters are those of workgroups that are not selected. */
static void replicas_are_no_more_than_waves(void **state)
{
	const struct {
		uint32_t threads[3], replicas;
	} launches[] = {
		{{1, 1, 1}, 1},
		{{64, 1, 1}, 1},
		{{65, 1, 1}, 1},
		{{64, 2, 1}, 2},
		{{64, 1, 3}, 4},
		{{16, 32, 3}, 32},
		{{1 << 20, 1, 1}, PROBE_REPLICAS_MAX},
	};
	struct dispatch_test test;

	(void)state;
	begin(&test, PROBE_KIND_MEMORY);
	for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++) {
		test.packet.grid_size_x = launches[i].threads[0];
		test.packet.grid_size_y = launches[i].threads[1];
		test.packet.grid_size_z = launches[i].threads[2];
		assert_int_equal(context_of(launch(&test), 0)->replica_mask,
				 launches[i].replicas - 1);
		collect(&test);
	}
	end(&test);
}

static void workgroup_filter_has_two_contexts(void **state)
{
	const hsa_kernel_dispatch_packet_t *packet;
	const struct probe_ctx *ctx;
	struct dispatch_test test;

	(void)state;
	fake_hsa_init(PROBE_KIND_MEMORY, 1 << 18);
	probe_tool.config.workgroups_restricted = true;
	probe_tool.config.workgroups.first[1] = 5;
	test.queue = fake_queue_create(64);
	fake_kernel_init(&test.kernel, SITES);
	test.packet = fake_packet(&test.kernel, (hsa_signal_t){0});
	packet = launch(&test);
	ctx = context_of(packet, PROBE_CTX_FILTERED);
	assert_int_equal(ctx[0].group_first[1], 5);
	assert_int_equal(ctx[0].counters, (uintptr_t)test.queue->tables[0].device);
	assert_int_equal(ctx[1].counters, (uintptr_t)test.queue->sink);
	collect(&test);
	end(&test);
}

static void segments_are_the_larger_ones(void **state)
{
	const hsa_kernel_dispatch_packet_t *packet;
	struct dispatch_test test;

	(void)state;
	begin(&test, PROBE_KIND_COUNT);
	test.kernel.original.group_size = 1000;
	test.kernel.clone.group_size = 1100;
	test.kernel.clone.private_size = 48;
	test.kernel.original.stack_growth = 100;
	/* 500 bytes of LDS are dynamic. */
	test.packet.group_segment_size = 1500;
	test.packet.private_segment_size = 16;
	packet = launch(&test);
	assert_int_equal(packet->group_segment_size, 1600);
	assert_int_equal(packet->private_segment_size, 148);
	collect(&test);
	/* What callees may need is limited by the hardware. */
	test.kernel.original.stack_growth = UINT32_MAX;
	packet = launch(&test);
	assert_int_equal(packet->private_segment_size, 8191 * 1024 / 64);
	collect(&test);
	end(&test);
}

/* ---- Verdicts ------------------------------------------------------------------------------- */

/* Dispatches whose original runs: its packet is unchanged but for the completion signal. */
static void expect_original(struct dispatch_test *test, uint32_t verdict)
{
	uint64_t before = atomic_load(&probe_tool.verdicts[verdict]);
	hsa_signal_t signal = fake_signal(1);
	const hsa_kernel_dispatch_packet_t *packet;
	hsa_kernel_dispatch_packet_t expected;
	struct probe_hr_dispatch record;

	while (fake_record(PROBE_HR_DISPATCH, NULL, 0))
		;
	test->packet.completion_signal = signal;
	packet = launch(test);
	expected = test->packet;
	assert_int_not_equal(packet->completion_signal.handle, signal.handle);
	expected.completion_signal = packet->completion_signal;
	assert_memory_equal(packet, &expected, sizeof(expected));
	assert_true(fake_record(PROBE_HR_DISPATCH, &record, sizeof(record)));
	assert_int_equal(record.verdict, verdict);
	assert_int_equal(record.launched, record.kernel);
	assert_int_equal(record.kind, PROBE_KIND_NONE);
	assert_int_equal(probe_tool.verdicts[verdict], before + 1);
	collect(test);
	assert_int_equal(fake_signal_value(signal), 0);
	probe_tool.hsa.signal_destroy(signal);
	test->packet.completion_signal.handle = 0;
}

static void verdicts_of_the_kernel(void **state)
{
	struct dispatch_test test;

	(void)state;
	begin(&test, PROBE_KIND_MEMORY);
	test.kernel.original.verdict = PROBE_V_NO_CLONE;
	test.kernel.original.clone = NULL;
	expect_original(&test, PROBE_V_NO_CLONE);
	test.kernel.original.verdict = PROBE_V_FILTERED;
	expect_original(&test, PROBE_V_FILTERED);
	test.packet.kernel_object = 0x42;
	expect_original(&test, PROBE_V_UNKNOWN_KERNEL);
	test.packet.kernel_object = 0;
	expect_original(&test, PROBE_V_UNKNOWN_KERNEL);
	end(&test);
}

static void verdicts_of_the_clones_resources(void **state)
{
	struct dispatch_test test;
	struct probe_kernel *clone = &test.kernel.clone;

	(void)state;
	begin(&test, PROBE_KIND_MEMORY);
	clone->private_size = 8191 * 1024 / 64 + 1;
	expect_original(&test, PROBE_V_SCRATCH);
	clone->private_size = 0;
	clone->max_group = 63;
	expect_original(&test, PROBE_V_WORKGROUP);
	clone->max_group = 64;
	clone->group_size = (64 << 10) + 1;
	expect_original(&test, PROBE_V_LDS);
	clone->group_size = 64 << 10;
	assert_int_equal(launch(&test)->kernel_object, clone->object);
	collect(&test);
	end(&test);
}

static void verdicts_of_memory(void **state)
{
	uint8_t *kernargs;
	struct dispatch_test test;

	(void)state;
	begin(&test, PROBE_KIND_MEMORY);
	test.kernel.original.site_count = PROBE_TABLE_BYTES / (PROBE_COUNTERS * 8) + 1;
	expect_original(&test, PROBE_V_TOO_MANY_SITES);
	test.kernel.original.site_count = SITES;
	test.kernel.original.plan->size = PROBE_KERNARG_BYTES / 2;
	expect_original(&test, PROBE_V_MEMORY);
	test.kernel.original.plan->size = 24;
	test.packet.kernarg_address = NULL;
	expect_original(&test, PROBE_V_MEMORY);
	test.packet.kernarg_address = test.kernel.arguments;
	kernargs = test.queue->kernargs;
	test.queue->kernargs = NULL;
	expect_original(&test, PROBE_V_MEMORY);
	test.queue->kernargs = kernargs;
	atomic_store(&test.queue->counters_broken, true);
	expect_original(&test, PROBE_V_MEMORY);
	/* A kernel without sites needs no counters. */
	test.kernel.original.site_count = 0;
	assert_int_equal(launch(&test)->kernel_object, test.kernel.clone.object);
	collect(&test);
	atomic_store(&probe_tool.supervisor_gone, true);
	expect_original(&test, PROBE_V_NO_SEGMENT);
	end(&test);
}

static void rings_are_required_by_their_kinds(void **state)
{
	struct dispatch_test test;

	(void)state;
	begin(&test, PROBE_KIND_TRACE);
	assert_int_equal(fake_gpu()->ring_count, 8);
	assert_int_equal(launch(&test)->kernel_object, test.kernel.clone.object);
	collect(&test);
	fake_gpu()->ring_count = 0;
	expect_original(&test, PROBE_V_NO_SEGMENT);
	end(&test);
}

/* Workgroups wait for each other: none may be left out because the clone needs more registers. */
static void cooperative_clones_must_be_resident(void **state)
{
	struct dispatch_test test;

	(void)state;
	begin(&test, PROBE_KIND_MEMORY);
	test.queue->soft->type = HSA_QUEUE_TYPE_COOPERATIVE;
	test.kernel.clone.vgprs = 256;
	test.packet.grid_size_x = 64 * 64;
	expect_original(&test, PROBE_V_COOPERATIVE);
	/* Two compute units with four SIMDs hold 16 waves of it. */
	test.packet.grid_size_x = 16 * 64;
	assert_int_equal(launch(&test)->kernel_object, test.kernel.clone.object);
	collect(&test);
	end(&test);
}

static void dispatches_are_selected_by_number(void **state)
{
	struct dispatch_test test;

	(void)state;
	begin(&test, PROBE_KIND_MEMORY);
	assert_true(probe_selection_parse("2", &probe_tool.config.selection));
	/* One that is refused for another reason does not count. */
	test.kernel.clone.max_group = 1;
	expect_original(&test, PROBE_V_WORKGROUP);
	test.kernel.clone.max_group = 0;
	expect_original(&test, PROBE_V_DISPATCH);
	assert_int_equal(launch(&test)->kernel_object, test.kernel.clone.object);
	collect(&test);
	expect_original(&test, PROBE_V_DISPATCH);
	end(&test);
}

/* ---- What is used in turn -------------------------------------------------------------------- */

/* A fifth dispatch waits behind a gate until the first one's counters are read. */
static void gate_protects_a_counter_table(void **state)
{
	struct dispatch_test test;

	(void)state;
	begin(&test, PROBE_KIND_MEMORY);
	for (int i = 0; i < PROBE_TABLES + 1; i++)
		assert_true(submit(&test));
	assert_int_equal(test.queue->written, PROBE_TABLES + 2);
	fake_hsa_process(test.queue->real);
	assert_int_equal(fake.running_count, PROBE_TABLES);
	fake_hsa_end_all();
	fake_hsa_process(test.queue->real);
	/* All have ended; none of their counters is read. */
	assert_int_equal(fake.running_count, 0);
	assert_true(probe_queue_collect(test.queue, true));
	assert_true(probe_queue_collect(test.queue, true));
	fake_hsa_process(test.queue->real);
	assert_int_equal(fake.running_count, 1);
	assert_int_equal(context_of(&fake.running[0], 0)->counters,
			 (uintptr_t)test.queue->tables[0].device);
	assert_true(fake.running[0].header >> HSA_PACKET_HEADER_BARRIER & 1);
	collect(&test);
	/* Now that table's counters are read, and no gate is needed. */
	assert_true(submit(&test));
	assert_int_equal(test.queue->written, PROBE_TABLES + 3);
	fake_hsa_process(test.queue->real);
	collect(&test);
	end(&test);
}

/* Blocks of dispatches in flight do not overlap or wrap; without space a packet stays. */
static void argument_blocks_run_out_and_return(void **state)
{
	const uint8_t *last = NULL;
	struct dispatch_test test;
	size_t fit = 0;

	(void)state;
	begin(&test, PROBE_KIND_MEMORY);
	test.kernel.original.site_count = 0;
	test.kernel.original.plan->size = 60000;
	for (int round = 0; round < 5; round++) {
		while (submit(&test))
			;
		fake_hsa_process(test.queue->real);
		assert_in_range(fake.running_count, 15, 17);
		fit += fake.running_count;
		for (size_t i = 0; i < fake.running_count; i++) {
			const uint8_t *at = fake.running[i].kernarg_address;

			assert_true(at >= test.queue->kernargs);
			assert_true(at + 60000 <= test.queue->kernargs + PROBE_KERNARG_BYTES);
			assert_true(!last || at >= last + 60000 || at < last);
			last = at;
		}
		collect(&test);
		assert_true(probe_relay(test.queue));
		fake_hsa_process(test.queue->real);
		collect(&test);
		fit++;
	}
	/* Each was decided about, and counted, once. */
	assert_int_equal(probe_tool.dispatches, fit);
	assert_int_equal(probe_tool.verdicts[PROBE_V_SWAPPED], fit);
	assert_int_equal(probe_tool.completed, fit);
	end(&test);
}

/* Storage for waves takes half of the ring of blocks at most; then waves write into rings. */
static void wave_storage_leaves_space_for_arguments(void **state)
{
	const struct probe_ctx_wave_storage *stored;
	struct dispatch_test test;
	unsigned with = 0;

	(void)state;
	begin(&test, PROBE_KIND_TIME);
	test.packet.grid_size_x = 64 * 1024;
	for (int i = 0; i < 20; i++) {
		const uint8_t *arguments = launch(&test)->kernarg_address;

		stored = (const struct probe_ctx_wave_storage *)(const void *)arguments - 1;
		with += stored->area != 0;
		assert_int_equal(stored->area != 0, i < 4);
		if (!stored->area)
			continue;
		assert_int_equal(stored->groups_x, 1024);
		assert_int_equal(stored->items_x, 64);
		assert_int_equal(stored->waves, 1);
	}
	assert_int_equal(with, 4);
	collect(&test);
	end(&test);
}

/* The same call site twice: its stack is announced once, before the dispatches that refer to it. */
static void stacks_are_announced_once(void **state)
{
	struct {
		struct probe_hr_dispatch dispatch;
		struct probe_hr_dispatch_origin origin;
		struct probe_hr_dispatch_stack stack;
	} rows[2];
	struct probe_hr_stack stack;
	struct dispatch_test test;
	volatile int calls = 2; /* at one address, because the loop is not unrolled */

	(void)state;
	begin(&test, PROBE_KIND_MEMORY);
	probe_tool.config.traced = PROBE_TRACED_STACKS;
	for (int i = 0; i < calls; i++)
		assert_true(submit(&test));
	assert_true(fake_record(PROBE_HR_STACK, &stack, sizeof(stack)));
	assert_false(fake_record(PROBE_HR_STACK, &stack, sizeof(stack)));
	end(&test);
	begin(&test, PROBE_KIND_MEMORY);
	probe_tool.config.traced = PROBE_TRACED_STACKS;
	for (int i = 0; i < calls; i++)
		assert_true(submit(&test));
	for (int i = 0; i < 2; i++)
		assert_true(fake_record(PROBE_HR_DISPATCH, &rows[i], sizeof(rows[i])));
	assert_int_not_equal(rows[0].stack.stack, 0);
	assert_int_equal(rows[0].stack.stack, rows[1].stack.stack);
	assert_int_not_equal(rows[0].origin.correlation, rows[1].origin.correlation);
	end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clone_gets_arguments_and_context),
		cmocka_unit_test(replicas_are_no_more_than_waves),
		cmocka_unit_test(workgroup_filter_has_two_contexts),
		cmocka_unit_test(segments_are_the_larger_ones),
		cmocka_unit_test(verdicts_of_the_kernel),
		cmocka_unit_test(verdicts_of_the_clones_resources),
		cmocka_unit_test(verdicts_of_memory),
		cmocka_unit_test(rings_are_required_by_their_kinds),
		cmocka_unit_test(cooperative_clones_must_be_resident),
		cmocka_unit_test(dispatches_are_selected_by_number),
		cmocka_unit_test(gate_protects_a_counter_table),
		cmocka_unit_test(argument_blocks_run_out_and_return),
		cmocka_unit_test(wave_storage_leaves_space_for_arguments),
		cmocka_unit_test(stacks_are_announced_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
