/* SPDX-License-Identifier: MIT */
/* Options and their values as words. */
#ifndef PROBE_CMDS_REPORT_OPTION_NAMES_H
#define PROBE_CMDS_REPORT_OPTION_NAMES_H

#include "cmds/report/report_options.h"

/* By enum report_format; ends with NULL. */
extern const char *const report_format_names[];

/* The option or options of a group, as in messages. */
const char *report_option_names(enum report_option_group group);

#endif
