/* SPDX-License-Identifier: MIT */
#include "cmds/record/loss_accounting.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <probe/wire_tracing.h>
#include <probe/words.h>

#include "cmds/options/run_options.h"
#include "cmds/record/recording.h"
#include "cmds/record/unprobed_kernels.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/shell_word.h"

struct balance {
	const char *stream;
	uint64_t emitted, stored, unread;
	uint64_t beyond; /* more came than was stated; in emitted, too */
	uint64_t dropped[PROBE_DROP_REASONS];
};

/* Reasons that a stream's accounting lists even when nothing was dropped. */
#define BIT(reason) (1u << PROBE_DROP_##reason)
static const uint32_t possible[PROBE_STREAM_IDS] = {
	[PROBE_STREAM_ID_HOST] = BIT(FULL) | BIT(INVALID) | BIT(CORRUPT) | BIT(UNCOMMITTED) |
				 BIT(MISSING) | BIT(STORE),
	[PROBE_STREAM_ID_COUNTERS] = BIT(DEVICE) | BIT(MISSING) | BIT(INVALID) | BIT(UNCOMMITTED) |
				     BIT(NOT_DERIVED) | BIT(STORE),
	[PROBE_STREAM_ID_TRACE] = BIT(FULL) | BIT(CORRUPT) | BIT(STORE),
	[PROBE_STREAM_ID_SAMPLES] = BIT(LOST) | BIT(INVALID) | BIT(NO_CODE) | BIT(MISALIGNED) |
				    BIT(MEMORY) | BIT(STORE),
};
#undef BIT

static const struct {
	const char *word, *text;
} streams[PROBE_STREAM_IDS] = {
#define STREAM(name, number, word, text) {word, text},
	PROBE_STREAM_TABLE(STREAM)
#undef STREAM
};

static uint64_t dropped(const struct balance *balance)
{
	uint64_t sum = 0;

	for (int i = 0; i < PROBE_DROP_REASONS; i++)
		sum += balance->dropped[i];
	return sum;
}

static void balance_host(const struct recording *recording, struct balance *balance)
{
	balance->emitted = recording->counts.host_emitted;
	balance->dropped[PROBE_DROP_FULL] = recording->counts.host_dropped;
	balance->dropped[PROBE_DROP_INVALID] = recording->counts.invalid;
	balance->dropped[PROBE_DROP_CORRUPT] = recording->counts.host_corrupt;
	balance->dropped[PROBE_DROP_UNCOMMITTED] = recording->counts.host_uncommitted;
}

static void balance_counters(const struct recording *recording, struct balance *balance)
{
	balance->emitted = recording->counts.rows_emitted + recording->counts.rows_unfinished;
	balance->dropped[PROBE_DROP_DEVICE] = recording->counts.rows_device;
	balance->dropped[PROBE_DROP_MISSING] = recording->counts.rows_missing;
	balance->dropped[PROBE_DROP_INVALID] = recording->counts.rows_invalid;
	balance->dropped[PROBE_DROP_UNCOMMITTED] = recording->counts.rows_unfinished;
	balance->dropped[PROBE_DROP_NOT_DERIVED] = recording->counts.rows_underivable;
}

static void balance_trace(const struct recording *recording, struct balance *balance)
{
	balance->emitted = recording->counts.trace_emitted;
	balance->dropped[PROBE_DROP_FULL] = recording->counts.trace_dropped;
	balance->dropped[PROBE_DROP_CORRUPT] = recording->counts.trace_corrupt;
	balance->dropped[PROBE_DROP_MISSING] = recording->counts.trace_missing;
}

