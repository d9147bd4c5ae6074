/* SPDX-License-Identifier: MIT */
/* Tables of every size ROCr has had: each function is found at its place, hooks land there. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "hsa-plugin/runtime/api_table.h"

enum { ENTRIES = 140 };

struct table {
	struct probe_table_version version;
	uintptr_t entry[ENTRIES];
};

struct fixture {
	struct table core, amd;
	struct probe_api_root root;
};

/* Entry i of the core is 1000 + i, of the extension 5000 + i. */
static void make(struct fixture *fixture, uint32_t core_bytes, uint32_t amd_bytes)
{
	memset(fixture, 0, sizeof(*fixture));
	fixture->core.version.minor_id = core_bytes;
	fixture->amd.version.minor_id = amd_bytes;
	for (uintptr_t i = 0; i < ENTRIES; i++) {
		fixture->core.entry[i] = 1000 + i;
		fixture->amd.entry[i] = 5000 + i;
	}
	fixture->root.version.minor_id = 48;
	fixture->root.core = (struct probe_api_table *)&fixture->core;
	fixture->root.amd_ext = (struct probe_api_table *)&fixture->amd;
}

static const struct release {
	uint32_t bytes;
	int async_copy, allow_access, lock, priority, get_mask, get_info, counted, create;
} releases[] = {
	{400, 15, 17, 20, 37, 47, -1, -1, -1}, /* 5.2, 5.3, 5.4 */
	{424, 15, 17, 20, 37, 50, -1, -1, -1}, /* 5.5 */
	{456, 15, 19, 22, 39, 52, -1, -1, -1}, /* 5.6, 5.7 */
	{552, 15, 19, 22, 39, 52, -1, -1, -1}, /* 6.0 */
	{560, 15, 19, 22, 39, 52, -1, -1, -1}, /* 6.1 */
	{576, 15, 19, 22, 39, 52, 68, -1, -1}, /* 6.2 */
	{584, 15, 19, 22, 39, 52, 68, -1, -1}, /* 6.4 */
	{608, 15, 19, 22, 39, 52, 68, -1, -1}, /* 7.0 */
	{624, 15, 19, 22, 39, 52, 68, -1, -1}, /* 7.2 */
	{640, 15, 19, 22, 39, 52, 68, 76, -1}, /* with counted queues */
	{712, 15, 19, 22, 39, 52, 68, 76, 86}, /* with hsa_amd_queue_create */
	{760, 15, 19, 22, 39, 52, 68, 76, 86}, /* some later one */
};

#define AT(pointer) ((uintptr_t)(pointer))

static void every_release_is_read(void **state)
{
	struct fixture fixture;
	struct probe_hsa hsa;

	(void)state;
	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		const struct release *release = &releases[i];

		make(&fixture, 1016, release->bytes);
		assert_int_equal(probe_hsa_read(&fixture.root, &hsa), 0);
		assert_int_equal(AT(hsa.memory_async_copy), 5000 + release->async_copy);
		assert_int_equal(AT(hsa.agents_allow_access), 5000 + release->allow_access);
		assert_int_equal(AT(hsa.memory_lock), 5000 + release->lock);
		assert_int_equal(AT(hsa.queue_set_priority), 5000 + release->priority);
		assert_int_equal(AT(hsa.queue_cu_get_mask), 5000 + release->get_mask);
		assert_int_equal(AT(hsa.queue_get_info),
				 release->get_info < 0 ? 0 : 5000 + release->get_info);
		assert_int_equal(AT(hsa.counted_queue_acquire),
				 release->counted < 0 ? 0 : 5000 + release->counted);
		assert_int_equal(AT(hsa.counted_queue_release),
				 release->counted < 0 ? 0 : 5001 + release->counted);
		assert_int_equal(AT(hsa.queue_create_amd),
				 release->create < 0 ? 0 : 5000 + release->create);
		assert_int_equal(hsa.large_sample_buffers, release->bytes >= 608);
	}
}

