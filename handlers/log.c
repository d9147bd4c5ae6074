/* SPDX-License-Identifier: MIT */
/*
 * Handler `log`: every access as a line of text, with its wave and each active lane's address, and
 * every message of probe_emit() with its tag and its elements' bytes as they lie in memory, in hex.
 *   -a log:format=csv|jsonl:file=PATH
 * The file is made anew, never overwritten. "%n%" in PATH becomes the first number that makes a new
 * name; without file= it is probe-log-%n%.csv or .jsonl in the directory of probe-run. Each process
 * of a run writes a file of its own, so a run of several needs %n%.
 *
 * A slow disk slows down the application: while a write waits, rings fill, and the GPU waits for
 * them (--when-full). A failed write ends the handler with a sentence. Table probe_log_file names
 * the file and counts its lines and bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <probe/handler.h>

#include "sites.h"

enum {
	BUFFER = 1 << 20,
	HEAD_MAX = 16384, /* of a line without addresses: longer names are cut */
	LINE_MAX_BYTES = HEAD_MAX + 512 + 64 * 24 + 64 * 132, /* addresses, or 64 elements */
	ELEMENT_MAX = 64,				      /* bytes: PROBE_MESSAGE_MAX */
	FILES_MAX = 100000,
};

struct site {
	struct site_facts facts;
	char *text; /* columns file to bytes, escaped once */
};

struct log {
	struct sites sites;
	bool json;
	int fd;
	char path[4096];
	char *buffer;
	size_t used;
	uint64_t lines, messages, bytes;
	char kernel[HEAD_MAX / 2]; /* escaped name of `dispatch`'s */
	uint64_t dispatch;
};

/* ---- Text ------------------------------------------------------------------------------------ */

/* A string that grows up to its room. What does not fit is left out, but for closing quotes. */
struct text {
	char *at, *end;
};

static void put(struct text *text, char c)
{
	if (text->at < text->end)
		*text->at++ = c;
}

static void put_string(struct text *text, const char *string)
{
	while (*string)
		put(text, *string++);
}

__attribute__((format(printf, 2, 3))) static void put_format(struct text *text, const char *format,
							     ...)
{
	char room[512];
	va_list args;

	va_start(args, format);
	vsnprintf(room, sizeof(room), format, args);
	va_end(args);
	put_string(text, room);
}

/* RFC 4180: quoted where it must be, quotes doubled. */
static void put_csv(struct text *text, const char *string)
{
	bool quoted = strpbrk(string, ",\"\r\n") != NULL;

	if (quoted)
		put(text, '"');
	for (; *string && text->end - text->at > 2; string++) {
		if (*string == '"')
			put(text, '"');
		put(text, *string);
	}
	if (quoted)
		put(text, '"');
}