static void balance_samples(const struct recording *recording, struct balance *balance)
{
	struct run_sample_counts counts;

	samples_counts(recording, &counts);
	/* Samples of the runtime's own kernels do not belong to the program and are not missing. */
	balance->emitted = counts.pcs.received - counts.pcs.foreign + counts.lost;
	balance->dropped[PROBE_DROP_LOST] = counts.lost;
	balance->dropped[PROBE_DROP_INVALID] = counts.pcs.invalid + counts.pcs.skipped;
	balance->dropped[PROBE_DROP_NO_CODE] = counts.pcs.no_code;
	balance->dropped[PROBE_DROP_MISALIGNED] = counts.pcs.misaligned;
	balance->dropped[PROBE_DROP_MEMORY] = counts.pcs.dropped;
}

/*
 * Host records are counted twice: by the application as it begins them, and here. The difference
 * has not been read yet; when no writer is left, it never will be. A process that states fewer than
 * came is broken or hostile. The other streams have no such count: their sums must be right.
 */
static void balance_host_rest(bool final, struct balance *balance)
{
	uint64_t known = balance->stored + dropped(balance);

	if (known >= balance->emitted) {
		balance->beyond = known - balance->emitted;
		balance->emitted = known;
	} else if (final) {
		balance->dropped[PROBE_DROP_MISSING] = balance->emitted - known;
	} else {
		balance->unread = balance->emitted - known;
	}
}

static void make_balance(const struct recording *recording, enum probe_stream_id stream, bool final,
			 struct balance *ret)
{
	struct probe_store_stream stored = probe_store_stream(recording->store, stream);

	*ret = (struct balance){
		.stream = streams[stream].word,
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
	ret->dropped[PROBE_DROP_STORE] = stored.lost;
	if (stream == PROBE_STREAM_ID_HOST)
		balance_host_rest(final, ret);
}

void accounting_check(struct recording *recording)
{
	for (int stream = 0; stream < PROBE_STREAM_IDS; stream++) {
		struct balance balance;
		uint64_t known;

		make_balance(recording, (enum probe_stream_id)stream, true, &balance);
		known = balance.stored + dropped(&balance);
		if (balance.beyond)
			record_log_put(&recording->log, PROBE_LOG_WARNING, "probe-run",
				       "process %d states %" PRIu64 " %s fewer than it sent",
				       (int)recording->objects.pid, balance.beyond,
				       streams[stream].text);
		if (balance.emitted != known)
			record_log_put(&recording->log, PROBE_LOG_ERROR, "probe-run",
				       "the accounting of %s is wrong: %" PRIu64 " begun, %" PRIu64
				       " recorded or dropped; this is a defect of Probe",
				       streams[stream].text, balance.emitted, known);
	}
}

static const char *const unprobed_names[RUN_UNPROBED_REASONS] = {"plain", "kind", "empty",
								 "runtime"};

/* Why a kernel has no clone, and what to do about it. */
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
			 "target excluded them)");
	else if (reason == RUN_UNPROBED_RUNTIME)
		snprintf(text, size, "kernels of the HIP runtime (copies, fills)");
	else
		snprintf(text, size, "no clone of the kernel (not compiled with the plugin)");
}

/* Stored as text, because the report names the kinds. */
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

/* The filters of the run, as the user gave them; "" = none. */
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
		/* Several globs are separated by newlines. */
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

