/* SPDX-License-Identifier: MIT */
#include "cmds/record/access_groups.h"

#include <stdlib.h>

#include "codeobj/sites.h"
#include "wire/trace_expand.h"

struct access_groups {
	struct probe_trace_groups table;
	struct probe_trace_group *groups;
	const struct probe_trace_group **by_site;
};

/* The table is not trusted: a group's sites must be accesses, and the ids of its bases its own. */
static bool read_group(const struct probe_sites *sites, uint32_t id, struct probe_trace_group *ret)
{
	if (!probe_trace_group_read(id, probe_sites_string(sites, sites->sites[id].name), ret) ||
	    ret->first_site > id || ret->sites > id - ret->first_site ||
	    ret->bases >= sites->site_count - id)
		return false;
	for (uint32_t i = 0; i < ret->sites; i++) {
		const struct probe_site *site = &sites->sites[ret->first_site + i];

		if (probe_site_is_mark(site->access) || probe_site_is_row(site->access))
			return false;
		ret->site[i].lds = site->space == PROBE_SPACE_LDS;
	}
	return true;
}

struct access_groups *access_groups_create(const struct probe_sites *sites)
{
	struct access_groups *ret = calloc(1, sizeof(*ret));
	uint32_t count = 0;

	for (uint32_t i = 0; i < sites->site_count; i++)
		count += sites->sites[i].access == PROBE_ACCESS_GROUP;
	if (!ret || !count) {
		free(ret);
		return NULL;
	}
	ret->groups = calloc(count, sizeof(*ret->groups));
	ret->by_site = calloc(sites->site_count, sizeof(const struct probe_trace_group *));
	if (!ret->groups || !ret->by_site) {
		access_groups_destroy(ret);
		return NULL;
	}
	count = 0;
	for (uint32_t id = 0; id < sites->site_count; id++) {
		struct probe_trace_group *group = &ret->groups[count];

		if (sites->sites[id].access != PROBE_ACCESS_GROUP || !read_group(sites, id, group))
			continue;
		for (uint32_t i = 0; i <= group->bases; i++)
			ret->by_site[id + i] = group;
		id += group->bases;
		count++;
	}
	ret->table = (struct probe_trace_groups){ret->by_site, sites->site_count};
	return ret;
}

void access_groups_destroy(struct access_groups *groups)
{
	if (!groups)
		return;
	free(groups->groups);
	free(groups->by_site);
	free(groups);
}

const struct probe_trace_groups *access_groups_table(const struct access_groups *groups)
{
	return groups ? &groups->table : NULL;
}
