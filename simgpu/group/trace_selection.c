/* SPDX-License-Identifier: MIT */
/*
 * PROBE_SIM_TRACE=FILE and PROBE_SIM_TRACE_WAVE=DISPATCH:WORKGROUP:WAVE. A dispatch is selected by
 * its number in the process, from 0, or by a part of its kernel's name (the first match); a
 * workgroup by its number or as X,Y,Z.
 */
#include "simgpu/group/trace_selection.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simgpu/base/sim_log.h"
#include "simgpu/group/kernel_name.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/exec/instruction_trace.h"

static struct {
	bool on;
	bool by_name;
	char name[256];
	uint64_t dispatch;
	uint32_t group[3];
	bool linear; /* group[0] is the linear index in the grid */
	uint32_t wave;
} choice;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_uint_fast64_t dispatches;
static atomic_bool taken;  /* a dispatch has been chosen by name */
static atomic_bool logged; /* the wave was found */
static pid_t owner;
static const struct sim_dispatch *_Atomic chosen;

/* Parses a number up to `end`; false if there is none. */
static bool number(const char **at, uint64_t *ret)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*ret = strtoull(*at, &end, 10);
	*at = end;
	return !errno;
}

static bool parse_group(const char **at)
{
	uint64_t v[3] = {0};
	unsigned int n = 0;

	do {
		*at += n > 0;
		if (!number(at, &v[n]) || v[n] > UINT32_MAX)
			return false;
		choice.group[n] = (uint32_t)v[n];
	} while (++n < 3 && **at == ',');
	choice.linear = n == 1;
	return n != 2 && **at == ':';
}

static bool parse(const char *text)
{
	const char *at = text, *colon;
	uint64_t wave;

	if (!number(&at, &choice.dispatch) || *at != ':') {
		/* Names may contain colons, so the last two are the separators. */
		colon = strrchr(text, ':');
		while (colon && colon > text && *--colon != ':')
			;
		if (!colon || colon == text || (size_t)(colon - text) >= sizeof(choice.name))
			return false;
		memcpy(choice.name, text, (size_t)(colon - text));
		choice.by_name = true;
		at = colon;
	}
	at++;
	if (!parse_group(&at))
		return false;
	at++;
	if (!number(&at, &wave) || *at || wave >= SIM_GROUP_WAVES)
		return false;
	choice.wave = (uint32_t)wave;
	return true;
}

static void start(void)
{
	const struct sim_options *options = sim_options();
	FILE *file;

	if (!options->trace)
		return;
	if (options->trace_wave && !parse(options->trace_wave)) {
		sim_print("invalid value '%s' for PROBE_SIM_TRACE_WAVE; expected "
			  "DISPATCH:WORKGROUP:WAVE, such as 0:0:0 or "
			  "vadd:1,0,0:3; nothing is traced",
			  options->trace_wave);
		return;
	}
	choice.linear |= !options->trace_wave;
	file = fopen(options->trace, "we");
	if (!file) {
		sim_print("cannot write PROBE_SIM_TRACE=%s: %s", options->trace, strerror(errno));
		return;
	}
	sim_instruction_trace_to(file);
	owner = getpid();
	choice.on = true;
}

static bool is_chosen(const struct sim_dispatch *dispatch)
{
	char name[256];

	if (!choice.by_name)
		return atomic_fetch_add(&dispatches, 1) == choice.dispatch;
	return sim_kernel_name(dispatch->launch.kernel.descriptor, name, sizeof(name)) &&
	       strstr(name, choice.name) && !atomic_exchange(&taken, true);
}

/* Queues reuse one struct for all their dispatches: a later dispatch is not the selected one. */
void sim_trace_select_dispatch(const struct sim_dispatch *dispatch)
{
	const struct sim_dispatch *old = dispatch;

	pthread_once(&once, start);
	if (!choice.on)
		return;
	atomic_compare_exchange_strong(&chosen, &old, NULL);
	if (is_chosen(dispatch))
		atomic_store(&chosen, dispatch);
}

void sim_trace_select_wave(const struct sim_dispatch *dispatch, struct sim_wave *wave)
{
	const uint32_t *id = wave->group->id;
	uint64_t linear = ((uint64_t)id[2] * dispatch->launch.groups[1] + id[1]) *
				  dispatch->launch.groups[0] +
			  id[0];
	struct sim_wave *old = wave;

	if (!choice.on)
		return;
	atomic_compare_exchange_strong(&sim_traced_wave, &old, NULL);
	if (atomic_load(&chosen) != dispatch || wave->in_group != choice.wave)
		return;
	if (choice.linear ? linear == choice.group[0]
			  : id[0] == choice.group[0] && id[1] == choice.group[1] &&
				    id[2] == choice.group[2]) {
		atomic_store(&sim_traced_wave, wave);
		atomic_store(&logged, true);
	}
}

/* Otherwise an empty file would look like a wave that did nothing. */
static void __attribute__((destructor)) say_if_none(void)
{
	if (choice.on && getpid() == owner && !atomic_load(&logged))
		sim_print("PROBE_SIM_TRACE_WAVE=%s: no such wave ran; %s is empty",
			  sim_options()->trace_wave ? sim_options()->trace_wave : "0:0:0",
			  sim_options()->trace);
}
