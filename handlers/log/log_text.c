/* SPDX-License-Identifier: MIT */
#include "handlers/log/log_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The shortest run in a list with other addresses; shorter runs save nothing. */
enum { RUN_MIN = 6, ADDRESSES_MAX = 64 };

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
	char buffer[512];
	va_list args;

	va_start(args, format);
	vsnprintf(buffer, sizeof(buffer), format, args);
	va_end(args);
	put_string(text, buffer);
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

/* The notation of addresses: in full, or all but the first by their last digits. */
struct style {
	bool json;
	unsigned digits; /* 0 = in full */
};

static char *put_separator(char *at, unsigned i, const struct style *style)
{
	*at = style->json ? ',' : ' ';
	at += i != 0;
	*at = '"';
	return at + style->json;
}

static char *put_address(char *at, unsigned i, uint64_t address, const struct style *style)
{
	if (!i || !style->digits)
		return text_hex(at, address);
	text_digits(at, address << (64 - 4 * style->digits));
	return at + style->digits;
}

/* Item `i` of a list, with its separator and quotes. */
static char *put_item(char *at, unsigned i, uint64_t base, int64_t stride, unsigned count,
		      const struct style *style)
{
	at = put_separator(at, i, style);
	at = put_address(at, i, base, style);
	if (count > 1) {
		*at++ = stride < 0 ? '-' : '+';
		at = text_number(at, stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride);
		*at++ = '*';
		at = text_number(at, count);
	}
	*at = '"';
	return at + style->json;
}

char *text_run(char *at, uint64_t base, int64_t stride, unsigned count, bool json)
{
	const struct style style = {json, 0};

	if (count >= 3)
		return put_item(at, 0, base, stride, count, &style);
	for (unsigned i = 0; i < count; i++)
		at = put_item(at, i, base + i * (uint64_t)stride, 0, 1, &style);
	return at;
}

/* The number of leading addresses with one stride. */
static unsigned run_length(const uint64_t *addr, unsigned count)
{
	unsigned n = count < 2 ? count : 2;

	while (n < count && addr[n] - addr[n - 1] == addr[1] - addr[0])
		n++;
	return n;
}

/* False if the low halves of the addresses rule out a run, without branches. */
static bool runs_possible(const uint64_t *addr, unsigned count)
{
	uint32_t low[ADDRESSES_MAX], bend[ADDRESSES_MAX], any = 0;

	if (count < RUN_MIN)
		return false;
	for (unsigned i = 0; i < count; i++)
		low[i] = (uint32_t)addr[i];
	for (unsigned i = 0; i < count - 2; i++)
		bend[i] = low[i] - 2 * low[i + 1] + low[i + 2];
	for (unsigned i = 0; i < count - RUN_MIN + 1; i++)
		any |= (bend[i] | bend[i + 1] | bend[i + 2] | bend[i + 3]) == 0;
	return any;
}
_Static_assert(RUN_MIN == 6, "four bends");

/* The number of last digits needed to distinguish the addresses. */
static unsigned digits_that_differ(const uint64_t *addr, unsigned count)
{
	uint64_t differ = 1;

	for (unsigned i = 1; i < count; i++)
		differ |= addr[i] ^ addr[0];
	return 16 - (unsigned)__builtin_clzll(differ) / 4;
}

/* For at most eight digits each: formats two addresses at once. */
static char *put_short(char *at, const uint64_t *addr, unsigned count, unsigned digits)
{
	const unsigned shift = 32 - 4 * digits;
	unsigned i = 0;
	char digits16[16];

	for (; i + 2 <= count; i += 2) {
		uint64_t first = (uint32_t)addr[i] << shift,
			 second = (uint32_t)addr[i + 1] << shift;

		text_digits(digits16, first << 32 | second);
		at[0] = ' ';
		memcpy(at + 1, digits16, 8);
		at += digits + 1;
		at[0] = ' ';
		memcpy(at + 1, digits16 + 8, 8);
		at += digits + 1;
	}
	for (; i < count; i++) {
		at[0] = ' ';
		text_digits(at + 1, addr[i] << (64 - 4 * digits));
		at += digits + 1;
	}
	return at;
}

char *text_addresses(char *at, const uint64_t *addr, unsigned count, bool json, bool shorter)
{
	const struct style style = {json, shorter ? digits_that_differ(addr, count) : 0};
	bool runs = shorter && runs_possible(addr, count);

	if (shorter && !runs && !json && style.digits <= 8) {
		at = text_hex(at, addr[0]);
		return put_short(at, addr + 1, count - 1, style.digits);
	}
	for (unsigned i = 0, n; i < count; i += n) {
		n = runs ? run_length(addr + i, count - i) : 1;
		n = n < RUN_MIN ? 1 : n;
		at = put_item(at, i, addr[i], n > 1 ? (int64_t)(addr[i + 1] - addr[i]) : 0, n,
			      &style);
	}
	return at;
}
