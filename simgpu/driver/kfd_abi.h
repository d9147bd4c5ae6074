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
	/* Interface 1.15: the runtime's API for virtual memory needs it. */
	SIM_KFD_MAJOR = 1,
	SIM_KFD_MINOR = 15,
	/* It reports available memory and event ages, but has no API for virtual memory. */
	SIM_KFD_MINOR_BEFORE_7 = 14,
	/* With PC sampling, which also needs RUNTIME_ENABLE. */
	SIM_KFD_MINOR_SAMPLING = 16,
	SIM_KFD_COMMANDS = 0x86, /* all request numbers are below it */
	SIM_KFD_DOORBELL_BYTES = 8192,
	SIM_KFD_QUEUE_BY_ENGINE = 4, /* KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID */
	SIM_KFD_ENOTSUPP = 524,	     /* the kernel's own number, not in errno.h */
};

/* Since 1.12. */
struct sim_kfd_export_dmabuf_args {
	uint64_t handle;
	uint32_t flags; /* as for open() */
	uint32_t dmabuf_fd;
};

#define SIM_KFD_IOC_EXPORT_DMABUF _IOWR(AMDKFD_IOCTL_BASE, 0x24, struct sim_kfd_export_dmabuf_args)

/* Since 1.13. */
struct sim_kfd_runtime_enable_args {
	uint64_t r_debug;
	uint32_t mode_mask;
	uint32_t capabilities_mask;
};

enum { SIM_KFD_RUNTIME_ENABLE = 1 }; /* bit of mode_mask; 0: disable */

/* Of AMD's own kernel driver only, since 1.16. */
struct sim_kfd_pc_sample_info {
	uint64_t interval, interval_min, interval_max, flags;
	uint32_t method, type;
};

struct sim_kfd_pc_sample_args {
	uint64_t sample_info_ptr;
	uint32_t num_sample_info;
	uint32_t op;
	uint32_t gpu_id;
	uint32_t trace_id;
	uint32_t flags;
	uint32_t reserved;
};

enum {
	SIM_KFD_PCS_QUERY,
	SIM_KFD_PCS_CREATE,
	SIM_KFD_PCS_DESTROY,
	SIM_KFD_PCS_START,
	SIM_KFD_PCS_STOP,

	SIM_KFD_PCS_QUERY_FULL = 1, /* flag: not the live configuration, but all */
	SIM_KFD_PCS_HOST_TRAP = 1,  /* method */
	SIM_KFD_PCS_STOCHASTIC = 2,
	SIM_KFD_PCS_MICROSECONDS = 0, /* type */
	SIM_KFD_PCS_CYCLES = 1,
	SIM_KFD_PCS_POWER_OF_2 = 1, /* flag of a method: its interval must be a power of two */
};

#define SIM_KFD_IOC_RUNTIME_ENABLE                                                                 \
	_IOWR(AMDKFD_IOCTL_BASE, 0x25, struct sim_kfd_runtime_enable_args)
#define SIM_KFD_IOC_PC_SAMPLE _IOWR(AMDKFD_IOCTL_BASE, 0x85, struct sim_kfd_pc_sample_args)

/*
 * The beginning of the memory in which a queue's waves are saved. The thunk writes it; the driver
 * reads where to store the queue's exceptions, and which event to set.
 */
struct sim_kfd_save_area_header {
	uint32_t offsets[6];
	uint64_t exceptions; /* address of 64 bits, one for each exception */
	uint32_t event;
	uint32_t reserved;
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
