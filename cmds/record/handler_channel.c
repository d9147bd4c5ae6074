/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/handler_channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 64 << 10 };

struct handler_channel {
	int fd;
	struct handler_progress *progress;
	pid_t worker;
	size_t used, open; /* bytes in the buffer; start of the message being built */
	size_t capacity;
	char *buffer;
};

uint64_t handler_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

struct handler_channel *handler_channel_create(int fd, struct handler_progress *progress)
{
	struct handler_channel *channel = calloc(1, sizeof(*channel));
	char *buffer = malloc(BUFFER);

	if (!channel || !buffer) {
		free(buffer);
		free(channel);
		return NULL;
	}
	*channel = (struct handler_channel){fd, progress, getpid(), 0, 0, BUFFER, buffer};
	return channel;
}

/* The time that probe-run needs to read does not count against the handler. */
static void write_all(struct handler_channel *channel, size_t size)
{
	struct handler_progress *progress = channel->progress;
	uint64_t begin = handler_clock_ns(), since;

	atomic_store(&progress->writing, 1);
	for (size_t at = 0; at < size;) {
		ssize_t n = send(channel->fd, channel->buffer + at, size - at, MSG_NOSIGNAL);

		if (n > 0)
			at += (size_t)n;
		else if (errno != EINTR)
			_exit(0); /* probe-run no longer reads */
	}
	since = atomic_load(&progress->since);
	if (since)
		atomic_store(&progress->since, since + handler_clock_ns() - begin);
	atomic_store(&progress->writing, 0);
	memmove(channel->buffer, channel->buffer + size, channel->used - size);
	channel->used -= size;
	channel->open -= size;
}

static void put(struct handler_channel *channel, const void *bytes, size_t size)
{
	if (channel->capacity - channel->used < size && channel->open)
		write_all(channel, channel->open);
	if (channel->capacity - channel->used < size) {
		size_t capacity = 2 * channel->capacity + size;
		char *grown = realloc(channel->buffer, capacity);

		if (!grown)
			_exit(1);
		channel->buffer = grown;
		channel->capacity = capacity;
	}
	if (size)
		memcpy(channel->buffer + channel->used, bytes, size);
	channel->used += size;
}

static void put_u32(struct handler_channel *channel, uint32_t value)
{
	put(channel, &value, sizeof(value));
}

static void put_text(struct handler_channel *channel, const char *text)
{
	put(channel, text, strlen(text) + 1);
}

static void begin(struct handler_channel *channel, enum handler_message type)
{
	const struct handler_message_head head = {type, 0};

	put(channel, &head, sizeof(head));
}

static void end(struct handler_channel *channel)
{
	uint32_t size =
		(uint32_t)(channel->used - channel->open - sizeof(struct handler_message_head));

	memcpy(channel->buffer + channel->open + sizeof(uint32_t), &size, sizeof(size));
	channel->open = channel->used;
}

void handler_channel_opened(struct handler_channel *channel, const char *why_not)
{
	begin(channel, HANDLER_MESSAGE_OPENED);
	put_text(channel, why_not);
	end(channel);
	write_all(channel, channel->used);
}

void handler_channel_log(struct handler_channel *channel, enum probe_level level, const char *text)
{
	begin(channel, HANDLER_MESSAGE_LOG);
	put_u32(channel, level);
	put_text(channel, text);
	end(channel);
	write_all(channel, channel->used); /* it may say why the handler crashes next */
}

void handler_channel_table(struct handler_channel *channel, const char *name,
			   const struct probe_column *columns, size_t count)
{
	begin(channel, HANDLER_MESSAGE_TABLE);
	put_text(channel, name);
	put_u32(channel, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		put_u32(channel, columns[i].type);
		put_text(channel, columns[i].name);
	}
	end(channel);
}

void handler_channel_row(struct handler_channel *channel, uint32_t table,
			 const enum probe_type *types, const union probe_value *values,
			 size_t count)
{
	begin(channel, HANDLER_MESSAGE_ROW);
	put_u32(channel, table);
	for (size_t i = 0; i < count; i++) {
		const char *text = types[i] == PROBE_TYPE_TEXT ? values[i].text : NULL;

		if (types[i] != PROBE_TYPE_TEXT) {
			put(channel, &values[i].integer, sizeof(values[i].integer));
			continue;
		}
		put_u32(channel, text != NULL);
		if (text)
			put_text(channel, text);
	}
	end(channel);
}

void handler_channel_failed(struct handler_channel *channel, enum handler_call call, int err)
{
	begin(channel, HANDLER_MESSAGE_FAILED);
	put_u32(channel, call);
	put_u32(channel, (uint32_t)err);
	end(channel);
}

void handler_channel_done(struct handler_channel *channel, const char *why_not,
			  const struct replay_counts *counts)
{
	begin(channel, HANDLER_MESSAGE_DONE);
	put_text(channel, why_not);
	put(channel, counts, sizeof(*counts));
	end(channel);
	write_all(channel, channel->used);
}

void handler_channel_enter(struct handler_channel *channel, enum handler_call call)
{
	atomic_store(&channel->progress->call, call);
	atomic_store(&channel->progress->since, handler_clock_ns());
}

void handler_channel_leave(struct handler_channel *channel)
{
	/* A process that the handler forked: workers would double with each call. */
	if (getpid() != channel->worker)
		_exit(0);
	atomic_store(&channel->progress->since, 0);
}
