/* SPDX-License-Identifier: MIT */
/* What the files of probe-report share: the command line, an open database, columns as data. */
#ifndef PROBE_CMDS_REPORT_REPORT_H
#define PROBE_CMDS_REPORT_REPORT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "store/store_open.h"

struct probe_err;
struct report_db;

enum report_format { REPORT_TABLE, REPORT_CSV, REPORT_JSON, REPORT_ROCPROFV3 };

/* What a row of `samples` stands for. */
enum report_by {
	REPORT_BY_LINE,
	REPORT_BY_KERNEL,
	REPORT_BY_INSTRUCTION,
	REPORT_BY_DISPATCH,
	REPORT_BYS
};

/* Where samples are counted from: sums of the run, sums of dispatches, each sample. */
enum report_source { REPORT_FROM_SUMS, REPORT_FROM_DISPATCHES, REPORT_FROM_SAMPLES };

#define REPORT_RANGES_MAX 64

struct report_range {
	int64_t first, last;
};

enum report_verb {
	REPORT_SUMMARY,
	REPORT_LINES,
	REPORT_KERNELS,
	REPORT_DISPATCHES,
	REPORT_SAMPLES,
	REPORT_FLAME,
	REPORT_ANNOTATE,
	REPORT_TABLES,
	REPORT_INFO,
	REPORT_LIST,
	REPORT_VERBS,
};

struct report {
	enum report_verb verb;
	enum report_format format;
	enum report_by by;
	bool color;
	bool header;
	bool all; /* also lines that cost no more than they need */
	bool fields_given, by_given;
	bool runs;     /* the files are two runs of one program */
	int64_t limit; /* -1 = none */
	char separator;
	const char *sort, *fields; /* as given, NULL = default */
	const char *kernel;	   /* regex as given, NULL = all */
	bool kernel_literal;	   /* it may also be a whole name */
	regex_t kernel_regex;
	struct report_range dispatches[REPORT_RANGES_MAX];
	size_t dispatch_count;	 /* 0 = all */
	int64_t start, end;	 /* ns since the first dispatch; 0 and INT64_MAX = all */
	const char *table;	 /* a handler's, NULL = list them */
	const char *source_root; /* NULL = text from the database only */
	const char **files;
	size_t file_count;
};

/* ---- Columns and queries (query.c) --------------------------------------------------- */

enum report_type {
	REPORT_INT,
	REPORT_REAL,
	REPORT_TEXT,
	REPORT_JSON_TEXT, /* an array or object, as text */
};

struct report_column {
	const char *name;  /* in -f, -s, CSV and JSON */
	const char *title; /* above a table */
	enum report_type type;
	bool standard;	  /* shown in tables unless -f says otherwise */
	const char *sql;  /* from the program, never from input */
	const char *help; /* for `list` */
};

struct report_query {
	const char *verb;
	const struct report_column *columns;
	size_t count;
	const char *from;	   /* what follows SELECT columns FROM, with all joins */
	const char *where;	   /* NULL, or a condition on columns, unless --all */
	const char *kernel_column; /* what -k looks at; NULL = -k does not apply */
	const char *sort;	   /* default, as -s */
};

extern const struct report_query report_join_query, report_counts_query;
extern const struct report_query report_lines_query, report_kernels_query, report_dispatches_query;

/* In ns since then times of samples and dispatches are told. */
#define REPORT_FIRST "(SELECT min(start) FROM rocpd_kernel_dispatch)"
/* Ids of the dispatches that --dispatches, --start and --end choose. */
extern const char report_chosen_sql[];

/* Has it samples of original kernels, and what probes counted in clones of them? */
struct probe_err *report_joined(const struct report_db *db, bool *ret);
/* If it has both but they cannot be put together, say why: in the text, else as a warning. */
struct probe_err *report_not_joined(const struct report *report, const struct report_db *db);

/* Does the statement (of the program's) yield a row? */
struct probe_err *report_any(const struct report_db *db, const char *sql, bool *ret);

