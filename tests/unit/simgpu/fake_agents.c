/* SPDX-License-Identifier: MIT */
/* Takes the place of libhsa-runtime64.so.1 for what the machine asks of it: an agent's node. */
#include <hsa/hsa.h>

hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value)
{
	(void)attribute;
	*(uint32_t *)value = (uint32_t)agent.handle;
	return agent.handle ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_AGENT;
}
