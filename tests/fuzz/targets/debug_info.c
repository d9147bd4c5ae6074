/* SPDX-License-Identifier: MIT */
/* Line tables and inlined calls of a code object. */
#include "codeobj/inlines.h"
#include "codeobj/lines.h"
#include "common/buf.h"
#include "common/err.h"
#include "tests/fuzz/targets/fuzz_input.h"

FUZZ_MUTATE_IN_PLACE

static void seen(void *user, const char *path, uint64_t line)
{
	*(uint64_t *)user += line + strlen(path);
}

/* What the child sends is what the parent takes. */
static void send_lines(const struct probe_lines *lines)
{
	struct probe_lines *received;
	struct probe_buf buf;
	char *answer = NULL;
	size_t size;
	FILE *out = open_memstream(&answer, &size);

	probe_lines_send(lines, out);
	fclose(out);
	probe_buf_init(&buf, "answer", answer, size);
	FUZZ_ASSERT(!probe_lines_receive(&buf, &received));
	FUZZ_ASSERT(received->count == lines->count);
	probe_lines_destroy(received);
	free(answer);
}

static void send_inlines(const struct probe_inlines *inlines)
{
	struct probe_inlines *received;
	struct probe_buf buf;
	char *answer = NULL;
	size_t size;
	FILE *out = open_memstream(&answer, &size);

	probe_inlines_send(inlines, out);
	fclose(out);
	probe_buf_init(&buf, "answer", answer, size);
	FUZZ_ASSERT(!probe_inlines_receive(&buf, &received));
	FUZZ_ASSERT(received->row_count == inlines->row_count);
	probe_inlines_destroy(received);
	free(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct probe_inlines *inlines;
	struct probe_lines *lines;
	struct probe_err *err = probe_lines_read("t", bytes, size, &lines);
	uint64_t sum = 0;

	if (!err) {
		send_lines(lines);
		if (lines->count)
			probe_err_destroy(probe_inlined_calls_at(
				"t", bytes, size, lines->rows[lines->count / 2].address, seen,
				&sum));
		probe_lines_destroy(lines);
	}
	probe_err_destroy(err);
	err = probe_inlines_read("t", bytes, size, &inlines);
	if (!err) {
		send_inlines(inlines);
		probe_inlines_destroy(inlines);
	}
	probe_err_destroy(err);
	return 0;
}
