/* SPDX-License-Identifier: MIT */
/*
 * One traced process: its segment, its database, the handlers fed from it. A session is made on the
 * main thread, then lives on a thread of its own until the process is gone; nothing in it is shared
 * with another session but the read-only configuration and the loaded plugins.
 *
 * What the process sends is hostile (segment_reader.h). Records that make no sense are counted.
 */
#ifndef PROBE_CMDS_RECORD_RUN_SESSION_H
#define PROBE_CMDS_RECORD_RUN_SESSION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <probe/handler.h>
#include <probe/wire.h>

#include "codeobj/sha256.h"
#include "wire/segment_reader.h"
#include "wire/trace_parser.h"
#include "wire/trace_widen.h"
#include "store/store.h"
#include "store/store_facts.h"

struct probe_sites;
struct proved_scratch;
struct run_allocations;
struct run_config;
struct run_plugins;
struct run_session;
struct run_groups;

/* ---- What the process told about itself (process_objects.c) ------------------------------- */

struct run_agent {
	struct probe_hr_agent hr;
	char *arch; /* "gfx90a": the ISA name up to its first ':' */
};

struct run_code {
	struct probe_hr_code_object hr;
	unsigned char *bytes; /* until complete, then freed */
	uint64_t received;
	bool complete, unloaded;
	char hash[PROBE_SHA256_HEX];   /* "" until complete */
	struct probe_sites *table;     /* NULL = none; owns the strings of `sites` */
	char **functions;	       /* demangled: of the sites, then of the frames */
	struct probe_site_info *sites; /* NULL = no site table */
	uint32_t site_count;
	struct run_groups *groups; /* of the trace kind; NULL = none */
};

struct run_kernel {
	struct probe_hr_kernel hr;
	char *symbol, *demangled; /* demangled is NULL as long as it is among the unnamed */
	uint64_t unprobed;	  /* dispatches refused for want of a clone */
	struct run_kernel *next_unnamed;
	/*
	 * The kernel that handlers know it as: of its name, in the first code object of the same
	 * bytes that launched it; NULL until it is launched. Those that are their own are a list.
	 */
	struct run_kernel *known_as, *next_known;
};

struct run_dispatch {
	struct run_dispatch *next; /* in its bucket */
	struct run_dispatch *next_complete;
	struct probe_hr_dispatch hr;
	struct probe_hr_complete complete;
	struct probe_dispatch_info info; /* strings belong to agents and kernels */
	uint32_t code_object;		 /* its own, whatever handlers are told */
	uint32_t tid;
	uint32_t rows;			   /* counter rows received */
	struct probe_counter_row *pending; /* of those, kept until the dispatch has completed */
	uint32_t pending_count;
	unsigned char *arguments;
	uint32_t argument_bytes;
	bool completed;
};

/* Things the application numbers from 0 or 1; slots are NULL until told. */
struct run_table {
	void **items;
	uint32_t room;
};

#define RUN_BUCKETS 1024

struct run_objects {
	struct run_table agents, codes, kernels;
	struct run_table samplers; /* by agent; sample_records.c */
	struct run_table hardware; /* by queue; the same */
	uint32_t agents_of_type[2];
	struct run_kernel *unnamed; /* told, not yet demangled and stored */
	struct run_kernel *known;   /* launched */
	size_t unnamed_count;
	struct run_dispatch *buckets[RUN_BUCKETS]; /* in flight, by id */
	uint32_t in_flight, traces_in_flight;
	struct run_dispatch *complete; /* told complete, rings not yet drained */
	struct run_dispatch **complete_end;
	uint32_t *tids;
	size_t tid_count;
	char *command, *environment;
	struct probe_hr_process process;
	bool process_known, exited;
};

void *run_table_get(const struct run_table *table, uint32_t index);
/* Takes `item` over; false (and freed) if the index is absurd, taken, or memory is out. */
bool run_table_put(struct run_table *table, uint32_t index, void *item);

