/* SPDX-License-Identifier: MIT */
/*
 * probe-agents: prints agents and PC sampling of the HSA runtime for probe-run, one line each:
 *
 *   agent <tab> INDEX <tab> cpu|gpu <tab> ISA or name <tab> product
 *   sampling <tab> INDEX <tab> method <tab> units <tab> min <tab> max <tab> flags
 *   provider <tab> simulated | ROCr | none
 *
 * It is a separate program because LD_LIBRARY_PATH chooses the runtime and the runtime opens the
 * device. The runtime may be missing, so it is loaded at run time and not linked.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <hsa/hsa_ext_amd.h>

#include "common/hsa_pc_sampling.h"
#include "common/own_symbol.h"

static struct {
	__typeof__(hsa_init) *init;
	__typeof__(hsa_iterate_agents) *iterate_agents;
	__typeof__(hsa_agent_get_info) *agent_get_info;
	__typeof__(hsa_agent_iterate_isas) *iterate_isas;
	__typeof__(hsa_isa_get_info_alt) *isa_get_info;
	/* Of ROCr and of the simulated GPU. */
	probe_hsa_pcs_iterate *iterate_sampling, *iterate_simulated;
} hsa;

static const char *provider = "none";

static bool find(void)
{
	void *runtime = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_LOCAL);
	void *simulator;

	if (!runtime) {
		fprintf(stderr, "%s\n", dlerror());
		return false;
	}
	*(void **)&hsa.init = dlsym(runtime, "hsa_init");
	*(void **)&hsa.iterate_agents = dlsym(runtime, "hsa_iterate_agents");
	*(void **)&hsa.agent_get_info = dlsym(runtime, "hsa_agent_get_info");
	*(void **)&hsa.iterate_isas = dlsym(runtime, "hsa_agent_iterate_isas");
	*(void **)&hsa.isa_get_info = dlsym(runtime, "hsa_isa_get_info_alt");
	simulator = dlopen("libprobe-sim.so", RTLD_LAZY | RTLD_NOLOAD);
	/* Not the simulator's, which is preloaded. */
	*(void **)&hsa.iterate_sampling =
		probe_own_symbol(runtime, "hsa_init", "hsa_ven_amd_pcs_iterate_configuration");
	if (hsa.iterate_sampling)
		provider = "ROCr";
	if (simulator && dlsym(simulator, "probe_sim_version")) {
		provider = "simulated";
		*(void **)&hsa.iterate_simulated =
			dlsym(simulator, "hsa_ven_amd_pcs_iterate_configuration");
	}
	return hsa.init && hsa.iterate_agents && hsa.agent_get_info && hsa.iterate_isas &&
	       hsa.isa_get_info;
}

struct agent {
	unsigned index, configurations;
};

static hsa_status_t put_sampling(const struct probe_hsa_pcs_configuration *row, void *data)
{
	struct agent *agent = data;

	agent->configurations++;
	printf("sampling\t%u\t%u\t%u\t%zu\t%zu\t%" PRIu64 "\n", agent->index, row->method,
	       row->units, row->min_interval, row->max_interval, row->flags);
	return HSA_STATUS_SUCCESS;
}

/* ROCr's functions if they offer anything, as sampler.c of hsa-plugin chooses them. */
static void put_samplings(hsa_agent_t gpu, unsigned index)
{
	struct agent agent = {.index = index};

	/* Both return an error for an agent without it. */
	if (hsa.iterate_sampling)
		hsa.iterate_sampling(gpu, put_sampling, &agent);
	if (agent.configurations)
		provider = "ROCr";
	else if (hsa.iterate_simulated)
		hsa.iterate_simulated(gpu, put_sampling, &agent);
}

static hsa_status_t isa_name(hsa_isa_t isa, void *data)
{
	char name[128] = "", *gfx;
	uint32_t length = 0;

	hsa.isa_get_info(isa, HSA_ISA_INFO_NAME_LENGTH, &length);
	if (length < sizeof(name))
		hsa.isa_get_info(isa, HSA_ISA_INFO_NAME, name);
	gfx = strstr(name, "gfx");
	if (gfx)
		snprintf(data, 64, "%s", gfx);
	return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t put_agent(hsa_agent_t agent, void *data)
{
	char name[64] = "", product[64] = "";
	hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;
	unsigned *index = data;

	hsa.agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
	hsa.agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
	hsa.agent_get_info(agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_PRODUCT_NAME, product);
	if (type == HSA_DEVICE_TYPE_GPU)
		hsa.iterate_isas(agent, isa_name, name);
	printf("agent\t%u\t%s\t%.63s\t%.63s\n", *index, type == HSA_DEVICE_TYPE_GPU ? "gpu" : "cpu",
	       name, product);
	if (type == HSA_DEVICE_TYPE_GPU)
		put_samplings(agent, *index);
	++*index;
	return HSA_STATUS_SUCCESS;
}

int main(void)
{
	unsigned index = 0;

	if (!find())
		return 1;
	if (hsa.init()) {
		fprintf(stderr, "hsa_init failed\n");
		return 1;
	}
	if (hsa.iterate_agents(put_agent, &index))
		return 1;
	printf("provider\t%s\n", provider);
	return fflush(stdout) ? 1 : 0;
}
