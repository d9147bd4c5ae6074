/* SPDX-License-Identifier: MIT */
#include "cmds/report/html_page.h"

#include <stdlib.h>
#include <string.h>

#include "cmds/report/escape.h"
#include "cmds/report/gzip_text.h"
#include "cmds/report/html_data.h"
#include "cmds/report/lines_query.h"
#include "cmds/report/query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "page_hashes.h" /* made by cmake/PageParts.cmake */

/* The two texts; the build makes the files. */
__asm__(".pushsection .rodata\n"
	"page_style: .incbin \"" PAGE_STYLE "\"\npage_style_end: .byte 0\n"
	"page_program: .incbin \"" PAGE_PROGRAM "\"\npage_program_end: .byte 0\n"
	".popsection\n");
extern const char page_style[], page_style_end[], page_program[], page_program_end[];

static unsigned hex_digit(char digit)
{
	return digit <= '9' ? (unsigned)(digit - '0') : (unsigned)(digit - 'a') + 10;
}

/* "sha256-..." of a hash in hexadecimal, as the policy wants it. */
static void put_hash(FILE *out, const char *hex)
{
	unsigned char bytes[32];

	for (int i = 0; i < 32; i++)
		bytes[i] = (unsigned char)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
	fputs("'sha256-", out);
	base64_put(out, bytes, sizeof(bytes));
	fputc('\'', out);
}

/* What a reader without JavaScript sees: the findings as a list. */
static struct probe_err *put_plain_list(const struct report *report, const struct report_db *db,
					FILE *out)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	unsigned char chosen[REPORT_COLUMNS_MAX];
	const struct report_query *query;
	struct report view = *report;
	struct probe_err *err;
	size_t count;
	bool row;

	if (!report_db_has(db, "probe_memory_site"))
		return NULL;
	view.fields = "file,line,kernel,cause,fix";
	view.sort = NULL;
	view.limit = 100;
	err = report_lines_query(&view, db, &query);
	if (!err)
		err = report_choose(&view, query, false, chosen, &count);
	if (!err)
		err = report_prepare(&view, db, query, chosen, count, &stmt);
	while (!err) {
		err = report_step(db, stmt, &row);
		if (err || !row)
			break;
		fputs("<li><code>", out);
		report_markup(out, report_cell(stmt, 0));
		fprintf(out, ":%s</code> in <code>", report_cell(stmt, 1));
		report_markup(out, report_cell(stmt, 2));
		fputs("</code>: ", out);
		report_markup(out, *report_cell(stmt, 3) ? report_cell(stmt, 3) : "extra requests");
		if (*report_cell(stmt, 4)) {
			fputs(". Fix: ", out);
			report_markup(out, report_cell(stmt, 4));
		}
		fputs("</li>\n", out);
	}
	return err;
}

static void put_head(const struct report_db *db, FILE *out)
{
	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "base-uri 'none'; form-action 'none'; style-src ",
	      out);
	put_hash(out, PAGE_STYLE_SHA256);
	fputs("; script-src ", out);
	put_hash(out, PAGE_PROGRAM_SHA256);
	fputs("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Probe: ",
	      out);
	report_markup(out, db->path);
	fputs("</title>\n<style>", out);
	fwrite(page_style, 1, (size_t)(page_style_end - page_style), out);
	fputs("</style>\n</head>\n<body>\n", out);
}

struct probe_err *html_put_page(const struct report *report, const struct report_db *db, FILE *out)
{
	PROBE_AUTO_FREE char *data = NULL;
	struct probe_err *err;
	size_t size = 0;
	FILE *memory = open_memstream(&data, &size);

	if (!memory)
		return probe_err_oom();
	err = html_put_data(report, db, memory);
	if (fclose(memory) && !err)
		err = probe_err_oom();
	if (err)
		return err;
	put_head(db, out);
	fputs("<noscript><main><h1>Probe: findings</h1><p>This page needs JavaScript to show more "
	      "than this list.</p><ol>\n",
	      out);
	err = put_plain_list(report, db, out);
	fputs("</ol></main></noscript>\n<div id=\"app\"></div>\n"
	      "<script type=\"application/gzip\" id=\"data\">",
	      out);
	if (!err)
		err = gzip_base64_put(out, data, size);
	fputs("</script>\n<script>", out);
	fwrite(page_program, 1, (size_t)(page_program_end - page_program), out);
	fputs("</script>\n</body>\n</html>\n", out);
	return err;
}