/* Losses that could not be counted; they are not part of the sum. */
static void store_unknown(struct recording *recording, enum probe_stream_id stream)
{
	const struct unknown_loss *loss = &recording->counts.unknown[stream];

	if (!loss->sources && !loss->unbounded)
		return;
	probe_store_account(recording->store, streams[stream].word, "unknown", loss->sources);
	if (!loss->unbounded)
		probe_store_account(recording->store, streams[stream].word, "unknown_most",
				    loss->most);
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
		for (uint32_t i = 0; i < PROBE_DROP_REASONS; i++) {
			if (!balance.dropped[i] && !(possible[stream] >> i & 1))
				continue;
			snprintf(name, sizeof(name), "dropped.%s", probe_drop_word(i));
			probe_store_account(store, balance.stream, name, balance.dropped[i]);
		}
		if (final)
			store_unknown(recording, (enum probe_stream_id)stream);
	}
	probe_store_account(store, "trace", "invalid", counts->trace_invalid);
	probe_store_account(store, "trace", "bytes", counts->trace_bytes);
	probe_store_account(store, "trace", "waited_us", counts->trace_waited);
	samples_counts(recording, &samples);
	probe_store_account(store, "samples", "no_dispatch", samples.pcs.no_dispatch);
	probe_store_account(store, "samples", "foreign", samples.pcs.foreign);
	probe_store_account(store, "dispatches", "seen", counts->seen);
	probe_store_account(store, "dispatches", "completed", counts->completed);
	for (uint32_t i = 0; i < PROBE_VERDICTS; i++) {
		snprintf(name, sizeof(name), "%s%s", i == PROBE_V_SWAPPED ? "" : "refused.",
			 probe_verdict_word(i));
		probe_store_account(store, "dispatches", name, counts->verdicts[i]);
	}
	store_unprobed(recording);
}

uint64_t accounting_lost(const struct recording *recording)
{
	uint64_t sum = 0;

	for (int stream = 0; stream < PROBE_STREAM_IDS; stream++) {
		const struct unknown_loss *unknown = &recording->counts.unknown[stream];
		struct balance balance;

		make_balance(recording, (enum probe_stream_id)stream, true, &balance);
		sum += dropped(&balance) + unknown->sources + unknown->unbounded;
	}
	return sum;
}

/* ---- The summary at the end of a run --------------------------------------------------------- */

/* A line of it: its level as a letter, then the text. */
__attribute__((format(printf, 3, 4))) static void put(FILE *out, int level, const char *format, ...)
{
	va_list args;

	fputc('0' + level, out);
	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
	fputc(0, out);
}

static void append_unknown(const struct unknown_loss *unknown, char *text, size_t n, size_t size)
{
	if (unknown->unbounded)
		snprintf(text + n, size - n, "; an unknown number more was not handed over");
	else if (unknown->sources)
		snprintf(text + n, size - n,
			 "; an unknown number more was not handed over, at most %" PRIu64,
			 unknown->most);
}

static void put_stream(FILE *out, const struct balance *balance, const struct unknown_loss *unknown,
		       enum probe_stream_id stream)
{
	char text[400];
	size_t n = 0;

	for (uint32_t i = 0; i < PROBE_DROP_REASONS; i++)
		if (balance->dropped[i])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%" PRIu64 " %s",
					      n ? ", " : ": ", balance->dropped[i],
					      probe_drop_text(i));
	text[n] = 0;
	append_unknown(unknown, text, n, sizeof(text));
	put(out, *text ? PROBE_LOG_WARNING : PROBE_LOG_INFO,
	    "%s: %" PRIu64 " recorded, %" PRIu64 " dropped%s", streams[stream].text,
	    balance->stored, dropped(balance), text);
}

static void append_refusal(char *text, size_t size, uint64_t count, const char *why)
{
	size_t n = strlen(text);

	if (count)
		snprintf(text + n, size - n, "; %" PRIu64 " uninstrumented: %s", count, why);
}

