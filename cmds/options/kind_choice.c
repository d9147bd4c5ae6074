/* SPDX-License-Identifier: MIT */
#include "cmds/options/kind_choice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cmds/options/handler_plugins.h"
#include "common/err.h"
#include "common/selection.h"

/* Sorted by cost. */
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

/*
 * The streams that a handler needs. Messages are secondary: if a handler takes accesses and
 * messages, a kind with messages alone satisfies it only if no kind provides more to all handlers,
 * or if that kind was requested.
 */
static uint32_t needed(const struct probe_handler *handler)
{
	uint32_t rest = handler->streams & ~(uint32_t)PROBE_STREAM_MESSAGE;

	return rest ? rest : handler->streams;
}

/*
 * The cheapest kind that gives each handler something it needs, or, with `any`, any of its streams.
 */
static enum probe_kind cheapest(const struct run_plugins *plugins, bool any)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		bool all = true;

		for (size_t k = 0; k < plugins->count; k++) {
			const struct probe_handler *handler = &plugins->items[k].handler;

			all = all &&
			      ((any ? handler->streams : needed(handler)) & kinds[i].streams);
		}
		if (all)
			return kinds[i].kind;
	}
	return PROBE_KIND_NONE;
}

enum probe_kind run_kind_for(const struct run_plugins *plugins)
{
	enum probe_kind kind;

	if (!plugins->count)
		return PROBE_KIND_MEMORY;
	kind = cheapest(plugins, false);
	/*
	 * `time,log`: no kind has time stamps and accesses, but `time` has time stamps and
	 * messages.
	 */
	return kind == PROBE_KIND_NONE ? cheapest(plugins, true) : kind;
}

/* "time needs time; log needs trace": a handler's kinds, cheapest first. */
static size_t append_needs(const struct probe_handler *handler, char *text, size_t size)
{
	size_t n = (size_t)snprintf(text, size, "%s needs", handler->name);
	const char *between = " ";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && n < size; i++) {
		if (!(needed(handler) & kinds[i].streams))
			continue;
		n += (size_t)snprintf(text + n, size - n, "%s%s", between,
				      probe_kind_name(kinds[i].kind));
		between = " or ";
	}
	return n;
}

struct probe_err *run_kind_choose(const struct run_plugins *plugins, enum probe_kind *kind)
{
	char text[700] = "";
	size_t n = 0;

	if (*kind != PROBE_KIND_NONE)
		return NULL;
	*kind = run_kind_for(plugins);
	if (*kind != PROBE_KIND_NONE)
		return NULL;
	for (size_t i = 0; i < plugins->count && n < sizeof(text) - 2; i++) {
		if (i)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "; ");
		n += append_needs(&plugins->items[i].handler, text + n, sizeof(text) - n);
	}
	return probe_err_create("no kind of probes serves all handlers of --analyze: %s; run the "
				"program once per kind",
				text);
}
