/* SPDX-License-Identifier: MIT */
/*
 * Handler `log`: one line of text per access, with its wave and the address of each active lane,
 * and per message of probe_emit(), with its tag and the bytes of its elements in hex.
 *   -a log:format=csv|jsonl:addresses=runs|each:file=PATH
 * Addresses are in lane order. Those at a constant stride are one item of the list: "0x1000+4*64"
 * is 64 addresses from 0x1000 on, 4 bytes apart. An item without 0x has only the last digits; the
 * digits before them are those of the first address of the line. "each" writes each address in
 * full, which takes up to ten times the bytes. An existing file is never overwritten. "%n%" in PATH
 * becomes the first number that gives a new name; the default is probe-log-%n%.csv or .jsonl in the
 * directory of probe-run. Each process of a run writes its own file, so a run of several processes
 * needs %n%.
 *
 * A slow disk slows the application down: while a write waits, rings fill up, and the GPU waits for
 * them (--when-full). A failed write ends the handler with an error. Table probe_log_file has the
 * path, and counts lines and bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <probe/handler.h>
#include <probe/words.h>

#include "handlers/common/site_table.h"
#include "handlers/log/log_text.h"

enum {
	BUFFER = 1 << 18,      /* fits in the CPU cache */
	NAME_MAX_BYTES = 8192, /* of the text of a kernel or site: longer names are truncated */
	HEAD_MAX = 2 * NAME_MAX_BYTES + 1024, /* of a line without addresses */
	LINE_MAX_BYTES = HEAD_MAX + 64 * 132, /* addresses, or 64 elements */
	ELEMENT_MAX = 64,		      /* bytes: PROBE_MESSAGE_MAX */
	FILES_MAX = 100000,
};

struct site {
	struct site_facts facts;
	char *text; /* columns file to bytes, escaped once */
	size_t size;
};

struct log {
	struct sites sites;
	bool json, each;
	int fd;
	char path[4096];
	char *buffer;
	size_t used;
	uint64_t lines, messages, bytes;
	char begin[NAME_MAX_BYTES + 64]; /* start of each line of `dispatch`: its id and kernel */
	size_t begin_size;
	uint64_t dispatch;
};

/* ---- The file -------------------------------------------------------------------------------- */

static int fail(struct log *log, const char *what, int error)
{
	const struct probe_host *host = log->sites.host;

	host->log(host->ctx, PROBE_LOG_ERROR, "cannot %s %s: %s", what, log->path,
		  error == EEXIST ? "it exists; remove it, or choose another (file=...; %n% in it "
				    "counts up)"
				  : strerror(error));
	return -error;
}

