/* SPDX-License-Identifier: MIT */
#include "cmds/report/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/report/escape.h"
#include "cmds/report/lines_query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/source_text.h"
#include "cmds/report/terminal_text.h"
#include "common/err.h"

/* The columns asked for, in this order; names are those of report_lines_query. */
enum field {
	F_FILE,
	F_LINE,
	F_COLUMN,
	F_KERNEL,
	F_FUNCTION,
	F_ACCESS,
	F_SPACE,
	F_SIZE,
	F_EXECUTIONS,
	F_LANES,
	F_USED64,
	F_NEEDED64,
	F_EXCESS64,
	F_USED128,
	F_NEEDED128,
	F_EXCESS128,
	F_PASSES,
	F_IDEAL,
	F_CONFLICTS,
	F_WAY,
	F_COST,
	F_CAUSE,
	F_FIX,
	F_SOURCE,
	F_INLINED,
	F_SITES,
	F_SITE,
	F_UNIT,
	F_MACHINE,
	F_BASIS,
	F_SWAP_LOOP,
	F_OWN_FILE,
	F_OWN_LINE,
	F_OWN_COLUMN,
	F_CANDIDATES,
};

static const char field_names[] =
	"file,line,column,kernel,function,access,space,size,executions,lanes,lines64_used,"
	"lines64_needed,lines64_excess,lines128_used,lines128_needed,lines128_excess,passes,"
	"ideal_passes,conflicts,max_way,cost,cause,fix,source,inlined,sites,site,unit,machine,basis,"
	"swap_loop,own_file,own_line,own_column,candidates";

struct finding {
	const struct report *report;
	sqlite3_stmt *stmt;
	sqlite3_stmt *frames; /* the callers in a JSON text */
	bool lines;	      /* are there any in debug information? */
};

/* Where the user wrote it. */
struct place {
	char *file, *source;
	long long line, column;
};

static const char frames_sql[] =
	"SELECT file, line, col, function FROM (SELECT key, "
	"json_extract(value, '$.file') AS file, json_extract(value, '$.line') AS line, "
	"json_extract(value, '$.column') AS col, json_extract(value, '$.function') AS function "
	"FROM json_each(?)) ORDER BY key";

static long long number(const struct finding *finding, enum field field)
{
	return (long long)sqlite3_column_int64(finding->stmt, field);
}

static const char *cell(const struct finding *finding, enum field field)
{
	return report_cell(finding->stmt, field);
}

static char *copy(const char *text)
{
	return strdup(text ? text : "");
}

/* A copy: the row goes when the next one comes. */
static struct place place_of(const struct finding *finding)
{
	return (struct place){
		.file = copy(cell(finding, F_FILE)),
		.source = copy(cell(finding, F_SOURCE)),
		.line = number(finding, F_LINE),
		.column = number(finding, F_COLUMN),
	};
}

static void place_free(struct place *place)
{
	free(place->file);
	free(place->source);
}

static void put_position(const char *file, long long line, long long column)
{
	report_put(*file ? file : "(unknown file)");
	printf(":%lld:%lld", line, column);
}

static void put_place(const struct finding *finding, const struct place *place)
{
	if (place->line && place->file)
		put_position(place->file, place->line, place->column);
	else
		printf("(no line%s), site %lld",
		       finding->lines ? ": the compiler moved it or made it"
				      : " information: compile with -g",
		       number(finding, F_SITE));
}

static void put_head(const struct finding *finding, const struct place *place)
{
	const struct report *report = finding->report;
	bool lds = !strcmp(cell(finding, F_SPACE), "lds");

	fputs(report_bold(report), stdout);
	put_place(finding, place);
	printf("%s: %s %s %s, %lld B per lane, in ", report_plain(report), cell(finding, F_ACCESS),
	       !strcmp(cell(finding, F_ACCESS), "store")  ? "to"
	       : !strcmp(cell(finding, F_ACCESS), "load") ? "from"
							  : "on",
	       lds ? "LDS" : cell(finding, F_SPACE), number(finding, F_SIZE));
	report_put(cell(finding, F_KERNEL));
	putchar('\n');
}

