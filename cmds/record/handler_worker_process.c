/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* for close_range */
#include "cmds/record/handler_worker_process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmds/options/handler_plugins.h"
#include "cmds/record/handler_channel.h"
#include "cmds/record/handler_instance.h"
#include "cmds/record/replay.h"
#include "codeobj/child.h"
#include "common/err.h"
#include "common/memory_watch.h"

enum { PATH_BYTES_MAX = 1 << 16 };

/* probe-run handles signals from the terminal and ends its workers. */
static void confine(const struct handler_worker_task *task)
{
	static const int defaults[] = {SIGSEGV, SIGBUS,	 SIGFPE,  SIGILL,
				       SIGABRT, SIGPIPE, SIGXCPU, SIGXFSZ};
	uint64_t mapped = probe_mapped_bytes();
	sigset_t blocked;

	/* The handler's own timers work. A batch system that ends all processes must not end this
	 * one first. */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGHUP);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0); /* processes that the handler starts end with it */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++)
		signal(defaults[i], SIG_DFL);
	if (task->fd > 3)
		close_range(3, (unsigned)task->fd - 1, 0);
	close_range((unsigned)task->fd + 1, ~0u, 0);
	if (task->memory != UINT64_MAX && mapped)
		setrlimit(RLIMIT_AS,
			  &(struct rlimit){mapped + task->memory, mapped + task->memory});
}

static bool read_all(int fd, void *to, size_t size)
{
	for (char *at = to; size;) {
		ssize_t n = read(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

/* NULL if there will be no run. */
static char *read_order(int fd, struct handler_worker_order *order)
{
	char *path;

	if (!read_all(fd, order, sizeof(*order)) || !order->path_size ||
	    order->path_size > PATH_BYTES_MAX)
		return NULL;
	path = malloc(order->path_size);
	if (!path || !read_all(fd, path, order->path_size) || path[order->path_size - 1]) {
		free(path);
		return NULL;
	}
	return path;
}

static void text_of(const struct probe_err *err, char *text, size_t size)
{
	*text = 0;
	if (err)
		probe_err_format(err, text, size);
}

__attribute__((noreturn)) void handler_worker_main(const struct handler_worker_task *task)
{
	struct handler_worker_order order;
	struct handler_channel *channel;
	struct handler_instance *instance;
	struct run_plugin plugin = *task->plugin;
	struct replay_counts counts = {0};
	struct probe_err *err;
	char text[1024], *path;

	confine(task);
	channel = handler_channel_create(task->fd, task->progress);
	instance = channel ? handler_instance_create(&plugin, task->spec, channel) : NULL;
	if (!instance)
		_exit(1);
	handler_channel_enter(channel, HANDLER_CALL_OPEN); /* loading it is the first part of it */
	err = run_plugin_load(plugin.path, &plugin.handler);
	handler_channel_leave(channel);
	err = err ? err : handler_instance_open(instance);
	text_of(err, text, sizeof(text));
	handler_channel_opened(channel, text);
	path = err ? NULL : read_order(task->fd, &order);
	if (!path) {
		handler_instance_destroy(instance);
		_exit(0);
	}
	err = replay_into(instance,
			  &(struct replay_source){path, order.kind, order.flags, order.used != 0},
			  &counts);
	handler_instance_destroy(instance);
	/* Records for which there was no memory were not delivered. */
	err = err || !probe_memory_ran_out() ? err : probe_err_oom();
	text_of(err, text, sizeof(text));
	handler_channel_done(channel, text, &counts);
	/*
	 * Exit handlers and stdio buffers belong to probe-run; only the handler's own files are
	 * flushed.
	 */
	fflush(NULL);
	_exit(0);
}
