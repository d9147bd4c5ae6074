/* SPDX-License-Identifier: MIT */
/*
 * Open Trace Format 2, which Vampir and Score-P's tools read: an archive, which is a directory. A
 * location per queue, for the copies of a device and per thread; further ones where slices overlap.
 */
#ifndef PROBE_CMDS_REPORT_EXPORT_OTF2_H
#define PROBE_CMDS_REPORT_EXPORT_OTF2_H

struct probe_err;
struct report;
struct report_db;

struct probe_err *export_otf2(const struct report *report, const struct report_db *db);

#endif
