/* SPDX-License-Identifier: MIT */
/*
 * Converts the application's records to rows: ROCpd tables for data that ROCpd v3 defines, probe_
 * tables for the rest. Row ids are the operating system's numbers where ROCpd's own writer uses
 * these (process, thread), otherwise the numbers of the wire format (queue, code object, kernel,
 * agent).
 */
#ifndef PROBE_STORE_STORE_FACTS_H
#define PROBE_STORE_STORE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/handler.h>
#include <probe/wire.h>
#include <probe/wire_tracing.h>

struct probe_facts;
struct probe_store;

/* NULL without memory. Destroy them before the store. */
struct probe_facts *probe_facts_create(struct probe_store *store, uint32_t pid);
/* After the tables are created. If the store has failed, all following calls do nothing. */
void probe_facts_prepare(struct probe_facts *facts);
void probe_facts_destroy(struct probe_facts *facts);

/* This machine: uname, machine id. Call first. */
void probe_facts_node(struct probe_facts *facts);

/* Called again at the end, with `end` set: the row is replaced. `environment` is JSON. */
void probe_facts_process(struct probe_facts *facts, const struct probe_hr_process *process,
			 const char *command, const char *environment, uint64_t end);

/* `name` may be NULL. Again with a name: the row is replaced. */
void probe_facts_thread(struct probe_facts *facts, uint32_t tid, uint32_t ppid, const char *name);

/* `type_index`: number among the agents of its type. */
void probe_facts_agent(struct probe_facts *facts, const struct probe_hr_agent *agent,
		       uint32_t type_index, const char *name, const char *product,
		       const char *vendor);

void probe_facts_queue(struct probe_facts *facts, const struct probe_hr_queue *queue);

void probe_facts_code_object(struct probe_facts *facts, const struct probe_hr_code_object *object,
			     const char *uri);

void probe_facts_code_bytes(struct probe_facts *facts, uint32_t code_object, const char *hash,
			    const void *bytes, size_t size);

/* Without return type, template arguments and parameters: ROCpd's truncated_kernel_name. */
const char *probe_truncated_name(const char *name, size_t *length);

void probe_facts_kernel(struct probe_facts *facts, const struct probe_hr_kernel *kernel,
			const char *name, const char *demangled);

/* Before the first dispatch of an unknown kernel: adds rows with id 0. */
void probe_facts_unknown_kernel(struct probe_facts *facts);

/* A dispatch that has not ended yet, at most once. */
void probe_facts_incomplete(struct probe_facts *facts, const struct probe_hr_dispatch *dispatch);

/* Who launched a dispatch: the thread, and the correlation of its call (0 = not traced). */
struct probe_facts_origin {
	uint32_t tid;
	uint32_t range; /* string of the ROCTx range that it was launched in; 0 = none */
	uint64_t correlation;
	bool stored; /* it was given to probe_facts_incomplete() before */
};

/* The ROCpd rows of a dispatch that has ended. */
void probe_facts_complete(struct probe_facts *facts, const struct probe_hr_dispatch *dispatch,
			  const struct probe_hr_complete *complete,
			  struct probe_facts_origin origin);

/* After the last dispatch: the sums over them. Not if rows were lost, of which they say nothing. */
void probe_facts_dispatch_sums(struct probe_facts *facts);

/*
 * The id of a string in rocpd_string, where it is put if it is new. Those of which there are too
 * many are all "".
 */
uint32_t probe_facts_string(struct probe_facts *facts, const char *text, size_t length);

/* A call, or a range or mark of ROCTx. Strings by id. */
struct probe_facts_region {
	uint32_t tid, name, category;
	uint64_t start, end;
	uint64_t correlation, parent;
	const char *extdata; /* JSON; NULL = {} */
};

void probe_facts_region(struct probe_facts *facts, const struct probe_facts_region *region);

/* `name`: the id of rocprofv3's name of the direction. */
void probe_facts_copy(struct probe_facts *facts, const struct probe_hr_copy *copy, uint32_t name);

/* Rows are counted as stored. */
void probe_facts_counters(struct probe_facts *facts, uint64_t dispatch, uint32_t code_object,
			  const struct probe_counter_row *rows, size_t count);

void probe_facts_site(struct probe_facts *facts, const struct probe_site_info *site,
		      const char *owner, uint32_t kinds);

struct probe_facts_uncovered {
	const char *file, *function, *what, *text;
	uint32_t line, column, reason;
};

void probe_facts_uncovered(struct probe_facts *facts, uint32_t code_object, uint32_t number,
			   const struct probe_facts_uncovered *row);

void probe_facts_sampler(struct probe_facts *facts, const struct probe_hr_sampler *sampler,
			 const char *provider);

struct probe_facts_sample_row {
	uint64_t samples, lanes, waves, dual;
};

/* Samples are counted as stored. */
void probe_facts_sample(struct probe_facts *facts, uint32_t code_object, uint64_t offset,
			const struct probe_facts_sample_row *row);
void probe_facts_sample_state(struct probe_facts *facts, uint32_t code_object, uint64_t offset,
			      bool issued, unsigned code, uint64_t samples);
void probe_facts_sample_dispatch(struct probe_facts *facts, uint64_t dispatch, uint64_t samples);
/* Packed rows of dispatches first..last. */
void probe_facts_sample_part(struct probe_facts *facts, uint64_t first, uint64_t last,
			     const void *bytes, size_t size);
/* Records stored individually, as the table describes. */
void probe_facts_sample_raw(struct probe_facts *facts, uint32_t agent, uint32_t count,
			    const void *bytes, size_t size);

/* first..last: dispatches launched during its lifetime; last UINT64_MAX: it was not freed. */
/* Call stacks of launches: frames are lines, innermost call first. */
void probe_facts_stack(struct probe_facts *facts, uint64_t id, const char *frames);
void probe_facts_launch(struct probe_facts *facts, uint64_t dispatch, uint64_t stack);
void probe_facts_allocation(struct probe_facts *facts,
			    const struct probe_allocation_info *allocation, uint64_t first,
			    uint64_t last);

void probe_facts_source(struct probe_facts *facts, const char *file, uint32_t line,
			const char *text, size_t len);
/*
 * SHA-256 and time of the last change in ns. `newer`: the file is newer than the program built from
 * it.
 */
void probe_facts_source_file(struct probe_facts *facts, const char *file, const char *hash,
			     uint64_t modified, bool newer);

#endif
