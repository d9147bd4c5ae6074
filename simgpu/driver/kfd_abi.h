/* SPDX-License-Identifier: MIT */
/*
 * Definitions of newer kernels that are missing in linux/kfd_ioctl.h of the oldest supported kernel
 * headers (interface 1.11, Debian 12). Sizes are those of the interface, so a test can compare them
 * with a newer header.
 */
#ifndef PROBE_SIMGPU_DRIVER_KFD_ABI_H
#define PROBE_SIMGPU_DRIVER_KFD_ABI_H

#include <stdint.h>

#include <linux/kfd_ioctl.h>

enum {
	/*
	 * Interface 1.14: it reports available memory and event ages, but has no API for virtual
	 * memory.
	 */
	SIM_KFD_MAJOR = 1,
	SIM_KFD_MINOR = 14,
	SIM_KFD_COMMANDS = 0x27, /* all request numbers are below it */
	SIM_KFD_DOORBELL_BYTES = 8192,
	SIM_KFD_QUEUE_BY_ENGINE = 4, /* KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID */
	SIM_KFD_ENOTSUPP = 524,	     /* the kernel's own number, not in errno.h */
};

/* KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE, which the header shifts into the sign. */
#define SIM_KFD_WRITABLE 0x80000000u

/* struct kfd_event_data with the age of an event, since 1.14. */
struct sim_kfd_event_data {
	union {
		struct kfd_hsa_memory_exception_data memory_exception_data;
		struct kfd_hsa_hw_exception_data hw_exception_data;
		uint64_t last_event_age;
	};
	uint64_t kfd_event_data_ext;
	uint32_t event_id;
	uint32_t pad;
};

#endif
