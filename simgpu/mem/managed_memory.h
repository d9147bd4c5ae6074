/* SPDX-License-Identifier: MIT */
/*
 * Managed memory: host memory that attributes of its address ranges make visible to GPUs, as the
 * driver's SVM calls set them. There is one memory here, so locations, granularity and flags of
 * coherence are stored and have no effect.
 */
#ifndef PROBE_SIMGPU_MEM_MANAGED_MEMORY_H
#define PROBE_SIMGPU_MEM_MANAGED_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Numbered as in the driver's interface and in the thunk's. */
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

/* value is a node (0: host memory, or SIM_SVM_NOWHERE) for locations and access. */
struct sim_svm_attribute {
	uint32_t type, value;
};

/* Whole pages are affected. 0, -EINVAL for an unknown type or no bytes, -ENOMEM. */
int sim_svm_set(uint64_t base, uint64_t size, const struct sim_svm_attribute *attributes,
		size_t count);

/*
 * Fill in values. For an access type the value asks about a node, and the type becomes the answer:
 * ACCESS if it may access all of the range, else NO_ACCESS. Ranges that were never set do not
 * count; a location or flag on which the others differ is SIM_SVM_NOWHERE, or clear.
 */
int sim_svm_get(uint64_t base, uint64_t size, struct sim_svm_attribute *attributes, size_t count);

#endif
