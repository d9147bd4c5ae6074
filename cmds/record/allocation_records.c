/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/allocation_records.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codeobj/child.h"
#include "codeobj/lines.h"
#include "codeobj/inlines.h"
#include "codeobj/lines.h"
#include "common/buf.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "store/store_facts.h"

enum {
	ALLOCATIONS_MAX = 1 << 20,
	FREED_MAX = 4096, /* how many of the newest requests are searched */
	MODULES_MAX = 16,
	PLACES_MAX = 64, /* how many places are looked up: some milliseconds each */
	SITE_MAX = 2048,
};
#define MODULE_BYTES_MAX (256u << 20)

struct allocation {
	struct probe_allocation_info info;
	uint64_t first, last; /* dispatches */
};

struct run_allocations {
	struct allocation **items; /* sorted by request */
	struct allocation **live;  /* sorted by address */
	size_t count, live_count, capacity;
};

struct run_allocations *run_allocations_create(void)
{
	return calloc(1, sizeof(struct run_allocations));
}

void run_allocations_destroy(struct run_allocations *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->count; i++) {
		free((void *)all->items[i]->info.site);
		free(all->items[i]);
	}
	free(all->items);
	free(all->live);
	free(all);
}

static bool holds(const struct allocation *item, uint64_t address)
{
	return address - item->info.address < item->info.bytes;
}

