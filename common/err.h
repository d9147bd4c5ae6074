/* SPDX-License-Identifier: MIT */
/*
 * Errors of parsers and commands: functions return `struct probe_err *`, NULL for success. An error
 * says what is wrong, where (file and byte offset, if it is about a file's bytes) and may carry the
 * error that caused it. Only a command's main prints one (probe_log_err).
 */
#ifndef PROBE_COMMON_ERR_H
#define PROBE_COMMON_ERR_H

#include <stddef.h>
#include <stdint.h>

#define PROBE_ERR_NO_OFFSET UINT64_MAX

struct probe_err {
	char *file;	 /* owned; NULL = the error concerns no file */
	uint64_t offset; /* in it, or PROBE_ERR_NO_OFFSET */
	struct probe_err *cause;
	char *message;
};

/* The caller owns what these return; out of memory gives the static error of probe_err_oom(). */
struct probe_err *probe_err_create(const char *format, ...)
	__attribute__((format(printf, 1, 2), returns_nonnull));
struct probe_err *probe_err_at(const char *file, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4), returns_nonnull));
void probe_err_destroy(struct probe_err *err);

/* Takes ownership of `cause` and returns an error that contains it. */
struct probe_err *probe_err_wrap(struct probe_err *cause, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

/* The same static object each time: nothing is allocated, destroying it does nothing. */
struct probe_err *probe_err_oom(void) __attribute__((returns_nonnull));

/* One line: "file, offset 0x40: message: cause". Always terminated; returns its length. */
size_t probe_err_format(const struct probe_err *err, char *out, size_t capacity);

#endif
