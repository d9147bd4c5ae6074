/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4): identifies the content of a code object. */
#ifndef PROBE_CODEOBJ_SHA256_H
#define PROBE_CODEOBJ_SHA256_H

#include <stddef.h>

#define PROBE_SHA256_HEX 65 /* with the terminating 0 */

void probe_sha256_hex(const void *bytes, size_t size, char ret[PROBE_SHA256_HEX]);

#endif
