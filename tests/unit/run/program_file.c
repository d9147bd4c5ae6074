/* SPDX-License-Identifier: MIT */
/* Files that get rights which the user does not have. Giving files away needs root rights. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmds/run/program_file.h"

enum { OTHER = 65534 };

static char path[] = "/tmp/probe-rights-XXXXXX";

/* Its content begins with `begin`. chown() takes S_ISUID away, so the mode comes after it. */
static const char *rights(const char *begin, uid_t user, gid_t group, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_int_equal(write(fd, begin, strlen(begin)), strlen(begin));
	close(fd);
	assert_int_equal(chown(path, user, group), 0);
	assert_int_equal(chmod(path, mode), 0);
	return run_program_rights(path);
}

static void files(void **state)
{
	struct statvfs system;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_null(rights("\x7f", geteuid(), getegid(), 06755));
	if (!geteuid() && !statvfs(path, &system) && !(system.f_flag & ST_NOSUID)) {
		assert_null(rights("\x7f", OTHER, OTHER, 0755));
		assert_string_equal(rights("\x7f", OTHER, 0, 04755), "set-user-ID");
		assert_string_equal(rights("\x7f", 0, OTHER, 02755), "set-group-ID");
		assert_null(rights("\x7f", 0, OTHER, 02745)); /* it means mandatory locks */
		assert_null(rights("#!/bin/sh", OTHER, OTHER, 06755));
	}
	unlink(path);
	assert_null(run_program_rights(path));
}

static void paths(void **state)
{
	char *found = run_program_path("sh");

	(void)state;
	assert_non_null(found);
	assert_string_equal(strrchr(found, '/'), "/sh");
	free(found);
	found = run_program_path("./sh");
	assert_string_equal(found, "./sh");
	free(found);
	assert_null(run_program_path("no-such-program-of-probe"));
}

/* As execvp() finds them: the first that can be executed. */
static void search(void **state)
{
	char folder[] = "/tmp/probe-search-XXXXXX", program[64], list[128], *found;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(program, sizeof(program), "%s/sh", folder);
	snprintf(list, sizeof(list), "/nonexistent:%s:/bin", folder);
	setenv("PATH", list, 1);
	fd = open(program, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	found = run_program_path("sh");
	assert_string_equal(found, "/bin/sh");
	free(found);
	assert_int_equal(fchmod(fd, 0755), 0);
	found = run_program_path("sh");
	assert_string_equal(found, program);
	free(found);
	close(fd);
	unlink(program);
	rmdir(folder);
}

/* A file of an ELF header and one segment of `type`. */
static bool is_static(uint32_t type, uint16_t segments, uint64_t at)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
	} elf = {
		.header = {.e_ident = ELFMAG,
			   .e_phoff = at,
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = segments},
		.segment = {.p_type = type},
	};
	char name[] = "/tmp/probe-linked-XXXXXX";
	int fd = mkstemp(name);
	bool ret;

	elf.header.e_ident[EI_CLASS] = ELFCLASS64;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, &elf, sizeof(elf)), sizeof(elf));
	close(fd);
	ret = run_program_static(name);
	unlink(name);
	return ret;
}

static void linkage(void **state)
{
	(void)state;
	assert_true(is_static(PT_LOAD, 1, sizeof(Elf64_Ehdr)));
	assert_false(is_static(PT_INTERP, 1, sizeof(Elf64_Ehdr)));
	/* Nothing is said of damaged files, scripts, and what is no executable. */
	assert_false(is_static(PT_LOAD, 2, sizeof(Elf64_Ehdr)));
	assert_false(is_static(PT_LOAD, 1, sizeof(Elf64_Ehdr) + 1));
	assert_false(is_static(PT_LOAD, 1, UINT64_MAX));
	assert_false(is_static(PT_LOAD, 0, sizeof(Elf64_Ehdr)));
	assert_false(run_program_static("/etc/passwd"));
	assert_false(run_program_static("/nonexistent"));
	assert_false(run_program_static("/bin/sh"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(paths),
		cmocka_unit_test(search),
		cmocka_unit_test(linkage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
