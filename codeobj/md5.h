/* SPDX-License-Identifier: MIT */
/* MD5 (RFC 1321), by which DWARF 5 identifies the contents of source files. */
#ifndef PROBE_CODEOBJ_MD5_H
#define PROBE_CODEOBJ_MD5_H

#include <stddef.h>
#include <stdint.h>

#define PROBE_MD5_BYTES 16

void probe_md5(const void *bytes, size_t size, uint8_t ret[PROBE_MD5_BYTES]);

#endif
