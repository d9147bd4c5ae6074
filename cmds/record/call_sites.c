/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/call_sites.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/child.h"
#include "codeobj/elf_image.h"
#include "codeobj/inlines.h"
#include "codeobj/lines.h"
#include "common/buf.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/mapped_file.h"
#include "store/string_ids.h"

enum {
	MODULES_MAX = 16,
	PLACES_MAX = 256, /* how many places are looked up: some milliseconds each */
	SITE_MAX = 2048,
};
#define MODULE_BYTES_MAX (256u << 20)

/* A file with call sites, and the lines of their addresses as read by a child process. */
struct module {
	char path[1024];
	struct probe_mapped_file file;
	struct probe_lines *lines; /* NULL if no lines could be read */
};

static struct probe_err *decode(void *user, FILE *out)
{
	const struct module *module = user;
	struct probe_lines *lines = NULL;
	struct probe_err *err =
		probe_lines_read(module->path, module->file.bytes, module->file.size, &lines);

	if (err)
		return err;
	probe_lines_send(lines, out);
	return NULL;
}

static struct probe_err *run_decoder(struct module *module)
{
	PROBE_AUTO_FREE uint8_t *answer = NULL;
	struct probe_err *err;
	struct probe_buf buf;
	size_t size = 0;

	err = probe_child_run("reading the lines of a caller", decode, module, &answer, &size);
	if (err)
		return err;
	probe_buf_init(&buf, module->path, answer, size);
	return probe_lines_receive(&buf, &module->lines);
}

/* The file is not trusted, so libdwarf reads it only in a short-lived child process. */
static void read_lines(struct module *module)
{
	if (probe_file_map(module->path, &module->file) && module->file.size <= MODULE_BYTES_MAX)
		probe_err_destroy(run_decoder(module));
}

/* An address of a module, and where what is known of it goes. */
struct place {
	const struct module *module;
	uint64_t address;
	FILE *out;
};

/* hipMalloc is a template in a header; that header is not the call site. */
static bool of_hip(const char *path)
{
	return strstr(path, "/include/hip/") != NULL;
}

static void put_caller(void *user, const char *path, uint64_t line)
{
	const struct place *at = user;

	if (!of_hip(path))
		fprintf(at->out, "\n%s:%" PRIu64, path, line);
}

static struct probe_err *find_callers(void *user, FILE *out)
{
	struct place *at = user;

	at->out = out;
	return probe_inlined_calls_at(at->module->path, at->module->file.bytes,
				      at->module->file.size, at->address, put_caller, at);
}

/*
 * The calls that were inlined around an address, each preceded by a newline; NULL if none is known.
 */
static char *callers_of(const struct module *module, uint64_t address)
{
	struct place at = {.module = module, .address = address};
	uint8_t *answer = NULL;
	size_t size = 0;
	struct probe_err *err =
		probe_child_run("reading the callers of a call", find_callers, &at, &answer, &size);
	char *ret = !err && size && size < SITE_MAX ? strndup((const char *)answer, size) : NULL;

	probe_err_destroy(err);
	free(answer);
	return ret;
}

/* clang makes a function of this name for each kernel, which <<<>>> calls; it has no lines. */
static void put_stub(void *user, const char *symbol, uint64_t value, uint64_t size)
{
	const struct place *at = user;

	if (at->address >= value && at->address - value < size && strstr(symbol, "__device_stub__"))
		fputs("stub", at->out);
}

static struct probe_err *find_stub(void *user, FILE *out)
{
	struct place *at = user;
	struct probe_elf elf;
	struct probe_err *err = probe_elf_open(at->module->path, at->module->file.bytes,
					       at->module->file.size, &elf);

	if (err)
		return err;
	at->out = out;
	err = probe_elf_functions(&elf, put_stub, at);
	probe_elf_close(&elf);
	return err;
}

static bool is_stub(const struct module *module, uint64_t address)
{
	struct place at = {.module = module, .address = address};
	PROBE_AUTO_FREE uint8_t *answer = NULL;
	size_t size = 0;

	probe_err_destroy(probe_child_run("reading the functions of a caller", find_stub, &at,
					  &answer, &size));
	return size != 0;
}

