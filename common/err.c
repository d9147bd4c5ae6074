/* SPDX-License-Identifier: MIT */
/* Errors of parsers and commands; see err.h. */
#define _GNU_SOURCE /* vasprintf */
#include "common/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char out_of_memory_text[] =
	"out of memory: free some, or raise its limit (ulimit -v, or that of the container)";
static struct probe_err out_of_memory = {
	.offset = PROBE_ERR_NO_OFFSET,
	.message = out_of_memory_text,
};

struct probe_err *probe_err_oom(void)
{
	return &out_of_memory;
}

__attribute__((format(printf, 4, 0))) static struct probe_err *
make(const char *file, uint64_t offset, struct probe_err *cause, const char *format, va_list args)
{
	struct probe_err *err = calloc(1, sizeof(*err));

	if (!err)
		goto no_memory;
	err->offset = offset;
	if (file && !(err->file = strdup(file)))
		goto no_memory;
	if (vasprintf(&err->message, format, args) < 0) {
		err->message = NULL;
		goto no_memory;
	}
	err->cause = cause;
	return err;

no_memory:
	probe_err_destroy(err);
	probe_err_destroy(cause);
	return probe_err_oom();
}

struct probe_err *probe_err_create(const char *format, ...)
{
	struct probe_err *err;
	va_list args;

	va_start(args, format);
	err = make(NULL, PROBE_ERR_NO_OFFSET, NULL, format, args);
	va_end(args);
	return err;
}

struct probe_err *probe_err_at(const char *file, uint64_t offset, const char *format, ...)
{
	struct probe_err *err;
	va_list args;

	va_start(args, format);
	err = make(file, offset, NULL, format, args);
	va_end(args);
	return err;
}

struct probe_err *probe_err_wrap(struct probe_err *cause, const char *format, ...)
{
	struct probe_err *err;
	va_list args;

	va_start(args, format);
	err = make(NULL, PROBE_ERR_NO_OFFSET, cause, format, args);
	va_end(args);
	return err;
}

void probe_err_destroy(struct probe_err *err)
{
	while (err && err != &out_of_memory) {
		struct probe_err *cause = err->cause;

		free(err->file);
		free(err->message);
		free(err);
		err = cause;
	}
}

__attribute__((format(printf, 4, 5))) static size_t append(char *out, size_t capacity, size_t n,
							   const char *format, ...)
{
	va_list args;
	int len;

	if (n + 1 >= capacity)
		return n;
	va_start(args, format);
	len = vsnprintf(out + n, capacity - n, format, args);
	va_end(args);
	if (len < 0)
		return n;
	return (size_t)len < capacity - n ? n + (size_t)len : capacity - 1;
}

size_t probe_err_format(const struct probe_err *err, char *out, size_t capacity)
{
	size_t n = 0;

	if (!capacity)
		return 0;
	out[0] = '\0';
	for (const struct probe_err *e = err; e; e = e->cause) {
		if (e != err)
			n = append(out, capacity, n, ": ");
		if (e->file && e->offset != PROBE_ERR_NO_OFFSET)
			n = append(out, capacity, n, "%s, offset 0x%llx: ", e->file,
				   (unsigned long long)e->offset);
		else if (e->file)
			n = append(out, capacity, n, "%s: ", e->file);
		n = append(out, capacity, n, "%s", e->message);
	}
	return n;
}
