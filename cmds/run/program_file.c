/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/program_file.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/mapped_file.h"

/* The path that execvp() takes; NULL if there is none. */
char *run_program_path(const char *program)
{
	const char *list = getenv("PATH");
	PROBE_AUTO_FREE char *copy = NULL;
	char *rest = NULL, *ret;

	if (strchr(program, '/'))
		return strdup(program);
	copy = strdup(list ? list : "");
	for (char *folder = copy ? strtok_r(copy, ":", &rest) : NULL; folder;
	     folder = strtok_r(NULL, ":", &rest)) {
		if (asprintf(&ret, "%s/%s", folder, program) < 0)
			return NULL;
		if (!access(ret, X_OK))
			return ret;
		free(ret);
	}
	return NULL;
}

bool run_program_static(const char *path)
{
	PROBE_AUTO(probe_file_unmap) struct probe_mapped_file file = {0};
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (!probe_file_map(path, &file) || file.size < sizeof(header))
		return false;
	memcpy(&header, file.bytes, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(segment) || header.e_phoff > file.size ||
	    (file.size - header.e_phoff) / sizeof(segment) < header.e_phnum)
		return false;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		memcpy(&segment, (const char *)file.bytes + header.e_phoff + i * sizeof(segment),
		       sizeof(segment));
		if (segment.p_type == PT_INTERP)
			return false;
	}
	return header.e_phnum > 0;
}

/* The kernel gives no rights there, or for a script. */
static bool rights_ignored(const char *path)
{
	struct statvfs system;
	FILE *file = fopen(path, "re");
	char begin[2] = "";

	if (file) {
		if (fread(begin, 1, sizeof(begin), file) < sizeof(begin))
			*begin = 0;
		fclose(file);
	}
	return !memcmp(begin, "#!", sizeof(begin)) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
	       (!statvfs(path, &system) && system.f_flag & ST_NOSUID);
}

const char *run_program_rights(const char *path)
{
	struct stat status;

	if (stat(path, &status) || rights_ignored(path))
		return NULL;
	if (status.st_mode & S_ISUID && status.st_uid != geteuid())
		return "set-user-ID";
	if (status.st_mode & S_ISGID && status.st_mode & S_IXGRP && status.st_gid != getegid())
		return "set-group-ID";
	if (geteuid() && getxattr(path, "security.capability", NULL, 0) > 0)
		return "file capabilities";
	return NULL;
}
