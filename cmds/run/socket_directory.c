/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/socket_directory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/err.h"

/*
 * Removes the socket directory of a recorder that was killed, to which no process listens any more.
 * A socket gets its final name when its owner listens, so that it refuses connections only after
 * its owner has ended.
 */
static void remove_stale(const char *base, const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char directory[sizeof(address.sun_path)];
	struct stat status;
	int fd;

	if (snprintf(directory, sizeof(directory), "%s/%s", base, name) >=
	    (int)(sizeof(directory) - sizeof("/socket")))
		return;
	if (lstat(directory, &status) || !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
		return;
	strcat(strcpy(address.sun_path, directory), "/socket");
	if (lstat(address.sun_path, &status) || !S_ISSOCK(status.st_mode))
		return;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) &&
	    errno == ECONNREFUSED && !unlink(address.sun_path))
		rmdir(directory);
	if (fd >= 0)
		close(fd);
}

static void remove_all_stale(const char *base)
{
	DIR *directory = opendir(base);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (!strncmp(entry->d_name, "probe-", 6) && strlen(entry->d_name) == 12)
			remove_stale(base, entry->d_name);
	if (directory)
		closedir(directory);
}

/* $TMPDIR may be too long for a socket address; /tmp never is. */
struct probe_err *run_socket_directory(char **ret_directory, char **ret_socket)
{
	const char *bases[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp", "/dev/shm"};
	struct sockaddr_un address;

	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
		char *name;

		if (!bases[i] || bases[i][0] != '/' ||
		    strlen(bases[i]) + 32 > sizeof(address.sun_path))
			continue;
		if (asprintf(&name, "%s/probe-XXXXXX", bases[i]) < 0)
			return probe_err_oom();
		if (mkdtemp(name)) {
			remove_all_stale(bases[i]);
			*ret_directory = name;
			return asprintf(ret_socket, "%s/socket", name) < 0 ? probe_err_oom() : NULL;
		}
		free(name);
	}
	return probe_err_create(
		"cannot make a directory for the socket: %s; TMPDIR names another place",
		strerror(errno));
}

struct probe_err *run_socket_listen(const char *path, int backlog, int *ret_fd)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct probe_err *err;

	if (fd >= 0 &&
	    snprintf(address.sun_path, sizeof(address.sun_path), "%s.new", path) <
		    (int)sizeof(address.sun_path) &&
	    !bind(fd, (struct sockaddr *)&address, sizeof(address)) && !listen(fd, backlog) &&
	    !rename(address.sun_path, path)) {
		*ret_fd = fd;
		return NULL;
	}
	err = probe_err_create("cannot listen on %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}
