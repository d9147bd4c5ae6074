/* SPDX-License-Identifier: MIT */
/* The data of the HTML page: one JSON object with the rows of the other verbs. */
#ifndef PROBE_CMDS_REPORT_HTML_DATA_H
#define PROBE_CMDS_REPORT_HTML_DATA_H

#include <stdio.h>

struct probe_err;
struct report;
struct report_db;

/*
 * {schema, version, file, partial, run: {key: value}, device: {...}, account: [[stream, name,
 * value]], tables: {name: {command, columns: [{name, title, type, help}], rows: [[...]]}},
 * source: [[file, line, text]]}. A table that the run does not have is absent.
 */
struct probe_err *html_put_data(const struct report *report, const struct report_db *db, FILE *out);

#endif
