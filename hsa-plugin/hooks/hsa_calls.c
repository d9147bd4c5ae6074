/* SPDX-License-Identifier: MIT */
/*
 * One wrapper per function. Parameters are words: each is passed in one register or in eight bytes
 * of the stack (System V ABI for x86-64, AAPCS64), as is the return value. A wrapper can therefore
 * pass them on without knowing their types.
 */
#include "hsa-plugin/hooks/hsa_calls.h"

#include "hsa-plugin/process/tool.h"
#include "hsa-plugin/runtime/hsa_functions.h"
#include "hsa-plugin/trace/calls.h"

typedef uint64_t word;

#define PARAMETERS_0  void
#define PARAMETERS_1  word a
#define PARAMETERS_2  PARAMETERS_1, word b
#define PARAMETERS_3  PARAMETERS_2, word c
#define PARAMETERS_4  PARAMETERS_3, word d
#define PARAMETERS_5  PARAMETERS_4, word e
#define PARAMETERS_6  PARAMETERS_5, word f
#define PARAMETERS_7  PARAMETERS_6, word g
#define PARAMETERS_8  PARAMETERS_7, word h
#define PARAMETERS_9  PARAMETERS_8, word i
#define PARAMETERS_10 PARAMETERS_9, word j

#define ARGUMENTS_0
#define ARGUMENTS_1  a
#define ARGUMENTS_2  a, b
#define ARGUMENTS_3  a, b, c
#define ARGUMENTS_4  a, b, c, d
#define ARGUMENTS_5  a, b, c, d, e
#define ARGUMENTS_6  a, b, c, d, e, f
#define ARGUMENTS_7  a, b, c, d, e, f, g
#define ARGUMENTS_8  a, b, c, d, e, f, g, h
#define ARGUMENTS_9  a, b, c, d, e, f, g, h, i
#define ARGUMENTS_10 a, b, c, d, e, f, g, h, i, j

#define CORE(name, count, index)	   F_##name,
#define AMD(name, count, index, new_index) F_##name,
enum function { PROBE_HSA_FUNCTIONS(CORE, AMD) FUNCTIONS };
#undef CORE
#undef AMD

_Static_assert(FUNCTIONS < PROBE_HIP_FUNCTIONS, "ids of HSA's functions");

/* The entries of the table before. */
static probe_entry originals[FUNCTIONS];

#define WRAPPER(name, count)                                                                       \
	static word call_##name(PARAMETERS_##count)                                                \
	{                                                                                          \
		word (*original)(PARAMETERS_##count) =                                             \
			(word(*)(PARAMETERS_##count))originals[F_##name];                          \
		struct probe_call call;                                                            \
		word ret;                                                                          \
                                                                                                   \
		if (!probe_call_begin(&call))                                                      \
			return original(ARGUMENTS_##count);                                        \
		ret = original(ARGUMENTS_##count);                                                 \
		probe_call_end(&call, F_##name + 1);                                               \
		return ret;                                                                        \
	}
#define CORE(name, count, index)	   WRAPPER(name, count)
#define AMD(name, count, index, new_index) WRAPPER(name, count)
PROBE_HSA_FUNCTIONS(CORE, AMD)
#undef CORE
#undef AMD

static const struct {
	const char *name;
	probe_entry wrapper;
	enum probe_domain domain;
	int index, new_index;
} functions[] = {
#define CORE(name, count, index)                                                                   \
	{#name, (probe_entry)call_##name, PROBE_DOMAIN_HSA_CORE, index, index},
#define AMD(name, count, index, new_index)                                                         \
	{#name, (probe_entry)call_##name, PROBE_DOMAIN_HSA_AMD, index, new_index},
	PROBE_HSA_FUNCTIONS(CORE, AMD)
#undef CORE
#undef AMD
};

void probe_hsa_calls_install(struct probe_api_root *root)
{
	static bool announced;

	if (!(probe_tool.config.traced & PROBE_TRACED_HSA))
		return;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		probe_entry *entry = functions[i].domain == PROBE_DOMAIN_HSA_CORE
					     ? probe_hsa_core_entry(root, functions[i].index)
					     : probe_hsa_amd_entry(root, functions[i].index,
								   functions[i].new_index);

		if (!entry)
			continue;
		if (!announced)
			probe_function_put(i + 1, functions[i].domain, functions[i].name);
		originals[i] = *entry;
		*entry = functions[i].wrapper;
	}
	announced = true;
}
