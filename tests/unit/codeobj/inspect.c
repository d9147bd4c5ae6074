/* SPDX-License-Identifier: MIT */
/* Code objects: finding them, target, kernels, names, lines, hash; and the throw-away child. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "codeobj/bundle.h"
#include "codeobj/child.h"
#include "codeobj/disassembly.h"
#include "codeobj/inspect.h"
#include "codeobj/names.h"
#include "codeobj/digest.h"
#include "tests/unit/codeobj/forged_elf.h"
#include "common/err.h"
#include "common/memory_watch.h"

static void says(struct probe_err *err, const char *want)
{
	char text[512];

	assert_non_null(err);
	probe_err_format(err, text, sizeof(text));
	if (!strstr(text, want))
		fail_msg("'%s' does not say '%s'", text, want);
	probe_err_destroy(err);
}

/* ---- Hash: examples of FIPS 180-4 and lengths around the block ------------------------------- */

static void test_sha256(void **state)
{
	char hex[PROBE_SHA256_HEX], bytes[200];

	(void)state;
	probe_sha256_hex("", 0, hex);
	assert_string_equal(hex,
			    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	probe_sha256_hex("abc", 3, hex);
	assert_string_equal(hex,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	probe_sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
	assert_string_equal(hex,
			    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	memset(bytes, 'a', sizeof(bytes));
	probe_sha256_hex(bytes, 64, hex);
	assert_string_equal(hex,
			    "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
	probe_sha256_hex(bytes, 119, hex);
	assert_string_equal(hex,
			    "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
}

/* ---- Child ------------------------------------------------------------------------------------
 */

static struct probe_err *answer(void *user, FILE *out)
{
	probe_put_u32(out, 7);
	probe_put_string(out, user);
	return NULL;
}

static struct probe_err *refuse(void *user, FILE *out)
{
	probe_put_u64(out, 1);
	return probe_err_at("a.co", 16, "broken %s", (const char *)user);
}

static struct probe_err *die(void *user, FILE *out)
{
	(void)out;
	kill(getpid(), *(int *)user);
	return NULL;
}

static struct probe_err *try_files(void *user, FILE *out)
{
	(void)user;
	probe_put_u32(out, fopen("/etc/passwd", "r") != NULL);
	probe_put_u32(out, write(STDERR_FILENO, "noise", 5) == 5);
	return NULL;
}

static struct probe_err *large(void *user, FILE *out)
{
	(void)user;
	for (uint32_t i = 0; i < 1000000; i++)
		probe_put_u32(out, i);
	return NULL;
}

/* As cmds/wrap_allocations.c does. */
static struct probe_err *run_out(void *user, FILE *out)
{
	(void)user;
	probe_put_u32(out, 7);
	probe_memory_note_failure();
	return NULL;
}

static void test_child(void **state)
{
	int killed = SIGSEGV, stopped = SIGKILL;
	uint8_t *bytes;
	size_t size;

	(void)state;
	assert_null(probe_child_run("work", answer, (void *)"hello", &bytes, &size));
	assert_int_equal(size, 10);
	assert_memory_equal(bytes, "\7\0\0\0hello", 10);
	free(bytes);
	says(probe_child_run("work", refuse, (void *)"table", &bytes, &size),
	     "a.co, offset 0x10: broken table");
	says(probe_child_run("work", die, &killed, &bytes, &size), "work failed: the child process died");
	says(probe_child_run("work", die, &stopped, &bytes, &size), "signal 9");
	assert_null(probe_child_run("work", large, NULL, &bytes, &size));
	assert_int_equal(size, 4000000);
	free(bytes);
	/* No file can be opened, and output of a library is discarded. */
	assert_null(probe_child_run("work", try_files, NULL, &bytes, &size));
	assert_memory_equal(bytes, "\0\0\0\0\1\0\0\0", 8);
	free(bytes);
	/* What the child went on without, the parent lacks. */
	assert_false(probe_memory_ran_out());
	assert_null(probe_child_run("work", run_out, NULL, &bytes, &size));
	assert_int_equal(size, 4);
	assert_true(probe_memory_ran_out());
	free(bytes);
	/* In programs that ignore SIGCHLD, the kernel reaps the child. */
	signal(SIGCHLD, SIG_IGN);
	assert_null(probe_child_run("work", answer, (void *)"hello", &bytes, &size));
	free(bytes);
	says(probe_child_run("work", die, &killed, &bytes, &size), "returned no result");
	signal(SIGCHLD, SIG_DFL);
}

/* ---- Code objects -----------------------------------------------------------------------------
 */

static const struct probe_kernel *kernel(const struct probe_codeobj *codeobj, const char *symbol)
{
	for (size_t i = 0; i < codeobj->kernels->count; i++)
		if (!strcmp(codeobj->kernels->kernels[i].symbol, symbol))
			return &codeobj->kernels->kernels[i];
	fail_msg("no kernel %s", symbol);
	return NULL;
}

/* The index and the search agree at every instruction, and around the table. */
static void check_index(const struct probe_lines *lines)
{
	struct probe_line_index index;

	assert_null(probe_line_index_create(lines, &index));
	for (uint64_t at = 0x1000; at < 0x3000; at += 4)
		assert_ptr_equal(probe_line_index_find(&index, at), probe_lines_find(lines, at));
	assert_null(probe_line_index_find(&index, 0));
	assert_null(probe_line_index_find(&index, UINT64_MAX & ~3ull));
	probe_line_index_destroy(&index);
}

static void check_tile(const char *path)
{
	const struct probe_function *function;
	const struct probe_kernel *tile;
	const struct probe_line *line;
	struct probe_codeobj *codeobj;
	uint8_t *bytes;
	size_t size;

	bytes = forge_read(path, &size);
	assert_non_null(bytes);
	assert_null(probe_codeobj_inspect("tile", bytes, size, 7, &codeobj));
	assert_string_equal(codeobj->target, "gfx90a");
	assert_null(codeobj->sites);
	assert_null(codeobj->sites_err);
	assert_non_null(codeobj->kernels);
	assert_int_equal(codeobj->kernels->count, 2);
	tile = kernel(codeobj, "_ZN2ns4tileILi32EEEvPfPKfi");
	assert_string_equal(tile->name, "void ns::tile<32>(float*, float const*, int)");
	assert_int_equal(tile->group_size, 4096);
	assert_int_equal(tile->kernarg_size, 20);
	assert_int_equal(tile->wave_size, 64);
	assert_int_equal(tile->vgprs, 4);
	assert_int_equal(tile->address, 0x1d00);
	assert_string_equal(kernel(codeobj, "copy")->name, "copy");
	assert_non_null(codeobj->lines);
	function = probe_lines_function(codeobj->lines, tile->address);
	assert_non_null(function);
	assert_string_equal(codeobj->lines->files[function->file], "/src/tile.hip");
	assert_int_equal(function->line, 16);
	/* llvm-dwarfdump --debug-line: 0x1d48 is 20:12 up to 0x1d54. */
	line = probe_lines_find(codeobj->lines, 0x1d50);
	assert_non_null(line);
	assert_int_equal(line->line, 20);
	assert_int_equal(line->column, 12);
	assert_string_equal(codeobj->lines->files[line->file], "/src/tile.hip");
	assert_null(probe_lines_find(codeobj->lines, 0x17ff));
	assert_null(probe_lines_find(codeobj->lines, 0x1d74));
	assert_null(probe_lines_find(codeobj->lines, UINT64_MAX));
	/* Between the functions there is no code. */
	assert_non_null(probe_lines_find(codeobj->lines, 0x1827));
	assert_null(probe_lines_find(codeobj->lines, 0x1828));
	assert_null(probe_lines_function(codeobj->lines, 0x1d04));
	check_index(codeobj->lines);
	probe_codeobj_destroy(codeobj);
	free(bytes);
}

/* llvm-objdump -d --mcpu=gfx90a */
static void test_disassembly(void **state)
{
	const struct probe_instruction *at;
	struct probe_disassembly *code;
	struct probe_err *err;
	uint8_t *bytes;
	size_t size = 0;

	(void)state;
	bytes = forge_read(TEST_DATA "/codeobj/tile-dwarf5.co", &size);
	assert_non_null(bytes);
	assert_null(probe_disassemble("tile", bytes, size, 0x1d00, &code));
	at = probe_disassembly_find(code, 0x1800);
	assert_non_null(at);
	assert_string_equal(at->text, "s_load_dwordx4 s[0:3], s[4:5], 0x0");
	assert_int_equal(at->size, 8);
	assert_string_equal(at[2].text, "s_waitcnt lgkmcnt(0)");
	assert_int_equal(at[3].address, 0x1810);
	assert_string_equal(at[3].text, "global_load_dword v1, v0, s[2:3]");
	assert_string_equal(probe_disassembly_find(code, 0x1824)->text, "s_endpgm");
	assert_null(probe_disassembly_find(code, 0x1d01));
	assert_null(probe_disassembly_find(code, 0));
	assert_null(probe_disassembly_find(code, UINT64_MAX));
	probe_disassembly_destroy(code);
	err = probe_disassemble("tile", bytes, size, 0x10, &code);
	assert_non_null(err);
	probe_err_destroy(err);
	free(bytes);
}

static void test_tile(void **state)
{
	(void)state;
	check_tile(TEST_DATA "/codeobj/tile-dwarf4.co");
	check_tile(TEST_DATA "/codeobj/tile-dwarf5.co");
}

static void test_site_section(void **state)
{
	struct forged elf = {.size = 0}, table = {.size = 0};
	struct probe_codeobj *codeobj;

	(void)state;
	forge_sites(&table);
	/* gfx90a, xnack on, sramecc off. */
	forge_elf(&elf, 224, 0x3f | 0x300 | 0x800, ".probe_sites", table.bytes, table.size);
	assert_null(probe_codeobj_inspect("t", elf.bytes, elf.size, 7, &codeobj));
	assert_string_equal(codeobj->target, "gfx90a:sramecc-:xnack+");
	assert_non_null(codeobj->sites);
	assert_int_equal(codeobj->sites->site_count, 2);
	assert_null(codeobj->kernels);
	assert_non_null(codeobj->kernels_err);
	assert_null(codeobj->lines);
	assert_null(codeobj->lines_err);
	probe_codeobj_destroy(codeobj);
	/* A malformed table affects only the table. */
	elf.bytes[128] ^= 1;
	assert_null(probe_codeobj_inspect("t", elf.bytes, elf.size, PROBE_INSPECT_SITES, &codeobj));
	assert_null(codeobj->sites);
	says(codeobj->sites_err, "magic");
	codeobj->sites_err = NULL;
	probe_codeobj_destroy(codeobj);
}

static void test_no_code_object(void **state)
{
	struct forged elf = {.size = 0};
	struct probe_codeobj *codeobj;

	(void)state;
	says(probe_codeobj_inspect("t", "hello", 5, 7, &codeobj), "not an ELF file");
	says(probe_codeobj_inspect("t", "", 0, 7, &codeobj), "not an ELF file");
	forge_elf(&elf, EM_X86_64, 0, ".text", "x", 1);
	says(probe_codeobj_inspect("t", elf.bytes, elf.size, 7, &codeobj),
	     "not an AMDGPU code object: machine 62, not 224");
	elf.bytes[EI_CLASS] = ELFCLASS32;
	says(probe_codeobj_inspect("t", elf.bytes, elf.size, 7, &codeobj), "64-bit");
}

static void test_unlinked(void **state)
{
	struct probe_codeobj *codeobj;
	uint8_t *bytes;
	size_t size;

	(void)state;
	bytes = forge_read(TEST_DATA "/codeobj/tile-dwarf4.co", &size);
	assert_non_null(bytes);
	bytes[16] = ET_REL;
	assert_null(probe_codeobj_inspect("t", bytes, size, PROBE_INSPECT_LINES, &codeobj));
	assert_null(codeobj->lines);
	says(codeobj->lines_err, "unlinked object");
	codeobj->lines_err = NULL;
	probe_codeobj_destroy(codeobj);
	free(bytes);
}

/* ---- Finding them -----------------------------------------------------------------------------
 */

static const char *const ids[] = {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+",
				  "hip-amdgcn-amd-amdhsa-gfx908"};

static void check_bundle(const struct forged *file, uint64_t start)
{
	struct probe_bundle *bundle;

	assert_null(probe_bundle_find("f", file->bytes, file->size, &bundle));
	assert_int_equal(bundle->count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(bundle->entries[i].id, ids[i]);
		assert_int_equal(bundle->entries[i].size, 5);
		assert_int_equal(bundle->entries[i].offset, start + 512 + 5 * i);
		assert_memory_equal(file->bytes + bundle->entries[i].offset, "code!", 5);
	}
	probe_bundle_destroy(bundle);
}

static void test_bundles(void **state)
{
	static struct forged bare, elf, two, wrapped;
	struct probe_bundle *bundle;

	(void)state;
	forge_bundle(&bare, ids, 2, "code!", 5);
	check_bundle(&bare, 0);
	forge_elf(&elf, EM_X86_64, 0, ".hip_fatbin", bare.bytes, bare.size);
	check_bundle(&elf, 128);
	/* One bundle per translation unit, aligned. */
	forge_bundle(&two, ids, 2, "code!", 5);
	forge_align(&two, 4096);
	forge_bundle(&two, ids, 1, "more!", 5);
	forge_elf(&wrapped, EM_X86_64, 0, ".hip_fatbin", two.bytes, two.size);
	assert_null(probe_bundle_find("f", wrapped.bytes, wrapped.size, &bundle));
	assert_int_equal(bundle->count, 3);
	assert_int_equal(bundle->entries[2].offset, 128 + 4096 + 512);
	probe_bundle_destroy(bundle);
}

static void test_no_bundles(void **state)
{
	static struct forged elf, packed, bad, plain;
	struct probe_bundle *bundle;
	uint64_t huge = UINT64_MAX - 8;

	(void)state;
	says(probe_bundle_find("f", "text\n", 5, &bundle), "neither an ELF file nor");
	forge_elf(&elf, EM_X86_64, 0, ".text", "x", 1);
	assert_null(probe_bundle_find("f", elf.bytes, elf.size, &bundle));
	assert_int_equal(bundle->count, 0);
	probe_bundle_destroy(bundle);
	forge_elf(&packed, EM_X86_64, 0, ".hip_fatbin", "CCOB\2\0\1\0xxxxxxxx", 16);
	says(probe_bundle_find("f", packed.bytes, packed.size, &bundle), "compressed");
	forge_bundle(&bad, ids, 1, "code!", 5);
	memcpy(bad.bytes + 32 + 24 + 27, &huge, 8);
	says(probe_bundle_find("f", bad.bytes, bad.size, &bundle), "reaches past the end");
	forge_elf(&plain, 224, 0x3f, ".text", "x", 1);
	assert_null(probe_bundle_find("f", plain.bytes, plain.size, &bundle));
	assert_int_equal(bundle->count, 1);
	assert_string_equal(bundle->entries[0].id, "");
	assert_int_equal(bundle->entries[0].size, plain.size);
	probe_bundle_destroy(bundle);
}

/* ---- Names ------------------------------------------------------------------------------------
 */

static void test_names(void **state)
{
	static const char *const names[] = {
		"_ZN2ns4tileILi32EEEvPfPKfi", "copy", "", "_Z", "_ZZZZ1x", "_ZTS3foo"};
	const char *original;
	char **readable;

	(void)state;
	assert_null(probe_names_demangle(names, 6, &readable));
	assert_string_equal(readable[0], "void ns::tile<32>(float*, float const*, int)");
	assert_string_equal(readable[1], "copy");
	assert_string_equal(readable[2], "");
	assert_string_equal(readable[3], "_Z");
	assert_string_equal(readable[4], "_ZZZZ1x");
	probe_names_destroy(readable, 6);

	assert_int_equal(probe_clone_kind("__probe_memory_copy", &original), PROBE_KIND_MEMORY);
	assert_string_equal(original, "copy");
	assert_int_equal(probe_clone_kind("__probe_trace__Z1kv", &original), PROBE_KIND_TRACE);
	assert_string_equal(original, "_Z1kv");
	assert_int_equal(probe_clone_kind("__probe_memory_", &original), PROBE_KIND_NONE);
	assert_int_equal(probe_clone_kind("__probe_other_x", &original), PROBE_KIND_NONE);
	assert_int_equal(probe_clone_kind("copy", &original), PROBE_KIND_NONE);
	assert_string_equal(probe_kind_name(PROBE_KIND_TIME), "time");
	assert_string_equal(probe_kind_name(99), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sha256),	     cmocka_unit_test(test_child),
		cmocka_unit_test(test_tile),	     cmocka_unit_test(test_disassembly),
		cmocka_unit_test(test_site_section), cmocka_unit_test(test_no_code_object),
		cmocka_unit_test(test_unlinked),     cmocka_unit_test(test_bundles),
		cmocka_unit_test(test_no_bundles),   cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
