/* SPDX-License-Identifier: MIT */
/* The database of an application's process: its name, which no other has, and its creation. */
#ifndef PROBE_CMDS_RUN_DATABASE_CREATION_H
#define PROBE_CMDS_RUN_DATABASE_CREATION_H

#include <sys/types.h>

struct probe_store;
struct run_server;

/* The caller closes *ret. An existing file is an error unless --force was given. */
struct probe_err *run_database_create(const struct run_server *server, pid_t pid,
				      struct probe_store **ret);

#endif
