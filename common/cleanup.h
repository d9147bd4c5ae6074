/* SPDX-License-Identifier: MIT */
/*
 * Release at the end of a scope, so that a function can return where it fails:
 *
 *	PROBE_AUTO_FREE char *path = make_path();
 *
 *	if (access(path, F_OK))
 *		return probe_err_create(...);
 *	*ret = PROBE_KEEP(path);
 *	return NULL;
 *
 * An initialiser is required. In the order of declaration, the last is released first. For an
 * object of one's own:
 *
 *	PROBE_DEFINE_RELEASE(probe_lines_release, struct probe_lines *, probe_lines_destroy)
 *
 *	PROBE_AUTO(probe_lines_release) struct probe_lines *lines = NULL;
 */
#ifndef PROBE_COMMON_CLEANUP_H
#define PROBE_COMMON_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

static inline void probe_cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void probe_cleanup_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define PROBE_AUTO(release) __attribute__((cleanup(release)))
/* Defines `name` for PROBE_AUTO(name): destroys what the variable points to, if anything. */
#define PROBE_DEFINE_RELEASE(name, type, destroy)                                                  \
	static inline void name(type *variable)                                                    \
	{                                                                                          \
		if (*variable)                                                                     \
			destroy(*variable);                                                        \
	}
/* A pointer from malloc(), or NULL. */
#define PROBE_AUTO_FREE PROBE_AUTO(probe_cleanup_free)
/* A descriptor, or a negative number. */
#define PROBE_AUTO_CLOSE PROBE_AUTO(probe_cleanup_close)

/* The pointer's value; the caller of this takes ownership, and the cleanup frees nothing. */
#define PROBE_KEEP(pointer)                                                                        \
	({                                                                                         \
		__auto_type kept_ = (pointer);                                                     \
		(pointer) = NULL;                                                                  \
		kept_;                                                                             \
	})

#endif
