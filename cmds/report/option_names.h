/* SPDX-License-Identifier: MIT */
/* Names of options and of their values. */
#ifndef PROBE_CMDS_REPORT_OPTION_NAMES_H
#define PROBE_CMDS_REPORT_OPTION_NAMES_H

#include "cmds/report/report_options.h"

/* Indexed by enum report_format; ends with NULL. */
extern const char *const report_format_names[];

/* The option or options of a group, for messages. */
const char *report_option_names(enum report_option_group group);

#endif
