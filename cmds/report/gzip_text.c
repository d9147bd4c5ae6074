/* SPDX-License-Identifier: MIT */
#include "cmds/report/gzip_text.h"

#include <stdlib.h>

#include <zlib.h>

#include "common/cleanup.h"
#include "common/err.h"

void base64_put(FILE *out, const unsigned char *bytes, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		unsigned word = (unsigned)bytes[i] << 16 |
				(left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
				(left > 2 ? bytes[i + 2] : 0);

		putc(digits[word >> 18], out);
		putc(digits[word >> 12 & 63], out);
		putc(left > 1 ? digits[word >> 6 & 63] : '=', out);
		putc(left > 2 ? digits[word & 63] : '=', out);
	}
}

struct probe_err *gzip_base64_put(FILE *out, const char *text, size_t size)
{
	enum { GZIP = 16 }; /* added to the window bits: gzip's head and tail (zlib.h) */
	PROBE_AUTO_FREE unsigned char *packed = NULL;
	z_stream stream = {0};
	size_t most;

	if (size > UINT32_MAX)
		return probe_err_create("the data of the page would be over 4 GiB; choose kernels "
					"with --kernel");
	if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, 8,
			 Z_DEFAULT_STRATEGY))
		return probe_err_oom();
	most = deflateBound(&stream, size);
	packed = malloc(most);
	if (!packed) {
		deflateEnd(&stream);
		return probe_err_oom();
	}
	stream.next_in = (unsigned char *)text;
	stream.avail_in = (uInt)size;
	stream.next_out = packed;
	stream.avail_out = (uInt)most;
	deflate(&stream, Z_FINISH);
	base64_put(out, packed, stream.total_out);
	deflateEnd(&stream);
	return NULL;
}