/* Where this database's samples have to be counted from, for the filters given. */
struct probe_err *report_source(const struct report *report, const struct report_db *db,
				enum report_source *ret);
/* How it was sampled: method, interval, provider. */
struct probe_err *report_samplers(const struct report_db *db);
/* report_head(), how it was sampled, and what to say if there are no samples. */
struct probe_err *report_samples_head(const struct report *report, const struct report_db *db,
				      enum report_source source, bool *any);
/* Was it sampled, whatever came of it? */
struct probe_err *report_sampled(const struct report_db *db, bool *ret);
/* Why a database has no samples at all: what follows "no samples: ". */
struct probe_err *report_no_samples(const struct report_db *db, const char **ret);
/* The same for -k, --dispatches, --start and --end that choose none; a sentence without end. */
struct probe_err *report_no_choice(const struct report *report, const struct report_db *db,
				   FILE *out);
/* Is there no row for what they choose? */
struct probe_err *report_none(const struct report *report, const struct report_db *db,
			      const struct report_query *query, bool *ret);
/* A line with the kernels that ran but were never hit, if there are any. */
struct probe_err *report_unsampled(const struct report_db *db);
/* The query of samples by `by`. */
const struct report_query *report_samples_query(enum report_by by, enum report_source source);

#define REPORT_COLUMNS_MAX 64

/* The columns that -f or the format choose, as indices; all of them with `all`. */
struct probe_err *report_choose(const struct report *report, const struct report_query *query,
				bool all, unsigned char *chosen, size_t *count);

/* Are the columns of -f and -s those of the query? */
struct probe_err *report_check(const struct report *report, const struct report_query *query);

/* "1 finding", "2 findings". */
const char *report_plural(int64_t count, const char *one, const char *many);

struct report_db {
	const char *path;
	char *name; /* made for --runs, or NULL */
	struct probe_reader reader;
};

struct probe_err *report_db_open(const struct report *report, const char *path,
				 struct report_db *db);
/* Two runs of one program, one sampled and one probed, as one database (attach_runs.c). */
struct probe_err *report_runs_open(const struct report *report, struct report_db *db);
/* The functions that queries use. */
struct probe_err *report_functions(const struct report *report, sqlite3 *db);
void report_db_close(struct report_db *db);

/* Does the run's database have this table (made by a handler)? */
bool report_db_has(const struct report_db *db, const char *table);

/* Prepare the query with filter, order and limit; columns in the order of `chosen`. */
struct probe_err *report_prepare(const struct report *report, const struct report_db *db,
				 const struct report_query *query, const unsigned char *chosen,
				 size_t count, sqlite3_stmt **ret);
/* Prepare any other statement of the program's. */
struct probe_err *report_prepare_sql(const struct report_db *db, const char *sql,
				     sqlite3_stmt **ret);
/* One step: *row tells whether there is a row. */
struct probe_err *report_step(const struct report_db *db, sqlite3_stmt *stmt, bool *row);

/* Never NULL. */
const char *report_cell(sqlite3_stmt *stmt, int column);

/*
 * All rows of a query in the report's format. CSV and JSON span files: `first` and `last` tell
 * where the header, the brackets go.
 */
struct probe_err *report_rows(const struct report *report, const struct report_db *db,
			      const struct report_query *query, bool first, bool last);

/* The same where the database has no such table. */
struct probe_err *report_no_rows(const struct report *report, const struct report_db *db,
				 const struct report_query *query, bool first, bool last);

/* ---- Verbs ---------------------------------------------------------------------------------- */

struct probe_err *report_lines(const struct report *report, struct report_db *db, bool first,
			       bool last);
struct probe_err *report_kernels(const struct report *report, struct report_db *db, bool first,
				 bool last);
struct probe_err *report_dispatches(const struct report *report, struct report_db *db, bool first,
				    bool last);