/* The line, and a caret below the byte that debug information names, tabs expanded alike. */
static void put_source(const struct finding *finding, const struct place *place)
{
	const struct report *report = finding->report;
	const char *text = place->source;
	long long line = place->line, column = place->column;
	char *read = NULL;
	size_t before, len, width;

	if (text && !*text && report->source_root && line && place->file)
		text = read = report_source_text(report, place->file, line);
	if (!text || !*text) {
		free(read);
		return;
	}
	len = strlen(text);
	len -= len && text[len - 1] == '\r';
	printf("%6lld | ", line);
	report_text(stdout, text, len, 0);
	putchar('\n');
	if (column > 0 && (size_t)column <= len) {
		before = (size_t)column - 1;
		/* Columns count bytes: not into the middle of a character. */
		while (before && ((unsigned char)text[before] & 0xc0) == 0x80)
			before--;
		width = report_text(NULL, text, before, 0);
		printf("       | %*s%s^%s\n", (int)width, "", report_red(report),
		       report_plain(report));
	}
	free(read);
}

/* What cannot be read is left out: the finding does not depend on it. */
static void put_frames(const struct finding *finding, const struct place *place)
{
	sqlite3_stmt *frames = finding->frames;
	bool any = false,
	     moved = place->file && strcmp(place->file, cell(finding, F_OWN_FILE)) != 0;

	sqlite3_bind_text(frames, 1, cell(finding, F_INLINED), -1, SQLITE_TRANSIENT);
	while (sqlite3_step(frames) == SQLITE_ROW) {
		if (!any) {
			fputs("       ", stdout);
			if (moved)
				put_position(cell(finding, F_OWN_FILE), number(finding, F_OWN_LINE),
					     number(finding, F_OWN_COLUMN));
			fputs(moved ? " in " : "in ", stdout);
			report_put(cell(finding, F_FUNCTION));
		}
		any = true;
		fputs(", inlined at ", stdout);
		put_position(report_cell(frames, 0), (long long)sqlite3_column_int64(frames, 1),
			     (long long)sqlite3_column_int64(frames, 2));
		fputs(" in ", stdout);
		report_put(report_cell(frames, 3));
	}
	if (any)
		putchar('\n');
	sqlite3_reset(frames);
}

/* What to look at where there is no line. */
static void put_candidates(const struct finding *finding)
{
	const char *list = cell(finding, F_CANDIDATES);

	if (number(finding, F_OWN_LINE))
		return;
	fputs("       instruction", stdout);
	if (strstr(list, "; "))
		fputs(", one of", stdout);
	fputs(": ", stdout);
	report_put(*list ? list
			 : "not found (the code object is not stored, or the back end merged it "
			   "into another)");
	putchar('\n');
}

/* "512 lines of 128 B used, 32 needed": per execution as well where that is a whole number. */
static void put_lines(const struct finding *finding, unsigned size, enum field used,
		      enum field needed, enum field excess)
{
	const struct report *report = finding->report;
	bool bad = number(finding, excess) > 0;

	printf("       %lld lines of %u B used, %lld needed", number(finding, used), size,
	       number(finding, needed));
	if (bad)
		printf(": %s%lld too many%s", report_red(report), number(finding, excess),
		       report_plain(report));
	else if (number(finding, used) < number(finding, needed))
		fputs(strcmp(cell(finding, F_ACCESS), "atomic")
			      ? ": lanes share them (broadcast)"
			      : ": lanes update the same words, one after the other",
		      stdout);
	putchar('\n');
}

static void put_numbers(const struct finding *finding)
{
	const struct report *report = finding->report;
	long long executions = number(finding, F_EXECUTIONS), sites = number(finding, F_SITES);

	printf("       %lld %s, %lld active %s", executions,
	       report_plural(executions, "execution", "executions"), number(finding, F_LANES),
	       report_plural(number(finding, F_LANES), "lane", "lanes"));
	if (sites > 1)
		printf(" (%lld instructions at this place added up)", sites);
	putchar('\n');
	if (number(finding, F_USED128)) {
		put_lines(finding, 64, F_USED64, F_NEEDED64, F_EXCESS64);
		put_lines(finding, 128, F_USED128, F_NEEDED128, F_EXCESS128);
	}
	if (!number(finding, F_IDEAL))
		return;
	printf("       %lld LDS passes, %lld ideal", number(finding, F_PASSES),
	       number(finding, F_IDEAL));
	if (number(finding, F_CONFLICTS))
		printf(": %s%lld conflicts, up to %lld-way%s", report_red(report),
		       number(finding, F_CONFLICTS), number(finding, F_WAY), report_plain(report));
	else
		printf(": no conflicts");
	putchar('\n');
}