static void put_dispatches(FILE *out, const struct recording *recording)
{
	const struct record_counts *counts = &recording->counts;
	struct run_unprobed_counts unprobed;
	char text[1000] = "", why[256], filters[1024];

	run_unprobed_count(recording, &unprobed);
	for (uint32_t i = 0; i < PROBE_VERDICTS; i++) {
		if (i != PROBE_V_SWAPPED && i != PROBE_V_NO_CLONE)
			append_refusal(text, sizeof(text), counts->verdicts[i],
				       probe_verdict_text(i));
		for (int k = 0; i == PROBE_V_NO_CLONE && k < RUN_UNPROBED_REASONS; k++) {
			unprobed_text(recording, &unprobed, (enum run_unprobed)k, why, sizeof(why));
			append_refusal(text, sizeof(text), unprobed.dispatches[k], why);
		}
	}
	put(out, PROBE_LOG_INFO,
	    "dispatches: %" PRIu64 " seen, %" PRIu64 " completed, %" PRIu64 " instrumented%s",
	    counts->seen, counts->completed, counts->verdicts[PROBE_V_SWAPPED], text);
	filters_text(recording->config, filters, sizeof(filters));
	if (*filters && recording->config->instrumented)
		put(out, PROBE_LOG_INFO, "filters: %s", filters);
	if (recording->foreign)
		put(out, PROBE_LOG_WARNING, "%s", recording->foreign);
	else if (!counts->clones && recording->config->instrumented &&
		 unprobed.dispatches[RUN_UNPROBED_PLAIN])
		put(out, PROBE_LOG_WARNING,
		    "no kernel has an instrumented clone: compile with hipcc "
		    "$(probe-config --cflags)");
}

/* The verb of probe-report that shows the handlers' results: `lines` for memory and count. */
/* The verb of what was traced; `timeline` shows all of it. */
static const char *traced_verb(uint32_t traced)
{
	static const struct {
		uint32_t traced;
		const char *verb;
	} verbs[] = {
		{0, "kernels"},
		{PROBE_TRACED_COPIES, "copies"},
		{PROBE_TRACED_MARKERS, "markers"},
		{PROBE_TRACED_HSA, "api"},
		{PROBE_TRACED_HIP, "api"},
		{PROBE_TRACED_HSA | PROBE_TRACED_HIP, "api"},
		{PROBE_TRACED_STACKS, "launches"},
	};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (verbs[i].traced == traced)
			return verbs[i].verb;
	return "timeline";
}

static const char *verb_for(const struct run_config *config)
{
	if (config->sampling.on && !config->instrumented)
		return "samples";
	if (!config->instrumented)
		return traced_verb(config->traced);
	for (size_t i = 0; i < config->handler_count; i++)
		if (!strcmp(config->handlers[i].name, "memory") ||
		    (config->kind == PROBE_KIND_COUNT &&
		     !strcmp(config->handlers[i].name, "count")))
			return "lines";
	return config->handler_count ? "tables" : "lines";
}

uint64_t accounting_stored(const struct recording *recording)
{
	uint64_t sum = 0;

	for (int stream = 0; stream < PROBE_STREAM_IDS; stream++)
		sum += probe_store_stream(recording->store, (enum probe_stream_id)stream).stored;
	return sum;
}

char *accounting_summary(const struct recording *recording, size_t *ret_size)
{
	char *ret = NULL;
	FILE *out = open_memstream(&ret, ret_size);

	if (!out)
		return NULL;
	put_dispatches(out, recording);
	for (int stream = 0; stream < PROBE_STREAM_IDS; stream++) {
		const struct unknown_loss *unknown = &recording->counts.unknown[stream];
		struct balance balance;

		make_balance(recording, (enum probe_stream_id)stream, true, &balance);
		if (balance.emitted || unknown->sources || stream == PROBE_STREAM_ID_HOST ||
		    (stream == PROBE_STREAM_ID_SAMPLES && recording->config->sampling.on))
			put_stream(out, &balance, unknown, (enum probe_stream_id)stream);
	}
	fputc(0, out);
	if (!fclose(out))
		return ret;
	free(ret);
	return NULL;
}

void accounting_print(const char *summary, const char *who)
{
	for (const char *line = summary; *line; line += strlen(line) + 1)
		probe_log(*line - '0', "%s%s", who, line + 1);
}

void accounting_print_database(const struct run_config *config, const char *path, bool viewable,
			       const char *who)
{
	PROBE_AUTO_FREE char *word = probe_shell_word(path);

	probe_log(PROBE_LOG_INFO, "%sdatabase: %s", who, path);
	if (viewable)
		probe_log(PROBE_LOG_INFO, "%sview it with: probe-report %s %s", who,
			  verb_for(config), word ? word : path);
}
