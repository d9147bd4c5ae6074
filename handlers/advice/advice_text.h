/* SPDX-License-Identifier: MIT */
/* Writing the sentences of advice. */
#ifndef PROBE_HANDLERS_ADVICE_ADVICE_TEXT_H
#define PROBE_HANDLERS_ADVICE_ADVICE_TEXT_H

#include "handlers/advice/advice.h"

__attribute__((format(printf, 2, 3))) void advice_say(char text[ADVICE_MAX], const char *format,
						      ...);
__attribute__((format(printf, 2, 3))) void advice_append(char text[ADVICE_MAX], const char *format,
							 ...);

/* Small values with four digits, large ones as whole numbers; never a power of ten. */
struct number_text {
	char text[32];
};
struct number_text advice_number(double value);

/*
 * End the fix with its result, counted by the same rules as the counters. `what` is in the plural:
 * "conflicts", "cache lines of 128 B". A fix that is no improvement is withdrawn: false.
 */
bool advice_verify(struct advice *ret, const char *what, double after, double before);
/* `after` is the most, wherever in memory the data will be. */
bool advice_verify_most(struct advice *ret, const char *what, double after, double before);
/* A result that rests on an assumption: a clause, after "if". */
bool advice_estimate(struct advice *ret, const char *what, double after, double before,
		     const char *assumption);

#endif
