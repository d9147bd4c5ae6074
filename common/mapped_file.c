/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "common/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/cleanup.h"

bool probe_file_map(const char *path, struct probe_mapped_file *ret)
{
	/* A FIFO or a terminal must not block or be taken. */
	PROBE_AUTO_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	void *bytes;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return false;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	*ret = (struct probe_mapped_file){bytes, (size_t)st.st_size};
	return true;
}

void probe_file_unmap(struct probe_mapped_file *file)
{
	if (file->bytes)
		munmap((void *)file->bytes, file->size);
}
