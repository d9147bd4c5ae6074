/* SPDX-License-Identifier: MIT */
/*
 * Joins the simulated GPU's counters of every instruction (PROBE_SIM_PCS) with the code objects of
 * a run: one CSV row per memory instruction that ran, with function, file, line and column, and
 * with executions and lanes per access: ds_read2 and the like make two. `all`: a row per instruction
 * of any kind.
 *
 *   isa_lines DATABASE PCS.csv [all] >ROWS.csv
 */
#define _GNU_SOURCE /* strsep */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/elf_image.h"
#include "codeobj/inspect.h"
#include "common/err.h"
#include "store/store_open.h"

struct symbol {
	uint64_t address;
	char *name;
};

struct object {
	int64_t id, delta;
	uint64_t base, size;
	struct probe_codeobj *code;
	struct symbol *symbols;
	size_t symbol_count, symbol_room;
};

static struct object objects[256];
static size_t object_count;
static bool all;

static void fail(const char *what)
{
	fprintf(stderr, "isa_lines: %s\n", what);
	exit(1);
}

static void fail_err(struct probe_err *err)
{
	char text[512];

	probe_err_format(err, text, sizeof(text));
	fail(text);
}

/* ---- What an instruction does ---------------------------------------------------------------- */

struct operation {
	const char *space, *access;
	unsigned bytes, accesses;
};

struct part {
	const char *text;
	unsigned bytes;
};

static bool has(const char *name, const char *part)
{
	return strstr(name, part) != NULL;
}

/* The last width in the name: ds_read2st64_b32 moves 4 bytes. */
static unsigned bytes_of(const char *name)
{
	static const struct part parts[] = {
		{"dwordx2", 8}, {"dwordx3", 12}, {"dwordx4", 16}, {"dwordx8", 32}, {"dwordx16", 64},
		{"dword", 4},	{"short", 2},	 {"ushort", 2},	  {"sshort", 2},   {"byte", 1},
		{"ubyte", 1},	{"sbyte", 1},	 {"b8", 1},	  {"u8", 1},	   {"i8", 1},
		{"b16", 2},	{"u16", 2},	 {"i16", 2},	  {"b32", 4},	   {"u32", 4},
		{"i32", 4},	{"f32", 4},	 {"b64", 8},	  {"u64", 8},	   {"i64", 8},
		{"f64", 8},	{"b96", 12},	 {"b128", 16},	  {"x2", 8},
	};
	char copy[64], *rest = copy;
	unsigned bytes = 0;

	snprintf(copy, sizeof(copy), "%s", name);
	for (char *word = strsep(&rest, "_"); word; word = strsep(&rest, "_"))
		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
			if (!strcmp(word, parts[i].text))
				bytes = parts[i].bytes;
	return bytes ? bytes : 4; /* global_atomic_add, pk_add_f16 */
}

/* False if it accesses memory neither per lane nor by scalars. */
static bool operation_of(const char *name, struct operation *ret)
{
	static const char *const crossbar[] = {"permute", "swizzle", "ds_nop", "ds_gws",
					       "addtid",  "consume", "append"};
	bool lds = !strncmp(name, "ds_", 3), vector;

	*ret = (struct operation){.accesses = 1};
	if (!strncmp(name, "s_load", 6) || !strncmp(name, "s_buffer_load", 13)) {
		*ret = (struct operation){"scalar", "load", bytes_of(name), 1};
		return true;
	}
	vector = !strncmp(name, "global_", 7) || !strncmp(name, "flat_", 5) ||
		 !strncmp(name, "buffer_", 7);
	if (!lds && !vector)
		return false;
	for (size_t i = 0; lds && i < sizeof(crossbar) / sizeof(*crossbar); i++)
		if (has(name, crossbar[i]))
			return false;
	ret->space = lds ? "lds" : "memory";
	if (has(name, lds ? "ds_read" : "_load"))
		ret->access = "load";
	else if (has(name, lds ? "ds_write" : "_store"))
		ret->access = "store";
	else if (lds || has(name, "_atomic"))
		ret->access = "atomic";
	else
		return false; /* buffer_wbl2 and its like */
	ret->bytes = bytes_of(name);
	if (lds && (has(name, "read2") || has(name, "write2")))
		ret->accesses = 2;
	return true;
}

/* ---- Code objects ---------------------------------------------------------------------------- */

