/* SPDX-License-Identifier: MIT */
/* Small JSON texts; see json_text.h. */
#include "store/json_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct probe_json *json, const char *bytes, size_t len)
{
	if (json->failed)
		return;
	if (json->capacity - json->len <= len) {
		size_t capacity = (json->len + len + 256) * 2;
		char *text = realloc(json->text, capacity);

		if (!text) {
			json->failed = true;
			return;
		}
		json->text = text;
		json->capacity = capacity;
	}
	memcpy(json->text + json->len, bytes, len);
	json->len += len;
	json->text[json->len] = 0;
}

static void put_comma(struct probe_json *json)
{
	if (json->comma)
		put(json, ",", 1);
	json->comma = true;
}

void probe_json_open(struct probe_json *json, char bracket)
{
	put_comma(json);
	put(json, &bracket, 1);
	json->comma = false;
}

void probe_json_close(struct probe_json *json, char bracket)
{
	put(json, &bracket, 1);
	json->comma = true;
}

/* Length of the valid UTF-8 sequence at `s` (RFC 3629), 0 if there is none. */
static size_t sequence(const unsigned char *s, size_t left)
{
	unsigned code, need;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] < 0xe0)
		need = 1, code = s[0] & 0x1f;
	else if ((s[0] & 0xf0) == 0xe0)
		need = 2, code = s[0] & 0x0f;
	else if (s[0] >= 0xf0 && s[0] < 0xf5)
		need = 3, code = s[0] & 0x07;
	else
		return 0;
	if (left <= need)
		return 0;
	for (unsigned i = 1; i <= need; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (need == 2 && (code < 0x800 || (code >= 0xd800 && code < 0xe000)))
		return 0;
	if (need == 3 && (code < 0x10000 || code > 0x10ffff))
		return 0;
	return need + 1;
}

static void put_string(struct probe_json *json, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;

	put(json, "\"", 1);
	for (size_t i = 0; i < len;) {
		size_t n = sequence(s + i, len - i);
		char escaped[8];

		if (!n)
			put(json, "\xef\xbf\xbd", 3);
		else if (s[i] == '"' || s[i] == '\\')
			put(json, (const char[]){'\\', (char)s[i]}, 2);
		else if (s[i] < 0x20)
			put(json, escaped,
			    (size_t)snprintf(escaped, sizeof(escaped), "\\u%04x", s[i]));
		else
			put(json, text + i, n);
		i += n ? n : 1;
	}
	put(json, "\"", 1);
}

void probe_json_key(struct probe_json *json, const char *key, size_t len)
{
	put_comma(json);
	put_string(json, key, len);
	put(json, ":", 1);
	json->comma = false;
}

void probe_json_string(struct probe_json *json, const char *text, size_t len)
{
	put_comma(json);
	put_string(json, text, len);
}

void probe_json_uint(struct probe_json *json, uint64_t value)
{
	char number[24];

	put_comma(json);
	put(json, number, (size_t)snprintf(number, sizeof(number), "%" PRIu64, value));
}

void probe_json_int(struct probe_json *json, int64_t value)
{
	char number[24];

	put_comma(json);
	put(json, number, (size_t)snprintf(number, sizeof(number), "%" PRId64, value));
}

const char *probe_json_text(const struct probe_json *json)
{
	return json->failed || !json->text ? "{}" : json->text;
}

void probe_json_reset(struct probe_json *json)
{
	json->len = 0;
	json->comma = false;
	json->failed = false;
}

void probe_json_deinit(struct probe_json *json)
{
	free(json->text);
}
