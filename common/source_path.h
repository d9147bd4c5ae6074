/* SPDX-License-Identifier: MIT */
/*
 * Names of source files. The compiler pass and debug information join directories and names in
 * different ways: "dir/gather.h" and "dir/./gather.h" are one file, and reports compare text.
 */
#ifndef PROBE_COMMON_SOURCE_PATH_H
#define PROBE_COMMON_SOURCE_PATH_H

/*
 * Removes, in place, "." components and repeated slashes. ".." stays, because the directory before
 * it may be a symbolic link.
 */
void probe_source_path_clean(char *path);

#endif
