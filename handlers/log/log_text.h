/* SPDX-License-Identifier: MIT */
/*
 * Fast formatting for millions of lines: strings quoted for CSV or JSON, numbers, and lists of
 * addresses. No string here is terminated by a NUL.
 */
#ifndef PROBE_HANDLERS_LOG_LOG_TEXT_H
#define PROBE_HANDLERS_LOG_LOG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * A string that grows up to `end`. Text that does not fit is truncated, except for closing quotes.
 */
struct text {
	char *at, *end;
};

__attribute__((format(printf, 2, 3))) void text_format(struct text *text, const char *format, ...);
/* RFC 4180: quoted if necessary, quotes doubled. */
void text_csv(struct text *text, const char *string);
/* With quotes; bytes that are not UTF-8 become U+FFFD. */
void text_json(struct text *text, const char *string);

/* ---- Functions without bounds checks: they return the end of their output ------------------- */

enum {
	TEXT_NUMBER_MAX = 24, /* bytes that a number may overwrite, although it may be shorter */
	/* An item of a list: "0x" and 16 digits, "+" and a stride, "*64", quotes and a comma. */
	TEXT_ADDRESS_MAX = 2 * TEXT_NUMBER_MAX,
};

static inline char *text_number(char *at, uint64_t value)
{
	char digits[20];
	unsigned n = sizeof(digits);

	if (value < 10) {
		*at = (char)('0' + value);
		return at + 1;
	}
	for (; value; value /= 10)
		digits[--n] = (char)('0' + value % 10);
	for (unsigned i = 0; i < sizeof(digits) - n; i++)
		at[i] = digits[n + i];
	return at + sizeof(digits) - n;
}

/* Writes sixteen digits. */
#ifdef __SSE2__
static inline void text_digits(char *at, uint64_t value)
{
	const __m128i low = _mm_set1_epi8(15), nine = _mm_set1_epi8(9);
	__m128i bytes = _mm_cvtsi64_si128((long long)__builtin_bswap64(value));
	__m128i digits = _mm_unpacklo_epi8(_mm_and_si128(_mm_srli_epi16(bytes, 4), low),
					   _mm_and_si128(bytes, low));
	__m128i letters =
		_mm_and_si128(_mm_cmpgt_epi8(digits, nine), _mm_set1_epi8('a' - '0' - 10));

	_mm_storeu_si128((__m128i *)(void *)at,
			 _mm_add_epi8(_mm_add_epi8(digits, _mm_set1_epi8('0')), letters));
}
#else
static inline void text_digits(char *at, uint64_t value)
{
	for (unsigned i = 0; i < 16; i++)
		at[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
}
#endif

/* "0x", no leading zeros; overwrites 18 bytes. */
static inline char *text_hex(char *at, uint64_t value)
{
	unsigned digits = 16 - (unsigned)__builtin_clzll(value | 1) / 4;

	at[0] = '0';
	at[1] = 'x';
	text_digits(at + 2, value << 4 * (16 - digits));
	return at + 2 + digits;
}

static inline char *text_copy(char *at, const char *string, size_t size)
{
	__builtin_memcpy(at, string, size);
	return at + size;
}

/*
 * Writes one to 64 addresses, separated by spaces, or JSON strings separated by commas. With
 * `shorter`, six or more in a row at a constant stride become one item: "0x1000+4*64" means 64
 * addresses, 4 bytes apart, starting at 0x1000. All items but the first then have only the digits
 * that replace the last ones of the first address: "0x7f0000001000 2344 1ffc".
 */
char *text_addresses(char *at, const uint64_t *addr, unsigned count, bool json, bool shorter);
/* Writes one run, or fewer than three addresses in full. */
char *text_run(char *at, uint64_t base, int64_t stride, unsigned count, bool json);

#endif
