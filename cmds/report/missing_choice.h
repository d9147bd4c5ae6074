/* SPDX-License-Identifier: MIT */
/* Reports that -k, --dispatches, --start or --end chooses nothing that ran. */
#ifndef PROBE_CMDS_REPORT_MISSING_CHOICE_H
#define PROBE_CMDS_REPORT_MISSING_CHOICE_H

#include <stdbool.h>

struct probe_err;
struct report;
struct report_db;

/*
 * Writes "no kernel matches 'x'; kernels that ran: a; b", "no dispatch has such an id; ids are 1
 * to 9", or when the last dispatch ended: in a table as text, else as a warning.
 */
struct probe_err *report_none_chosen(const struct report *report, const struct report_db *db,
				     bool *none);

#endif
