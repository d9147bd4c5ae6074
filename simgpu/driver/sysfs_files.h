/* SPDX-License-Identifier: MIT */
/*
 * The topology as the kernel driver shows it below /sys: one CPU node and the GPUs. Files exist
 * only in memory, and are created when they are opened.
 */
#ifndef PROBE_SIMGPU_DRIVER_SYSFS_FILES_H
#define PROBE_SIMGPU_DRIVER_SYSFS_FILES_H

#include <dirent.h>
#include <stdbool.h>

/* Whether a path is in the driver's part of /sys. */
bool sim_sysfs_path(const char *path);
/* Returns a descriptor from which the file's text can be read, or -errno. */
int sim_sysfs_open(const char *path);
/* 0 if there is such a file or directory, or -ENOENT. */
int sim_sysfs_exists(const char *path);

/* A directory as in opendir() and readdir(); NULL if it does not exist. */
struct sim_directory;
struct sim_directory *sim_sysfs_open_directory(const char *path);
/* Whether a pointer is such a directory. */
bool sim_is_directory(const void *pointer);
struct dirent *sim_sysfs_read_directory(struct sim_directory *directory);
void sim_sysfs_close_directory(struct sim_directory *directory);

#endif
