/* SPDX-License-Identifier: MIT */
/* The site table of a code object, in the form that handlers and reports need. */
#ifndef PROBE_CMDS_RECORD_CODE_SITES_H
#define PROBE_CMDS_RECORD_CODE_SITES_H

struct probe_err;
struct run_code;

/* Reads the sites of a whole image, if it has any; code->hr.bytes is its size. */
struct probe_err *run_code_read(struct run_code *code, const unsigned char *bytes);
void run_code_destroy(struct run_code *code);

#endif
