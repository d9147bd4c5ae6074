/* SPDX-License-Identifier: MIT */
/* Whether a database may be made again from the spool of its recorder. */
#ifndef PROBE_CMDS_RUN_RECOVER_CHECK_H
#define PROBE_CMDS_RUN_RECOVER_CHECK_H

#include <stdbool.h>

struct probe_err;
struct spool;

/* A recorder that is killed while it starts leaves a database without tables. */
bool recover_is_empty(const char *path);
/*
 * An error if there is a file that is not the database of this recording, or one that has records
 * which the spool lacks. Changes nothing.
 */
struct probe_err *recover_check_database(const char *path, struct spool *spool);

#endif
