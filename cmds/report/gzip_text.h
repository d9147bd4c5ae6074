/* SPDX-License-Identifier: MIT */
/* Encodes bytes as text for the HTML page: gzip (RFC 1952), then base64 (RFC 4648). */
#ifndef PROBE_CMDS_REPORT_GZIP_TEXT_H
#define PROBE_CMDS_REPORT_GZIP_TEXT_H

#include <stddef.h>
#include <stdio.h>

struct probe_err;

void base64_put(FILE *out, const unsigned char *bytes, size_t size);
struct probe_err *gzip_base64_put(FILE *out, const char *text, size_t size);

#endif
