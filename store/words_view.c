/* SPDX-License-Identifier: MIT */
/* The view probe_words: for each number in the database, its word and meaning. */
#include "store/sql_words.h"
#include "store/store_sql.h"

#define ROWS(domain, TABLE)		      TABLE(ROW_##domain)
#define ROW(domain, number, word, text)	      ",\n('" domain "', " #number ", '" word "', '" text "')"
#define ROW_KIND(name, number, word, text)    ROW("kind", number, word, text)
#define ROW_ACCESS(name, number, word, text)  ROW("access", number, word, text)
#define ROW_SPACE(name, number, word, text)   ROW("space", number, word, text)
#define ROW_VERDICT(name, number, word, text) ROW("verdict", number, word, text)
#define ROW_METHOD(name, number, word, text)  ROW("method", number, word, text)
#define ROW_UNIT(name, number, word, text)    ROW("unit", number, word, text)
#define ROW_ISSUED(name, number, word, text)  ROW("issued", number, word, text)
#define ROW_STALLED(name, number, word, text) ROW("stalled", number, word, text)
#define ROW_DROPPED(name, number, word, text) ROW("dropped", number, word, text)

/*
 * domain: the column that holds the number; of probe_state.code it is 'issued' or 'stalled', and
 * 'dropped' explains names of probe_account.
 */
const char probe_sql_words_view[] =
	"CREATE VIEW probe_words (domain, number, word, text) AS VALUES\n"
	"('kind', 0, 'none', 'the original kernel')" ROWS(KIND, PROBE_KIND_TABLE)
		ROWS(ACCESS, PROBE_ACCESS_TABLE) ROWS(SPACE, PROBE_SPACE_TABLE)
			ROWS(VERDICT, PROBE_VERDICT_TABLE) ROWS(METHOD, PROBE_SAMPLING_METHOD_TABLE)
				ROWS(UNIT, PROBE_SAMPLING_UNIT_TABLE)
					ROWS(ISSUED, PROBE_PCS_TYPE_TABLE)
						ROWS(STALLED, PROBE_PCS_REASON_TABLE)
							ROWS(DROPPED, PROBE_DROP_TABLE) ";";
