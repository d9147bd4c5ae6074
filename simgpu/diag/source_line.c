/* SPDX-License-Identifier: MIT */
#include "simgpu/diag/source_line.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "simgpu/diag/code_object_file.h"

enum {
	PATIENCE_MS = 5000,
	STACK_BYTES = 64 << 10,
};

static const char reader_name[] = "probe-sim-line";
static char reader_path[PATH_MAX];

void sim_source_prepare(void)
{
	const char *slash;
	Dl_info info;
	size_t length;

	sim_code_file_prepare();
	if (reader_path[0] || !dladdr(reader_path, &info) || !info.dli_fname)
		return;
	slash = strrchr(info.dli_fname, '/');
	length = slash ? (size_t)(slash - info.dli_fname) + 1 : 0;
	if (length && length + sizeof(reader_name) <= sizeof(reader_path)) {
		memcpy(reader_path + length, reader_name, sizeof(reader_name));
		memcpy(reader_path, info.dli_fname, length);
	}
}

struct start {
	char *const *argv;
	int input, output;
};

/* Runs in the child, on its own stack but in the parent's memory: only system calls are allowed. */
static int become_reader(void *arg)
{
	static char *const no_environment[] = {NULL};
	const struct start *start = arg;
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;
	int null, input;

	/* Signal handlers of the application must not run here. */
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &action, NULL);
	input = fcntl(start->input, F_DUPFD, 3); /* not one of 0..2 from here on */
	null = open("/dev/null", O_RDWR);
	if (input < 0 || null < 0 || dup2(start->output, 1) < 0 || dup2(input, 0) < 0 ||
	    dup2(null, 2) < 0)
		_exit(127);
	close_range(3, ~0u, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(start->argv[0], start->argv, no_environment);
	_exit(127);
}

/*
 * A child without an exit signal: it causes no SIGCHLD, and no wait() of the application finds it.
 * It shares this memory until it executes the reader, so no fork handlers run and no lock is
 * copied.
 */
static pid_t start_reader(struct start *start)
{
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	sigset_t all, before;
	pid_t pid;

	if (stack == MAP_FAILED)
		return -1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = clone(become_reader, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, start);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	munmap(stack, STACK_BYTES);
	return pid;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Reads the reader's line without its newline; 0 if it gave none in time. */
static size_t read_answer(int fd, char *buf, size_t size)
{
	uint64_t end = now_ms() + PATIENCE_MS;
	size_t length = 0;

	while (length < size - 1 && now_ms() < end) {
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		ssize_t got;

		if (poll(&wait, 1, 100) <= 0)
			continue;
		got = read(fd, buf + length, size - 1 - length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	buf[length] = '\0';
	length = strcspn(buf, "\n");
	buf[length] = '\0';
	return length;
}

/* Paths come from the code object, so control characters for a terminal are removed. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

static int ask_reader(const struct sim_code_file *file, uint64_t pc, char *buf, size_t size)
{
	char offset[24], length[24], address[24];
	char *argv[] = {reader_path, offset, length, address, NULL};
	struct start start = {.argv = argv, .input = file->fd};
	int pipe_fds[2], status;
	size_t got;
	pid_t pid;

	snprintf(offset, sizeof(offset), "%" PRIu64, file->offset);
	snprintf(length, sizeof(length), "%" PRIu64, file->size);
	snprintf(address, sizeof(address), "%" PRIu64, pc - file->base);
	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	start.output = pipe_fds[1];
	pid = start_reader(&start);
	close(pipe_fds[1]);
	got = pid > 0 ? read_answer(pipe_fds[0], buf, size) : 0;
	close(pipe_fds[0]);
	if (pid <= 0)
		return -ECHILD;
	kill(pid, SIGKILL); /* it has replied, or will not */
	while (waitpid(pid, &status, __WCLONE) < 0 && errno == EINTR)
		;
	make_printable(buf);
	return got ? 0 : -ENODATA;
}

int sim_source_line(uint64_t pc, char *buf, size_t size)
{
	struct sim_code_file file;
	int err;

	buf[0] = '\0';
	if (!reader_path[0] || access(reader_path, X_OK))
		return -ENOENT;
	err = sim_code_file_open(pc, &file);
	if (err)
		return err;
	err = ask_reader(&file, pc, buf, size);
	close(file.fd);
	return err;
}
