/* SPDX-License-Identifier: MIT */
#include "cmds/record/loss_accounting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmds/options/run_options.h"
#include "cmds/record/recording.h"
#include "cmds/record/unprobed_kernels.h"
#include "common/log.h"

#define REASONS_MAX 8

struct reason {
	const char *name, *text;
	uint64_t count;
};

struct balance {
	const char *stream;
	uint64_t emitted, stored, unread;
	struct reason reasons[REASONS_MAX];
	size_t count;
};

static const char *const stream_names[PROBE_STREAM_IDS] = {"host", "counters", "trace", "samples"};

static void add(struct balance *balance, const char *name, const char *text, uint64_t count)
{
	for (size_t i = 0; i < balance->count; i++) {
		if (!strcmp(balance->reasons[i].name, name)) {
			balance->reasons[i].count += count;
			return;
		}
	}
	balance->reasons[balance->count++] = (struct reason){name, text, count};
}

static uint64_t dropped(const struct balance *balance)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < balance->count; i++)
		sum += balance->reasons[i].count;
	return sum;
}

static void balance_host(const struct recording *recording, struct balance *balance)
{
	balance->emitted = recording->counts.host_emitted;
	add(balance, "full", "the ring was full", recording->counts.host_dropped);
	add(balance, "invalid", "made no sense", recording->counts.invalid);
	add(balance, "corrupt", "damaged", recording->counts.host_corrupt);
	add(balance, "uncommitted", "not finished", recording->counts.host_uncommitted);
}

static void balance_counters(const struct recording *recording, struct balance *balance)
{
	balance->emitted = recording->counts.rows_emitted;
	add(balance, "device", "given up before they were sent", recording->counts.rows_device);
	add(balance, "missing", "sent, but not received", recording->counts.rows_missing);
	add(balance, "invalid", "made no sense", recording->counts.rows_invalid);
	add(balance, "unreckoned", "could not be reckoned from what was counted",
	    recording->counts.rows_underivable);
}

static void balance_trace(const struct recording *recording, struct balance *balance)
{
	balance->emitted = recording->counts.trace_emitted;
	add(balance, "full", "the ring stayed full", recording->counts.trace_dropped);
}

static void balance_samples(const struct recording *recording, struct balance *balance)
{
	struct run_sample_counts counts;

	samples_counts(recording, &counts);
	/* What the runtime runs for itself is nothing of the program's that could be missing. */
	balance->emitted = counts.pcs.received - counts.pcs.foreign + counts.lost;
	add(balance, "lost", "lost by the sampler", counts.lost);
	add(balance, "invalid", "marked invalid by the hardware",
	    counts.pcs.invalid + counts.pcs.skipped);
	add(balance, "no_code", "in no loaded code object", counts.pcs.no_code);
	add(balance, "misaligned", "not on an instruction", counts.pcs.misaligned);
	add(balance, "memory", "without memory to count them", counts.pcs.dropped);
}

/*
 * What is neither stored nor counted as dropped has not been read yet; when nobody is left to
 * write, it never will be. More stored than emitted can only come from a writer that lies.
 */
static void balance_rest(const struct recording *recording, enum probe_stream_id stream, bool final,
			 struct balance *balance)
{
	uint64_t known = balance->stored + dropped(balance);
	bool damaged = stream == PROBE_STREAM_ID_TRACE && recording->counts.trace_bad;

	if (known >= balance->emitted) {
		balance->emitted = known;
		return;
	}
	if (!final)
		balance->unread = balance->emitted - known;
	else if (damaged)
		add(balance, "corrupt", "damaged", balance->emitted - known);
	else
		add(balance, "uncommitted", "not finished", balance->emitted - known);
}

static void make_balance(const struct recording *recording, enum probe_stream_id stream, bool final,
			 struct balance *ret)
{
	struct probe_store_stream stored = probe_store_stream(recording->store, stream);

	*ret = (struct balance){
		.stream = stream_names[stream],
		.stored = stored.stored + stored.pending,
	};
	if (stream == PROBE_STREAM_ID_HOST)
		balance_host(recording, ret);
	else if (stream == PROBE_STREAM_ID_COUNTERS)
		balance_counters(recording, ret);
	else if (stream == PROBE_STREAM_ID_TRACE)
		balance_trace(recording, ret);
	else
		balance_samples(recording, ret);
	add(ret, "store", "could not be written", stored.lost);
	balance_rest(recording, stream, final, ret);
}

