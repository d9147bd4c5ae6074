/* SPDX-License-Identifier: MIT */
#include "tests/hsa/hsa_app.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static hsa_status_t see_agent(hsa_agent_t agent, void *data)
{
	struct app *app = data;
	hsa_device_type_t type;

	HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
	if (type == HSA_DEVICE_TYPE_GPU)
		app->gpu = agent;
	else
		app->cpu = agent;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t see_pool(hsa_amd_memory_pool_t pool, void *data)
{
	struct app *app = data;
	hsa_amd_segment_t segment;
	uint32_t flags;

	HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
	if (segment != HSA_AMD_SEGMENT_GLOBAL)
		return HSA_STATUS_SUCCESS;
	HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
	if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
		app->kernargs = pool;
	return HSA_STATUS_SUCCESS;
}

void app_start(struct app *app, const char *code_object)
{
	hsa_code_object_reader_t reader;
	int file = open(code_object, O_RDONLY);

	EXPECT(file >= 0);
	HSA(hsa_init());
	HSA(hsa_iterate_agents(see_agent, app));
	HSA(hsa_amd_agent_iterate_memory_pools(app->cpu, see_pool, app));
	HSA(hsa_code_object_reader_create_from_file(file, &reader));
	HSA(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
				      NULL, &app->executable));
	HSA(hsa_executable_load_agent_code_object(app->executable, app->gpu, reader, NULL, NULL));
	HSA(hsa_executable_freeze(app->executable, NULL));
	HSA(hsa_code_object_reader_destroy(reader));
	close(file);
}

void app_start_again(struct app *app, const char *code_object)
{
	hsa_status_t status = hsa_init();

	if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES && HSA_AMD_INTERFACE_VERSION_MINOR >= 7) {
		fprintf(stderr, "skipped: this runtime refuses a second hsa_init\n");
		exit(77);
	}
	EXPECT(!status);
	app_start(app, code_object);
	HSA(hsa_shut_down());
}

struct app_kernel app_kernel(const struct app *app, const char *name)
{
	hsa_executable_symbol_t symbol;
	struct app_kernel kernel;
	char text[200];

	snprintf(text, sizeof(text), "%s.kd", name);
	HSA(hsa_executable_get_symbol_by_name(app->executable, text, &app->gpu, &symbol));
	HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
					   &kernel.object));
	HSA(hsa_executable_symbol_get_info(
		symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernel.kernarg));
	HSA(hsa_executable_symbol_get_info(
		symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &kernel.group));
	HSA(hsa_executable_symbol_get_info(symbol,
					   HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
					   &kernel.private_size));
	return kernel;
}

void *app_memory(const struct app *app, size_t size)
{
	void *memory;

	HSA(hsa_amd_memory_pool_allocate(app->kernargs, size, 0, &memory));
	HSA(hsa_amd_agents_allow_access(1, &app->gpu, NULL, memory));
	memset(memory, 0, size);
	return memory;
}

static void on_error(hsa_status_t status, hsa_queue_t *queue, void *data)
{
	(void)data;
	fprintf(stderr, "queue %p: error %d\n", (void *)queue, status);
	exit(1);
}

hsa_queue_t *app_queue(const struct app *app, uint32_t size, hsa_queue_type32_t type)
{
	hsa_queue_t *queue;

	HSA(hsa_queue_create(app->gpu, size, type, on_error, NULL, UINT32_MAX, UINT32_MAX, &queue));
	return queue;
}

static void submit(hsa_queue_t *queue, const void *packet)
{
	uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
	char *slot = (char *)queue->base_address + index % queue->size * 64;
	uint32_t first;

	while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size)
		;
	memcpy(slot + 4, (const char *)packet + 4, 60);
	memcpy(&first, packet, 4);
	__atomic_store_n((uint32_t *)(void *)slot, first, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

static uint16_t header(int type, int barrier)
{
	return (uint16_t)(type << HSA_PACKET_HEADER_TYPE | barrier << HSA_PACKET_HEADER_BARRIER |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

void app_dispatch(const struct app *app, hsa_queue_t *queue, const struct app_launch *launch)
{
	/* Blocks are never given back: the programs end soon. */
	static __thread char *block, *end;
	const struct app_kernel *kernel = launch->kernel;
	uint32_t size = (kernel->kernarg + 63) & ~63u;
	hsa_kernel_dispatch_packet_t packet = {
		.header = header(HSA_PACKET_TYPE_KERNEL_DISPATCH, !launch->no_barrier),
		.setup = 1,
		.workgroup_size_x = (uint16_t)launch->group,
		.workgroup_size_y = 1,
		.workgroup_size_z = 1,
		.grid_size_x = launch->items,
		.grid_size_y = 1,
		.grid_size_z = 1,
		.private_segment_size = kernel->private_size,
		.group_segment_size = kernel->group + launch->dynamic_lds,
		.kernel_object = kernel->object,
		.completion_signal = launch->signal,
	};

	if (end - block < (long)size) {
		block = app_memory(app, 1 << 20);
		end = block + (1 << 20);
	}
	/* Less than a struct's size if the last argument is a short one. */
	memcpy(block, launch->args,
	       launch->args_size < kernel->kernarg ? launch->args_size : kernel->kernarg);
	packet.kernarg_address = block;
	block += size;
	submit(queue, &packet);
}

void app_wait_for(hsa_queue_t *queue, hsa_signal_t signal)
{
	hsa_barrier_and_packet_t packet = {.header = header(HSA_PACKET_TYPE_BARRIER_AND, 1)};

	packet.dep_signal[0] = signal;
	submit(queue, &packet);
}

void app_finish(hsa_queue_t *queue)
{
	hsa_barrier_and_packet_t packet = {.header = header(HSA_PACKET_TYPE_BARRIER_AND, 1)};

	HSA(hsa_signal_create(1, 0, NULL, &packet.completion_signal));
	submit(queue, &packet);
	EXPECT(hsa_signal_wait_scacquire(packet.completion_signal, HSA_SIGNAL_CONDITION_LT, 1,
					 UINT64_MAX, HSA_WAIT_STATE_BLOCKED) == 0);
	HSA(hsa_signal_destroy(packet.completion_signal));
}

double app_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
