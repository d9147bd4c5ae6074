/* SPDX-License-Identifier: MIT */
/* Digests of code objects (SHA-256) and of source files (SHA-256; MD5 as DWARF 5 stores it). */
#ifndef PROBE_CODEOBJ_DIGEST_H
#define PROBE_CODEOBJ_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define PROBE_MD5_BYTES 16
#define PROBE_SHA256_HEX 65 /* with the terminating 0 */

void probe_md5(const void *bytes, size_t size, uint8_t ret[PROBE_MD5_BYTES]);
void probe_sha256_hex(const void *bytes, size_t size, char ret[PROBE_SHA256_HEX]);

#endif