/* Positions in the core table, by the public list of functions (125 entries). */
static void core_is_read(void **state)
{
	struct fixture fixture;
	struct probe_hsa hsa;

	(void)state;
	make(&fixture, 1016, 400);
	assert_int_equal(probe_hsa_read(&fixture.root, &hsa), 0);
	assert_int_equal(AT(hsa.shut_down), 1001);
	assert_int_equal(AT(hsa.iterate_agents), 1005);
	assert_int_equal(AT(hsa.queue_create), 1007);
	assert_int_equal(AT(hsa.queue_destroy), 1009);
	assert_int_equal(AT(hsa.queue_store_write_index_screlease), 1016);
	assert_int_equal(AT(hsa.signal_create), 1037);
	assert_int_equal(AT(hsa.signal_store_relaxed), 1041);
	assert_int_equal(AT(hsa.signal_store_screlease), 1042);
	assert_int_equal(AT(hsa.signal_subtract_screlease), 1067);
	assert_int_equal(AT(hsa.executable_destroy), 1084);
	assert_int_equal(AT(hsa.executable_freeze), 1086);
	assert_int_equal(AT(hsa.executable_symbol_get_info), 1093);
	assert_int_equal(AT(hsa.system_get_major_extension_table), 1098);
	assert_int_equal(AT(hsa.executable_iterate_agent_symbols), 1123);
}

static void unknown_tables_are_refused(void **state)
{
	struct fixture fixture;
	struct probe_hsa hsa;

	(void)state;
	assert_int_equal(probe_hsa_read(NULL, &hsa), -ENOTSUP);
	make(&fixture, 1016, 392);
	assert_int_equal(probe_hsa_read(&fixture.root, &hsa), -ENOTSUP);
	make(&fixture, 1008, 400);
	assert_int_equal(probe_hsa_read(&fixture.root, &hsa), -ENOTSUP);
	make(&fixture, 1016, 400);
	fixture.root.version.minor_id = 24;
	assert_int_equal(probe_hsa_read(&fixture.root, &hsa), -ENOTSUP);
	make(&fixture, 1016, 400);
	fixture.root.core = NULL;
	assert_int_equal(probe_hsa_read(&fixture.root, &hsa), -ENOTSUP);
	make(&fixture, 1016, 400);
	fixture.core.entry[7] = 0;
	assert_int_equal(probe_hsa_read(&fixture.root, &hsa), -EINVAL);
	make(&fixture, 1016, 400);
	fixture.amd.entry[13] = 0;
	assert_int_equal(probe_hsa_read(&fixture.root, &hsa), -EINVAL);
	/* what can be missed may be missing */
	make(&fixture, 1016, 400);
	fixture.amd.entry[37] = 0;
	assert_int_equal(probe_hsa_read(&fixture.root, &hsa), 0);
	assert_null(hsa.queue_set_priority);
}

static void hooks_change_only_their_entries(void **state)
{
	struct probe_hsa_hooks hooks = {0};
	struct fixture fixture, before;
	int changed = 0;

	(void)state;
	make(&fixture, 1016, 456);
	before = fixture;
	hooks.queue_create = (__typeof__(hooks.queue_create))(uintptr_t)1;
	hooks.signal_store_screlease = (__typeof__(hooks.signal_store_screlease))(uintptr_t)2;
	hooks.queue_set_priority = (__typeof__(hooks.queue_set_priority))(uintptr_t)3;
	/* not in a table of this size: must not be written behind its end */
	hooks.queue_get_info = (__typeof__(hooks.queue_get_info))(uintptr_t)4;
	probe_hsa_install(&fixture.root, &hooks);
	assert_int_equal(fixture.core.entry[7], 1);
	assert_int_equal(fixture.core.entry[42], 2);
	assert_int_equal(fixture.amd.entry[39], 3);
	for (int i = 0; i < ENTRIES; i++)
		changed += (fixture.core.entry[i] != before.core.entry[i]) +
			   (fixture.amd.entry[i] != before.amd.entry[i]);
	assert_int_equal(changed, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_release_is_read),
		cmocka_unit_test(core_is_read),
		cmocka_unit_test(unknown_tables_are_refused),
		cmocka_unit_test(hooks_change_only_their_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