static void add_symbol(void *user, const char *name, uint64_t value)
{
	struct object *object = user;
	size_t length = strlen(name);

	if (length > 3 && !strcmp(name + length - 3, ".kd"))
		return;
	if (object->symbol_count == object->symbol_room) {
		object->symbol_room = object->symbol_room ? 2 * object->symbol_room : 64;
		object->symbols =
			realloc(object->symbols, object->symbol_room * sizeof(*object->symbols));
		if (!object->symbols)
			fail("out of memory");
	}
	object->symbols[object->symbol_count++] = (struct symbol){value, strdup(name)};
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void read_object(sqlite3_stmt *row)
{
	const void *bytes = sqlite3_column_blob(row, 4);
	size_t size = (size_t)sqlite3_column_bytes(row, 4);
	struct object *object = &objects[object_count];
	struct probe_err *err;
	struct probe_elf elf;

	if (object_count == sizeof(objects) / sizeof(*objects))
		fail("too many code objects");
	object_count++;
	*object = (struct object){
		.id = sqlite3_column_int64(row, 0),
		.base = (uint64_t)sqlite3_column_int64(row, 1),
		.size = (uint64_t)sqlite3_column_int64(row, 2),
		.delta = sqlite3_column_int64(row, 3),
	};
	err = probe_codeobj_inspect("code object", bytes, size, PROBE_INSPECT_LINES, &object->code);
	if (!err)
		err = probe_elf_open("code object", bytes, size, &elf);
	if (err)
		fail_err(err);
	err = probe_elf_symbols(&elf, add_symbol, object);
	if (err)
		fail_err(err);
	qsort(object->symbols, object->symbol_count, sizeof(*object->symbols), by_address);
	probe_elf_close(&elf);
}

static void read_objects(const char *path)
{
	struct probe_reader reader;
	struct probe_err *err = probe_reader_open(path, &reader);
	sqlite3_stmt *row = NULL;

	if (err)
		fail_err(err);
	if (sqlite3_prepare_v2(
		    reader.db,
		    "SELECT o.id, o.load_base, o.load_size, o.load_delta, c.bytes FROM "
		    "rocpd_info_code_object o JOIN probe_code c ON c.code_object_id = o.id",
		    -1, &row, NULL))
		fail(sqlite3_errmsg(reader.db));
	while (sqlite3_step(row) == SQLITE_ROW)
		read_object(row);
	sqlite3_finalize(row);
	probe_reader_close(&reader);
}

static const char *symbol_at(const struct object *object, uint64_t address)
{
	const char *ret = "";

	for (size_t i = 0; i < object->symbol_count && object->symbols[i].address <= address; i++)
		ret = object->symbols[i].name;
	return ret;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void put_row(const struct object *object, const char *name, const struct operation *op,
		    const uint64_t counter[9])
{
	uint64_t address = counter[0] - (uint64_t)object->delta;
	const struct probe_line *line =
		object->code->lines ? probe_lines_find(object->code->lines, address) : NULL;
	const char *file = "";

	const char *space = op->space;

	/* The simulator counts no cache lines of private memory. */
	if (!strcmp(space, "memory") && counter[2] && !counter[4])
		space = "scratch";
	if (line && line->file != PROBE_LINE_END)
		file = object->code->lines->files[line->file];
	else
		line = NULL;
	printf("%" PRId64 ",%" PRIu64 ",%s,\"%s\",%u,%u,%s,%s,%s,%u", object->id, address,
	       symbol_at(object, address), file, line ? line->line : 0, line ? line->column : 0,
	       name, space, op->access, op->bytes);
	/* active executions and lanes of every access, then the total cost of the accesses */
	printf(",%" PRIu64 ",%" PRIu64, counter[2] * op->accesses, counter[3] * op->accesses);
	for (int i = 4; i < 9; i++)
		printf(",%" PRIu64, counter[i]);
	putchar('\n');
}

static void take_row(char *text)
{
	char *name = strchr(text, ','), *rest = name ? strchr(name + 1, ',') : NULL;
	uint64_t counter[9] = {strtoull(text, NULL, 10)};
	struct operation op;

	if (!rest)
		fail("a row of the counters is not as it should be");
	*name++ = 0;
	*rest++ = 0;
	for (int i = 1; i < 9; i++, rest++)
		counter[i] = strtoull(rest, &rest, 10);
	if (all)
		op = (struct operation){"", "", 0, 1};
	else if (!operation_of(name, &op))
		return;
	for (size_t i = 0; i < object_count; i++)
		if (counter[0] - objects[i].base < objects[i].size)
			put_row(&objects[i], name, &op, counter);
}

int main(int argc, char **argv)
{
	char text[512];
	FILE *pcs;

	all = argc == 4 && !strcmp(argv[3], "all");
	if (argc != 3 && !all)
		fail("usage: isa_lines DATABASE PCS.csv [all]");
	read_objects(argv[1]);
	pcs = fopen(argv[2], "re");
	if (!pcs || !fgets(text, sizeof(text), pcs))
		fail("cannot read the counters");
	puts("code_object,address,owner,file,line,col,mnemonic,space,access,bytes,executions,lanes,"
	     "quads,lines64,lines128,passes,conflicts");
	while (fgets(text, sizeof(text), pcs))
		take_row(text);
	fclose(pcs);
	return fflush(stdout) || ferror(stdout);
}
