/* SPDX-License-Identifier: MIT */
#include "cmds/record/counter_records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/options/run_options.h"
#include "cmds/record/recording.h"
#include "codeobj/sites.h"
#include "common/log.h"
#include "model/block_counts.h"
#include "model/counter_sums.h"
#include "model/derived_rows.h"
#include "wire/segment_reader.h"

static const struct run_code *code_of(const struct recording *recording, uint32_t code_object)
{
	return run_table_get(&recording->objects.codes, code_object);
}

static bool has_derived_sites(const struct run_code *code)
{
	return code && code->table && (code->table->group_count || code->table->block_count) &&
	       code->site_count == code->table->site_count;
}

static void store_rows(struct recording *recording, const struct run_dispatch *dispatch,
		       uint32_t code_object, const struct probe_counter_row *rows, size_t count)
{
	if (count)
		probe_facts_counters(recording->facts, dispatch->hr.id, code_object, rows, count);
}

/* False without memory, or if there are more rows than the code object has. */
static bool keep(struct run_dispatch *dispatch, const struct probe_counter_row *rows,
		 uint32_t count, uint32_t limit)
{
	struct probe_counter_row *grown;

	if (count > limit - dispatch->pending_count)
		return false;
	if (!count)
		return true;
	grown = realloc(dispatch->pending,
			((size_t)dispatch->pending_count + count) * sizeof(*grown));
	if (!grown)
		return false;
	memcpy(grown + dispatch->pending_count, rows, count * sizeof(*rows));
	dispatch->pending = grown;
	dispatch->pending_count += count;
	return true;
}

/* Whatever else is derived, each row has counters of its own from here on. */
static void resolve_sums(const struct run_code *code, struct probe_counter_row *row)
{
	const struct probe_site_info *site;

	if (!code || !code->sites || row->site >= code->site_count)
		return;
	site = &code->sites[row->site];
	if (counter_sums_in(site->access, site->space))
		counter_sums_resolve(row->value);
}

bool counters_read(struct recording *recording, const struct segment_record *rec)
{
	struct probe_hr_counters hr;
	struct probe_counter_row *rows = (void *)(rec->payload + sizeof(hr));
	const struct run_code *code;
	struct run_dispatch *dispatch;
	uint32_t limit, valid = 0;

	memcpy(&hr, rec->payload, sizeof(hr));
	dispatch = run_dispatch_find(&recording->objects, hr.dispatch);
	if (!dispatch || dispatch->completed || hr.rows > (rec->size - sizeof(hr)) / sizeof(*rows))
		return false;
	code = code_of(recording, hr.code_object);
	limit = run_code_site_limit(code);
	for (uint32_t i = 0; i < hr.rows; i++)
		if (rows[i].site < limit)
			rows[valid++] = rows[i];
	for (uint32_t i = 0; i < valid; i++)
		resolve_sums(code, &rows[i]);
	dispatch->rows += hr.rows;
	recording->counts.rows_emitted += hr.rows - valid;
	recording->counts.rows_invalid += hr.rows - valid;
	if (has_derived_sites(code) && hr.code_object == dispatch->code_object) {
		if (keep(dispatch, rows, valid, limit))
			return true;
		recording->counts.rows_emitted += valid;
		recording->counts.rows_invalid += valid;
		return false;
	}
	recording->counts.rows_emitted += valid;
	store_rows(recording, dispatch, hr.code_object, rows, valid);
	return true;
}

bool counters_read_arguments(struct recording *recording, const struct segment_record *rec)
{
	struct probe_hr_arguments hr;
	struct run_dispatch *dispatch;

	memcpy(&hr, rec->payload, sizeof(hr));
	dispatch = run_dispatch_find(&recording->objects, hr.dispatch);
	if (!dispatch || dispatch->arguments || hr.bytes > rec->size - sizeof(hr))
		return false;
	dispatch->arguments = malloc(hr.bytes + 1ul);
	if (!dispatch->arguments)
		return false;
	memcpy(dispatch->arguments, rec->payload + sizeof(hr), hr.bytes);
	dispatch->argument_bytes = hr.bytes;
	return true;
}

