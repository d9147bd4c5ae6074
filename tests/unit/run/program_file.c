/* SPDX-License-Identifier: MIT */
/* Files that get rights which the user does not have. Giving files away needs root rights. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <fcntl.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(paths),
		cmocka_unit_test(search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
