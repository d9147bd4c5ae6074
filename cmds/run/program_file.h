/* SPDX-License-Identifier: MIT */
/* The file of the program that the user names. */
#ifndef PROBE_CMDS_RUN_PROGRAM_FILE_H
#define PROBE_CMDS_RUN_PROGRAM_FILE_H

#include <stdbool.h>

/* The path that execvp() takes; NULL if there is none. The caller frees it. */
char *run_program_path(const char *program);

/*
 * A program that gets rights which the user does not have ignores the environment: the dynamic
 * loader preloads nothing, and libprobe-hsa.so does nothing (AT_SECURE, ld.so(8)). Returns what
 * gives the file such rights, or NULL.
 */
const char *run_program_rights(const char *path);

/*
 * True for an ELF executable that names no dynamic loader: nothing is preloaded into it, and ROCr
 * in it cannot open a tool.
 */
bool run_program_static(const char *path);

#endif
