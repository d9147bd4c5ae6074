/* SPDX-License-Identifier: MIT */
/* Functions of a ROCr after 7.2, which newer_runtime.c offers. */
#ifndef PROBE_TESTS_HSA_NEWER_RUNTIME_H
#define PROBE_TESTS_HSA_NEWER_RUNTIME_H

#include <stdint.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

/* hsa_amd_queue_create_desc_t, version 1 */
struct newer_descriptor {
	uint16_t version, flags;
	uint8_t engine_type, header[3];
	uint32_t queue_size_bytes;
	hsa_amd_queue_priority_t priority;
	void (*callback)(hsa_status_t, hsa_queue_t *, void *);
	void *callback_data;
	hsa_queue_t *queue;
	union {
		struct {
			const uint32_t *cu_mask;
			hsa_queue_type32_t type;
			uint32_t private_segment_size, cu_mask_count, reserved[3];
		} compute;
		uint8_t reserved_engine[32];
	};
	uint32_t traffic_class;
	uint8_t reserved[20];
};

typedef hsa_status_t newer_queue_create_fn(hsa_agent_t agent, struct newer_descriptor *descs,
					   uint32_t count);
typedef hsa_status_t newer_counted_acquire_fn(hsa_agent_t agent, uint32_t type, uint32_t priority,
					      void (*callback)(hsa_status_t, hsa_queue_t *, void *),
					      void *data, uint64_t flags, hsa_queue_t **queue);
typedef hsa_status_t newer_counted_release_fn(hsa_queue_t *queue);

__attribute__((visibility("default"))) newer_queue_create_fn newer_queue_create;
__attribute__((visibility("default"))) newer_counted_acquire_fn newer_counted_acquire;
__attribute__((visibility("default"))) newer_counted_release_fn newer_counted_release;

#endif
