/* SPDX-License-Identifier: MIT */
/*
 * Managed memory: host memory that becomes accessible to GPUs by attributes of its address ranges,
 * as the driver's SVM calls set them. The simulator has only one memory, so locations, granularity
 * and coherence flags are stored and have no effect.
 */
#ifndef PROBE_SIMGPU_MEM_MANAGED_MEMORY_H
#define PROBE_SIMGPU_MEM_MANAGED_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Values of the driver's interface. */
enum sim_svm_type {
	SIM_SVM_PREFERRED_LOCATION,
	SIM_SVM_PREFETCH_LOCATION,
	SIM_SVM_ACCESS,
	SIM_SVM_ACCESS_IN_PLACE,
	SIM_SVM_NO_ACCESS,
	SIM_SVM_SET_FLAGS,
	SIM_SVM_CLEAR_FLAGS,
	SIM_SVM_GRANULARITY,
};

/* The flags that have an effect. */
enum sim_svm_flags {
	SIM_SVM_READ_ONLY = 8,
	SIM_SVM_EXECUTABLE = 16,
};

#define SIM_SVM_NOWHERE UINT32_MAX

/* For locations and access, value is a node (0: host memory, or SIM_SVM_NOWHERE). */
struct sim_svm_attribute {
	uint32_t type, value;
};

/* Affects whole pages. 0, -EINVAL for an unknown type or an empty range, -ENOMEM. */
int sim_svm_set(uint64_t base, uint64_t size, const struct sim_svm_attribute *attributes,
		size_t count);

/*
 * Fills in values. For an access type, the value is a node, and the result is stored in the type:
 * ACCESS if the node may access the whole range, else NO_ACCESS. Ranges that were never set are
 * ignored. If the others differ, a location is SIM_SVM_NOWHERE, and a flag is clear.
 */
int sim_svm_get(uint64_t base, uint64_t size, struct sim_svm_attribute *attributes, size_t count);

#endif