/* How many live allocations begin at or below an address. */
static size_t live_below(const struct run_allocations *all, uint64_t address)
{
	size_t low = 0, high = all->live_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (all->live[middle]->info.address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool grow(struct run_allocations *all)
{
	size_t capacity = all->capacity ? 2 * all->capacity : 64;
	struct allocation **items = realloc(all->items, capacity * sizeof(*items)), **live;

	if (items)
		all->items = items;
	live = items ? realloc(all->live, capacity * sizeof(*live)) : NULL;
	if (!live)
		return false;
	all->live = live;
	all->capacity = capacity;
	return true;
}

static void remove_live(struct run_allocations *all, size_t at)
{
	all->live_count--;
	memmove(all->live + at, all->live + at + 1, (all->live_count - at) * sizeof(*all->live));
}

/* Allocations that overlap a new one must have been freed, although no record says so. */
static void insert_live(struct run_allocations *all, struct allocation *item)
{
	size_t at = live_below(all, item->info.address + item->info.bytes - 1);

	while (at && all->live[at - 1]->info.address + all->live[at - 1]->info.bytes >
			     item->info.address) {
		all->live[at - 1]->last = item->first - 1;
		remove_live(all, --at);
	}
	memmove(all->live + at + 1, all->live + at, (all->live_count - at) * sizeof(*all->live));
	all->live[at] = item;
	all->live_count++;
}

bool run_allocations_add(struct run_allocations *all, const struct probe_allocation_info *info,
			 uint64_t first, uint64_t last)
{
	struct allocation *item;

	if (!info->bytes || info->address + info->bytes < info->address ||
	    all->count == ALLOCATIONS_MAX || (all->count == all->capacity && !grow(all)))
		return false;
	item = calloc(1, sizeof(*item));
	if (!item)
		return false;
	*item = (struct allocation){.info = *info, .first = first, .last = last};
	item->info.size = sizeof(item->info);
	item->info.id = (uint32_t)all->count + 1;
	item->info.site = strdup(info->site);
	if (!item->info.site) {
		free(item);
		return false;
	}
	all->items[all->count++] = item;
	if (last == UINT64_MAX)
		insert_live(all, item);
	return true;
}

bool run_allocations_free(struct run_allocations *all, uint64_t address, uint64_t dispatch)
{
	size_t at = live_below(all, address);

	if (!at || all->live[at - 1]->info.address != address)
		return false;
	all->live[at - 1]->last = dispatch;
	remove_live(all, at - 1);
	return true;
}

/*
 * Most requested allocations are live. Of the freed ones only the newest are searched, because
 * records arrive soon after.
 */
const struct probe_allocation_info *run_allocations_find(const struct run_allocations *all,
							 uint64_t dispatch, uint64_t address)
{
	size_t at = live_below(all, address), oldest;

	if (at && holds(all->live[at - 1], address) && dispatch >= all->live[at - 1]->first)
		return &all->live[at - 1]->info;
	oldest = all->count > FREED_MAX ? all->count - FREED_MAX : 0;
	for (size_t i = all->count; i-- > oldest;) {
		const struct allocation *item = all->items[i];

		if (holds(item, address) && dispatch >= item->first && dispatch <= item->last)
			return &item->info;
	}
	return NULL;
}

void run_allocations_store(const struct run_allocations *all, struct probe_facts *facts)
{
	for (size_t i = 0; i < all->count; i++)
		probe_facts_allocation(facts, &all->items[i]->info, all->items[i]->first,
				       all->items[i]->last);
}

/*
 * ---- Lines ------------------------------------------------------------------------------------
 */

/* A file with call sites, and the lines of their addresses as read by a child process. */
struct module {
	char path[1024];
	const void *bytes;
	size_t size;
	struct probe_lines *lines; /* NULL if no lines could be read */
};

static struct probe_err *decode(void *user, FILE *out)
{
	const struct module *module = user;
	struct probe_lines *lines = NULL;
	struct probe_err *err = probe_lines_read(module->path, module->bytes, module->size, &lines);

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

static bool map_file(struct module *module)
{
	PROBE_AUTO_CLOSE int fd = open(module->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	void *bytes;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size || st.st_size > MODULE_BYTES_MAX)
		return false;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	module->bytes = bytes;
	module->size = (size_t)st.st_size;
	return true;
}

/* The file is not trusted, so libdwarf reads it only in a short-lived child process. */
static void read_lines(struct module *module)
{
	if (map_file(module))
		probe_err_destroy(run_decoder(module));
}

struct inlined {
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
	const struct inlined *inlined = user;

	if (!of_hip(path))
		fprintf(inlined->out, "\n%s:%" PRIu64, path, line);
}

static struct probe_err *find_callers(void *user, FILE *out)
{
	struct inlined *inlined = user;

	inlined->out = out;
	return probe_inlined_calls_at(inlined->module->path, inlined->module->bytes,
				      inlined->module->size, inlined->address, put_caller, inlined);
}

/*
 * The calls that were inlined around an address, each preceded by a newline; NULL if none is known.
 */
static char *callers_of(const struct module *module, uint64_t address)
{
	struct inlined inlined = {.module = module, .address = address};
	uint8_t *answer = NULL;
	size_t size = 0;
	struct probe_err *err = probe_child_run("reading the callers of an allocation",
						find_callers, &inlined, &answer, &size);
	char *ret = !err && size && size < SITE_MAX ? strndup((const char *)answer, size) : NULL;

	probe_err_destroy(err);
	free(answer);
	return ret;
}

static struct module *module_of(struct module *modules, size_t *count, const char *path)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcmp(modules[i].path, path))
			return &modules[i];
	if (*count == MODULES_MAX || strlen(path) >= sizeof(modules->path))
		return NULL;
	modules[*count] = (struct module){.lines = NULL};
	strcpy(modules[*count].path, path);
	read_lines(&modules[*count]);
	return &modules[(*count)++];
}

/* One frame, "path+0xoffset", as the source lines of its calls if they are known. */
static void put_frame(struct module *modules, size_t *count, char *frame, FILE *out)
{
	const struct probe_line *line = NULL;
	char *plus = strrchr(frame, '+'), *callers = NULL;
	struct module *module = NULL;
	const char *path;
	uint64_t address;

	if (!plus) {
		fprintf(out, "\n%s", frame);
		return;
	}
	*plus = 0;
	address = strtoull(plus + 1, NULL, 16);
	module = module_of(modules, count, frame);
	if (module && module->lines)
		line = probe_lines_find(module->lines, address);
	if (!line || line->file == PROBE_LINE_END || !line->line) {
		fprintf(out, "\n%s+%s", frame, plus + 1);
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

/* NULL without memory. */
static char *resolve(struct module *modules, size_t *count, const char *frames)
{
	char *copy = strdup(frames), *rest = copy, *frame, *text = NULL;
	size_t size;
	FILE *out = copy ? open_memstream(&text, &size) : NULL;

	while (out && (frame = strsep(&rest, "\n")))
		if (*frame)
			put_frame(modules, count, frame, out);
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

/* Programs allocate often, but at few call sites: a cache of resolved sites. */
struct known {
	char *frames, *site;
};

static const char *known_site(struct known *known, size_t *known_count, struct module *modules,
			      size_t *count, const char *frames)
{
	struct known *row = &known[*known_count];

	for (size_t i = 0; i < *known_count; i++)
		if (!strcmp(known[i].frames, frames))
			return known[i].site;
	if (*known_count == PLACES_MAX)
		return NULL;
	row->frames = strdup(frames);
	row->site = row->frames ? resolve(modules, count, frames) : NULL;
	if (!row->site) {
		free(row->frames);
		return NULL;
	}
	(*known_count)++;
	return row->site;
}

void run_allocations_resolve(struct run_allocations *all)
{
	struct module *modules = calloc(MODULES_MAX, sizeof(*modules));
	struct known *known = calloc(PLACES_MAX, sizeof(*known));
	size_t count = 0, known_count = 0;

	for (size_t i = 0; modules && known && i < all->count; i++) {
		struct probe_allocation_info *info = &all->items[i]->info;
		const char *found =
			*info->site ? known_site(known, &known_count, modules, &count, info->site)
				    : NULL;
		char *site = found ? strdup(found) : NULL;

		if (!site)
			continue;
		free((void *)info->site);
		info->site = site;
	}
	for (size_t i = 0; i < known_count; i++) {
		free(known[i].frames);
		free(known[i].site);
	}
	for (size_t i = 0; i < count; i++) {
		probe_lines_destroy(modules[i].lines);
		if (modules[i].bytes)
			munmap((void *)modules[i].bytes, modules[i].size);
	}
	free(known);
	free(modules);
}