/* Bytes that a memory instruction moves per lane and address; 0 = its name does not say. */
static unsigned bytes_of(const char *mnemonic)
{
	static const struct {
		const char *part;
		unsigned bytes;
	} parts[] = {
		{"dwordx4", 16}, {"b128", 16}, {"dwordx3", 12}, {"b96", 12}, {"dwordx2", 8},
		{"_x2", 8},	 {"b64", 8},   {"u64", 8},	{"i64", 8},  {"f64", 8},
		{"dword", 4},	 {"b32", 4},   {"u32", 4},	{"i32", 4},  {"f32", 4},
		{"short", 2},	 {"u16", 2},   {"i16", 2},	{"b16", 2},  {"byte", 1},
		{"u8", 1},	 {"i8", 1},    {"b8", 1},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(mnemonic, parts[i].part))
			return parts[i].bytes;
	/* Others of these name their width only where it is not this one. */
	return strstr(mnemonic, "_atomic_") ? 4 : 0;
}

/* The next name of a list; false = none is left. */
static bool next_name(const char **list, char *name, size_t room)
{
	size_t size = strcspn(*list, ",");

	if (!size)
		return false;
	snprintf(name, room, "%.*s", (int)size, *list);
	*list += size + ((*list)[size] == ',');
	return true;
}

static bool machine_has(const char *list, long long bytes)
{
	char name[64];

	while (next_name(&list, name, sizeof(name)))
		if (bytes_of(name) == bytes)
			return true;
	return false;
}

/* What the machine executes, and whether it is what the probes counted. */
static void put_machine(const struct finding *finding)
{
	const char *list = cell(finding, F_MACHINE), *separator = "       machine: ";
	bool same = machine_has(list, number(finding, F_UNIT));
	char name[64];

	while (next_name(&list, name, sizeof(name))) {
		fputs(separator, stdout);
		report_put(name);
		if (strstr(name, "read2") || strstr(name, "write2"))
			printf(" (two accesses of %u B merged)", bytes_of(name));
		separator = ", ";
	}
	if (!*cell(finding, F_MACHINE))
		return;
	if (!same)
		printf("; merged or split, counted as %lld B", number(finding, F_UNIT));
	putchar('\n');
}

static void put_basis(const struct finding *finding)
{
	const char *basis = cell(finding, F_BASIS);

	if (!strcmp(basis, "measured"))
		puts("       counts: measured on the device");
	else if (!strcmp(basis, "proved"))
		puts("       counts: executions as counted, their addresses as the compiler proved "
		     "them");
	else if (!strcmp(basis, "traced"))
		puts("       counts: from every address, as traced");
}

static void put_finding(const struct finding *finding)
{
	struct place place = place_of(finding);

	put_head(finding, &place);
	put_source(finding, &place);
	put_frames(finding, &place);
	place_free(&place);
	put_candidates(finding);
	put_numbers(finding);
	put_machine(finding);
	put_basis(finding);
	if (number(finding, F_COST))
		printf("       cost: %lld B of bandwidth wasted\n", number(finding, F_COST));
	if (*cell(finding, F_CAUSE)) {
		fputs("       cause: ", stdout);
		if (number(finding, F_SITES) > 1)
			printf("(costliest of the %lld) ", number(finding, F_SITES));
		report_put(cell(finding, F_CAUSE));
		if (number(finding, F_SWAP_LOOP))
			fputs("; and this is a compare-and-swap loop, repeated until every lane had "
			      "its turn, up to once per lane (counted once)",
			      stdout);
		fputs("\n       fix: ", stdout);
		report_put(cell(finding, F_FIX));
		if (number(finding, F_SWAP_LOOP))
			fputs("; if it adds floating-point numbers: -munsafe-fp-atomics makes it one "
			      "instruction (wrong in fine-grained memory; not verified)",
			      stdout);
		putchar('\n');
	}
	putchar('\n');
}

