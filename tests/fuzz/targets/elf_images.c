/* SPDX-License-Identifier: MIT */
/* Files and images in which code objects, sections and functions are found. */
#include "codeobj/bundle.h"
#include "codeobj/functions.h"
#include "common/buf.h"
#include "common/elf_section.h"
#include "common/err.h"
#include "tests/fuzz/targets/fuzz_input.h"

FUZZ_MUTATE_IN_PLACE

static void find_functions(const uint8_t *bytes, size_t size)
{
	struct probe_functions *functions;
	struct probe_buf buf;
	char *answer = NULL;
	size_t answer_size;
	FILE *out = open_memstream(&answer, &answer_size);
	struct probe_err *err = probe_functions_send("t", bytes, size, out);

	fclose(out);
	if (!err) {
		probe_buf_init(&buf, "answer", answer, answer_size);
		FUZZ_ASSERT(!probe_functions_receive(&buf, &functions));
		probe_functions_destroy(functions);
	}
	probe_err_destroy(err);
	free(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct probe_bundle *bundle;
	const uint8_t *section;
	size_t section_size;
	struct probe_err *err =
		probe_image_section("t", bytes, size, ".probe_sites", &section, &section_size);

	if (!err && section)
		FUZZ_ASSERT(section >= bytes && section_size <= size &&
			    (size_t)(section - bytes) <= size - section_size);
	probe_err_destroy(err);
	err = probe_bundle_read("t", bytes, size, &bundle);
	if (!err) {
		for (size_t i = 0; i < bundle->count; i++)
			FUZZ_ASSERT(bundle->entries[i].offset <= size &&
				    bundle->entries[i].size <= size - bundle->entries[i].offset);
		probe_bundle_destroy(bundle);
	}
	probe_err_destroy(err);
	find_functions(bytes, size);
	return 0;
}
