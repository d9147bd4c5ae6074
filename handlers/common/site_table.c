/* SPDX-License-Identifier: MIT */
#include "handlers/common/site_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct sites_kernel *make_kernel(const struct sites *sites,
					const struct probe_dispatch_info *dispatch)
{
	const struct probe_host *host = sites->host;
	struct sites_kernel *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return NULL;
	kernel->site_count = host->site_count(host->ctx, dispatch->code_object);
	kernel->sites = calloc(kernel->site_count + 1ul, sites->site_size);
	kernel->extra = calloc(1, sites->extra_size + 1);
	if (!kernel->sites || !kernel->extra) {
		free(kernel->sites);
		free(kernel->extra);
		free(kernel);
		return NULL;
	}
	kernel->code_object = dispatch->code_object;
	kernel->id = dispatch->kernel_id;
	kernel->wave = dispatch->wave_size == 32 ? 32 : 64;
	if (dispatch->arch)
		strncpy(kernel->arch, dispatch->arch, sizeof(kernel->arch) - 1);
	return kernel;
}

static struct sites_kernel *add_kernel(struct sites *sites,
				       const struct probe_dispatch_info *dispatch)
{
	struct sites_kernel *kernel;

	if (sites->count == sites->capacity) {
		size_t capacity = sites->capacity ? 2 * sites->capacity : 16;
		struct sites_kernel **kernels =
			realloc(sites->kernels, capacity * sizeof(*kernels));

		if (!kernels)
			return NULL;
		sites->kernels = kernels;
		sites->capacity = capacity;
	}
	kernel = make_kernel(sites, dispatch);
	if (kernel)
		sites->kernels[sites->count++] = kernel;
	return kernel;
}

struct sites_kernel *sites_kernel(struct sites *sites, const struct probe_dispatch_info *dispatch)
{
	struct sites_kernel *kernel = sites->current;

	if (kernel && kernel->id == dispatch->kernel_id &&
	    kernel->code_object == dispatch->code_object)
		return kernel;
	kernel = NULL;
	for (size_t i = 0; i < sites->count && !kernel; i++)
		if (sites->kernels[i]->id == dispatch->kernel_id &&
		    sites->kernels[i]->code_object == dispatch->code_object)
			kernel = sites->kernels[i];
	if (!kernel)
		kernel = add_kernel(sites, dispatch);
	if (kernel)
		sites->current = kernel;
	return kernel;
}

void sites_learn(const struct sites *sites, const struct sites_kernel *kernel, uint32_t id,
		 struct site_facts *facts)
{
	const struct probe_host *host = sites->host;
	const struct probe_site_info *info = host->site(host->ctx, kernel->code_object, id);

	facts->known = true;
	facts->invalid = !info || !info->unit || info->unit > 16 || info->bytes < info->unit ||
			 info->bytes % info->unit;
	if (facts->invalid)
		return;
	facts->access = info->access;
	facts->bytes = info->bytes;
	facts->unit = info->unit;
	facts->lds = info->space == PROBE_SPACE_LDS || info->space == PROBE_SPACE_FLAT;
	facts->global = info->space != PROBE_SPACE_LDS && info->space != PROBE_SPACE_SCRATCH;
}

void sites_report(const struct sites *sites, const char *handler)
{
	if (sites->invalid)
		sites->host->log(sites->host->ctx, PROBE_LOG_WARNING,
				 "%s: %llu records of unknown sites were ignored", handler,
				 (unsigned long long)sites->invalid);
}

void sites_deinit(struct sites *sites)
{
	for (size_t i = 0; i < sites->count; i++) {
		free(sites->kernels[i]->sites);
		free(sites->kernels[i]->extra);
		free(sites->kernels[i]);
	}
	free(sites->kernels);
	sites->kernels = NULL;
	sites->count = sites->capacity = 0;
}

static unsigned scale_of(char letter)
{
	switch (letter) {
	case 'k':
	case 'K':
		return 10;
	case 'm':
	case 'M':
		return 20;
	case 'g':
	case 'G':
		return 30;
	default:
		return 0;
	}
}

int sites_arg(const struct probe_host *host, const char *handler, const char *key, uint64_t min,
	      uint64_t max, uint64_t *ret)
{
	const char *text = host->arg(host->ctx, key);
	unsigned long long number;
	unsigned shift;
	char *end;

	if (!text)
		return 0;
	errno = 0;
	number = strtoull(text, &end, 10);
	shift = scale_of(*end);
	if (end != text && *text != '-' && !errno && !end[shift != 0] &&
	    number <= UINT64_MAX >> shift && number << shift >= min && number << shift <= max) {
		*ret = number << shift;
		return 0;
	}
	host->log(
		host->ctx, PROBE_LOG_ERROR,
		"invalid value '%s' for %s:%s=; expected a number from %llu to %llu, with or without K, M or G",
		text, handler, key, (unsigned long long)min, (unsigned long long)max);
	return -EINVAL;
}

int sites_write(const struct sites *sites, const struct probe_column *columns, size_t count,
		int (*row)(const struct probe_host *host, int table,
			   const struct sites_kernel *kernel, uint32_t id))
{
	const struct probe_host *host = sites->host;
	int table = host->table(host->ctx, "site", columns, count);
	int err = table < 0 ? table : 0;

	for (size_t k = 0; k < sites->count; k++)
		for (uint32_t id = 0; id < sites->kernels[k]->site_count && !err; id++)
			err = row(host, table, sites->kernels[k], id);
	return err;
}
