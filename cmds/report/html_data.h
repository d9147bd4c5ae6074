/* SPDX-License-Identifier: MIT */
/* The data of the HTML page: one JSON object with the rows of the other verbs. */
#ifndef PROBE_CMDS_REPORT_HTML_DATA_H
#define PROBE_CMDS_REPORT_HTML_DATA_H

#include <stdio.h>

struct probe_err;
struct report;
struct report_db;

/*
 * {schema, version, file, partial, baseline, run: [[key, value]], device: [[name, product, kind]],
 * environment: [[JSON]], account: [[stream, name, value]], counts: [[dispatches, other events,
 * first start, spans of waves]], tracks, dispatches, events, waves, arrows: rows of the queries in viewer_events.h, waits:
 * [[code object, address of an s_waitcnt, address of what it waits for]], source: [[file, line,
 * text]], stacks: [[folded stack, samples]], tables: {name: {command, sql, columns: [{name, title,
 * type, help}], rows:
 * [[...]]}}, gaps: [sentences about code objects that could not be read], cut: [sentences
 * about tables with too many rows]}. A table that the run does not have is absent. Texts over
 * TEXT_CUT_MAX bytes are cut (text_sql.h).
 */
struct probe_err *html_put_data(const struct report *report, const struct report_db *db, FILE *out);

#endif
