/* SPDX-License-Identifier: MIT */
/* A library that rocprofiler-register takes for a profiler, as PyTorch's libtorch_cpu.so is. */
void *rocprofiler_configure(unsigned version, const char *runtime, unsigned priority, void *client);
__attribute__((visibility("default"))) void *
rocprofiler_configure(unsigned version, const char *runtime, unsigned priority, void *client)
{
	(void)version;
	(void)runtime;
	(void)priority;
	(void)client;
	return (void *)0;
}
