/* SPDX-License-Identifier: MIT */
/*
 * The page of `export --format html`: one file that needs no network and no other file. Its style
 * sheet and script (report-html/) are embedded in this program. A content security policy admits
 * only these two texts, by their hashes. The data are compressed JSON, and never markup.
 */
#ifndef PROBE_CMDS_REPORT_HTML_PAGE_H
#define PROBE_CMDS_REPORT_HTML_PAGE_H

#include <stdio.h>

struct probe_err;
struct report;
struct report_db;

struct probe_err *html_put_page(const struct report *report, const struct report_db *db, FILE *out);

#endif
