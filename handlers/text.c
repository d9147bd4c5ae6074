/* SPDX-License-Identifier: MIT */
/* Quoted strings, and lists of addresses; see text.h. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { RUN_MIN = 3 };

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

void text_format(struct text *text, const char *format, ...)
{
	char room[512];
	va_list args;

	va_start(args, format);
	vsnprintf(room, sizeof(room), format, args);
	va_end(args);
	put_string(text, room);
}

void text_csv(struct text *text, const char *string)
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

void text_json(struct text *text, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	put(text, '"');
	while (*s && text->end - text->at > 7) {
		unsigned len = utf8(s);

		if (!len) {
			put_string(text, "\\ufffd");
			s++;
		} else if (*s < 0x20 || *s == 0x7f) {
			text_format(text, "\\u%04x", *s++);
		} else {
			if (*s == '"' || *s == '\\')
				put(text, '\\');
			while (len--)
				put(text, (char)*s++);
		}
	}
	put(text, '"');
}

/* ---- Addresses ------------------------------------------------------------------------------- */

static char *put_run(char *at, uint64_t base, int64_t stride, unsigned count, bool json)
{
	if (json)
		*at++ = '"';
	at = text_hex(at, base);
	if (count > 1) {
		*at++ = stride < 0 ? '-' : '+';
		at = text_number(at, stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride);
		*at++ = '*';
		at = text_number(at, count);
	}
	if (json)
		*at++ = '"';
	return at;
}

char *text_run(char *at, uint64_t base, int64_t stride, unsigned count, bool json)
{
	if (count >= RUN_MIN)
		return put_run(at, base, stride, count, json);
	for (unsigned i = 0; i < count; i++) {
		if (i)
			*at++ = json ? ',' : ' ';
		at = put_run(at, base + i * (uint64_t)stride, 0, 1, json);
	}
	return at;
}

/* How many addresses from the first on are at one distance. */
static unsigned run_length(const uint64_t *addr, unsigned count)
{
	uint64_t stride = addr[1] - addr[0];
	unsigned n = RUN_MIN;

	while (n < count && addr[n] - addr[n - 1] == stride)
		n++;
	return n;
}

/* Do three addresses begin a run? */
static inline bool run_begins(const uint64_t *addr, unsigned count)
{
	return count >= RUN_MIN && addr[1] - addr[0] == addr[2] - addr[1];
}

/* Addresses from `i` on up to where a run begins, of which most lists have none; *next is there. */
static char *put_each(char *at, const uint64_t *addr, unsigned i, unsigned count, bool json,
		      bool runs, unsigned *next)
{
	for (; i < count && !(runs && run_begins(addr + i, count - i)); i++) {
		*at = json ? ',' : ' ';
		at += i != 0;
		*at = '"';
		at += json;
		at = text_hex(at, addr[i]);
		*at = '"';
		at += json;
	}
	*next = i;
	return at;
}

char *text_addresses(char *at, const uint64_t *addr, unsigned count, bool json, bool runs)
{
	for (unsigned i = 0; i < count;) {
		unsigned n;

		at = put_each(at, addr, i, count, json, runs, &i);
		if (i == count)
			break;
		n = run_length(addr + i, count - i);
		if (i)
			*at++ = json ? ',' : ' ';
		at = put_run(at, addr[i], (int64_t)(addr[i + 1] - addr[i]), n, json);
		i += n;
	}
	return at;
}
