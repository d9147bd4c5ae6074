/* SPDX-License-Identifier: MIT */
/*
 * Source lines from files below --source-root, for databases without their text. Paths come from
 * debug information, which anybody may have made: only regular files below the root are opened.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

#define SOURCE_BYTES_MAX (16 << 20)

/* The longest end of `file` that exists below the root, resolved; "" if none. */
static bool resolve(const char *root, const char *file, char out[PATH_MAX])
{
	char real_root[PATH_MAX], *joined;
	size_t len;

	if (!realpath(root, real_root))
		return false;
	len = strlen(real_root);
	for (const char *end = file; end && *end; end = strchr(end, '/')) {
		bool ok = false;

		while (*end == '/')
			end++;
		if (!*end || asprintf(&joined, "%s/%s", real_root, end) < 0)
			return false;
		/* Links and dots may lead out: what counts is where it ends. */
		if (strlen(joined) < PATH_MAX && realpath(joined, out))
			ok = !strncmp(out, real_root, len) && (out[len] == '/' || len == 1);
		free(joined);
		if (ok)
			return true;
	}
	return false;
}

static FILE *open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	struct stat st;
	FILE *file = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= SOURCE_BYTES_MAX)
		file = fdopen(fd, "r");
	if (!file)
		close(fd);
	return file;
}

char *report_source_line(const char *root, const char *file, int64_t line)
{
	char path[PATH_MAX], *text = NULL;
	size_t room = 0;
	ssize_t len = -1;
	FILE *in;

	if (!resolve(root, file, path) || !(in = open_regular(path)))
		return NULL;
	for (int64_t i = 0; i < line; i++) {
		len = getline(&text, &room, in);
		if (len < 0)
			break;
	}
	fclose(in);
	if (len <= 0) {
		free(text);
		return NULL;
	}
	text[strcspn(text, "\n")] = '\0';
	return text;
}
