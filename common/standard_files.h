/* SPDX-License-Identifier: MIT */
/* Descriptors 0, 1 and 2 of a program that was started without some of them. */
#ifndef PROBE_COMMON_STANDARD_FILES_H
#define PROBE_COMMON_STANDARD_FILES_H

/*
 * Keeps other files from getting their numbers, and messages from being written into those. What
 * is written to such a descriptor fails, as without this, and an executed program does not get it.
 * First thing in a program.
 */
void probe_standard_files_reserve(void);

#endif
