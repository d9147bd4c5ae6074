/* SPDX-License-Identifier: MIT */
/* Whole code objects, with children that read them: of this target, the parent is under test. */
#include "codeobj/inspect.h"
#include "common/err.h"
#include "tests/fuzz/targets/fuzz_input.h"

FUZZ_MUTATE_IN_PLACE

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct probe_codeobj *codeobj;
	struct probe_err *err = probe_codeobj_inspect("t", bytes, size, 31, &codeobj);

	if (!err)
		probe_codeobj_destroy(codeobj);
	probe_err_destroy(err);
	return 0;
}
