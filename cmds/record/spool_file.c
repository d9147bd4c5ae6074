/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/spool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/err.h"
#include "wire/segment_reader_file.h"

#define MAGIC 0x314c4f4f50535250ull /* "PRSPOOL1" */

char *spool_path(const char *database)
{
	char *path;

	return asprintf(&path, "%s" SPOOL_SUFFIX, database) < 0 ? NULL : path;
}

uint64_t spool_begin(uint32_t options_size)
{
	return (sizeof(struct spool_header) + options_size + 7) & ~7ull;
}

bool spool_write(int fd, const void *bytes, size_t size, uint64_t at)
{
	while (size) {
		ssize_t put = pwrite(fd, bytes, size, (off_t)at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		bytes = (const char *)bytes + put;
		size -= (size_t)put;
		at += (size_t)put;
	}
	return true;
}

size_t spool_read(int fd, void *bytes, size_t size, uint64_t at)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, (char *)bytes + done, size - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static bool write_header(int fd, const struct spool_settings *settings,
			 const struct segment_reader *segment)
{
	struct spool_header header = {
		.magic = MAGIC,
		.header_size = sizeof(header),
		.options_size = settings->options_size,
		.pid = (uint32_t)settings->pid,
		.kind = settings->kind,
		.flags = settings->flags,
		.start = settings->start,
		.layout = segment->layout,
	};
	struct stat status;

	if (fstat(segment->fd, &status))
		return false;
	header.device = status.st_dev;
	header.inode = status.st_ino;
	memcpy(header.segment, segment->path, sizeof(header.segment));
	return spool_write(fd, &header, sizeof(header), 0) &&
	       spool_write(fd, settings->options, settings->options_size, sizeof(header)) &&
	       !ftruncate(fd, (off_t)spool_begin(settings->options_size));
}

/*
 * A file without a name, in the directory where it will get one. Some filesystems have no such
 * files: there it has another name until then, and *ret_other is set; to be freed.
 */
static int nameless_file(const char *path, char **ret_other)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int fd = directory ? open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;

	free(directory);
	*ret_other = NULL;
	if (fd >= 0 || asprintf(ret_other, "%s-new", path) < 0)
		return fd;
	/* A recorder that was killed may have left one. */
	unlink(*ret_other);
	return open(*ret_other, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static bool give_name(int fd, const char *other, const char *path)
{
	char file[32];

	/* The database is ours, so there is no other recorder's spool. */
	if (other)
		return !rename(other, path);
	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	return !linkat(AT_FDCWD, file, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int spool_make_file(const char *path, const struct spool_settings *settings,
		    struct segment_reader *segment)
{
	char *other;
	bool made, named;
	int fd;

	/* A segment without a name dies with its processes. */
	if (!*segment->path || settings->options_size > SPOOL_OPTIONS_MAX)
		return -1;
	fd = nameless_file(path, &other);
	made = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && write_header(fd, settings, segment);
	named = made && give_name(fd, other, path);
	if (other && !named)
		unlink(other);
	free(other);
	if (named && segment_reader_link(segment))
		return fd;
	if (named)
		unlink(path);
	if (fd >= 0)
		close(fd);
	return -1;
}

struct probe_err *spool_read_header(int fd, const char *path, struct spool_header *ret)
{
	struct stat status;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
	    spool_read(fd, ret, sizeof(*ret), 0) != sizeof(*ret) || ret->magic != MAGIC ||
	    ret->header_size != sizeof(*ret) || ret->options_size > SPOOL_OPTIONS_MAX ||
	    ret->layout.version != PROBE_SEG_VERSION)
		return probe_err_create("%s: not the records of a recorder of this version", path);
	ret->segment[sizeof(ret->segment) - 1] = 0;
	return NULL;
}

/* The same file, not another one of the same name. */
static bool same_file(const struct segment_reader *segment, const struct spool_header *header)
{
	struct stat status;

	return !fstat(segment->fd, &status) && status.st_dev == header->device &&
	       status.st_ino == header->inode;
}

struct probe_err *spool_open_segment(const struct spool_header *header, struct segment_reader *ret)
{
	const struct segment_rings none = {
		.count = header->layout.ring_count,
		.size = header->layout.ring_size,
		.large_count = header->layout.large_count,
		.large_size = header->layout.large_size,
	};
	struct probe_err *err = segment_reader_open(header->segment, &header->layout, ret);

	if (!err && same_file(ret, header))
		return NULL;
	if (err)
		probe_err_destroy(err);
	else
		segment_reader_destroy(ret);
	return segment_reader_create(header->layout.host_size, &none, false, ret);
}

int spool_lock(const char *path, bool wait)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	while (fd >= 0 && flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB))) {
		if (errno == EINTR)
			continue;
		close(fd);
		return -1;
	}
	return fd;
}

bool spool_is_stale(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool stale = fd >= 0 && !flock(fd, LOCK_SH | LOCK_NB);

	if (fd >= 0)
		close(fd);
	return stale;
}

void spool_remove_stale(const char *path)
{
	int fd = spool_lock(path, false);
	struct spool_header header;
	struct stat status;

	if (fd < 0)
		return;
	if (!fstat(fd, &status) && spool_read(fd, &header, sizeof(header), 0) == sizeof(header) &&
	    header.magic == MAGIC) {
		header.segment[sizeof(header.segment) - 1] = 0;
		unlink(path);
		if (!lstat(header.segment, &status) && status.st_uid == geteuid() &&
		    status.st_dev == header.device && status.st_ino == header.inode)
			unlink(header.segment);
	}
	close(fd);
}
