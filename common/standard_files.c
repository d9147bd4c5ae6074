/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_CLOEXEC */
#include "common/standard_files.h"

#include <fcntl.h>
#include <unistd.h>

void probe_standard_files_reserve(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}