/* Bytes of a well-formed UTF-8 character (RFC 3629), 0 if there is none. */
static unsigned utf8(const unsigned char *s)
{
	unsigned len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (s[0] > 0xf4)
		return 0;
	for (unsigned i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* A JSON string; bytes that are no UTF-8 become U+FFFD. */
static void put_json(struct text *text, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	put(text, '"');
	while (*s && text->end - text->at > 7) {
		unsigned len = utf8(s);

		if (!len) {
			put_string(text, "\\ufffd");
			s++;
		} else if (*s < 0x20 || *s == 0x7f) {
			put_format(text, "\\u%04x", *s++);
		} else {
			if (*s == '"' || *s == '\\')
				put(text, '\\');
			while (len--)
				put(text, (char)*s++);
		}
	}
	put(text, '"');
}

static void put_escaped(const struct log *log, struct text *text, const char *string)
{
	if (log->json)
		put_json(text, string ? string : "");
	else
		put_csv(text, string ? string : "");
}

static char *put_hex(char *at, uint64_t value)
{
	unsigned digits = value ? 16 - (unsigned)__builtin_clzll(value) / 4 : 1;

	*at++ = '0';
	*at++ = 'x';
	while (digits--)
		*at++ = "0123456789abcdef"[value >> 4 * digits & 15];
	return at;
}

/* ---- The file -------------------------------------------------------------------------------- */

static int fail(struct log *log, const char *what, int error)
{
	const struct probe_host *host = log->sites.host;

	host->log(host->ctx, PROBE_LOG_ERROR, "cannot %s %s: %s", what, log->path,
		  error == EEXIST ? "it exists; remove it, or name another (file=..., %n% in it "
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

/* Room for a line of any kind. */
static int make_room(struct log *log)
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

static int open_file(struct log *log)
{
	const struct probe_host *host = log->sites.host;
	const char *pattern = host->arg(host->ctx, "file"), *key;
	int error;

	if (!pattern)
		pattern = log->json ? "probe-log-%n%.jsonl" : "probe-log-%n%.csv";
	if (strlen(pattern) + 12 > sizeof(log->path)) {
		snprintf(log->path, sizeof(log->path), "the file");
		return fail(log, "make", ENAMETOOLONG);
	}
	key = strstr(pattern, "%n%");
	for (unsigned number = 1;; number++) {
		error = try_open(log, pattern, key, number);
		if (error != EEXIST || !key || number == FILES_MAX)
			break;
	}
	return error ? fail(log, "make", error) : 0;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static const char csv_header[] =
	"dispatch,kernel,group_x,group_y,group_z,wave,hw_id,time,wave_exec,site,file,line,column,"
	"access,space,bytes,exec,lanes,addresses,tag,data\n";

static const char *access_name(unsigned access)
{
	return access == PROBE_ACCESS_MESSAGE ? "message"
	       : access == PROBE_ACCESS_LOAD  ? "load"
	       : access == PROBE_ACCESS_STORE ? "store"
					      : "atomic";
}

static const char *space_name(unsigned space)
{
	switch (space) {
	case PROBE_SPACE_FLAT:
		return "flat";
	case PROBE_SPACE_GLOBAL:
		return "global";
	case PROBE_SPACE_LDS:
		return "lds";
	default:
		return "other";
	}
}

/* What every line of a site says. */
static bool make_site(const struct log *log, const struct sites_kernel *kernel, uint32_t id,
		      struct site *site)
{
	const struct probe_host *host = log->sites.host;
	const struct probe_site_info *info = host->site(host->ctx, kernel->code_object, id);
	char room[HEAD_MAX / 2];
	struct text text = {room, room + sizeof(room) - 256};

	if (log->json)
		put_format(&text, "\"site\":%u,\"file\":", id);
	else
		put_format(&text, "%u,", id);
	put_escaped(log, &text, info->file);
	text.end = room + sizeof(room) - 1;
	put_format(&text,
		   log->json ? ",\"line\":%u,\"column\":%u,\"access\":\"%s\",\"space\":\"%s\","
			       "\"bytes\":%u,"
			     : ",%u,%u,%s,%s,%u,",
		   info->line, info->column, access_name(info->access), space_name(info->space),
		   info->bytes);
	*text.at = 0;
	site->text = strdup(room);
	return site->text != NULL;
}

static void name_kernel(struct log *log, const struct probe_dispatch_info *dispatch)
{
	struct text text = {log->kernel, log->kernel + sizeof(log->kernel) - 1};

	put_escaped(log, &text, dispatch->kernel);
	*text.at = 0;
	log->dispatch = dispatch->id;
}

static void put_wave(const struct log *log, struct text *text, const struct probe_wave_info *wave)
{
	static const struct probe_wave_info none;

	wave = wave ? wave : &none;
	put_format(text,
		   log->json ? "\"group\":[%u,%u,%u],\"wave\":%u,\"hw_id\":%u,\"time\":%" PRIu64
			       ",\"wave_exec\":\"0x%" PRIx64 "\","
			     : "%u,%u,%u,%u,%u,%" PRIu64 ",0x%" PRIx64 ",",
		   wave->group[0], wave->group[1], wave->group[2], wave->wave, wave->hw_id,
		   wave->time, wave->exec);
}

static void put_access(struct log *log, const struct site *site, const struct probe_access *access)
{
	char *start = log->buffer + log->used;
	struct text text = {start, start + HEAD_MAX + 512};
	uint64_t addr[64];
	unsigned count = probe_access_expand(access, addr);

	put_format(&text, log->json ? "{\"dispatch\":%" PRIu64 ",\"kernel\":" : "%" PRIu64 ",",
		   log->dispatch);
	put_string(&text, log->kernel);
	put(&text, ',');
	put_wave(log, &text, access->wave);
	put_string(&text, site->text);
	put_format(&text,
		   log->json ? "\"exec\":\"0x%" PRIx64 "\",\"lanes\":%u,\"addresses\":["
			     : "0x%" PRIx64 ",%u,",
		   access->exec, access->lanes);
	for (unsigned i = 0; i < count; i++) {
		if (i)
			*text.at++ = log->json ? ',' : ' ';
		if (log->json)
			*text.at++ = '"';
		text.at = put_hex(text.at, addr[i]);
		if (log->json)
			*text.at++ = '"';
	}
	if (log->json) {
		*text.at++ = ']';
		*text.at++ = '}';
	} else {
		*text.at++ = ',';
		*text.at++ = ',';
	}
	*text.at++ = '\n';
	log->used += (size_t)(text.at - start);
	log->lines++;
}

/* Elements in lane order: of one, or of each active lane. */
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
	char *start = log->buffer + log->used;
	struct text text = {start, start + HEAD_MAX + 512 - 64};

	put_format(&text, log->json ? "{\"dispatch\":%" PRIu64 ",\"kernel\":" : "%" PRIu64 ",",
		   log->dispatch);
	put_string(&text, log->kernel);
	put(&text, ',');
	put_wave(log, &text, message->wave);
	put_string(&text, site->text);
	put_format(&text,
		   log->json ? "\"exec\":\"0x%" PRIx64 "\",\"lanes\":%u,\"tag\":"
			     : "0x%" PRIx64 ",%u,,",
		   message->exec, message->count);
	put_escaped(log, &text, tag);
	text.end = start + LINE_MAX_BYTES;
	put_string(&text, log->json ? ",\"data\":[" : ",");
	text.at = put_data(log, text.at, message);
	put_string(&text, log->json ? "]}\n" : "\n");
	log->used += (size_t)(text.at - start);
	log->messages++;
}

/* ---- The plugin ------------------------------------------------------------------------------ */

static void destroy(struct log *log)
{
	for (size_t k = 0; k < log->sites.count; k++)
		for (uint32_t id = 0; id < log->sites.kernels[k]->site_count; id++)
			free(((struct site *)log->sites.kernels[k]->sites)[id].text);
	sites_deinit(&log->sites);
	free(log->buffer);
	free(log);
}

static int log_open(const struct probe_host *host, void **state)
{
	struct log *log = calloc(1, sizeof(*log));
	const char *format = host->arg(host->ctx, "format");
	int err = 0;

	if (!log)
		return -ENOMEM;
	log->sites = (struct sites){.host = host, .site_size = sizeof(struct site)};
	log->json = format && !strcmp(format, "jsonl");
	log->buffer = malloc(BUFFER);
	if (!log->buffer)
		err = -ENOMEM;
	if (!err && format && !log->json && strcmp(format, "csv")) {
		host->log(host->ctx, PROBE_LOG_ERROR, "log:format=%s is none of: csv, jsonl",
			  format);
		err = -EINVAL;
	}
	err = err ? err : open_file(log);
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

/* sites_get() knows sites of accesses only. */
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
	site = (struct site *)(kernel->sites + message->site * log->sites.site_size);
	if (!site->text && !make_site(log, kernel, message->site, site))
		return -ENOMEM;
	err = make_room(log);
	if (!err)
		put_message(log, site, info->name, message);
	return err;
}

static int log_batch(void *state, const struct probe_batch *batch)
{
	struct log *log = state;
	const struct sites_kernel *kernel = sites_kernel(&log->sites, batch->dispatch);
	int err = 0;

	if (!kernel)
		return -ENOMEM;
	if (log->dispatch != batch->dispatch->id)
		name_kernel(log, batch->dispatch);
	for (size_t i = 0; batch->stream == PROBE_STREAM_MESSAGE && i < batch->count && !err; i++)
		err = log_message(log, kernel, &batch->messages[i]);
	for (size_t i = 0; batch->stream == PROBE_STREAM_ACCESS && i < batch->count && !err; i++) {
		const struct probe_access *access = &batch->access[i];
		struct site *site =
			access->exec ? sites_get(&log->sites, kernel, access->site) : NULL;

		if (!site)
			continue;
		if (!site->text && !make_site(log, kernel, access->site, site))
			return -ENOMEM;
		err = make_room(log);
		if (!err)
			put_access(log, site, access);
	}
	return err;
}

static int log_close(void *state)
{
	static const struct probe_column columns[] = {
		{"file", PROBE_TYPE_TEXT},
		{"lines", PROBE_TYPE_INTEGER},
		{"bytes", PROBE_TYPE_INTEGER},
	};
	struct log *log = state;
	const struct probe_host *host = log->sites.host;
	int table = host->table(host->ctx, "file", columns, 3), err = drain(log);

	if (close(log->fd) && !err)
		err = fail(log, "write to", errno);
	if (!err) {
		const union probe_value values[] = {
			{.text = log->path},
			{.integer = (int64_t)(log->lines + log->messages)},
			{.integer = (int64_t)log->bytes},
		};

		err = table < 0 ? table : host->row(host->ctx, table, values, 3);
		host->log(host->ctx, PROBE_LOG_INFO, "%llu accesses and %llu messages are in %s",
			  (unsigned long long)log->lines, (unsigned long long)log->messages,
			  log->path);
	}
	sites_report(&log->sites, "log");
	destroy(log);
	return err;
}

PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler),
	.abi = PROBE_HANDLER_ABI,
	.name = "log",
	.summary =
		"every access with all addresses, and messages, as CSV or JSON lines (format=, file=)",
	.streams = PROBE_STREAM_ACCESS | PROBE_STREAM_MESSAGE,
	.open = log_open,
	.batch = log_batch,
	.close = log_close,
};
