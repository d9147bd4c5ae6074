/* SPDX-License-Identifier: MIT */
/* Prints the cost of a finding in cycles, how it was estimated, and its bounds. */
#ifndef PROBE_CMDS_REPORT_FINDING_COST_H
#define PROBE_CMDS_REPORT_FINDING_COST_H

#include "cmds/report/finding_text.h"

void finding_put_cost(const struct finding *finding);
/* After `before`: that other accesses are part of the finding; nothing if there are none. */
void finding_put_others(const struct finding *finding, const char *before);

#endif