static int drain(struct log *log)
{
	const char *at = log->buffer;

	while (log->used) {
		ssize_t n = write(log->fd, at, log->used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(log, "write to", n ? errno : EIO);
		at += n;
		log->used -= (size_t)n;
		log->bytes += (uint64_t)n;
	}
	return 0;
}

/* Makes sure that the longest line fits. */
static int reserve_line(struct log *log)
{
	return BUFFER - log->used < LINE_MAX_BYTES ? drain(log) : 0;
}

static int try_open(struct log *log, const char *pattern, const char *key, unsigned number)
{
	if (key)
		snprintf(log->path, sizeof(log->path), "%.*s%u%s", (int)(key - pattern), pattern,
			 number, key + 3);
	else
		snprintf(log->path, sizeof(log->path), "%s", pattern);
	log->fd = open(log->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return log->fd < 0 ? errno : 0;
}

/* Use the absolute path in messages, if it can be determined. */
static void make_absolute(struct log *log)
{
	char *full = realpath(log->path, NULL);

	if (full && strlen(full) < sizeof(log->path))
		strcpy(log->path, full);
	free(full);
}

static int open_file(struct log *log)
{
	const struct probe_host *host = log->sites.host;
	const char *pattern = host->arg(host->ctx, "file"), *key;
	int error;

	if (!pattern)
		pattern = log->json ? "probe-log-%n%.jsonl" : "probe-log-%n%.csv";
	if (strlen(pattern) + 12 > sizeof(log->path)) {
		snprintf(log->path, sizeof(log->path), "the file");
		return fail(log, "create", ENAMETOOLONG);
	}
	key = strstr(pattern, "%n%");
	for (unsigned number = 1;; number++) {
		error = try_open(log, pattern, key, number);
		if (error != EEXIST || !key || number == FILES_MAX)
			break;
	}
	if (error)
		return fail(log, "create", error);
	make_absolute(log);
	return 0;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static const char csv_header[] =
	"dispatch,kernel,group_x,group_y,group_z,wave,hw_id,time,wave_exec,site,file,line,column,"
	"access,space,bytes,exec,lanes,addresses,tag,data\n";

/* "" for messages. */
static const char *space_name(const struct probe_site_info *info)
{
	if (info->access > PROBE_ACCESS_ATOMIC)
		return "";
	return probe_space_word(info->space);
}

static void put_escaped(const struct log *log, struct text *text, const char *string)
{
	if (log->json)
		text_json(text, string ? string : "");
	else
		text_csv(text, string ? string : "");
}

/* The part that all lines of a site share. */
static bool make_site(const struct log *log, const struct sites_kernel *kernel, uint32_t id,
		      struct site *site)
{
	const struct probe_host *host = log->sites.host;
	const struct probe_site_info *info = host->site(host->ctx, kernel->code_object, id);
	const struct probe_frame_info place = probe_site_user_place(info);
	char buffer[NAME_MAX_BYTES];
	struct text text = {buffer, buffer + sizeof(buffer) - 256};

	if (log->json)
		text_format(&text, "\"site\":%u,\"file\":", id);
	else
		text_format(&text, "%u,", id);
	put_escaped(log, &text, place.file);
	text.end = buffer + sizeof(buffer) - 1;
	text_format(&text,
		    log->json ? ",\"line\":%u,\"column\":%u,\"access\":\"%s\",\"space\":\"%s\","
				"\"bytes\":%u,"
			      : ",%u,%u,%s,%s,%u,",
		    place.line, place.column, probe_access_word(info->access), space_name(info),
		    info->bytes);
	site->size = (size_t)(text.at - buffer);
	site->text = malloc(site->size + 1);
	if (site->text)
		memcpy(site->text, buffer, site->size);
	return site->text != NULL;
}

static void name_kernel(struct log *log, const struct probe_dispatch_info *dispatch)
{
	struct text text = {log->begin, log->begin + sizeof(log->begin) - 64};

	text_format(&text, log->json ? "{\"dispatch\":%" PRIu64 ",\"kernel\":" : "%" PRIu64 ",",
		    dispatch->id);
	put_escaped(log, &text, dispatch->kernel);
	text.end = log->begin + sizeof(log->begin);
	text_format(&text, ",");
	log->begin_size = (size_t)(text.at - log->begin);
	log->dispatch = dispatch->id;
}

#define PUT(at, string) text_copy(at, string, sizeof(string) - 1)

static char *put_numbers(char *at, const uint32_t *numbers, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (i)
			*at++ = ',';
		at = text_number(at, numbers[i]);
	}
	return at;
}

static char *put_wave(const struct log *log, char *at, const struct probe_wave_info *wave)
{
	at = log->json ? PUT(at, "\"group\":[") : at;
	at = put_numbers(at, wave->group, 3);
	at = log->json ? PUT(at, "],\"wave\":") : PUT(at, ",");
	at = text_number(at, wave->wave);
	at = log->json ? PUT(at, ",\"hw_id\":") : PUT(at, ",");
	at = text_number(at, wave->hw_id);
	at = log->json ? PUT(at, ",\"time\":") : PUT(at, ",");
	at = text_number(at, wave->time);
	at = log->json ? PUT(at, ",\"wave_exec\":\"") : PUT(at, ",");
	at = text_hex(at, wave->exec);
	return log->json ? PUT(at, "\",") : PUT(at, ",");
}

/* The part that lines of accesses and messages share: everything up to the number of lanes. */
static char *put_head(const struct log *log, char *at, const struct probe_wave_info *wave,
		      const struct site *site, uint64_t exec, unsigned lanes)
{
	static const struct probe_wave_info none;

	at = text_copy(at, log->begin, log->begin_size);
	at = put_wave(log, at, wave ? wave : &none);
	at = text_copy(at, site->text, site->size);
	at = log->json ? PUT(at, "\"exec\":\"") : at;
	at = text_hex(at, exec);
	at = log->json ? PUT(at, "\",\"lanes\":") : PUT(at, ",");
	return text_number(at, lanes);
}

static char *put_addresses(const struct log *log, char *at, const struct probe_access *access)
{
	uint64_t addr[64], run = access->exec >> __builtin_ctzll(access->exec);

	if (access->form == PROBE_FORM_AFFINE && !log->each && !(run & (run + 1)))
		return text_run(at, access->base, access->stride, access->lanes, log->json);
	return text_addresses(at, addr, probe_access_expand(access, addr), log->json, !log->each);
}

static void put_access(struct log *log, const struct site *site, const struct probe_access *access)
{
	char *at = log->buffer + log->used;

	at = put_head(log, at, access->wave, site, access->exec, access->lanes);
	at = log->json ? PUT(at, ",\"addresses\":[") : PUT(at, ",");
	at = put_addresses(log, at, access);
	at = log->json ? PUT(at, "]}\n") : PUT(at, ",,\n");
	log->used = (size_t)(at - log->buffer);
	log->lines++;
}

/* The elements in lane order: one, or one per active lane. */
static char *put_data(const struct log *log, char *at, const struct probe_message *message)
{
	const unsigned char *element = message->data;

	for (uint32_t i = 0; i < message->count && i < 64; i++, element += message->stride) {
		if (i)
			*at++ = log->json ? ',' : ' ';
		if (log->json)
			*at++ = '"';
		for (uint32_t k = 0; k < message->bytes && k < ELEMENT_MAX; k++) {
			*at++ = "0123456789abcdef"[element[k] >> 4];
			*at++ = "0123456789abcdef"[element[k] & 15];
		}
		if (log->json)
			*at++ = '"';
	}
	return at;
}

static void put_message(struct log *log, const struct site *site, const char *tag,
			const struct probe_message *message)
{
	char *at = log->buffer + log->used;
	struct text text = {at, at + HEAD_MAX};

	text.at = put_head(log, at, message->wave, site, message->exec, message->count);
	text.at = log->json ? PUT(text.at, ",\"tag\":") : PUT(text.at, ",,");
	text.end -= 64;
	put_escaped(log, &text, tag);
	at = log->json ? PUT(text.at, ",\"data\":[") : PUT(text.at, ",");
	at = put_data(log, at, message);
	at = log->json ? PUT(at, "]}\n") : PUT(at, "\n");
	log->used = (size_t)(at - log->buffer);
	log->messages++;
}

/* ---- The plugin ------------------------------------------------------------------------------ */

static void destroy(struct log *log)
{
	for (size_t k = 0; k < log->sites.count; k++) {
		const struct sites_kernel *kernel = log->sites.kernels[k];

		for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count;
		     id = sites_next(kernel, id + 1))
			free(((struct site *)sites_at(kernel, id))->text);
	}
	sites_deinit(&log->sites);
	free(log->buffer);
	free(log);
}

static int log_init(struct log *log, const struct probe_host *host)
{
	const char *format = host->arg(host->ctx, "format");
	const char *addresses = host->arg(host->ctx, "addresses");

	log->sites = (struct sites){.host = host, .site_size = sizeof(struct site)};
	log->json = format && !strcmp(format, "jsonl");
	log->each = addresses && !strcmp(addresses, "each");
	log->buffer = malloc(BUFFER);
	if (!log->buffer)
		return -ENOMEM;
	if (format && !log->json && strcmp(format, "csv")) {
		host->log(host->ctx, PROBE_LOG_ERROR,
			  "invalid value '%s' for log:format=; expected csv or jsonl", format);
		return -EINVAL;
	}
	if (addresses && !log->each && strcmp(addresses, "runs")) {
		host->log(host->ctx, PROBE_LOG_ERROR,
			  "invalid value '%s' for log:addresses=; expected runs or each",
			  addresses);
		return -EINVAL;
	}
	return open_file(log);
}

static int log_open(const struct probe_host *host, void **state)
{
	struct log *log = calloc(1, sizeof(*log));
	int err;

	if (!log)
		return -ENOMEM;
	err = log_init(log, host);
	if (err) {
		destroy(log);
		return err;
	}
	if (!log->json) {
		memcpy(log->buffer, csv_header, sizeof(csv_header) - 1);
		log->used = sizeof(csv_header) - 1;
	}
	*state = log;
	return 0;
}

/* sites_get() accepts sites of accesses only. */
static int log_message(struct log *log, const struct sites_kernel *kernel,
		       const struct probe_message *message)
{
	const struct probe_host *host = log->sites.host;
	const struct probe_site_info *info =
		host->site(host->ctx, kernel->code_object, message->site);
	struct site *site;
	int err;

	if (!info || message->site >= kernel->site_count) {
		log->sites.invalid++;
		return 0;
	}
	site = sites_make(kernel, message->site);
	if (!site)
		return -ENOMEM;
	if (!site->text && !make_site(log, kernel, message->site, site))
		return -ENOMEM;
	err = reserve_line(log);
	if (err)
		return err;
	put_message(log, site, info->name, message);
	return 0;
}

static int log_access(struct log *log, const struct sites_kernel *kernel,
		      const struct probe_access *access)
{
	struct site *site = access->exec ? sites_get(&log->sites, kernel, access->site) : NULL;
	int err;

	if (!site)
		return 0;
	if (!site->text && !make_site(log, kernel, access->site, site))
		return -ENOMEM;
	err = reserve_line(log);
	if (err)
		return err;
	put_access(log, site, access);
	return 0;
}

static int log_batch(void *state, const struct probe_batch *batch)
{
	struct log *log = state;
	const struct sites_kernel *kernel = sites_kernel(&log->sites, batch->dispatch);
	int err = 0;

	if (!kernel)
		return -ENOMEM;
	if (!log->begin_size || log->dispatch != batch->dispatch->id)
		name_kernel(log, batch->dispatch);
	for (size_t i = 0; batch->stream == PROBE_STREAM_MESSAGE && i < batch->count && !err; i++)
		err = log_message(log, kernel, &batch->messages[i]);
	for (size_t i = 0; batch->stream == PROBE_STREAM_ACCESS && i < batch->count && !err; i++)
		err = log_access(log, kernel, &batch->access[i]);
	return err;
}

/* Closes the file, and names it in the database and to the user. */
static int finish_file(struct log *log)
{
	static const struct probe_column columns[] = {
		{"file", PROBE_TYPE_TEXT},
		{"lines", PROBE_TYPE_INTEGER},
		{"bytes", PROBE_TYPE_INTEGER},
	};
	const struct probe_host *host = log->sites.host;
	int table = host->table(host->ctx, "file", columns, 3), err = drain(log);
	const union probe_value values[] = {
		{.text = log->path},
		{.integer = (int64_t)(log->lines + log->messages)},
		{.integer = (int64_t)log->bytes},
	};

	if (close(log->fd) && !err)
		err = fail(log, "write to", errno);
	if (err)
		return err;
	err = table < 0 ? table : host->row(host->ctx, table, values, 3);
	host->log(host->ctx, PROBE_LOG_INFO, "%llu accesses and %llu messages are in %s",
		  (unsigned long long)log->lines, (unsigned long long)log->messages, log->path);
	return err;
}

static int log_close(void *state)
{
	struct log *log = state;
	int err = finish_file(log);

	sites_report(&log->sites, "log");
	destroy(log);
	return err;
}

PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler),
	.abi = PROBE_HANDLER_ABI,
	.name = "log",
	.summary =
		"every access with its addresses, and every message, as CSV or JSON lines (format=, addresses=, file=)",
	.streams = PROBE_STREAM_ACCESS | PROBE_STREAM_MESSAGE,
	.open = log_open,
	.batch = log_batch,
	.close = log_close,
};
