/* SPDX-License-Identifier: MIT */
/* Which kind of probes the handlers need. One kind runs at a time. */
#include <stdbool.h>
#include <stddef.h>

#include "probe_run_handlers.h"

/* In the order of cost. */
static const struct {
	enum probe_kind kind;
	uint32_t streams;
} kinds[] = {
	{PROBE_KIND_COUNT, PROBE_STREAM_BLOCKS},
	{PROBE_KIND_MEMORY, PROBE_STREAM_COUNTERS},
	{PROBE_KIND_TIME, PROBE_STREAM_TIME | PROBE_STREAM_MESSAGE},
	{PROBE_KIND_TRACE, PROBE_STREAM_ACCESS | PROBE_STREAM_MESSAGE},
};

uint32_t run_kind_streams(enum probe_kind kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].kind == kind)
			return kinds[i].streams;
	return 0;
}

enum probe_kind run_kind_for(const struct run_plugins *plugins)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		bool all = plugins->count > 0;

		for (size_t k = 0; k < plugins->count; k++)
			all = all && (plugins->items[k].handler.streams & kinds[i].streams);
		if (all)
			return kinds[i].kind;
	}
	return PROBE_KIND_MEMORY;
}
