/* SPDX-License-Identifier: MIT */
/* Writes the sentences of advice. */
#ifndef PROBE_HANDLERS_ADVICE_ADVICE_TEXT_H
#define PROBE_HANDLERS_ADVICE_ADVICE_TEXT_H

#include "handlers/advice/advice.h"

__attribute__((format(printf, 2, 3))) void advice_say(char text[ADVICE_MAX], const char *format,
						      ...);
__attribute__((format(printf, 2, 3))) void advice_append(char text[ADVICE_MAX], const char *format,
							 ...);

/* Small values have four digits, large ones are whole numbers; never in scientific notation. */
struct number_text {
	char text[32];
};
struct number_text advice_number(double value);

/*
 * Ends the fix with its result, counted by the same rules as the counters. `what` is a plural:
 * "conflicts", "cache lines of 128 B". A fix that improves nothing is withdrawn: returns false.
 */
bool advice_verify(struct advice *ret, const char *what, double after, double before);
/* `after` is the worst case over all positions of the data in memory. */
bool advice_verify_most(struct advice *ret, const char *what, double after, double before);
/* For a result under an assumption: a clause that follows "if". */
bool advice_estimate(struct advice *ret, const char *what, double after, double before,
		     const char *assumption);

#endif
