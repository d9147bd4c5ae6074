/* SPDX-License-Identifier: MIT */
#include "cmds/report/missing_clones.h"

#include <stdio.h>
#include <string.h>

#include "cmds/report/missing_samples.h"
#include "cmds/report/report_db.h"
#include "cmds/report/terminal_text.h"
#include "common/err.h"
#include "store/sql_words.h"

#define RAN_INSTRUMENTED "SELECT 1 FROM probe_dispatch p WHERE " SQL_INSTRUMENTED("p")
/* Dispatches with one of these verdicts. */
#define RAN_ORIGINAL(words)                                                                        \
	"SELECT 1 FROM probe_dispatch p WHERE " SQL_VERDICT("p") " IN (" words ")"

#define FOREIGN_CODE "SELECT value FROM probe_run WHERE key = 'foreign_code'"

/* All causes except the one that compiling with the plugin removes. */
static const char other_causes_sql[] =
	"SELECT r.value FROM probe_account a JOIN probe_run r ON r.key = a.name "
	"WHERE stream = 'dispatches' AND name IN ('no_clone.kind', 'no_clone.empty', "
	"'no_clone.runtime') "
	"AND a.value > 0 ORDER BY name DESC";

static void print_cause(const struct report *report, sqlite3_stmt *stmt)
{
	(void)report;
	report_put(report_cell(stmt, 0));
	putchar('\n');
}

/* True if a kernel was compiled without the plugin; if causes are not known, if it has no clone. */
static struct probe_err *ran_plain(const struct report_db *db, bool *ret)
{
	bool known = false;
	struct probe_err *err = report_any(db, RAN_ORIGINAL("'no_clone'") " LIMIT 1", ret);

	if (err)
		return err;
	err = report_any(db,
			 "SELECT 1 FROM probe_account WHERE stream = 'dispatches' AND "
			 "name LIKE 'no_clone.%' LIMIT 1",
			 &known);
	if (err || !known)
		return err;
	return report_any(db,
			  "SELECT 1 FROM probe_account WHERE stream = 'dispatches' AND "
			  "name = 'no_clone.plain' AND value > 0",
			  ret);
}

/* Prints the remedy: filters first, then what the site tables say, then the plugin. */
static struct probe_err *print_remedy(const struct report *report, const struct report_db *db)
{
	bool refused = false, plain = false;
	struct probe_err *err = report_any(
		db, RAN_ORIGINAL("'filtered', 'dispatch', 'library'") " LIMIT 1", &refused);

	if (err)
		return err;
	err = ran_plain(db, &plain);
	if (err)
		return err;
	if (refused)
		puts("the filters excluded kernels: see \"filters\" above");
	err = report_each(db, other_causes_sql, print_cause, report);
	if (err)
		return err;
	if (plain)
		puts("compile them with the plugin, then run again:\n"
		     "  hipcc -g -O2 -fpass-plugin=$(probe-config --pass-plugin) FILE.hip -o "
		     "PROGRAM");
	return NULL;
}

static void print_kernel(const struct report *report, sqlite3_stmt *stmt)
{
	const char *where = report_cell(stmt, 2);

	(void)report;
	fputs("  ", stdout);
	report_put(*where ? where : "(no line information)");
	fputs("  ", stdout);
	report_put(report_cell(stmt, 0));
	printf("  (%s %s)\n", report_cell(stmt, 1),
	       report_plural(sqlite3_column_int64(stmt, 1), "dispatch", "dispatches"));
}

static struct probe_err *print_kernels(const struct report *report, const struct report_db *db)
{
	printf("%sno records: no instrumented kernel ran%s\n", report_bold(report),
	       report_plain(report));
	puts("kernels that ran:");
	return report_each(
		db,
		"SELECT k.display_name, count(*), probe_position(k.code_object_id, "
		"k.kernel_name) FROM probe_dispatch d JOIN rocpd_info_kernel_symbol k "
		"ON k.id = d.kernel_id GROUP BY k.id ORDER BY count(*) DESC, k.display_name "
		"LIMIT 100",
		print_kernel, report);
}

static struct probe_err *print_only_sampled(const struct report_db *db)
{
	bool any = false;
	const char *why;
	struct probe_err *err = report_any(db, "SELECT 1 FROM probe_sample LIMIT 1", &any);

	if (err)
		return err;
	if (any) {
		puts("this run was sampled without probes: probe-report samples and annotate show\n"
		     "where waves were; probe-run --twice records samples and probes");
		return NULL;
	}
	err = report_no_samples(db, &why);
	if (err)
		return err;
	printf("this run was sampled without probes, but there are no samples: %s\n", why);
	return NULL;
}

/* Instrumentation was off, which may have been intended in a sampled run. */
static struct probe_err *print_off(const struct report *report, const struct report_db *db)
{
	bool sampled = false;
	struct probe_err *err = report_sampled(db, &sampled);

	if (err)
		return err;
	if (sampled)
		return print_only_sampled(db);
	err = print_kernels(report, db);
	if (err)
		return err;
	puts("kernels ran without probes, as requested by --no-instrumented or by options that "
	     "only trace:\nfor counts, run with --kind memory and without --no-instrumented");
	return NULL;
}

/* The program's kernels are for another GPU; `dispatched`: the runtime's own ran. */
static struct probe_err *print_foreign(const struct report *report, const struct report_db *db,
				       bool dispatched)
{
	struct probe_err *err = dispatched ? print_kernels(report, db) : NULL;

	if (err)
		return err;
	if (!dispatched)
		puts("no records: no kernel ran");
	return report_each(db, FOREIGN_CODE, print_cause, report);
}

struct probe_err *report_no_clones(const struct report *report, const struct report_db *db,
				   bool *missing)
{
	bool instrumented = true, dispatched = false, foreign = false, off = false;
	struct probe_err *err = report_any(db, RAN_INSTRUMENTED " LIMIT 1", &instrumented);

	*missing = !instrumented;
	if (err || instrumented)
		return err;
	err = report_any(db, "SELECT 1 FROM probe_dispatch LIMIT 1", &dispatched);
	if (err)
		return err;
	err = report_any(db, FOREIGN_CODE, &foreign);
	if (err)
		return err;
	if (foreign)
		return print_foreign(report, db, dispatched);
	if (!dispatched) {
		puts(db->reader.partial ? "no records of kernels, and the run is partial: what the "
					  "program launched is not known"
					: "no records: the program launched no kernel");
		return NULL;
	}
	err = report_any(db, RAN_ORIGINAL("'off'") " LIMIT 1", &off);
	if (err)
		return err;
	if (off)
		return print_off(report, db);
	err = print_kernels(report, db);
	return err ? err : print_remedy(report, db);
}
