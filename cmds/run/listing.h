/* SPDX-License-Identifier: MIT */
/* Prints what --list and --version show of an installation. */
#ifndef PROBE_CMDS_RUN_LISTING_H
#define PROBE_CMDS_RUN_LISTING_H

struct run_config;
struct run_layout;

void run_list(const struct run_config *config, const struct run_layout *layout);
void run_version(const struct run_layout *layout);

#endif
