/* SPDX-License-Identifier: MIT */
/* Sessions of the simulated GPU's PC sampling: what is delivered, when, on whose thread. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/hsa_pc_sampling.h"
#include "simgpu/sampling/sampling_sessions.h"

enum { BUFFER = 16 * SIM_SAMPLE_BYTES, PERIOD = 1024 };

probe_hsa_pcs_create hsa_ven_amd_pcs_create;
probe_hsa_pcs_call hsa_ven_amd_pcs_start, hsa_ven_amd_pcs_stop, hsa_ven_amd_pcs_flush,
	hsa_ven_amd_pcs_destroy;

static const hsa_agent_t gpu = {1}; /* the handle is the node */

struct client {
	probe_hsa_pcs_t session;
	uint64_t serial; /* of the machine's side */
	pthread_mutex_t lock;
	uint64_t received, partial, lost;
	uint64_t next[8]; /* by giver: samples come in the order they were given */
	bool in_order, refuse;
	pthread_t thread;
};

static void ready(void *data, size_t size, size_t lost, probe_hsa_pcs_copy *copy, void *hsa_data)
{
	struct client *client = data;
	uint64_t records[BUFFER / 8];

	assert_true(size && size <= BUFFER && size % SIM_SAMPLE_BYTES == 0);
	pthread_mutex_lock(&client->lock);
	client->thread = pthread_self();
	client->lost += lost;
	client->partial += size < BUFFER;
	if (!client->refuse) {
		assert_int_equal(copy(hsa_data, size - 1, records), HSA_STATUS_ERROR_EXCEPTION);
		assert_int_equal(copy(hsa_data, size, records), HSA_STATUS_SUCCESS);
		assert_int_equal(copy(hsa_data, size, records), HSA_STATUS_ERROR_EXCEPTION);
		for (size_t i = 0; i < size / 8; i += SIM_SAMPLE_BYTES / 8) {
			uint64_t giver = records[i];

			client->in_order &= records[i + 1] == client->next[giver]++;
			client->received++;
		}
	}
	/* Not from this thread: it would wait for itself. */
	assert_int_equal(hsa_ven_amd_pcs_flush(client->session), HSA_STATUS_ERROR_INVALID_ARGUMENT);
	pthread_mutex_unlock(&client->lock);
}

static void begin(struct client *client)
{
	struct sim_sampling how;

	*client = (struct client){.in_order = true};
	pthread_mutex_init(&client->lock, NULL);
	/* The lock: a delivery reads the handle. */
	pthread_mutex_lock(&client->lock);
	assert_int_equal(hsa_ven_amd_pcs_create(gpu, PROBE_HSA_PCS_STOCHASTIC_V1,
						PROBE_HSA_PCS_CLOCK_CYCLES, PERIOD, 0, BUFFER,
						ready, client, &client->session),
			 HSA_STATUS_SUCCESS);
	pthread_mutex_unlock(&client->lock);
	assert_int_equal(sim_sampling_get(0).session, 0);
	assert_int_equal(hsa_ven_amd_pcs_start(client->session), HSA_STATUS_SUCCESS);
	how = sim_sampling_get(0);
	assert_int_equal(how.method, SIM_SAMPLING_STOCHASTIC);
	assert_int_equal(how.period, PERIOD);
	assert_int_equal(sim_sampling_get(1).session, 0);
	client->serial = how.session;
}

static void end(struct client *client)
{
	assert_int_equal(hsa_ven_amd_pcs_stop(client->session), HSA_STATUS_SUCCESS);
	assert_int_equal(hsa_ven_amd_pcs_destroy(client->session), HSA_STATUS_SUCCESS);
	assert_int_equal(hsa_ven_amd_pcs_destroy(client->session),
			 HSA_STATUS_ERROR_INVALID_ARGUMENT);
	assert_int_equal(sim_sampling_get(0).session, 0);
	pthread_mutex_destroy(&client->lock);
}

static void give(struct client *client, uint64_t giver, uint64_t first, size_t count)
{
	uint64_t *records = calloc(count, SIM_SAMPLE_BYTES);

	for (size_t i = 0; i < count; i++) {
		records[i * 8] = giver;
		records[i * 8 + 1] = first + i;
	}
	sim_sampling_deliver(0, client->serial, (const uint8_t *)records, count, 0);
	free(records);
}

