/* SPDX-License-Identifier: MIT */
/* Directories of recorders that were killed go; those of others, also of one that starts, stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmds/run/socket_directory.h"
#include "common/err.h"

static char base[] = "/tmp/socket_directory-XXXXXX";

/* A directory of a recorder, and in it a socket on which no process listens. */
static int bind_socket(const char *directory, const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", base, directory);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", path, name);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static bool exists(const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%s", base, name);
	return !access(path, F_OK);
}

static void remove_entry(const char *path)
{
	assert_int_equal(remove(path), 0);
}

static void test_stale(void **state)
{
	char *directory[2], *path[2], name[96];
	int starting, live;

	(void)state;
	assert_non_null(mkdtemp(base));
	setenv("XDG_RUNTIME_DIR", base, 1);
	assert_null(run_socket_directory(&directory[0], &path[0]));
	assert_null(run_socket_listen(path[0], 4, &live));
	close(bind_socket("probe-killed", "socket"));
	starting = bind_socket("probe-starts", "socket.new");

	assert_null(run_socket_directory(&directory[1], &path[1]));
	assert_false(exists("probe-killed"));
	assert_true(exists("probe-starts/socket.new"));
	assert_int_equal(access(path[0], F_OK), 0);

	close(starting);
	close(live);
	remove_entry(path[0]);
	for (int i = 0; i < 2; i++) {
		remove_entry(directory[i]);
		free(directory[i]);
		free(path[i]);
	}
	snprintf(name, sizeof(name), "%s/probe-starts/socket.new", base);
	remove_entry(name);
	*strrchr(name, '/') = 0;
	remove_entry(name);
	remove_entry(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_stale)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