static const struct {
	const char *name, *text;
} verdicts[PROBE_VERDICTS] = {
	[PROBE_V_SWAPPED] = {"swapped", "swapped"},
	[PROBE_V_OFF] = {"off", "instrumentation is off"},
	[PROBE_V_FILTERED] = {"filtered", "filtered out by name"},
	[PROBE_V_NO_CLONE] = {"no_clone", "no clone of the kernel"},
	[PROBE_V_UNKNOWN_KERNEL] = {"unknown_kernel", "kernel of no known code object"},
	[PROBE_V_METADATA] = {"metadata", "kernel metadata unusable"},
	[PROBE_V_LDS] = {"lds", "clone needs more LDS than a workgroup can have"},
	[PROBE_V_MEMORY] = {"memory", "no memory for counters, rings or arguments"},
	[PROBE_V_TOO_MANY_SITES] = {"too_many_sites", "too many sites"},
	[PROBE_V_NO_SEGMENT] = {"no_segment", "rings could not be mapped to the GPU"},
	[PROBE_V_DISPATCH] = {"dispatch", "not among the dispatches asked for"},
	[PROBE_V_LIBRARY] = {"library", "not in a library asked for"},
	[PROBE_V_SCRATCH] = {"scratch", "clone needs more scratch than a wave can have"},
	[PROBE_V_WORKGROUP] = {"workgroup",
			       "clone has no registers for so many work-items in a workgroup"},
	[PROBE_V_RECURSION] = {"recursion", "its calls recurse, or go where cannot be told: "
					    "nothing bounds the clone's stack"},
	[PROBE_V_COOPERATIVE] =
		{"cooperative",
		 "launched cooperatively, and with the clone's registers not all workgroups would "
		 "be resident"},
};

static const char *const unprobed_names[RUN_UNPROBED_REASONS] = {"plain", "kind", "empty"};

/* What a refusal for want of a clone means, with what to do about it. */
static void unprobed_text(const struct recording *recording,
			  const struct run_unprobed_counts *counts, enum run_unprobed reason,
			  char *text, size_t size)
{
	const char *kind = probe_kind_name(recording->config->kind);

	if (reason == RUN_UNPROBED_KIND)
		snprintf(text, size,
			 "compiled with PROBE_KINDS=%s, this run needs %s: compile with "
			 "PROBE_KINDS=%s,%s",
			 counts->kinds, kind, counts->kinds, kind);
	else if (reason == RUN_UNPROBED_EMPTY)
		snprintf(text, size,
			 "nothing in the kernel is probed (no accesses, or PROBE_SCOPE or the "
			 "target left them out)");
	else
		snprintf(text, size, "no clone of the kernel (not compiled with the plugin)");
}

/* The kinds are kept as text: a report names them, and what was needed, too. */
static void store_unprobed(const struct recording *recording)
{
	struct run_unprobed_counts unprobed;
	char name[48], text[256];

	run_unprobed_count(recording, &unprobed);
	for (int i = 0; i < RUN_UNPROBED_REASONS; i++) {
		if (!unprobed.dispatches[i])
			continue;
		snprintf(name, sizeof(name), "no_clone.%s", unprobed_names[i]);
		probe_store_account(recording->store, "dispatches", name, unprobed.dispatches[i]);
		unprobed_text(recording, &unprobed, (enum run_unprobed)i, text, sizeof(text));
		probe_store_set(recording->store, name, text);
	}
}

/* Filters in force, as they were given; "" = none. */
static void filters_text(const struct run_config *config, char *text, size_t size)
{
	const struct {
		const char *option, *value;
	} filters[] = {
		{"--kernel-include-regex", config->kernel_include},
		{"--kernel-exclude-regex", config->kernel_exclude},
		{"--library-include", config->library_include},
		{"--library-exclude", config->library_exclude},
		{"--dispatches", strcmp(config->dispatches, "all") ? config->dispatches : NULL},
		{"--filter-x", config->groups[0]},
		{"--filter-y", config->groups[1]},
		{"--filter-z", config->groups[2]},
	};
	size_t n = 0;

	*text = 0;
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters) && n < size; i++) {
		if (!filters[i].value || !*filters[i].value)
			continue;
		n += (size_t)snprintf(text + n, size - n, "%s%s ", n ? " " : "", filters[i].option);
		/* Several globs are one per line. */
		for (const char *c = filters[i].value; *c && n + 1 < size; c++)
			text[n++] = *c == '\n' ? '|' : *c;
		if (n < size)
			text[n] = 0;
	}
}

void accounting_store_filters(struct recording *recording)
{
	char text[1024];

	filters_text(recording->config, text, sizeof(text));
	if (*text)
		probe_store_set(recording->store, "filters", text);
}

void accounting_store(struct recording *recording, bool final)
{
	struct probe_store *store = recording->store;
	const struct record_counts *counts = &recording->counts;
	struct run_sample_counts samples;
	char name[48];

	for (int stream = 0; stream < PROBE_STREAM_IDS; stream++) {
		struct balance balance;

		make_balance(recording, (enum probe_stream_id)stream, final, &balance);
		probe_store_account(store, balance.stream, "emitted", balance.emitted);
		probe_store_account(store, balance.stream, "stored", balance.stored);
		probe_store_account(store, balance.stream, "unread", balance.unread);
		for (size_t i = 0; i < balance.count; i++) {
			snprintf(name, sizeof(name), "dropped.%s", balance.reasons[i].name);
			probe_store_account(store, balance.stream, name, balance.reasons[i].count);
		}
	}
	probe_store_account(store, "trace", "invalid", counts->trace_invalid);
	probe_store_account(store, "trace", "bytes", counts->trace_bytes);
	samples_counts(recording, &samples);
	probe_store_account(store, "samples", "no_dispatch", samples.pcs.no_dispatch);
	probe_store_account(store, "samples", "foreign", samples.pcs.foreign);
	probe_store_account(store, "dispatches", "seen", counts->seen);
	probe_store_account(store, "dispatches", "completed", counts->completed);
	for (int i = 0; i < PROBE_VERDICTS; i++) {
		snprintf(name, sizeof(name), "%s%s", i == PROBE_V_SWAPPED ? "" : "refused.",
			 verdicts[i].name);
		probe_store_account(store, "dispatches", name, counts->verdicts[i]);
	}
	store_unprobed(recording);
}

