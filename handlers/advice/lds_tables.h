/* SPDX-License-Identifier: MIT */
/* Advice on tables in LDS that lanes update, such as histograms. */
#ifndef PROBE_HANDLERS_ADVICE_LDS_TABLES_H
#define PROBE_HANDLERS_ADVICE_LDS_TABLES_H

#include "handlers/advice/site_facts.h"

/* For atomic updates without a stride, whose cause is said already: updates of tables. */
void advice_lds_table(const struct facts *facts, struct probe_lds_scratch *scratch,
		      struct advice *ret);

#endif
