/* SPDX-License-Identifier: MIT */
/*
 * Preloaded: makes an allocation of the program fail, from its main() on. FAIL_PROGRAM names the
 * program; others that it starts are left alone.
 *
 * FAIL_AT=N: the N-th, and with FAIL_ALWAYS=1 all that follow. N counts on in forked processes.
 *
 * FAIL_EACH=DIR: each FAIL_STEP-th in turn, in one run, from FAIL_FROM to FAIL_TO. At each a child
 * process is forked, in which it fails, and which goes on to the end with its output in DIR; the
 * parent notes how it ended in DIR/ends and goes on without a failure. Processes that the program
 * forks are left alone. While one of them runs, two processes would read its answer: the number is
 * noted in DIR/alone, for FAIL_AT.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void probe_allocation_fails(void);
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static const char *directory;
static bool active, always, failing;
static int helpers; /* processes that the program has forked and not waited for */
static uint64_t step = 1, from, to = UINT64_MAX, at, count;
static pid_t pid;

/* In the child: its output, and an end if it hangs. */
static void divert(void)
{
	const struct rlimit limit = {60, 60};
	char name[4096];

	for (int fd = 1; fd <= 2; fd++) {
		int file;

		snprintf(name, sizeof(name), "%s/%s.%llu", directory, fd == 1 ? "out" : "err",
			 (unsigned long long)count);
		file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (file < 0 || dup2(file, fd) < 0)
			_exit(99);
		close(file);
	}
	setrlimit(RLIMIT_CPU, &limit);
}

static void note(const char *file, int status)
{
	char name[4096], line[64];
	int fd, length;

	snprintf(name, sizeof(name), "%s/%s", directory, file);
	fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
	length = snprintf(line, sizeof(line), "%llu %d\n", (unsigned long long)count, status);
	if (fd < 0 || write(fd, line, (size_t)length) != length)
		_exit(99);
	close(fd);
}

static pid_t (*real_fork)(void);
static pid_t (*real_waitpid)(pid_t child, int *status, int options);

pid_t fork(void)
{
	pid_t child;

	if (!real_fork)
		real_fork = (pid_t(*)(void))(uintptr_t)dlsym(RTLD_NEXT, "fork");
	child = real_fork();
	helpers += child > 0;
	return child;
}

pid_t waitpid(pid_t child, int *status, int options)
{
	pid_t ret;

	if (!real_waitpid)
		real_waitpid = (pid_t(*)(pid_t, int *, int))(uintptr_t)dlsym(RTLD_NEXT, "waitpid");
	ret = real_waitpid(child, status, options);
	helpers -= ret > 0;
	return ret;
}

/* True in the child in which the allocation fails. */
static bool fails_in_child(void)
{
	int saved = errno, status = 0;
	pid_t child;

	if (getpid() != pid || count < from || count > to || count % step)
		return false;
	if (helpers) {
		note("alone", 0);
		errno = saved;
		return false;
	}
	child = real_fork();
	if (!child) {
		active = false;
		failing = always;
		divert();
		return true;
	}
	while (child > 0 && real_waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	note("ends", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	errno = saved;
	return false;
}

/* For a debugger's break point. */
__attribute__((noinline)) void probe_allocation_fails(void)
{
	errno = ENOMEM;
}

static bool fails(void)
{
	bool ret;

	if (failing)
		ret = true;
	else if (!active)
		return false;
	else if (directory)
		active = false, ++count, ret = fails_in_child(), active = !ret && !failing;
	else
		ret = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) == at ||
		      (always && count > at);
	if (ret)
		probe_allocation_fails();
	return ret;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t members, size_t size)
{
	return fails() ? NULL : __libc_calloc(members, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t members, size_t size)
{
	if (size && members > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, members * size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	void *memory = fails() ? NULL : __libc_memalign(alignment, size);

	if (!memory)
		return ENOMEM;
	*ret = memory;
	return 0;
}

static int (*program)(int argc, char **argv, char **environment);

static uint64_t number(const char *variable, uint64_t otherwise)
{
	const char *value = getenv(variable);

	return value ? strtoull(value, NULL, 10) : otherwise;
}

static int begin(int argc, char **argv, char **environment)
{
	const char *name = getenv("FAIL_PROGRAM");
	const char *own = strrchr(argv[0], '/');

	if (!name || strcmp(name, own ? own + 1 : argv[0]))
		return program(argc, argv, environment);
	directory = getenv("FAIL_EACH");
	real_fork = (pid_t(*)(void))(uintptr_t)dlsym(RTLD_NEXT, "fork");
	real_waitpid = (pid_t(*)(pid_t, int *, int))(uintptr_t)dlsym(RTLD_NEXT, "waitpid");
	step = number("FAIL_STEP", step);
	from = number("FAIL_FROM", from);
	to = number("FAIL_TO", to);
	at = number("FAIL_AT", at);
	always = getenv("FAIL_ALWAYS") != NULL;
	pid = getpid();
	active = directory || at;
	return program(argc, argv, environment);
}

typedef int start_fn(int (*)(int, char **, char **), int, char **, int (*)(int, char **, char **),
		     void (*)(void), void (*)(void), void *);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
		      int (*init)(int, char **, char **), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
		      int (*init)(int, char **, char **), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end)
{
	start_fn *start = (start_fn *)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");

	program = main;
	return start(begin, argc, argv, init, fini, rtld_fini, stack_end);
}
