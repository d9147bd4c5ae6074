/* SPDX-License-Identifier: MIT */
#include "cmds/report/output_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/err.h"

struct probe_err *output_open(const char *path, bool force, FILE **ret)
{
	*ret = path ? fopen(path, force ? "w" : "wx") : stdout;
	if (*ret)
		return NULL;
	return errno == EEXIST ? probe_err_create("%s exists; overwrite it with --force", path)
			       : probe_err_create("cannot write %s: %s", path, strerror(errno));
}

struct probe_err *output_close(const char *path, FILE *out, struct probe_err *err)
{
	struct stat st;
	bool failed, file;

	if (out == stdout)
		return err;
	/* A device or pipe stays: it was there before. */
	file = !fstat(fileno(out), &st) && S_ISREG(st.st_mode);
	failed = ferror(out);
	failed |= fclose(out) != 0;
	if (failed && !err)
		err = probe_err_create("cannot write %s: %s", path, strerror(errno));
	if (err && file)
		unlink(path);
	return err;
}

struct probe_err *output_close_memory(FILE *out, struct probe_err *err)
{
	bool failed = fclose(out) != 0;

	return failed && !err ? probe_err_oom() : err;
}
