/* SPDX-License-Identifier: MIT */
/*
 * What a process has announced: agents, code objects and kernels by number, and dispatches in
 * flight by id. Filled from host records, or from a database in a replay.
 */
#ifndef PROBE_CMDS_RECORD_PROCESS_OBJECTS_H
#define PROBE_CMDS_RECORD_PROCESS_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <probe/handler.h>
#include <probe/wire.h>

#include "codeobj/digest.h"

struct access_groups;
struct probe_sites;

struct run_agent {
	struct probe_hr_agent hr;
	char *arch;	      /* "gfx90a": the ISA name up to its first ':' */
	const char *features; /* what follows it, "sramecc+:xnack-"; part of arch */
};

struct run_code {
	struct probe_hr_code_object hr;
	unsigned char *bytes; /* while incomplete; then freed */
	uint64_t received, capacity;
	uint64_t built; /* modification time of its file, ns since 1970; 0 = unknown */
	bool complete, unloaded;
	char hash[PROBE_SHA256_HEX];   /* "" until complete */
	struct probe_sites *table;     /* NULL = none; owns the strings of `sites` */
	char **functions;	       /* demangled: first those of the sites, then of the frames */
	struct probe_site_info *sites; /* NULL = no site table */
	uint32_t site_count;
	struct access_groups *groups; /* of the trace kind; NULL = none */
};

struct run_kernel {
	struct probe_hr_kernel hr;
	char *symbol, *demangled; /* demangled is NULL while the kernel is in the list `unnamed` */
	uint64_t unprobed;	  /* dispatches that ran uninstrumented for lack of a clone */
	struct run_kernel *next_unnamed;
	/*
	 * The kernel under which handlers know it: the one of the same name in the first code
	 * object with the same bytes that launched it. NULL until it is launched. Kernels that
	 * represent themselves form a list.
	 */
	struct run_kernel *known_as, *next_known;
};

struct run_dispatch {
	struct run_dispatch *next; /* next in its bucket */
	struct run_dispatch *next_complete;
	struct probe_hr_dispatch hr;
	struct probe_hr_complete complete;
	struct probe_dispatch_info info; /* its strings belong to agents and kernels */
	uint32_t code_object; /* of the launched kernel; info may refer to an equal one */
	uint32_t tid;
	uint32_t range;			   /* string of the ROCTx range around it; 0 = none */
	uint64_t correlation;		   /* of the call that launched it; 0 = not traced */
	uint32_t rows;			   /* counter rows received */
	struct probe_counter_row *pending; /* the rows that are kept until the dispatch has
					    * completed */
	uint32_t pending_count;
	unsigned char *arguments;
	uint32_t argument_bytes;
	bool arguments_stored; /* with the trace records */
	bool completed;
	bool stored; /* its row in probe_dispatch, as not completed */
};

/*
 * Objects that the application numbers from 0 or 1; a slot is NULL until its object is announced.
 */
struct run_table {
	void **items;
	uint32_t capacity;
};

#define RUN_BUCKETS	   1024 /* at first */
#define RUN_KERNEL_BUCKETS 4096 /* libraries have some 10,000 kernels */

struct process_objects {
	pid_t pid;
	struct probe_hr_process process;
	char *command, *environment;
	char *program; /* its file; NULL = unknown */
	bool process_known, exited, simulated;
	struct run_table agents, codes, kernels;
	uint32_t agents_of_type[2];
	struct run_kernel *unnamed;		      /* announced, not yet demangled and stored */
	struct run_kernel *known[RUN_KERNEL_BUCKETS]; /* launched, by symbol */
	size_t unnamed_count;
	struct run_dispatch **buckets; /* in flight, by id; at least as many as dispatches */
	struct run_dispatch *first_buckets[RUN_BUCKETS];
	uint32_t bucket_count;
	uint32_t in_flight, traces_in_flight;
	uint64_t last_dispatch;	       /* the last one launched */
	struct run_dispatch *complete; /* completed dispatches whose rings are not drained yet */
	struct run_dispatch **complete_end;
	uint32_t *tids;
	size_t tid_count;
};

void process_objects_init(struct process_objects *objects, pid_t pid);
void process_objects_deinit(struct process_objects *objects);

void *run_table_get(const struct run_table *table, uint32_t index);
/*
 * Takes ownership of `item`; false (and `item` freed) if the index is out of range or in use, or
 * without memory.
 */
bool run_table_put(struct run_table *table, uint32_t index, void *item);
/* Takes the ISA name, "gfx90a:sramecc+:xnack-" (NULL: no memory). */
bool run_agent_name(struct run_agent *agent, char *isa);
/* As run_table_put(), by its index or id; their strings are freed as well. */
bool process_add_agent(struct process_objects *objects, struct run_agent *agent);
bool process_add_kernel(struct process_objects *objects, struct run_kernel *kernel);

/* Limit for site ids in records of a code object; every id is valid if it has no site table. */
uint32_t run_code_site_limit(const struct run_code *code);

struct run_dispatch *run_dispatch_find(const struct process_objects *objects, uint64_t id);
/*
 * Fills in what handlers see, from the agent and the kernel. If a code object is loaded again,
 * handlers see the first one.
 */
void run_dispatch_info(struct process_objects *objects, struct run_dispatch *dispatch);
void run_dispatch_add(struct process_objects *objects, struct run_dispatch *dispatch);
/* Removes the dispatch and frees it. */
void run_dispatch_remove(struct process_objects *objects, struct run_dispatch *dispatch);

#endif
