/* SPDX-License-Identifier: MIT */
/*
 * Rows of counters, of kinds `memory` and `count`. If the code object has proofs (wire.h section
 * 3), the rows of a dispatch are kept until it has completed, and what handlers and the store get
 * is reckoned from all of them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "common/log.h"
#include "model/block_counts.h"
#include "cmds/options/handler_plugins.h"
#include "cmds/options/kind_choice.h"
#include "cmds/options/run_options.h"
#include "cmds/record/run_session.h"
#include "model/proved_rows.h"

/* Site ids valid in a code object; without a site table every id is let through. */
static uint32_t site_limit(const struct run_code *code)
{
	return code && code->sites ? code->site_count : PROBE_SITE_MASK + 1;
}

static const struct run_code *code_of(const struct run_session *session, uint32_t code_object)
{
	return run_table_get(&session->objects.codes, code_object);
}

static bool has_proofs(const struct run_code *code)
{
	return code && code->table && code->table->proofs &&
	       code->site_count == code->table->site_count;
}

static void hand_on(struct run_session *session, struct run_dispatch *dispatch,
		    uint32_t code_object, const struct probe_counter_row *rows, size_t count)
{
	uint32_t streams = run_kind_streams((enum probe_kind)dispatch->hr.kind);

	if (!count)
		return;
	probe_facts_counters(session->facts, dispatch->hr.id, code_object, rows, count);
	run_instances_batch(session,
			    &(struct probe_batch){
				    .size = sizeof(struct probe_batch),
				    .stream = streams & PROBE_STREAM_BLOCKS ? PROBE_STREAM_BLOCKS
									    : PROBE_STREAM_COUNTERS,
				    .dispatch = &dispatch->info,
				    .count = count,
				    .counters = rows,
			    });
}

/* False: no memory, or more rows than the code object has. */
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

bool run_counters_take(struct run_session *session, const struct probe_seg_rec *rec)
{
	struct probe_hr_counters hr;
	struct probe_counter_row *rows = (void *)(rec->payload + sizeof(hr));
	const struct run_code *code;
	struct run_dispatch *dispatch;
	uint32_t limit, valid = 0;

	memcpy(&hr, rec->payload, sizeof(hr));
	dispatch = run_dispatch_find(&session->objects, hr.dispatch);
	if (!dispatch || dispatch->completed || hr.rows > (rec->size - sizeof(hr)) / sizeof(*rows))
		return false;
	code = code_of(session, hr.code_object);
	limit = site_limit(code);
	for (uint32_t i = 0; i < hr.rows; i++)
		if (rows[i].site < limit)
			rows[valid++] = rows[i];
	dispatch->rows += hr.rows;
	session->numbers.rows_emitted += hr.rows - valid;
	session->numbers.rows_invalid += hr.rows - valid;
	if (has_proofs(code) && hr.code_object == dispatch->code_object) {
		if (keep(dispatch, rows, valid, limit))
			return true;
		session->numbers.rows_emitted += valid;
		session->numbers.rows_invalid += valid;
		return false;
	}
	session->numbers.rows_emitted += valid;
	hand_on(session, dispatch, hr.code_object, rows, valid);
	return true;
}

bool run_counters_arguments(struct run_session *session, const struct probe_seg_rec *rec)
{
	struct probe_hr_arguments hr;
	struct run_dispatch *dispatch;

	memcpy(&hr, rec->payload, sizeof(hr));
	dispatch = run_dispatch_find(&session->objects, hr.dispatch);
	if (!dispatch || dispatch->arguments || hr.bytes > rec->size - sizeof(hr))
		return false;
	dispatch->arguments = malloc(hr.bytes + 1ul);
	if (!dispatch->arguments)
		return false;
	memcpy(dispatch->arguments, rec->payload + sizeof(hr), hr.bytes);
	dispatch->argument_bytes = hr.bytes;
	return true;
}

static struct proved_launch launch_of(const struct run_session *session,
				      const struct run_dispatch *dispatch)
{
	const struct run_kernel *kernel =
		run_table_get(&session->objects.kernels, dispatch->hr.kernel);
	const struct probe_hr_complete *complete = &dispatch->complete;
	struct proved_launch launch = {
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

static bool reckon(struct run_session *session, const struct run_dispatch *dispatch,
		   const struct probe_sites *table, struct proved_rows *ret)
{
	struct proved_launch launch = launch_of(session, dispatch);

	if (probe_workgroups_restricted(&session->config->workgroups))
		launch.groups = &session->config->workgroups;
	if (dispatch->hr.kind == PROBE_KIND_COUNT)
		return counted_rows_make(table, &launch, dispatch->pending, dispatch->pending_count,
					 ret);
	if (!session->proved)
		session->proved = proved_scratch_create();
	return session->proved && proved_rows_make(session->proved, table, &launch,
						   dispatch->pending, dispatch->pending_count, ret);
}

/* Is the site to be named: for the first time, and among not too many? */
static bool new_lost(struct run_session *session, uint32_t code_object, uint32_t site)
{
	uint64_t id = (uint64_t)code_object << 32 | site;

	for (size_t i = 0; i < session->told_lost_count; i++)
		if (session->told_lost[i] == id)
			return false;
	if (session->told_lost_count == RUN_TOLD_LOST_MAX)
		return false;
	session->told_lost[session->told_lost_count++] = id;
	return true;
}

static void tell_lost(struct run_session *session, const struct run_dispatch *dispatch,
		      const struct run_code *code, const struct proved_rows *rows)
{
	bool proofs =
		dispatch->hr.kind == PROBE_KIND_MEMORY && !launch_of(session, dispatch).partial;

	for (size_t i = 0; i < rows->sites_lost && i < PROVED_LOST_MAX; i++) {
		uint32_t id = rows->site_lost[i].site;
		const struct probe_site_info *site = &code->sites[id];

		if (id >= code->site_count || !new_lost(session, site->code_object, id))
			continue;
		run_session_log(session, PROBE_LOG_WARNING, "probe-run",
				"%s:%u:%u (site %u): no counters of dispatch %" PRIu64 ": %s%s",
				*site->file ? site->file : "(unknown file)", site->line,
				site->column, id, dispatch->info.id, rows->site_lost[i].why,
				proofs ? "; compile with PROBE_PROVE=0, or use --kind trace" : "");
	}
}

void run_counters_finish(struct run_session *session, struct run_dispatch *dispatch)
{
	const struct run_code *code = code_of(session, dispatch->code_object);
	struct run_numbers *numbers = &session->numbers;
	struct proved_rows rows = {0};

	if (!probe_kind_has_counters(dispatch->hr.kind) || !has_proofs(code))
		return;
	if (reckon(session, dispatch, code->table, &rows))
		hand_on(session, dispatch, dispatch->code_object, rows.row, rows.count);
	else
		rows.lost = dispatch->pending_count;
	numbers->rows_emitted += rows.count + rows.lost;
	numbers->rows_invalid += rows.lost - rows.sites_lost;
	numbers->rows_unreckoned += rows.sites_lost;
	tell_lost(session, dispatch, code, &rows);
	free(rows.row);
}

void run_counters_unfinished(struct run_session *session)
{
	for (size_t i = 0; i < RUN_BUCKETS; i++)
		for (const struct run_dispatch *dispatch = session->objects.buckets[i]; dispatch;
		     dispatch = dispatch->next) {
			session->numbers.rows_emitted += dispatch->pending_count;
			session->numbers.rows_invalid += dispatch->pending_count;
		}
}
