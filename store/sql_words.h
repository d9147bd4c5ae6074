/* SPDX-License-Identifier: MIT */
/*
 * Words in SQL, generated from the domain tables (<probe/wire_kinds.h> and others) by the
 * preprocessor: queries refer to values by words, never by numbers.
 *
 *	SQL_WORD(PROBE_ACCESS_TABLE, "s.access")	the word, NULL for an unknown number
 *	SQL_TEXT(PROBE_VERDICT_TABLE, "p.verdict")	the same in a sentence
 *
 * The view probe_words offers the same to users who query a database with sqlite3.
 */
#ifndef PROBE_STORE_SQL_WORDS_H
#define PROBE_STORE_SQL_WORDS_H

#include <probe/drop_reasons.h>
#include <probe/sampling.h>
#include <probe/verdicts.h>
#include <probe/wire_kinds.h>

#define SQL_WHEN_WORD(name, number, word, text) " WHEN " #number " THEN '" word "'"
#define SQL_WHEN_TEXT(name, number, word, text) " WHEN " #number " THEN '" text "'"
#define SQL_WORD(TABLE, column)			"CASE " column TABLE(SQL_WHEN_WORD) " END"
#define SQL_TEXT(TABLE, column)			"CASE " column TABLE(SQL_WHEN_TEXT) " END"

/* Did a dispatch (`row` is one of probe_dispatch) run as an instrumented clone? */
#define SQL_VERDICT(row)      SQL_WORD(PROBE_VERDICT_TABLE, row ".verdict")
#define SQL_INSTRUMENTED(row) "(" SQL_VERDICT(row) " = 'swapped')"

#endif
