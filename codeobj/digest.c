/* SPDX-License-Identifier: MIT */
#include "codeobj/digest.h"

#include <md5.h>
#include <sha2.h>
#include <sys/types.h>

_Static_assert(PROBE_MD5_BYTES == MD5_DIGEST_LENGTH, "size of an MD5 digest");
_Static_assert(PROBE_SHA256_HEX == SHA256_DIGEST_STRING_LENGTH, "size of a SHA-256 digest as text");

void probe_md5(const void *bytes, size_t size, uint8_t ret[PROBE_MD5_BYTES])
{
	MD5_CTX context;

	MD5Init(&context);
	MD5Update(&context, bytes, size);
	MD5Final(ret, &context);
}

void probe_sha256_hex(const void *bytes, size_t size, char ret[PROBE_SHA256_HEX])
{
	SHA256Data(bytes, size, ret);
}
