/* SPDX-License-Identifier: MIT */
/* The runtime loaded, used, shut down and unloaded, several times in one process. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: %s is false\n", __LINE__, #condition);           \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

static hsa_status_t (*get_info)(hsa_agent_t, hsa_agent_info_t, void *);

static hsa_status_t see_agent(hsa_agent_t agent, void *data)
{
	hsa_device_type_t type;

	EXPECT(!get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
	if (type == HSA_DEVICE_TYPE_GPU)
		*(hsa_agent_t *)data = agent;
	return HSA_STATUS_SUCCESS;
}

int main(void)
{
	for (int round = 0; round < 4; round++) {
		void *library = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_LOCAL);
		hsa_status_t (*init)(void), (*shut_down)(void);
		hsa_status_t (*iterate)(hsa_status_t(*)(hsa_agent_t, void *), void *);
		hsa_status_t (*create)(hsa_agent_t, uint32_t, hsa_queue_type32_t,
				       void (*)(hsa_status_t, hsa_queue_t *, void *), void *,
				       uint32_t, uint32_t, hsa_queue_t **);
		hsa_status_t (*destroy)(hsa_queue_t *);
		hsa_agent_t gpu = {0};
		hsa_queue_t *queue;

		EXPECT(library);
		*(void **)&init = dlsym(library, "hsa_init");
		*(void **)&shut_down = dlsym(library, "hsa_shut_down");
		*(void **)&iterate = dlsym(library, "hsa_iterate_agents");
		*(void **)&get_info = dlsym(library, "hsa_agent_get_info");
		*(void **)&create = dlsym(library, "hsa_queue_create");
		*(void **)&destroy = dlsym(library, "hsa_queue_destroy");
		EXPECT(init && shut_down && iterate && get_info && create && destroy);
		EXPECT(!init() && !iterate(see_agent, &gpu) && gpu.handle);
		EXPECT(!create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX,
			       &queue));
		EXPECT(!destroy(queue) && !shut_down() && !dlclose(library));
		/* Not held by the device: a program that unloads the runtime is rid of it. */
		EXPECT(!dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD));
		/*
		 * A second events page is an error to the driver (kfd_kmap_event_page): ROCr 7.2
		 * then ends the process.
		 */
		if (HSA_AMD_INTERFACE_VERSION_MINOR >= 15) {
			puts("skipped: loaded again, this runtime forgets the events page that the "
			     "driver has");
			return 77;
		}
	}
	return 0;
}