static struct model_launch launch_of(const struct recording *recording,
				     const struct run_dispatch *dispatch)
{
	const struct run_kernel *kernel =
		run_table_get(&recording->objects.kernels, dispatch->hr.kernel);
	const struct probe_hr_complete *complete = &dispatch->complete;
	struct model_launch launch = {
		.kernel = kernel && kernel->symbol ? kernel->symbol : "",
		.arch = dispatch->info.arch,
		.lanes = dispatch->info.wave_size,
		.arguments = dispatch->arguments,
		.argument_bytes = dispatch->argument_bytes,
		.code = dispatch->code_object,
		.partial = complete->rows_dropped || complete->counters != dispatch->rows,
	};

	memcpy(launch.grid, dispatch->info.grid, sizeof(launch.grid));
	memcpy(launch.group, dispatch->info.group, sizeof(launch.group));
	return launch;
}

static bool derive(struct recording *recording, const struct run_dispatch *dispatch,
		   const struct probe_sites *table, struct derived_rows *ret)
{
	struct model_launch launch = launch_of(recording, dispatch);

	if (probe_workgroups_restricted(&recording->config->workgroups))
		launch.groups = &recording->config->workgroups;
	if (dispatch->hr.kind == PROBE_KIND_COUNT)
		return block_counts_make(table, &launch, dispatch->pending, dispatch->pending_count,
					 ret);
	if (!recording->counters.model)
		recording->counters.model = model_scratch_create();
	return recording->counters.model &&
	       derived_rows_make(recording->counters.model, table, &launch, dispatch->pending,
				 dispatch->pending_count, ret);
}

/* True if this site is lost for the first time and the log has not yet named too many. */
static bool newly_lost(struct recording *recording, uint32_t code_object, uint32_t site)
{
	uint64_t id = (uint64_t)code_object << 32 | site;

	for (size_t i = 0; i < recording->counters.named_count; i++)
		if (recording->counters.named[i] == id)
			return false;
	if (recording->counters.named_count == COUNTERS_NAMED_MAX)
		return false;
	recording->counters.named[recording->counters.named_count++] = id;
	return true;
}

static void report_lost(struct recording *recording, const struct run_dispatch *dispatch,
			const struct run_code *code, const struct derived_rows *rows)
{
	bool derived =
		dispatch->hr.kind == PROBE_KIND_MEMORY && !launch_of(recording, dispatch).partial;

	for (size_t i = 0; i < rows->sites_lost && i < DERIVED_LOSSES_NAMED; i++) {
		uint32_t id = rows->loss[i].site;
		const struct probe_site_info *site = &code->sites[id];

		if (id >= code->site_count || !newly_lost(recording, site->code_object, id))
			continue;
		record_log_put(&recording->log, PROBE_LOG_WARNING, "probe-run",
			       "%s:%u:%u (site %u): no counters of dispatch %" PRIu64 ": %s%s",
			       *site->file ? site->file : "(unknown file)", site->line,
			       site->column, id, dispatch->info.id, rows->loss[i].reason,
			       derived ? "; compile with PROBE_PROVE=0, or use --kind trace" : "");
	}
}

void counters_finish(struct recording *recording, struct run_dispatch *dispatch)
{
	const struct run_code *code = code_of(recording, dispatch->code_object);
	struct record_counts *counts = &recording->counts;
	struct derived_rows rows = {0};

	if (!probe_kind_has_counters(dispatch->hr.kind) || !has_derived_sites(code))
		return;
	if (derive(recording, dispatch, code->table, &rows))
		store_rows(recording, dispatch, dispatch->code_object, rows.row, rows.count);
	else
		rows.lost = dispatch->pending_count;
	counts->rows_emitted += rows.count + rows.lost;
	counts->rows_invalid += rows.lost - rows.sites_lost;
	counts->rows_underivable += rows.sites_lost;
	report_lost(recording, dispatch, code, &rows);
	free(rows.row);
}

void counters_abandon(struct recording *recording)
{
	for (size_t i = 0; i < recording->objects.bucket_count; i++)
		for (const struct run_dispatch *dispatch = recording->objects.buckets[i]; dispatch;
		     dispatch = dispatch->next) {
			recording->counts.rows_emitted += dispatch->pending_count;
			recording->counts.rows_unfinished += dispatch->pending_count;
		}
}

void counters_deinit(struct counter_state *counters)
{
	model_scratch_destroy(counters->model);
}
