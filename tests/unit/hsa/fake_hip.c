/* SPDX-License-Identifier: MIT */
/*
 * Stands in for libamdhip64.so: calls the tool as HIP 5.3.2 and later do, with memory on the stack
 * that has any contents. ARGUMENTS: bytes of the largest call's arguments; R0600: HIP 6 and later.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { DOMAIN_OPERATIONS = 2, DOMAIN_API = 3, LAST = 3, GUARD = 0x5a };

struct trace {
	uint64_t correlation;
	uint32_t phase;
	_Alignas(8) uint8_t arguments[ARGUMENTS];
	uint64_t time, data;
	void (*enter)(uint32_t id, struct trace *trace);
	void (*exit)(uint32_t id, struct trace *trace);
	uint8_t guard[256];
};

typedef int tracer(uint32_t domain, uint32_t id, struct trace *trace);

static tracer *report;

EXPORT void hipRegisterTracerCallback(tracer *function);
EXPORT int hipInit(unsigned flags);
EXPORT const char *hipApiName(uint32_t id);
EXPORT bool fake_hip_call(uint32_t id, bool (*inside)(void));
EXPORT bool fake_hip_profiles_commands(void);

void hipRegisterTracerCallback(tracer *function)
{
	report = function;
}

int hipInit(unsigned flags)
{
	return (int)flags;
}

const char *hipApiName(uint32_t id)
{
	static const char *const names[LAST + 1] = {"unknown", "__hipPopCallConfiguration",
						    "hipMalloc", "hipMemcpy"};

	return id <= LAST ? names[id] : "unknown";
}

#ifdef R0600
EXPORT int hipGetDevicePropertiesR0600(void *properties, int device);
int hipGetDevicePropertiesR0600(void *properties, int device)
{
	return properties ? device : -1;
}
#endif

/* False if the tool wrote where it must not, or if `inside` says so. */
bool fake_hip_call(uint32_t id, bool (*inside)(void))
{
	struct trace trace;
	bool traced, ret;

	memset(&trace, GUARD, sizeof(trace));
	traced = report && report(DOMAIN_API, id, &trace) == 0;
	if (traced && trace.enter) {
		memset(trace.arguments, 0x11, sizeof(trace.arguments));
		trace.enter(id, &trace);
	}
	ret = !inside || inside();
	if (traced && trace.exit)
		trace.exit(id, &trace);
	for (unsigned i = 0; i < sizeof(trace.guard); i++)
		ret = ret && trace.guard[i] == GUARD;
	return ret;
}

bool fake_hip_profiles_commands(void)
{
	return report && report(DOMAIN_OPERATIONS, 0, NULL) == 0;
}