/* Programs call from few places: each is looked up once. */
struct call_sites {
	struct module modules[MODULES_MAX];
	size_t module_count;
	struct probe_string_ids ids;  /* of frames, from 1 */
	char *places[PLACES_MAX + 1]; /* what is known of them, each line preceded by a newline */
};

struct call_sites *call_sites_create(void)
{
	struct call_sites *sites = calloc(1, sizeof(*sites));

	if (sites)
		probe_string_ids_init(&sites->ids, 1);
	return sites;
}

void call_sites_destroy(struct call_sites *sites)
{
	if (!sites)
		return;
	for (size_t i = 0; i < sites->module_count; i++) {
		probe_lines_destroy(sites->modules[i].lines);
		probe_file_unmap(&sites->modules[i].file);
	}
	for (size_t i = 0; i <= PLACES_MAX; i++)
		free(sites->places[i]);
	probe_string_ids_deinit(&sites->ids);
	free(sites);
}

static struct module *module_of(struct call_sites *sites, const char *path, size_t length)
{
	struct module *modules = sites->modules;

	for (size_t i = 0; i < sites->module_count; i++)
		if (!strncmp(modules[i].path, path, length) && !modules[i].path[length])
			return &modules[i];
	if (sites->module_count == MODULES_MAX || length >= sizeof(modules->path))
		return NULL;
	modules[sites->module_count] = (struct module){.lines = NULL};
	memcpy(modules[sites->module_count].path, path, length);
	read_lines(&modules[sites->module_count]);
	return &modules[sites->module_count++];
}

/* One frame, "path+0xoffset", as the source lines of its calls if they are known. */
static void put_frame(struct call_sites *sites, const char *frame, FILE *out)
{
	const char *plus = strrchr(frame, '+'), *path;
	struct module *module = plus ? module_of(sites, frame, (size_t)(plus - frame)) : NULL;
	const struct probe_line *line = NULL;
	uint64_t address = plus ? strtoull(plus + 1, NULL, 16) : 0;
	char *callers;

	if (module && module->lines)
		line = probe_lines_find(module->lines, address);
	if (!line || line->file == PROBE_LINE_END || !line->line) {
		if (!module || !module->lines || !is_stub(module, address))
			fprintf(out, "\n%s", frame);
		return;
	}
	path = module->lines->files[line->file];
	callers = callers_of(module, address);
	if (!of_hip(path) || !callers)
		fprintf(out, "\n%s:%u", path, line->line);
	if (callers)
		fputs(callers, out);
	free(callers);
}

/* NULL without memory, and of further places than PLACES_MAX. */
static const char *place_of(struct call_sites *sites, const char *frame)
{
	int added = 0;
	uint32_t id = sites->ids.count <= PLACES_MAX
			      ? probe_string_ids_get(&sites->ids, frame, strlen(frame), &added)
			      : 0;
	size_t size;
	FILE *out;

	if (!id || id > PLACES_MAX)
		return NULL;
	out = added ? open_memstream(&sites->places[id], &size) : NULL;
	if (!out)
		return sites->places[id];
	put_frame(sites, frame, out);
	if (fclose(out)) {
		free(sites->places[id]);
		sites->places[id] = NULL;
	}
	return sites->places[id];
}

char *call_sites_resolve(struct call_sites *sites, const char *frames)
{
	char *copy = strdup(frames), *rest = copy, *frame, *text = NULL;
	size_t size;
	FILE *out = copy ? open_memstream(&text, &size) : NULL;

	while (out && (frame = strsep(&rest, "\n"))) {
		const char *place = *frame ? place_of(sites, frame) : "";

		if (place)
			fputs(place, out);
		else
			fprintf(out, "\n%s", frame);
	}
	if (out && fclose(out)) {
		free(text);
		text = NULL;
	}
	/* Each line began with a newline. */
	if (text && *text)
		memmove(text, text + 1, strlen(text));
	free(copy);
	return text;
}
