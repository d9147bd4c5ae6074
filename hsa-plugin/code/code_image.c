/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/code/code_image.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/cleanup.h"

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char *decode_path(const char *text, size_t length)
{
	char *path = malloc(length + 1);
	size_t n = 0;

	for (size_t i = 0; path && i < length; i++) {
		bool escape = text[i] == '%' && i + 2 < length;
		int high = escape ? hex(text[i + 1]) : -1, low = escape ? hex(text[i + 2]) : -1;

		if (high >= 0 && low >= 0) {
			path[n++] = (char)(high << 4 | low);
			i += 2;
			continue;
		}
		path[n++] = text[i];
	}
	if (path)
		path[n] = 0;
	return path;
}

/* The number after "key=", in any base that strtoull recognises; 0 if absent. */
static uint64_t field(const char *text, const char *key)
{
	const char *at = text;

	while ((at = strstr(at, key)) != NULL) {
		if (at == text || strchr("?#&", at[-1]))
			return strtoull(at + strlen(key), NULL, 0);
		at++;
	}
	return 0;
}

int probe_image_parse_uri(const char *uri, char **path, uint64_t *offset, uint64_t *size)
{
	const char *start = uri + 7;
	size_t length;

	if (strncmp(uri, "file://", 7))
		return -EINVAL;
	length = strcspn(start, "?#");
	*offset = field(start + length, "offset=");
	*size = field(start + length, "size=");
	*path = decode_path(start, length);
	return *path ? 0 : -ENOMEM;
}

static int copy_memory(uint64_t base, uint64_t size, struct probe_image *ret)
{
	struct iovec local, remote = {(void *)(uintptr_t)base, size};
	PROBE_AUTO_FREE void *bytes = malloc(size);
	ssize_t got;

	if (!bytes)
		return -ENOMEM;
	local = (struct iovec){bytes, size};
	got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	if (got < 0 && (errno == EPERM || errno == ENOSYS)) {
		/*
		 * Some containers forbid process_vm_readv: trust the runtime, which has just read
		 * this memory.
		 */
		memcpy(bytes, (void *)(uintptr_t)base, size);
		got = (ssize_t)size;
	}
	if (got != (ssize_t)size)
		return -EFAULT;
	*ret = (struct probe_image){PROBE_KEEP(bytes), size};
	return 0;
}

static int read_all(int fd, void *bytes, uint64_t size, uint64_t offset)
{
	for (uint64_t done = 0; done < size;) {
		ssize_t got = pread(fd, (char *)bytes + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		done += (uint64_t)got;
	}
	return 0;
}

static int copy_file(const char *path, uint64_t offset, uint64_t size, struct probe_image *ret)
{
	PROBE_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	PROBE_AUTO_FREE void *bytes = NULL;
	struct stat status;
	int err;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || offset > (uint64_t)status.st_size)
		return -EINVAL;
	if (!size)
		size = (uint64_t)status.st_size - offset;
	if (!size || size > PROBE_IMAGE_MAX)
		return -EINVAL;
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	err = read_all(fd, bytes, size, offset);
	if (err)
		return err;
	*ret = (struct probe_image){PROBE_KEEP(bytes), size};
	return 0;
}

int probe_image_copy(uint64_t base, uint64_t size, const char *uri, struct probe_image *ret)
{
	PROBE_AUTO_FREE char *path = NULL;
	uint64_t offset, length;
	int err;

	if (base && size && size <= PROBE_IMAGE_MAX)
		return copy_memory(base, size, ret);
	err = probe_image_parse_uri(uri, &path, &offset, &length);
	return err ? err : copy_file(path, offset, length, ret);
}
