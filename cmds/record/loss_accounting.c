/* SPDX-License-Identifier: MIT */
/*
 * The account: for each stream emitted = stored + unread + the sum of what was dropped, by reason.
 * One place computes it; the database, the summary and --strict read the same numbers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "cmds/options/run_options.h"
#include "cmds/record/sample_records.h"
#include "cmds/record/run_session.h"
#include "cmds/record/unprobed_kernels.h"

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

static void balance_host(const struct run_session *session, struct balance *balance)
{
	balance->emitted = session->numbers.host_emitted;
	add(balance, "full", "the ring was full", session->numbers.host_dropped);
	add(balance, "invalid", "made no sense", session->numbers.invalid);
	add(balance, "corrupt", "damaged", session->seg.loss.corrupt);
	add(balance, "uncommitted", "not finished", session->seg.loss.uncommitted);
}

static void balance_counters(const struct run_session *session, struct balance *balance)
{
	balance->emitted = session->numbers.rows_emitted;
	add(balance, "device", "given up before they were sent", session->numbers.rows_device);
	add(balance, "missing", "sent, but not received", session->numbers.rows_missing);
	add(balance, "invalid", "made no sense", session->numbers.rows_invalid);
	add(balance, "unreckoned", "could not be reckoned from what was counted",
	    session->numbers.rows_unreckoned);
}

static void balance_trace(const struct run_session *session, struct balance *balance)
{
	balance->emitted = session->numbers.trace_emitted;
	add(balance, "full", "the ring stayed full", session->numbers.trace_dropped);
}

static void balance_samples(const struct run_session *session, struct balance *balance)
{
	struct run_sample_counts counts;

	run_samples_counts(session, &counts);
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
static void balance_rest(const struct run_session *session, enum probe_stream_id stream, bool final,
			 struct balance *balance)
{
	uint64_t known = balance->stored + dropped(balance);
	bool damaged = stream == PROBE_STREAM_ID_TRACE && session->numbers.trace_bad;

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

static void make_balance(const struct run_session *session, enum probe_stream_id stream, bool final,
			 struct balance *ret)
{
	struct probe_store_stream stored = probe_store_stream(session->store, stream);

	*ret = (struct balance){
		.stream = stream_names[stream],
		.stored = stored.stored + stored.pending,
	};
	if (stream == PROBE_STREAM_ID_HOST)
		balance_host(session, ret);
	else if (stream == PROBE_STREAM_ID_COUNTERS)
		balance_counters(session, ret);
	else if (stream == PROBE_STREAM_ID_TRACE)
		balance_trace(session, ret);
	else
		balance_samples(session, ret);
	add(ret, "store", "could not be written", stored.lost);
	balance_rest(session, stream, final, ret);
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
static void unprobed_text(const struct run_session *session,
			  const struct run_unprobed_counts *counts, enum run_unprobed reason,
			  char *text, size_t size)
{
	const char *kind = probe_kind_name(session->config->kind);

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
static void store_unprobed(const struct run_session *session)
{
	struct run_unprobed_counts counts;
	char name[48], text[256];

	run_unprobed_count(session, &counts);
	for (int i = 0; i < RUN_UNPROBED_REASONS; i++) {
		if (!counts.dispatches[i])
			continue;
		snprintf(name, sizeof(name), "no_clone.%s", unprobed_names[i]);
		probe_store_account(session->store, "dispatches", name, counts.dispatches[i]);
		unprobed_text(session, &counts, (enum run_unprobed)i, text, sizeof(text));
		probe_store_set(session->store, name, text);
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

void run_account_filters(struct run_session *session)
{
	char text[1024];

	filters_text(session->config, text, sizeof(text));
	if (*text)
		probe_store_set(session->store, "filters", text);
}

void run_account_store(struct run_session *session, bool final)
{
	struct probe_store *store = session->store;
	const struct run_numbers *numbers = &session->numbers;
	struct run_sample_counts samples;
	char name[48];

	for (int stream = 0; stream < PROBE_STREAM_IDS; stream++) {
		struct balance balance;

		make_balance(session, (enum probe_stream_id)stream, final, &balance);
		probe_store_account(store, balance.stream, "emitted", balance.emitted);
		probe_store_account(store, balance.stream, "stored", balance.stored);
		probe_store_account(store, balance.stream, "unread", balance.unread);
		for (size_t i = 0; i < balance.count; i++) {
			snprintf(name, sizeof(name), "dropped.%s", balance.reasons[i].name);
			probe_store_account(store, balance.stream, name, balance.reasons[i].count);
		}
	}
	probe_store_account(store, "trace", "invalid", numbers->trace_invalid);
	probe_store_account(store, "trace", "bytes", numbers->trace_bytes);
	run_samples_counts(session, &samples);
	probe_store_account(store, "samples", "no_dispatch", samples.pcs.no_dispatch);
	probe_store_account(store, "samples", "foreign", samples.pcs.foreign);
	probe_store_account(store, "dispatches", "seen", numbers->seen);
	probe_store_account(store, "dispatches", "completed", numbers->completed);
	for (int i = 0; i < PROBE_VERDICTS; i++) {
		snprintf(name, sizeof(name), "%s%s", i == PROBE_V_SWAPPED ? "" : "refused.",
			 verdicts[i].name);
		probe_store_account(store, "dispatches", name, numbers->verdicts[i]);
	}
	store_unprobed(session);
}

uint64_t run_account_lost(const struct run_session *session)
{
	uint64_t sum = 0;

	for (int stream = 0; stream < PROBE_STREAM_IDS; stream++) {
		struct balance balance;

		make_balance(session, (enum probe_stream_id)stream, true, &balance);
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

static void print_dispatches(const struct run_session *session, const char *who)
{
	const struct run_numbers *numbers = &session->numbers;
	struct run_unprobed_counts counts;
	char text[1000] = "", why[256], filters[1024];

	run_unprobed_count(session, &counts);
	for (int i = 0; i < PROBE_VERDICTS; i++) {
		if (i != PROBE_V_SWAPPED && i != PROBE_V_NO_CLONE)
			append_refusal(text, sizeof(text), numbers->verdicts[i], verdicts[i].text);
		for (int k = 0; i == PROBE_V_NO_CLONE && k < RUN_UNPROBED_REASONS; k++) {
			unprobed_text(session, &counts, (enum run_unprobed)k, why, sizeof(why));
			append_refusal(text, sizeof(text), counts.dispatches[k], why);
		}
	}
	probe_log(PROBE_LOG_INFO,
		  "%sdispatches: %" PRIu64 " seen, %" PRIu64 " completed, %" PRIu64
		  " instrumented%s",
		  who, numbers->seen, numbers->completed, numbers->verdicts[PROBE_V_SWAPPED], text);
	filters_text(session->config, filters, sizeof(filters));
	if (*filters && session->config->instrumented)
		probe_log(PROBE_LOG_INFO, "%sfilters: %s", who, filters);
	if (numbers->seen && !numbers->clones && session->config->instrumented &&
	    !counts.dispatches[RUN_UNPROBED_EMPTY])
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

void run_account_print(const struct run_session *session, bool with_pid)
{
	const char *path = probe_store_path(session->store);
	char who[32] = "";

	if (with_pid)
		snprintf(who, sizeof(who), "process %d: ", (int)session->pid);
	if (*session->partial)
		probe_log(PROBE_LOG_WARNING, "%spartial: %s", who, session->partial);
	print_dispatches(session, who);
	for (int stream = 0; stream < PROBE_STREAM_IDS; stream++) {
		struct balance balance;

		make_balance(session, (enum probe_stream_id)stream, true, &balance);
		if (balance.emitted || stream == PROBE_STREAM_ID_HOST ||
		    (stream == PROBE_STREAM_ID_SAMPLES && session->config->sampling.on))
			print_stream(&balance, who);
	}
	probe_log(PROBE_LOG_INFO, "%sdatabase: %s", who, path);
	probe_log(PROBE_LOG_INFO, "%ssee it with: probe-report %s %s", who,
		  verb_for(session->config), path);
}
