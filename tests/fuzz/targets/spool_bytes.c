/* SPDX-License-Identifier: MIT */
/* The file that a recorder which died has left, as another one reads it. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cmds/record/spool.h"
#include "common/err.h"
#include "tests/fuzz/targets/fuzz_input.h"
#include "wire/segment_reader_file.h"
#include "wire/segment_reader_file.h"

static uint64_t read_items(struct spool *spool)
{
	struct spool_item item;
	uint64_t sum = 0;

	while (spool_next(spool, &item)) {
		const unsigned char *bytes =
			item.type == SPOOL_HOST ? item.record.payload : item.bytes;
		size_t size = item.type == SPOOL_HOST	? item.record.size
			      : item.type == SPOOL_RING ? item.size
							: 0;

		for (size_t i = 0; i < size; i++)
			sum += bytes[i];
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct spool_settings settings = {0};
	struct segment_reader segment = {.fd = -1};
	struct spool spool = {.fd = -1};
	struct probe_err *err;
	char path[64];
	bool absent;
	int fd;

	snprintf(path, sizeof(path), "/dev/shm/probe-fuzz-%d.db" SPOOL_SUFFIX, (int)getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	FUZZ_ASSERT(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
	err = spool_open(&spool, path, &settings, &segment, &absent);
	if (!err) {
		read_items(&spool);
		spool_continue(&spool);
	}
	probe_err_destroy(err);
	spool_deinit(&spool);
	segment_reader_destroy(&segment);
	unlink(path);
	return 0;
}
