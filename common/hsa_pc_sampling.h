/* SPDX-License-Identifier: MIT */
/*
 * PC sampling as ROCr 6.2 and later offer it: the types and functions of AMD's
 * hsa_ven_amd_pc_sampling.h, declared here because ROCr 5.2 (Debian 12) has no such header and
 * because the functions are looked up by name at run time. AMD calls the interface experimental.
 * Values and order: ROCm/rocr-runtime, release 7.0.
 */
#ifndef PROBE_COMMON_HSA_PC_SAMPLING_H
#define PROBE_COMMON_HSA_PC_SAMPLING_H

#include <stddef.h>
#include <stdint.h>

#include <hsa/hsa.h>

enum probe_hsa_pcs_method {
	PROBE_HSA_PCS_HOSTTRAP_V1 = 0,
	PROBE_HSA_PCS_STOCHASTIC_V1 = 1,
};

enum probe_hsa_pcs_units {
	PROBE_HSA_PCS_MICRO_SECONDS = 0,
	PROBE_HSA_PCS_CLOCK_CYCLES = 1,
	PROBE_HSA_PCS_INSTRUCTIONS = 2, /* no GPU offers it */
};

enum { PROBE_HSA_PCS_POWER_OF_2 = 1 }; /* flag: the interval must be a power of two */

struct probe_hsa_pcs_configuration {
	uint32_t method; /* enum probe_hsa_pcs_method */
	uint32_t units;	 /* enum probe_hsa_pcs_units */
	size_t min_interval;
	size_t max_interval;
	uint64_t flags;
};

typedef struct {
	uint64_t handle;
} probe_hsa_pcs_t;

/* Status beyond those of Debian 12's header (hsa_ext_amd.h of ROCr 7.0). */
#define PROBE_HSA_STATUS_ERROR_RESOURCE_BUSY ((hsa_status_t)46)

/*
 * Copy the records announced by data_ready, with its hsa_data. ROCr 7.0 rejects any size but the
 * whole one.
 */
typedef hsa_status_t probe_hsa_pcs_copy(void *hsa_data, size_t data_size, void *destination);

/* Called on a thread of the library; must not call flush. `lost`: at best a lower bound. */
typedef void probe_hsa_pcs_data_ready(void *client_data, size_t data_size, size_t lost,
				      probe_hsa_pcs_copy *copy, void *hsa_data);

typedef hsa_status_t probe_hsa_pcs_visit(const struct probe_hsa_pcs_configuration *configuration,
					 void *data);

/* Under their exported names, hsa_ven_amd_pcs_<name>. */
typedef hsa_status_t probe_hsa_pcs_iterate(hsa_agent_t agent, probe_hsa_pcs_visit *visit,
					   void *data);
typedef hsa_status_t probe_hsa_pcs_create(hsa_agent_t agent, uint32_t method, uint32_t units,
					  size_t interval, size_t latency, size_t buffer_size,
					  probe_hsa_pcs_data_ready *ready, void *client_data,
					  probe_hsa_pcs_t *ret);
typedef hsa_status_t probe_hsa_pcs_call(probe_hsa_pcs_t sampling);

#endif