/* One line for what is good, and for summaries. */
static void put_brief(const struct finding *finding)
{
	const struct report *report = finding->report;
	bool bad = number(finding, F_COST) || *cell(finding, F_CAUSE);
	struct place place = place_of(finding);
	bool shared = number(finding, F_USED128) &&
		      number(finding, F_USED128) < number(finding, F_NEEDED128);
	bool atomic = !strcmp(cell(finding, F_ACCESS), "atomic");

	/* Few lines, but updates of one word wait for each other: not good, and not counted. */
	if (!bad && shared && atomic)
		fputs("note  ", stdout);
	else
		printf("%s%s%s  ", bad ? report_red(report) : report_green(report),
		       bad ? "bad " : "good", report_plain(report));
	put_place(finding, &place);
	place_free(&place);
	printf("  %s %s %lld B, %lld %s", cell(finding, F_SPACE), cell(finding, F_ACCESS),
	       number(finding, F_SIZE), number(finding, F_EXECUTIONS),
	       report_plural(number(finding, F_EXECUTIONS), "execution", "executions"));
	if (number(finding, F_USED128))
		printf(", lines of 128 B %lld/%lld", number(finding, F_USED128),
		       number(finding, F_NEEDED128));
	if (number(finding, F_IDEAL))
		printf(", conflicts %lld", number(finding, F_CONFLICTS));
	if (shared)
		fputs(atomic ? ", lanes update the same words, one after the other" : ", broadcast",
		      stdout);
	fputs("  ", stdout);
	report_put(cell(finding, F_KERNEL));
	if (*cell(finding, F_CAUSE)) {
		fputs("\n      ", stdout);
		report_put(cell(finding, F_CAUSE));
	}
	putchar('\n');
}

static struct probe_err *walk(struct report *view, const struct report_db *db, bool brief,
			      size_t *bad, size_t *good)
{
	unsigned char chosen[REPORT_COLUMNS_MAX];
	struct finding finding = {.report = view};
	struct probe_err *err;
	size_t count;
	bool row;

	view->fields = field_names;
	err = report_choose(view, &report_lines_query, false, chosen, &count);
	if (!err)
		err = report_prepare(view, db, &report_lines_query, chosen, count, &finding.stmt);
	if (!err)
		err = report_prepare_sql(db, frames_sql, &finding.frames);
	if (!err)
		err = report_any(db, "SELECT 1 FROM probe_site WHERE line > 0", &finding.lines);
	while (!err) {
		err = report_step(db, finding.stmt, &row);
		if (err || !row)
			break;
		if (number(&finding, F_COST) || *cell(&finding, F_CAUSE)) {
			++*bad;
			if (brief)
				put_brief(&finding);
			else
				put_finding(&finding);
		} else {
			++*good;
			put_brief(&finding);
		}
	}
	sqlite3_finalize(finding.stmt);
	sqlite3_finalize(finding.frames);
	return err;
}

static struct probe_err *count_rows(const struct report_db *db, const struct report *report,
				    long long *bad, long long *good)
{
	unsigned char chosen[REPORT_COLUMNS_MAX];
	struct report view = *report;
	sqlite3_stmt *stmt = NULL;
	struct probe_err *err;
	bool row = true;
	size_t count;

	view.fields = "cost,cause";
	view.all = true;
	view.limit = -1;
	err = report_choose(&view, &report_lines_query, false, chosen, &count);
	if (!err)
		err = report_prepare(&view, db, &report_lines_query, chosen, count, &stmt);
	while (!err && row) {
		err = report_step(db, stmt, &row);
		if (!err && row)
			++*(sqlite3_column_int64(stmt, 0) > 0 || *report_cell(stmt, 1) ? bad
										       : good);
	}
	sqlite3_finalize(stmt);
	return err;
}

struct probe_err *report_findings(const struct report *report, const struct report_db *db,
				  int64_t limit, bool brief)
{
	struct report view = *report;
	long long all_bad = 0, all_good = 0;
	size_t bad = 0, good = 0;
	bool filtered = false;
	struct probe_err *err;

	view.limit = limit;
	err = count_rows(db, report, &all_bad, &all_good);
	if (!err)
		err = report_any(db, "SELECT 1 FROM probe_run WHERE key = 'filters'", &filtered);
	if (!err && !all_bad && !all_good)
		puts(report->kernel ? "no records of a kernel that -k matches"
		     : filtered	    ? "no records: nothing that the filters in force take ran"
				    : "no records");
	else if (!err && !all_bad)
		printf("%sno excess lines and no bank conflicts%s\n", report_green(report),
		       report_plain(report));
	if (!err)
		err = walk(&view, db, brief, &bad, &good);
	if (err)
		return err;
	if ((long long)bad < all_bad)
		printf("%lld more %s (-n)\n", all_bad - (long long)bad,
		       report_plural(all_bad - (long long)bad, "finding", "findings"));
	if ((long long)good < all_good)
		printf("%lld %s no more than needed%s\n", all_good - (long long)good,
		       report_plural(all_good - (long long)good, "place costs", "places cost"),
		       report->all ? " and are left out (-n)" : " (--all shows them)");
	return NULL;
}
