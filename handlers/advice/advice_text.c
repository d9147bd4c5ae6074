/* SPDX-License-Identifier: MIT */
#include "handlers/advice/advice_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void advice_say(char text[ADVICE_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(text, ADVICE_MAX, format, args);
	va_end(args);
}

void advice_append(char text[ADVICE_MAX], const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, ADVICE_MAX - used, format, args);
	va_end(args);
}

struct number_text advice_number(double value)
{
	struct number_text number;

	snprintf(number.text, sizeof(number.text), value < 1000 ? "%.4g" : "%.0f", value);
	return number;
}

/* The length of `what` before its plural s: "cache lines of 64 B" gives 10. */
static size_t singular_length(const char *what)
{
	size_t at = 0;

	while (what[at] && (what[at] != 's' || (what[at + 1] && what[at + 1] != ' ')))
		at++;
	return at;
}

/* "1 cache line of 64 B", "2 cache lines of 64 B". */
static void append_result(struct advice *ret, const char *how, const char *what)
{
	size_t length = singular_length(what);

	advice_append(ret->fix, "; %s %s %.*s%s after, %s before (per execution)", how,
		      advice_number(ret->after).text, (int)length, what,
		      what + length + (ret->after == 1 && what[length]),
		      advice_number(ret->before).text);
}

static bool set_result(struct advice *ret, const char *what, double after, double before)
{
	if (after >= before) {
		ret->fix[0] = 0;
		return false;
	}
	ret->what = what;
	ret->after = after;
	ret->before = before;
	return true;
}

bool advice_verify(struct advice *ret, const char *what, double after, double before)
{
	ret->verified = set_result(ret, what, after, before);
	if (ret->verified)
		append_result(ret, "verified:", what);
	return ret->verified;
}

bool advice_verify_most(struct advice *ret, const char *what, double after, double before)
{
	ret->verified = set_result(ret, what, after, before);
	if (ret->verified)
		append_result(ret, after ? "verified: at most" : "verified:", what);
	return ret->verified;
}

bool advice_estimate(struct advice *ret, const char *what, double after, double before,
		     const char *assumption)
{
	if (!set_result(ret, what, after, before))
		return false;
	append_result(ret, "estimate:", what);
	advice_append(ret->fix, ", if %s", assumption);
	return true;
}
