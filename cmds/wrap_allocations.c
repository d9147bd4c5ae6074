/* SPDX-License-Identifier: MIT */
/*
 * The calls of a program, and of the static libraries in it, that return memory: linked with
 * -Wl,--wrap=<name> (wrap_allocations.cmake), which sends them here.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "common/memory_watch.h"

/* The linker's names. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
int __real_vasprintf(char **ret, const char *format, va_list args);
int __wrap_vasprintf(char **ret, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
int __wrap___vasprintf_chk(char **ret, int flag, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));
int __wrap_asprintf(char **ret, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap___asprintf_chk(char **ret, int flag, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
FILE *__wrap_open_memstream(char **text, size_t *size);

static void *noted(void *memory)
{
	if (!memory)
		probe_memory_note_failure();
	return memory;
}

void *__wrap_malloc(size_t size)
{
	return noted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return noted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
	return noted(__real_realloc(old, size));
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return noted(__real_reallocarray(old, count, size));
}

char *__wrap_strdup(const char *text)
{
	return noted(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t size)
{
	return noted(__real_strndup(text, size));
}

int __wrap_vasprintf(char **ret, const char *format, va_list args)
{
	int length = __real_vasprintf(ret, format, args);

	if (length < 0)
		probe_memory_note_failure();
	return length;
}

/* What vasprintf() is with _FORTIFY_SOURCE. */
int __wrap___vasprintf_chk(char **ret, int flag, const char *format, va_list args)
{
	(void)flag;
	return __wrap_vasprintf(ret, format, args);
}

int __wrap_asprintf(char **ret, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = __wrap_vasprintf(ret, format, args);
	va_end(args);
	return length;
}

/* The same for asprintf(). */
int __wrap___asprintf_chk(char **ret, int flag, const char *format, ...)
{
	va_list args;
	int length;

	(void)flag;
	va_start(args, format);
	length = __wrap_vasprintf(ret, format, args);
	va_end(args);
	return length;
}

/* ---- open_memstream(): libc's does not say that it could not grow ------------------------------
 */

struct memory_stream {
	char **text;
	size_t *size;
	size_t capacity;
	char buffer[4096]; /* of the FILE */
};

static bool grow(struct memory_stream *stream, size_t more)
{
	size_t needed = *stream->size + more + 1, capacity = stream->capacity;
	char *grown;

	if (needed <= capacity)
		return true;
	capacity = 2 * capacity > needed ? 2 * capacity : needed;
	grown = noted(__real_realloc(*stream->text, capacity));
	if (!grown)
		return false;
	*stream->text = grown;
	stream->capacity = capacity;
	return true;
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t size)
{
	struct memory_stream *stream = cookie;

	if (!grow(stream, size))
		return 0;
	memcpy(*stream->text + *stream->size, bytes, size);
	*stream->size += size;
	(*stream->text)[*stream->size] = 0;
	return (ssize_t)size;
}

static int stream_close(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
	struct memory_stream *stream = __wrap_calloc(1, sizeof(*stream));
	FILE *file = NULL;

	*text = NULL;
	*size = 0;
	if (!stream)
		return NULL;
	stream->text = text;
	stream->size = size;
	if (stream_write(stream, "", 0) || *text)
		file = noted(fopencookie(
			stream, "w",
			(cookie_io_functions_t){.write = stream_write, .close = stream_close}));
	if (!file) {
		free(*text);
		*text = NULL;
		free(stream);
		return NULL;
	}
	setvbuf(file, stream->buffer, _IOFBF, sizeof(stream->buffer));
	return file;
}
