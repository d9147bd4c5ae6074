/* SPDX-License-Identifier: MIT */
#include "common/shell_word.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Without a quote, no shell gives these a meaning, wherever they are in a word. */
static bool is_plain(const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_@%+=:,./-";

	return *text && !text[strspn(text, plain)];
}

char *probe_shell_word(const char *text)
{
	static const char quote[] = "'\\''"; /* ends the quoted part, adds a ', begins another */
	char *ret, *to;

	if (is_plain(text))
		return strdup(text);
	ret = malloc(strlen(text) * (sizeof(quote) - 1) + 3);
	if (!ret)
		return NULL;
	to = stpcpy(ret, "'");
	for (; *text; text++) {
		if (*text == '\'')
			to = stpcpy(to, quote);
		else
			*to++ = *text;
	}
	strcpy(to, "'");
	return ret;
}
