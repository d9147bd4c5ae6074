/* SPDX-License-Identifier: MIT */
/* replay DIRECTORY: a fuzz target, without libFuzzer, on each file of a directory. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/fuzz/targets/fuzz_input.h"

static void run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0) {
		perror(path);
		exit(1);
	}
	rewind(file);
	/* Not larger than the file, so that the sanitizer sees one byte too many. */
	bytes = malloc(size ? (size_t)size : 1);
	if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size)
		exit(1);
	fclose(file);
	LLVMFuzzerTestOneInput(bytes, (size_t)size);
	free(bytes);
}

int main(int argc, char **argv)
{
	DIR *directory = argc == 2 ? opendir(argv[1]) : NULL;
	unsigned count = 0;

	if (!directory)
		return 2;
	/* Some targets print what they were asked for. */
	dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
	for (struct dirent *entry; (entry = readdir(directory));) {
		char path[4096];

		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		fprintf(stderr, "%s\n", path);
		run_file(path);
		count++;
	}
	closedir(directory);
	fprintf(stderr, "%u inputs\n", count);
	return !count;
}