struct probe_err *report_tables(const struct report *report, struct report_db *db, bool first,
				bool last);
struct probe_err *report_summary(const struct report *report, struct report_db *db, bool first,
				 bool last);
struct probe_err *report_samples(const struct report *report, struct report_db *db, bool first,
				 bool last);
struct probe_err *report_annotate(const struct report *report, struct report_db *db, bool first,
				  bool last);
/* Its columns, whatever samples and probes there are. */
const struct report_query *report_annotate_query(void);
struct probe_err *report_flame(const struct report *report, struct report_db *db);
/* One sample per row, as rocprofv3 writes them. */
struct probe_err *report_rocprofv3(const struct report *report, const struct report_db *db,
				   bool first);
struct probe_err *report_info(const struct report *report, const char *path, bool first, bool last);
void report_list(const struct report *report);
/* The verb with a command line of its own; argv[0] is "replay". The exit status. */
int report_replay(int argc, char **argv);

/* ---- Pieces --------------------------------------------------------------------------------- */

/* First lines of a text report: partial and why, the program, the device. */
struct probe_err *report_head(const struct report *report, const struct report_db *db);
/* Last lines: dispatches, streams, notes. */
struct probe_err *report_account(const struct report *report, const struct report_db *db);
/* What to do where no instrumented kernel ran; *told = false: there were some. */
struct probe_err *report_no_clones(const struct report *report, const struct report_db *db,
				   bool *told);
/* Annotated findings, at most `limit` (-1 = all); `brief` = one line each. */
struct probe_err *report_findings(const struct report *report, const struct report_db *db,
				  int64_t limit, bool brief);

/*
 * Text of a line: below --source-root if that is given, else where the file was when it was
 * compiled. NULL if it is not there. Free it.
 */
char *report_source_text(const struct report *report, const char *file, int64_t line);

/*
 * SQL functions, NULL if unknown; the connection owns what they cache. probe_position(code object,
 * symbol): "file:line" where the kernel is declared; probe_code_size: bytes of its code. Of an
 * address in the code object's image: probe_line_at: its "file:line"; probe_kernel_at: the kernel,
 * demangled; probe_instruction_at: the instruction as text; probe_comment_at: file:line and those
 * of the calls it was inlined by, as rocprofv3 has it; probe_stack_at: the same as a folded stack,
 * outermost first.
 */
int report_position_register(sqlite3 *db);

/* --dispatches, --start and --end (dispatch_filter.c). */
struct probe_err *report_set_dispatches(struct report *report, const char *text);
struct probe_err *report_set_time(const char *option, const char *text, int64_t *ret);
bool report_filtered(const struct report *report);
bool report_timed(const struct report *report);
/* SQL: probe_chosen(dispatch), probe_timely(from, to). `report` must outlive the connection. */
int report_filter_register(const struct report *report, sqlite3 *db);
/* SQL: probe_unpack(), probe_unraw() (unpack_samples.c). */
int report_unpack_register(sqlite3 *db);

/* Colours; "" when off. */
const char *report_bold(const struct report *report);
const char *report_red(const struct report *report);
const char *report_green(const struct report *report);
const char *report_dim(const struct report *report);
const char *report_plain(const struct report *report);

/* Escaped for a terminal. */
void report_put(const char *text);

/*
 * SQL for a site's place as the user knows it: the access's own, or the innermost call in a file of
 * the user's. `row` has file, line, "column" and frames, `what` is one of the first three.
 */
#define REPORT_USERS(row, what)                                                                    \
	"CASE WHEN probe_users_file(" row ".file) THEN " row ".\"" what "\" ELSE coalesce("        \
	"(SELECT json_extract(f.value, '$." what "') FROM json_each(" row ".frames) f "            \
	"WHERE probe_users_file(json_extract(f.value, '$.file')) "                                 \
	"AND json_extract(f.value, '$.line') > 0 ORDER BY f.key LIMIT 1), " row ".\"" what         \
	"\") END"

#endif
