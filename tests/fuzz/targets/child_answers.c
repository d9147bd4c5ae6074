/* SPDX-License-Identifier: MIT */
/* What a child that reads a code object answers: the child may be in the hands of the code object.
 */
#include "codeobj/functions.h"
#include "codeobj/inlines.h"
#include "codeobj/kernels.h"
#include "codeobj/lines.h"
#include "common/buf.h"
#include "common/err.h"
#include "tests/fuzz/targets/fuzz_input.h"

static struct probe_err *lines(struct probe_buf *buf)
{
	struct probe_line_index index;
	struct probe_lines *ret;
	struct probe_err *err = probe_lines_receive(buf, &ret);

	if (err)
		return err;
	for (uint64_t address = 0; address < 0x4000; address += 0x3f0) {
		probe_lines_find(ret, address);
		probe_lines_function(ret, address);
	}
	if (ret->count && ret->rows[ret->count - 1].address - ret->rows[0].address < 1 << 20) {
		err = probe_line_index_create(ret, &index);
		if (!err)
			probe_line_index_destroy(&index);
	}
	probe_lines_destroy(ret);
	return err;
}

static struct probe_err *inlines(struct probe_buf *buf)
{
	struct probe_inlines *ret;
	struct probe_err *err = probe_inlines_receive(buf, &ret);

	for (uint64_t address = 0; !err && address < 0x4000; address += 0x3f0)
		for (const struct probe_scope *scope = probe_inlines_find(ret, address); scope;
		     scope = probe_scope_parent(ret, scope))
			FUZZ_ASSERT(scope->function < ret->name_count);
	if (!err)
		probe_inlines_destroy(ret);
	return err;
}

static struct probe_err *kernels(struct probe_buf *buf)
{
	struct probe_kernels *ret;
	struct probe_err *err = probe_kernels_receive(buf, &ret);

	for (size_t i = 0; !err && i < ret->count; i++)
		FUZZ_ASSERT(ret->kernels[i].original < ret->count);
	if (!err)
		probe_kernels_destroy(ret);
	return err;
}

static struct probe_err *functions(struct probe_buf *buf)
{
	struct probe_functions *ret;
	struct probe_err *err = probe_functions_receive(buf, &ret);

	for (uint64_t address = 0; !err && address < 0x4000; address += 0x3f0)
		probe_functions_find(ret, address);
	if (!err)
		probe_functions_destroy(ret);
	return err;
}

typedef struct probe_err *reader_fn(struct probe_buf *);

static reader_fn *const readers[] = {lines, inlines, kernels, functions};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct probe_buf buf;

	if (!size)
		return 0;
	probe_buf_init(&buf, "answer", bytes + 1, size - 1);
	probe_err_destroy(readers[*bytes % 4](&buf));
	return 0;
}
