/* SPDX-License-Identifier: MIT */
/* Advice on LDS bank conflicts. */
#ifndef PROBE_HANDLERS_ADVICE_LDS_ADVICE_H
#define PROBE_HANDLERS_ADVICE_LDS_ADVICE_H

#include "handlers/advice/site_facts.h"

/* A site with LDS bank conflicts. */
void advice_lds(const struct facts *facts, struct probe_lds_scratch *scratch, struct advice *ret);

#endif
