/* SPDX-License-Identifier: MIT */
/* States of sampled waves, as columns of every table of samples. */
#ifndef PROBE_CMDS_REPORT_STALL_COLUMNS_H
#define PROBE_CMDS_REPORT_STALL_COLUMNS_H

/* clang-format off */

/* `rare`: whether rare reasons are shown by default, too. */
#define REPORT_STALLS(rare)                                                                        \
	{"issued", "issued", REPORT_INT, true, "issued",                                           \
	 "samples of waves that issued in the sampled cycle"},                                     \
	{"stalled", "stalled", REPORT_INT, true, "stalled",                                        \
	 "samples of waves that did not: the sum of the reasons"},                                 \
	{"waitcnt", "waitcnt", REPORT_INT, true, "waitcnt",                                        \
	 "waited for memory or LDS (s_waitcnt)"},                                                  \
	{"barrier", "barrier", REPORT_INT, rare, "barrier",                                        \
	 "waited for other waves (s_barrier)"},                                                    \
	{"alu", "alu", REPORT_INT, rare, "alu",                                                    \
	 "waited for the result of an earlier instruction"},                                       \
	{"arbiter", "arbiter", REPORT_INT, true, "arbiter",                                        \
	 "another wave was selected, or the unit was busy"},                                       \
	{"internal", "internal", REPORT_INT, rare, "internal",                                     \
	 "internal instructions such as s_nop"},                                                   \
	{"fetch", "fetch", REPORT_INT, rare, "fetch", "waited for instruction fetch"},             \
	{"sleep", "sleep", REPORT_INT, false, "sleep", "s_sleep; on gfx9 part of other"},          \
	{"other", "other", REPORT_INT, false, "other", "other or unknown reasons"}

/* clang-format on */

#endif
