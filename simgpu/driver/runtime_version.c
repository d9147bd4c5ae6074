/* SPDX-License-Identifier: MIT */
#include "simgpu/driver/runtime_version.h"

#include <dlfcn.h>
#include <string.h>

#include "simgpu/base/simulated_device.h"

/* Not dlsym() alone: the runtime may have been opened locally. */
static bool runtime_lacks(const char *function)
{
	void *runtime = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
	bool lacks = runtime && !dlsym(runtime, function);

	if (runtime)
		dlclose(runtime);
	return lacks;
}

bool sim_runtime_knows_device(void)
{
	/* The function came with ROCr 6.0, as gfx942 did. */
	return strcmp(sim_device()->target, "gfx942") ||
	       !runtime_lacks("hsa_amd_vmem_address_reserve");
}

bool sim_runtime_before_7(void)
{
	return runtime_lacks("hsa_amd_portable_export_dmabuf_v2");
}