struct run_dispatch *run_dispatch_find(const struct run_objects *objects, uint64_t id);
/*
 * What handlers are told of it, from what is known of its agent and kernel. A code object that is
 * loaded again is the first one to them.
 */
void run_dispatch_info(struct run_objects *objects, struct run_dispatch *dispatch);
void run_dispatch_add(struct run_objects *objects, struct run_dispatch *dispatch);
void run_dispatch_remove(struct run_objects *objects, struct run_dispatch *dispatch);
void run_objects_init(struct run_objects *objects);
void run_objects_deinit(struct run_objects *objects);

/* ---- Numbers of the account (loss_accounting.c) ------------------------------------------- */

struct run_numbers {
	uint64_t seen, completed, unfinished;
	uint64_t verdicts[PROBE_VERDICTS];
	uint64_t swapped_kinds[PROBE_KINDS];
	uint64_t clones;  /* kernels that are clones */
	uint64_t invalid; /* host records that made no sense */
	uint64_t rows_emitted, rows_device, rows_missing, rows_invalid;
	uint64_t rows_unreckoned; /* sites that cannot be told from what was counted */
	uint64_t trace_invalid;	  /* stored, but not handed to handlers */
	uint64_t trace_bad;	  /* places where a ring's bytes made no sense */
	uint64_t trace_bytes;
	uint64_t trace_read; /* records, from the rings */
	uint64_t late_lost;  /* records of late waves that the application could not hand on */
	/* Read last, once the process is gone. */
	uint64_t host_emitted, host_dropped;
	uint64_t trace_emitted, trace_dropped;
};

void run_account_store(struct run_session *session, bool final);
/* The filters in force, for the report; once. */
void run_account_filters(struct run_session *session);
void run_account_print(const struct run_session *session, bool with_pid);
uint64_t run_account_lost(const struct run_session *session);

/* ---- Rows of counters (counter_records.c) ------------------------------------------------ */

bool run_counters_take(struct run_session *session, const struct probe_seg_rec *rec);
bool run_counters_arguments(struct run_session *session, const struct probe_seg_rec *rec);
/* All rows of a dispatch that will come have come. */
void run_counters_finish(struct run_session *session, struct run_dispatch *dispatch);
/* What is kept of dispatches that never completed is lost. */
void run_counters_unfinished(struct run_session *session);

/* ---- Draining rings (trace_records.c) ----------------------------------------------------- */

struct run_trace {
	struct probe_trace_ring *rings;
	struct probe_trace_batch batch;
	uint64_t batch_dispatch;
	unsigned char *arena; /* copies of pieces, until the batch is used */
	size_t arena_used, arena_room;
	struct probe_trace_wide *wide; /* by ring */
	unsigned char *piece;	       /* of a ring, as the device wrote it */
	unsigned char *packed;	       /* for one step of them written out */
};

struct probe_err *run_trace_init(struct run_session *session);
void run_trace_deinit(struct run_session *session);
/* A batch with room; false without memory, deinit it all the same. */
bool run_trace_batch_init(struct probe_trace_batch *batch);
void run_trace_batch_deinit(struct probe_trace_batch *batch);
/* Hand a batch to the handlers, stream by stream, and forget it. dispatch NULL: only forget it. */
void run_trace_feed(struct run_session *session, struct probe_trace_batch *batch,
		    const struct run_dispatch *dispatch);
/* Read what the last snapshot noted; true if there was anything. */
bool run_trace_drain(struct run_session *session);
/* Take the first bytes of trace.piece, which no ring has had: whole waves of a known dispatch. */
void run_trace_take_late(struct run_session *session, size_t size);

/* What late waves left (late_waves.c). */
bool run_late_take(struct run_session *session, const struct probe_seg_rec *rec);

/* Groups of a site table, checked (access_groups.c); NULL = none, or no memory. */
struct run_groups *run_groups_create(const struct probe_sites *sites);
void run_groups_destroy(struct run_groups *groups);
const struct probe_trace_groups *run_groups_table(const struct run_groups *groups);

/* ---- Handlers (probe_run_handlers.c) -------------------------------------------------------- */

