/* SPDX-License-Identifier: MIT */
/* Escaping; see escape.h. */
#include "cmds/report/escape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rejects overlong forms, surrogates, and codes above U+10FFFF. */
unsigned report_utf8(const char *text, size_t len, uint32_t *code)
{
	const unsigned char *c = (const unsigned char *)text;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned count = c[0] < 0x80		 ? 1
			 : (c[0] & 0xe0) == 0xc0 ? 2
			 : (c[0] & 0xf0) == 0xe0 ? 3
			 : (c[0] & 0xf8) == 0xf0 ? 4
						 : 0;

	if (!count || count > len)
		return 0;
	*code = count == 1 ? c[0] : c[0] & (0x7fu >> count);
	for (unsigned i = 1; i < count; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (c[i] & 0x3f);
	}
	if (*code < least[count] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return count;
}

bool report_printable(uint32_t code)
{
	bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
	/* Direction marks are rejected: they could make one name look like another. */
	bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);

	return !control && !turns;
}

size_t report_text(FILE *out, const char *text, size_t len, size_t column)
{
	size_t start = column;

	if (len == SIZE_MAX)
		len = strlen(text);
	for (size_t i = 0; i < len;) {
		uint32_t code;
		unsigned count = report_utf8(text + i, len - i, &code);

		if (text[i] == '\t') {
			do {
				if (out)
					fputc(' ', out);
			} while (++column % 8);
			i++;
		} else if (count && report_printable(code)) {
			if (out)
				fwrite(text + i, 1, count, out);
			column++;
			i += count;
		} else {
			if (out)
				fprintf(out, "\\x%02x", (unsigned char)text[i]);
			column += 4;
			i++;
		}
	}
	return column - start;
}

void report_csv(FILE *out, const char *text, char separator)
{
	if (!strpbrk(text, "\"\r\n\t") && !strchr(text, separator)) {
		report_text(out, text, SIZE_MAX, 0);
		return;
	}
	fputc('"', out);
	for (size_t len; *text; text += len) {
		len = strcspn(text, "\"\n\t");
		report_text(out, text, len, 0);
		if (!text[len])
			break;
		if (text[len] == '"')
			fputc('"', out);
		fputc(text[len++], out);
	}
	fputc('"', out);
}

void report_replaced(FILE *out, const char *text, const char *special, const char *const *replaced)
{
	for (size_t len = strlen(text); len;) {
		const char *at = strchr(special, *text);
		uint32_t code = 0;
		unsigned count = report_utf8(text, len, &code);

		if (at)
			fputs(replaced[at - special], out);
		else if (count && code < 0x20)
			fputc(' ', out);
		else if (count && report_printable(code))
			fwrite(text, 1, count, out);
		else
			fprintf(out, "\\x%02x", (unsigned char)*text);
		count = at || !count || !report_printable(code) ? 1 : count;
		text += count;
		len -= count;
	}
}

void report_markup(FILE *out, const char *text)
{
	static const char special[] = "&<>\"";
	static const char *const replaced[] = {"&amp;", "&lt;", "&gt;", "&quot;"};

	report_replaced(out, text, special, replaced);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void before_value(struct report_json *json)
{
	if (json->comma)
		fputs(json->compact && json->depth > 1 ? ", " : ",\n", json->out);
	json->comma = false;
}

void report_json_open(struct report_json *json, char bracket)
{
	before_value(json);
	fputc(bracket, json->out);
	json->depth++;
	if (json->depth == 1)
		fputc('\n', json->out);
}

void report_json_close(struct report_json *json, char bracket)
{
	if (json->depth == 1 && json->comma)
		fputc('\n', json->out);
	fputc(bracket, json->out);
	json->depth--;
	json->comma = true;
	if (!json->depth)
		fputc('\n', json->out);
}

static void write_string(FILE *out, const char *text)
{
	size_t len = strlen(text);

	fputc('"', out);
	for (size_t i = 0; i < len;) {
		uint32_t code;
		unsigned count = report_utf8(text + i, len - i, &code);

		if (text[i] == '"' || text[i] == '\\')
			fprintf(out, "\\%c", text[i]);
		else if (!count)
			fputs("\xef\xbf\xbd", out); /* U+FFFD: the byte is not valid UTF-8 */
		else if (report_printable(code))
			fwrite(text + i, 1, count, out);
		else
			fprintf(out, "\\u%04x", code);
		i += count ? count : 1;
	}
	fputc('"', out);
}

void report_json_key(struct report_json *json, const char *key)
{
	before_value(json);
	write_string(json->out, key);
	fputs(": ", json->out);
}

void report_json_text(struct report_json *json, const char *text)
{
	before_value(json);
	if (text)
		write_string(json->out, text);
	else
		fputs("null", json->out);
	json->comma = true;
}

void report_json_int(struct report_json *json, int64_t value)
{
	before_value(json);
	fprintf(json->out, "%lld", (long long)value);
	json->comma = true;
}

void report_json_real(struct report_json *json, double value)
{
	char text[32];

	before_value(json);
	if (isfinite(value)) {
		/* Uses the fewest digits that read back as the same number. */
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(text, sizeof(text), "%.*g", digits, value);
			if (strtod(text, NULL) == value)
				break;
		}
		fputs(text, json->out);
	} else {
		fputs("null", json->out);
	}
	json->comma = true;
}

void report_json_member(struct report_json *json, const char *key, const char *text)
{
	report_json_key(json, key);
	report_json_text(json, text);
}

void report_json_int_member(struct report_json *json, const char *key, int64_t value)
{
	report_json_key(json, key);
	report_json_int(json, value);
}

void report_json_bool(struct report_json *json, bool value)
{
	before_value(json);
	fputs(value ? "true" : "false", json->out);
	json->comma = true;
}

void report_json_raw(struct report_json *json, const char *text)
{
	before_value(json);
	fputs(text, json->out);
	json->comma = true;
}
