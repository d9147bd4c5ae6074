/* SPDX-License-Identifier: MIT */
/* The words of the domain tables by number; "" for a number that a table does not have. */
#ifndef PROBE_WORDS_H
#define PROBE_WORDS_H

#include <stdint.h>

#include <probe/drop_reasons.h>
#include <probe/verdicts.h>
#include <probe/wire_kinds.h>

#define PROBE_WORD_CASE(name, number, word, text)                                                  \
	case number:                                                                               \
		return word;
#define PROBE_TEXT_CASE(name, number, word, text)                                                  \
	case number:                                                                               \
		return text;
#define PROBE_WORD_FUNCTION(function, TABLE, CASE)                                                 \
	static inline const char *function(uint32_t number)                                        \
	{                                                                                          \
		switch (number) {                                                                  \
			TABLE(CASE)                                                                \
		default:                                                                           \
			return "";                                                                 \
		}                                                                                  \
	}

/* "load", "store", ... */
PROBE_WORD_FUNCTION(probe_access_word, PROBE_ACCESS_TABLE, PROBE_WORD_CASE)
/* "global", "lds", ... */
PROBE_WORD_FUNCTION(probe_space_word, PROBE_SPACE_TABLE, PROBE_WORD_CASE)
/* "affine", and as a clause "one stride, by proof" */
PROBE_WORD_FUNCTION(probe_address_word, PROBE_ADDRESS_TABLE, PROBE_WORD_CASE)
PROBE_WORD_FUNCTION(probe_address_text, PROBE_ADDRESS_TABLE, PROBE_TEXT_CASE)
/* "no_clone", and in a sentence "no clone of the kernel ..." */
PROBE_WORD_FUNCTION(probe_verdict_word, PROBE_VERDICT_TABLE, PROBE_WORD_CASE)
PROBE_WORD_FUNCTION(probe_verdict_text, PROBE_VERDICT_TABLE, PROBE_TEXT_CASE)
/* "full", and in a sentence "ring buffer full" */
PROBE_WORD_FUNCTION(probe_drop_word, PROBE_DROP_TABLE, PROBE_WORD_CASE)
PROBE_WORD_FUNCTION(probe_drop_text, PROBE_DROP_TABLE, PROBE_TEXT_CASE)

#endif