uint64_t accounting_lost(const struct recording *recording)
{
	uint64_t sum = 0;

	for (int stream = 0; stream < PROBE_STREAM_IDS; stream++) {
		struct balance balance;

		make_balance(recording, (enum probe_stream_id)stream, true, &balance);
		sum += dropped(&balance);
	}
	return sum;
}

static void print_stream(const struct balance *balance, const char *who)
{
	char text[400];
	size_t n = 0;

	for (size_t i = 0; i < balance->count; i++)
		if (balance->reasons[i].count)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%" PRIu64 " %s",
					      n ? ", " : ": ", balance->reasons[i].count,
					      balance->reasons[i].text);
	text[n] = 0;
	probe_log(n ? PROBE_LOG_WARNING : PROBE_LOG_INFO,
		  "%s%s records: %" PRIu64 " emitted, %" PRIu64 " stored, %" PRIu64 " dropped%s",
		  who, balance->stream, balance->emitted, balance->stored, dropped(balance), text);
}

static void append_refusal(char *text, size_t size, uint64_t count, const char *why)
{
	size_t n = strlen(text);

	if (count)
		snprintf(text + n, size - n, ", %" PRIu64 " not: %s", count, why);
}

static void print_dispatches(const struct recording *recording, const char *who)
{
	const struct record_counts *counts = &recording->counts;
	struct run_unprobed_counts unprobed;
	char text[1000] = "", why[256], filters[1024];

	run_unprobed_count(recording, &unprobed);
	for (int i = 0; i < PROBE_VERDICTS; i++) {
		if (i != PROBE_V_SWAPPED && i != PROBE_V_NO_CLONE)
			append_refusal(text, sizeof(text), counts->verdicts[i], verdicts[i].text);
		for (int k = 0; i == PROBE_V_NO_CLONE && k < RUN_UNPROBED_REASONS; k++) {
			unprobed_text(recording, &unprobed, (enum run_unprobed)k, why, sizeof(why));
			append_refusal(text, sizeof(text), unprobed.dispatches[k], why);
		}
	}
	probe_log(PROBE_LOG_INFO,
		  "%sdispatches: %" PRIu64 " seen, %" PRIu64 " completed, %" PRIu64
		  " instrumented%s",
		  who, counts->seen, counts->completed, counts->verdicts[PROBE_V_SWAPPED], text);
	filters_text(recording->config, filters, sizeof(filters));
	if (*filters && recording->config->instrumented)
		probe_log(PROBE_LOG_INFO, "%sfilters: %s", who, filters);
	if (counts->seen && !counts->clones && recording->config->instrumented &&
	    !unprobed.dispatches[RUN_UNPROBED_EMPTY])
		probe_log(PROBE_LOG_WARNING,
			  "%sno kernel has an instrumented clone: compile with hipcc "
			  "$(probe-config --cflags)",
			  who);
}

/* What shows the handlers' tables: `lines` is about those of `memory` and `count`. */
static const char *verb_for(const struct run_config *config)
{
	if (config->sampling.on && !config->instrumented)
		return "samples";
	for (size_t i = 0; i < config->handler_count; i++)
		if (!strcmp(config->handlers[i].name, "memory") ||
		    (config->kind == PROBE_KIND_COUNT &&
		     !strcmp(config->handlers[i].name, "count")))
			return "lines";
	return config->handler_count ? "tables" : "lines";
}

void accounting_print(const struct recording *recording, bool with_pid)
{
	const char *path = probe_store_path(recording->store);
	char who[32] = "";

	if (with_pid)
		snprintf(who, sizeof(who), "process %d: ", (int)recording->objects.pid);
	if (*recording->log.partial)
		probe_log(PROBE_LOG_WARNING, "%spartial: %s", who, recording->log.partial);
	print_dispatches(recording, who);
	for (int stream = 0; stream < PROBE_STREAM_IDS; stream++) {
		struct balance balance;

		make_balance(recording, (enum probe_stream_id)stream, true, &balance);
		if (balance.emitted || stream == PROBE_STREAM_ID_HOST ||
		    (stream == PROBE_STREAM_ID_SAMPLES && recording->config->sampling.on))
			print_stream(&balance, who);
	}
	probe_log(PROBE_LOG_INFO, "%sdatabase: %s", who, path);
	probe_log(PROBE_LOG_INFO, "%sview it with: probe-report %s %s", who,
		  verb_for(recording->config), path);
}
