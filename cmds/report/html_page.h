/* SPDX-License-Identifier: MIT */
/*
 * The page of `export --format html`: one file that needs no network and no other file. Its style
 * and its program (report-html/) are part of this program; a content security policy admits these
 * two texts, by their hashes, and nothing else. The data are compressed JSON, and never markup.
 */
#ifndef PROBE_CMDS_REPORT_HTML_PAGE_H
#define PROBE_CMDS_REPORT_HTML_PAGE_H

#include <stdio.h>

struct probe_err;
struct report;
struct report_db;

struct probe_err *html_put_page(const struct report *report, const struct report_db *db, FILE *out);

#endif
