/* SPDX-License-Identifier: MIT */
/* The file of a store, before SQLite opens it: whose it is, and whether it can be made. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/err.h"
#include "store/store_priv.h"

struct probe_err *probe_store_remove(const char *path)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	struct stat st;

	if (lstat(path, &st))
		return NULL;
	if (!S_ISREG(st.st_mode))
		return probe_err_create("%s is not a regular file; not overwritten", path);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		char *name;

		if (asprintf(&name, "%s%s", path, suffixes[i]) < 0)
			return probe_err_oom();
		unlink(name);
		free(name);
	}
	return NULL;
}

/* SQLite would open an existing file or follow a link: make the empty file ourselves. */
struct probe_err *probe_store_make_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EEXIST)
		return probe_store_check_new(path);
	if (fd < 0)
		return probe_err_create("cannot create %s: %s", path, strerror(errno));
	close(fd);
	return NULL;
}

/* ---- Whose it is ---------------------------------------------------------------------------- */

static uint32_t big32(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

/* A database's first page, at `offset` of a file, names the application (SQLite file format, 1.3).
 */
static bool is_probes_page(int fd, off_t offset)
{
	unsigned char head[72];

	return pread(fd, head, sizeof(head), offset) == (ssize_t)sizeof(head) &&
	       !memcmp(head, "SQLite format 3", 16) &&
	       big32(head + 68) == PROBE_STORE_APPLICATION_ID;
}

static char *log_path(const char *path)
{
	char *ret;

	return asprintf(&ret, "%s-wal", path) < 0 ? NULL : ret;
}

enum log_owner {
	LOG_EMPTY, /* no first page is in it */
	LOG_PROBE,
	LOG_OTHER,
};

/* Until it is checkpointed, a database's first page is in its log (SQLite file format, 4.1). */
static enum log_owner log_owner(const char *path)
{
	enum { LOG_HEAD = 32, FRAME_HEAD = 24 };
	PROBE_AUTO_FREE char *log = log_path(path);
	PROBE_AUTO_CLOSE int fd = -1;
	unsigned char head[LOG_HEAD], frame[FRAME_HEAD];
	enum log_owner ret = LOG_EMPTY;
	off_t page;

	if (!log)
		return LOG_OTHER;
	fd = open(log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return LOG_EMPTY;
	page = (off_t)big32(head + 8);
	for (off_t at = LOG_HEAD; pread(fd, frame, sizeof(frame), at) == (ssize_t)sizeof(frame);
	     at += FRAME_HEAD + page) {
		if (big32(frame) != 1)
			continue;
		if (is_probes_page(fd, at + FRAME_HEAD))
			return LOG_PROBE;
		ret = LOG_OTHER;
	}
	return ret;
}

bool probe_store_is_probes(const char *path)
{
	PROBE_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	return (fd >= 0 && is_probes_page(fd, 0)) || log_owner(path) == LOG_PROBE;
}

/* No bytes, or a first page, a leaf of the table of tables, without cells (SQLite file
 * format, 1.6).
 */
static bool has_no_tables(int fd)
{
	enum { PAGE_TYPE = 100, CELLS = 103, TABLE_LEAF = 0x0d };
	unsigned char head[CELLS + 2];
	ssize_t size = fd < 0 ? -1 : pread(fd, head, sizeof(head), 0);

	return !size || (size == (ssize_t)sizeof(head) && !memcmp(head, "SQLite format 3", 16) &&
			 head[PAGE_TYPE] == TABLE_LEAF && !head[CELLS] && !head[CELLS + 1]);
}

/* What a recorder leaves that was killed before it made the tables. */
static bool is_empty(const char *path)
{
	PROBE_AUTO_FREE char *log = log_path(path);
	PROBE_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	return log && (lstat(log, &st) || !st.st_size) && has_no_tables(fd);
}

/* A log may be older than the file, if the file was put there in place of another. */
bool probe_store_is_begun(const char *path)
{
	PROBE_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd >= 0 && is_probes_page(fd, 0))
		return true;
	return has_no_tables(fd) && log_owner(path) != LOG_OTHER;
}

/* A recorder that is writing the file holds a lock on it (recorder_server.c). */
struct probe_err *probe_store_check_unused(const char *path)
{
	PROBE_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return NULL;
	return probe_err_create("%s: another probe-run is writing it; -o names another", path);
}

struct probe_err *probe_store_check_replace(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return NULL;
	if (!S_ISREG(st.st_mode))
		return probe_err_create("%s is not a regular file; not overwritten", path);
	if (!probe_store_is_probes(path) && !is_empty(path))
		return probe_err_create("%s is not a database of Probe, the only files that "
					"--force overwrites; -o names another",
					path);
	return probe_store_check_unused(path);
}

struct probe_err *probe_store_check_new(const char *path)
{
	struct probe_err *err = probe_store_check_replace(path);
	struct stat st;

	if (err || lstat(path, &st))
		return err;
	return probe_err_create("%s exists; --force overwrites it, -o names another", path);
}

struct probe_err *probe_store_replace(const char *path)
{
	struct probe_err *err = probe_store_check_replace(path);

	return err ? err : probe_store_remove(path);
}

/* ---- Whether it can be made ----------------------------------------------------------------- */

/* A file without a name, so that a kill leaves nothing. 0 or -errno. */
static int try_file(const char *directory)
{
	PROBE_AUTO_CLOSE int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* EISDIR, EOPNOTSUPP: the kernel or the filesystem has no such files. */
	return fd < 0 && errno != EISDIR && errno != EOPNOTSUPP ? -errno : 0;
}

/* Names that are too long for the filesystem, or for SQLite, with the longest suffix of a
 * recording. */
static struct probe_err *check_length(const char *directory, const char *file)
{
	static const char longest[] = "-spool-new";
	PROBE_AUTO_FREE char *absolute = realpath(directory, NULL);
	const sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	long most = pathconf(directory, _PC_NAME_MAX);

	if (most > 0 && strlen(file) + strlen(longest) > (size_t)most)
		return probe_err_create("%s", strerror(ENAMETOOLONG));
	if (absolute && vfs &&
	    strlen(absolute) + 1 + strlen(file) + strlen(longest) > (size_t)vfs->mxPathname)
		return probe_err_create("SQLite takes names of up to %d bytes, with directories",
					vfs->mxPathname);
	return NULL;
}

struct probe_err *probe_store_try(const char *path)
{
	const char *slash = strrchr(path, '/');
	PROBE_AUTO_FREE char *directory =
		slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int rc;

	if (!directory)
		return probe_err_oom();
	rc = try_file(directory);
	return rc ? probe_err_create("%s", strerror(-rc))
		  : check_length(directory, slash ? slash + 1 : path);
}
