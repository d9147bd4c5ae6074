/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/report/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmds/report/report_options.h"
#include "common/err.h"
#include "common/memory_watch.h"

static struct probe_err *cannot_write(const char *path)
{
	return errno == EEXIST ? probe_err_create("%s exists; overwrite it with --force", path)
			       : probe_err_create("cannot write %s: %s", path, strerror(errno));
}

char *output_temporary_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = NULL;

	if (asprintf(&name, "%.*s.probe-report.%d", slash ? (int)(slash + 1 - path) : 0, path,
		     getpid()) < 0)
		return NULL;
	return name;
}

static void forget(struct output *output)
{
	free(output->real_path);
	free(output->temporary);
	*output = (struct output){0};
}

/* `mode`: the permissions of the file that it replaces; 0: those of a new file. */
static struct probe_err *open_temporary(struct output *output, mode_t mode)
{
	int fd;

	output->temporary = output_temporary_name(output->real_path);
	if (!output->temporary)
		return probe_err_oom();
	/* Left by a process of the same number that was killed. */
	unlink(output->temporary);
	fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return probe_err_create("cannot write %s: cannot create a file in its directory: "
					"%s",
					output->path, strerror(errno));
	if (mode)
		fchmod(fd, mode & 0777);
	output->file = fdopen(fd, "w");
	if (output->file)
		return NULL;
	close(fd);
	unlink(output->temporary);
	return probe_err_oom();
}

static struct probe_err *open_path(struct output *output)
{
	struct stat st;
	bool exists = !lstat(output->path, &st);

	if (exists && S_ISLNK(st.st_mode) && stat(output->path, &st))
		return cannot_write(output->path);
	if (exists && !S_ISREG(st.st_mode)) {
		output->file = fopen(output->path, "w");
		return output->file ? NULL : cannot_write(output->path);
	}
	if (exists && !output->force) {
		errno = EEXIST;
		return cannot_write(output->path);
	}
	if (exists && access(output->path, W_OK))
		return cannot_write(output->path);
	output->real_path = exists ? realpath(output->path, NULL) : strdup(output->path);
	if (!output->real_path)
		return errno == ENOMEM ? probe_err_oom() : cannot_write(output->path);
	return open_temporary(output, exists ? st.st_mode : 0);
}

struct probe_err *output_check(const char *path, const struct report *report)
{
	struct stat output, input;

	if (!path || stat(path, &output))
		return NULL;
	for (size_t i = 0; i <= report->file_count; i++) {
		const char *file = i < report->file_count ? report->files[i] : report->baseline;

		if (file && !stat(file, &input) && input.st_dev == output.st_dev &&
		    input.st_ino == output.st_ino)
			return probe_err_create("cannot write %s: the report is made from this "
						"file%s%s; write to another one",
						path, strcmp(path, file) ? ", named " : "",
						strcmp(path, file) ? file : "");
	}
	return NULL;
}

struct probe_err *output_open(const char *path, bool force, struct output *ret)
{
	struct probe_err *err;

	*ret = (struct output){.path = path, .force = force};
	if (!path) {
		ret->file = stdout;
		return NULL;
	}
	err = open_path(ret);
	if (err)
		forget(ret);
	return err;
}

/* Another process may have made the file since output_open(). */
static int give_name(const struct output *output)
{
	if (output->force)
		return rename(output->temporary, output->real_path);
	if (!renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->real_path, RENAME_NOREPLACE))
		return 0;
	/* EINVAL: not on this file system, NFS for one. */
	if (errno != EINVAL || link(output->temporary, output->real_path))
		return -1;
	unlink(output->temporary);
	return 0;
}

struct probe_err *output_complete(struct probe_err *err)
{
	return err || !probe_memory_ran_out()
		       ? err
		       : probe_err_create("out of memory: the output may be incomplete");
}

struct probe_err *output_close(struct output *output, struct probe_err *err)
{
	bool failed;

	if (output->file == stdout)
		return err;
	err = output_complete(err);
	failed = ferror(output->file);
	failed |= fclose(output->file) != 0;
	if (!err && !failed && output->temporary)
		failed = give_name(output) != 0;
	if (failed && !err)
		err = cannot_write(output->path);
	if (err && output->temporary)
		unlink(output->temporary);
	forget(output);
	return err;
}

struct probe_err *output_close_memory(FILE *out, struct probe_err *err)
{
	bool failed = fclose(out) != 0;

	return failed && !err ? probe_err_oom() : err;
}