struct run_instance;
struct run_handler_table;

/*
 * Open instances before the program starts, so that what is wrong with their arguments stops the
 * run; `instead` ends the error: "the program was not started". The first session takes them over
 * (run_session.prepared); without any they are discarded.
 */
struct probe_err *run_instances_prepare(const struct run_config *config,
					const struct run_plugins *plugins, const char *instead,
					struct run_session **ret);
void run_instances_discard(struct run_session *prepared);
bool run_instances_open(struct run_session *session);
/* Once the process is known: run_begin. Again: nothing. */
void run_instances_run(struct run_session *session);
void run_instances_begin(struct run_session *session, const struct probe_dispatch_info *info);
void run_instances_batch(struct run_session *session, const struct probe_batch *batch);
void run_instances_end(struct run_session *session, const struct probe_dispatch_info *info);
void run_instances_close(struct run_session *session);

/* ---- The session (run_session.c, host_records.c, code_records.c) ---------------- */

/* Why a session is to end although its process lives. */
enum run_stop {
	RUN_STOP_NOT = 0,
	RUN_STOP_LEFT,	   /* the application has ended and left the process behind */
	RUN_STOP_REPLACED, /* the process has executed another program */
};

#define RUN_TOLD_LOST_MAX 16

struct run_session {
	struct run_session *next;
	const struct run_config *config;
	const struct run_plugins *plugins;
	pid_t pid;
	int pidfd, sock, wake; /* wake: an eventfd to end early */
	pthread_t thread;
	_Atomic enum run_stop stop;
	atomic_bool done;
	bool waiting; /* the host ring's next record is not finished yet */
	bool simulated;
	struct probe_seg seg;
	struct probe_store *store;
	struct probe_facts *facts;
	struct run_objects objects;
	struct run_numbers numbers;
	struct run_trace trace;
	struct proved_scratch *proved; /* NULL until something is proved */
	struct run_session *prepared;  /* instances to take over; NULL = open new ones */
	struct run_instance *instances;
	size_t instance_count;
	struct run_handler_table *handler_tables;
	struct run_allocations *allocations;
	uint64_t last_dispatch;		       /* launched */
	struct probe_run_info run;	       /* size = 0: no run_begin yet */
	bool replay;			       /* no process: records come from a database */
	char partial[160];		       /* why, "" = it is not */
	uint64_t told_lost[RUN_TOLD_LOST_MAX]; /* sites without counters that the log has named */
	size_t told_lost_count;
};

/* Takes the store over. Call run_session_destroy() after the thread has been joined. */
struct probe_err *run_session_create(const struct run_config *config,
				     const struct run_plugins *plugins, pid_t pid, int sock,
				     uint32_t ring_count, struct probe_store *store,
				     struct run_session **ret);
/* The segment of a session, for as many rings as its process wants or as there is room for. */
struct probe_err *run_session_segment(uint32_t rings_wanted, struct probe_seg *ret);
struct probe_err *run_session_start(struct run_session *session);
void run_session_destroy(struct run_session *session);
/* From another thread: take what is there and end. */
void run_session_stop(struct run_session *session, enum run_stop why);

/* Note why the run is partial; the first reason stays. */
void run_session_partial(struct run_session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A message for the user (level permitting) and for the database. */
void run_session_log(struct run_session *session, int level, const char *origin, const char *format,
		     ...) __attribute__((format(printf, 4, 5)));

/* Apply one host record. */
void run_record_apply(struct run_session *session, const struct probe_seg_rec *rec);
/* Finish dispatches told complete; their rings are drained. */
void run_record_finish(struct run_session *session, struct run_dispatch *list);

/* Bytes of a code object have arrived; hash, sites and source lines once they are complete. */
bool run_code_bytes(struct run_session *session, struct run_code *code, uint64_t offset,
		    const unsigned char *bytes, size_t size);
void run_code_destroy(struct run_code *code);
/* Sites of a whole image, if it has any; code->hr.bytes is its size. */
struct probe_err *run_code_read(struct run_code *code, const unsigned char *bytes);

#endif