static uint64_t received(struct client *client)
{
	uint64_t n;

	pthread_mutex_lock(&client->lock);
	n = client->received;
	pthread_mutex_unlock(&client->lock);
	return n;
}

static void flushes(void **state)
{
	struct client client;

	(void)state;
	begin(&client);
	give(&client, 0, 0, 15);
	assert_int_equal(hsa_ven_amd_pcs_flush(client.session), HSA_STATUS_SUCCESS);
	assert_int_equal(received(&client), 15);
	assert_int_equal(client.partial, 1);
	assert_int_equal(hsa_ven_amd_pcs_flush(client.session), HSA_STATUS_SUCCESS);
	assert_int_equal(received(&client), 15);
	give(&client, 0, 15, 1000);
	assert_int_equal(hsa_ven_amd_pcs_flush(client.session), HSA_STATUS_SUCCESS);
	assert_int_equal(received(&client), 1015);
	assert_int_equal(client.partial, 2);
	assert_false(pthread_equal(client.thread, pthread_self()));
	assert_true(client.in_order && !client.lost);
	/*
	 * Undelivered samples are lost with the session; samples for another session are dropped.
	 */
	give(&client, 0, 1015, 3);
	sim_sampling_deliver(0, client.serial + 1, (const uint8_t[64]){0}, 1, 0);
	end(&client);
	give(&client, 0, 1018, 100);
	assert_int_equal(client.received, 1015);
}

struct giver {
	struct client *client;
	uint64_t number;
};

static void *give_much(void *arg)
{
	struct giver *giver = arg;

	for (uint64_t n = 0; n < 40000; n += 400)
		give(giver->client, giver->number, n, 400);
	return NULL;
}

static void *flush_much(void *arg)
{
	struct client *client = arg;

	for (int i = 0; i < 200; i++)
		assert_int_equal(hsa_ven_amd_pcs_flush(client->session), HSA_STATUS_SUCCESS);
	return NULL;
}

/* More than the session keeps: givers wait, and nothing is lost or out of its giver's order. */
static void many_threads_deliver(void **state)
{
	struct client client;
	struct giver givers[4];
	pthread_t threads[5];

	(void)state;
	begin(&client);
	for (uint64_t i = 0; i < 4; i++) {
		givers[i] = (struct giver){&client, i};
		assert_int_equal(pthread_create(&threads[i], NULL, give_much, &givers[i]), 0);
	}
	assert_int_equal(pthread_create(&threads[4], NULL, flush_much, &client), 0);
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(hsa_ven_amd_pcs_flush(client.session), HSA_STATUS_SUCCESS);
	assert_int_equal(received(&client), 4 * 40000);
	assert_true(client.in_order && !client.lost);
	end(&client);
}

/* A session that goes while samples come: whoever gives them goes on. */
static void ends_during_delivery(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		struct client client;
		struct giver giver = {&client, 0};
		pthread_t thread;

		begin(&client);
		assert_int_equal(pthread_create(&thread, NULL, give_much, &giver), 0);
		while (!received(&client))
			sched_yield();
		assert_int_equal(hsa_ven_amd_pcs_destroy(client.session), HSA_STATUS_SUCCESS);
		pthread_join(thread, NULL);
		assert_true(client.in_order);
		pthread_mutex_destroy(&client.lock);
	}
}

/* Lost samples are reported once, with the next delivery. */
static void reports_losses(void **state)
{
	struct client client;

	(void)state;
	begin(&client);
	sim_sampling_deliver(0, client.serial, NULL, 0, 7);
	give(&client, 0, 0, 1);
	assert_int_equal(hsa_ven_amd_pcs_flush(client.session), HSA_STATUS_SUCCESS);
	give(&client, 0, 1, 1);
	assert_int_equal(hsa_ven_amd_pcs_flush(client.session), HSA_STATUS_SUCCESS);
	assert_int_equal(client.lost, 7);
	end(&client);
}

static int load_runtime(void **state)
{
	(void)state;
	return !dlopen(FAKE_RUNTIME, RTLD_NOW | RTLD_GLOBAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flushes),
		cmocka_unit_test(many_threads_deliver),
		cmocka_unit_test(ends_during_delivery),
		cmocka_unit_test(reports_losses),
	};

	return cmocka_run_group_tests_name("simgpu.sampling", tests, load_runtime, NULL);
}
