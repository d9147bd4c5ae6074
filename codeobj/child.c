/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pipe2, close_range */
#include "codeobj/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/memory_watch.h"
#include "common/progress.h"

/*
 * The pipe transfers the answer, the text of an error if there is one, and this trailer. A child
 * that dies early writes no trailer.
 */
#define TRAILER_MAGIC	  0x444e4550u
#define TRAILER_NO_MEMORY 0x4d454d50u /* the same; memory ran out in the child */
#define TRAILER_SIZE	  8
#define PIPE_BYTES	  (1 << 20)
#define LOOK_MS		  100

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHADOW_MEMORY 1 /* sanitizers map terabytes */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SHADOW_MEMORY 1
#endif
#endif
#ifndef SHADOW_MEMORY
#define SHADOW_MEMORY 0
#endif

void probe_put_u32(FILE *out, uint32_t value)
{
	uint8_t bytes[4];

	for (int i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	fwrite(bytes, 1, sizeof(bytes), out);
}

void probe_put_u64(FILE *out, uint64_t value)
{
	probe_put_u32(out, (uint32_t)value);
	probe_put_u32(out, (uint32_t)(value >> 32));
}

void probe_put_string(FILE *out, const char *text)
{
	fwrite(text, 1, strlen(text) + 1, out);
}

/* ---- In the child ------------------------------------------------------------------------- */

static void set_limit(int what, uint64_t value)
{
	struct rlimit rlimit = {.rlim_cur = value, .rlim_max = value};

	setrlimit((__rlimit_resource_t)what, &rlimit);
}

uint64_t probe_mapped_bytes(void)
{
	unsigned long long pages = 0;
	FILE *file = SHADOW_MEMORY ? NULL : fopen("/proc/self/statm", "re");

	if (file) {
		if (fscanf(file, "%llu", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Keep only the pipe; drop terminal, files, and the permission to open others without `files`. */
static void confine(int fd, bool files)
{
	uint64_t mapped = probe_mapped_bytes();
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int std = 0; std < 3 && null >= 0; std++)
		dup2(null, std);
	if (fd > 3)
		close_range(3, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, ~0u, 0);
	signal(SIGXCPU, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	for (int sig = SIGILL; sig <= SIGSEGV; sig++)
		if (sig == SIGILL || sig == SIGABRT || sig == SIGBUS || sig == SIGFPE ||
		    sig == SIGSEGV)
			signal(sig, SIG_DFL);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_CPU, PROBE_CHILD_SECONDS);
	if (!files)
		set_limit(RLIMIT_NOFILE, 0);
	if (mapped)
		set_limit(RLIMIT_AS, mapped + PROBE_CHILD_MEMORY);
}

__attribute__((noreturn)) static void child_main(int fd, probe_child_fn fn, void *user, bool files)
{
	struct probe_err *err;
	char text[1024] = "";
	size_t len = 0;
	FILE *out;

	confine(fd, files);
	out = fdopen(fd, "w");
	if (!out)
		_exit(3);
	err = fn(user, out);
	if (err)
		len = probe_err_format(err, text, sizeof(text));
	fwrite(text, 1, len, out);
	probe_put_u32(out, (uint32_t)len);
	probe_put_u32(out, probe_memory_ran_out() ? TRAILER_NO_MEMORY : TRAILER_MAGIC);
	if (fflush(out) || ferror(out))
		_exit(3);
	/* Exit handlers and stdio buffers belong to the parent. */
	_exit(0);
}

/* ---- In the parent ------------------------------------------------------------------------ */

struct answer {
	uint8_t *bytes;
	size_t size, capacity;
};

static void answer_deinit(struct answer *answer)
{
	free(answer->bytes);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct probe_err *grow(struct answer *answer)
{
	size_t capacity = answer->capacity ? 2 * answer->capacity : PIPE_BYTES;
	uint8_t *bytes = realloc(answer->bytes, capacity);

	if (!bytes)
		return probe_err_oom();
	answer->bytes = bytes;
	answer->capacity = capacity;
	return NULL;
}

/* Read to the end of the pipe. */
static struct probe_err *collect(int fd, const char *what, struct answer *answer)
{
	int64_t deadline = now_ms() + 1000 * PROBE_CHILD_SECONDS;

	for (;;) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		int64_t left = deadline - now_ms();
		struct probe_err *err;
		ssize_t n;

		if (left <= 0)
			return probe_err_create("%s was stopped after %d seconds", what,
						PROBE_CHILD_SECONDS);
		probe_progress_tick();
		if (poll(&poll_fd, 1, left < LOOK_MS ? (int)left : LOOK_MS) <= 0)
			continue;
		if (answer->size > PROBE_CHILD_ANSWER)
			return probe_err_create("%s was stopped: its result exceeds %llu bytes",
						what, (unsigned long long)PROBE_CHILD_ANSWER);
		if (answer->size == answer->capacity) {
			err = grow(answer);
			if (err)
				return err;
		}
		n = read(fd, answer->bytes + answer->size, answer->capacity - answer->size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return probe_err_create("%s: %s", what, strerror(errno));
		if (!n)
			return NULL;
		answer->size += (size_t)n;
	}
}

static struct probe_err *exit_error(const char *what, bool known, int status)
{
	if (known && WIFSIGNALED(status))
		return probe_err_create("%s failed: the child process died of signal %d (%s)", what,
					WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (known && WIFEXITED(status) && WEXITSTATUS(status))
		return probe_err_create("%s failed: the child process exited with status %d", what,
					WEXITSTATUS(status));
	return probe_err_create("%s failed: the child process returned no result", what);
}

/* Remove the trailer and convert a reported error into a struct probe_err. */
static struct probe_err *reported_error(const char *what, bool known, int status,
					struct answer *answer)
{
	struct probe_buf buf;
	uint32_t len, magic;

	if (answer->size < TRAILER_SIZE)
		return exit_error(what, known, status);
	probe_buf_init(&buf, what, answer->bytes + answer->size - TRAILER_SIZE, TRAILER_SIZE);
	probe_err_destroy(probe_buf_u32(&buf, &len));
	probe_err_destroy(probe_buf_u32(&buf, &magic));
	answer->size -= TRAILER_SIZE;
	if (magic == TRAILER_NO_MEMORY)
		probe_memory_note_failure(); /* the result may lack something */
	if ((magic != TRAILER_MAGIC && magic != TRAILER_NO_MEMORY) || len > answer->size ||
	    (known && status))
		return exit_error(what, known, status);
	answer->size -= len;
	if (len)
		return probe_err_create("%.*s", (int)(len < 1024 ? len : 1024),
					(const char *)answer->bytes + answer->size);
	return NULL;
}

static struct probe_err *run(const char *what, probe_child_fn fn, void *user, bool files,
			     uint8_t **answer, size_t *size)
{
	PROBE_AUTO(answer_deinit) struct answer got = {0};
	struct probe_err *err;
	int pipe_fds[2], status = 0;
	bool known;
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return probe_err_create("%s: cannot create a pipe: %s", what, strerror(errno));
	/* Answers can have megabytes; a larger pipe saves context switches, and is optional. */
	(void)fcntl(pipe_fds[1], F_SETPIPE_SZ, PIPE_BYTES);
	pid = fork();
	if (pid < 0) {
		err = probe_err_create("%s: cannot start a process: %s", what, strerror(errno));
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		return err;
	}
	if (!pid)
		child_main(pipe_fds[1], fn, user, files);
	close(pipe_fds[1]);
	err = collect(pipe_fds[0], what, &got);
	close(pipe_fds[0]);
	if (err)
		kill(pid, SIGKILL);
	while ((known = waitpid(pid, &status, 0) == pid) == false && errno == EINTR)
		;
	if (err)
		return err;
	err = reported_error(what, known, status, &got);
	if (err)
		return err;
	*answer = PROBE_KEEP(got.bytes);
	*size = got.size;
	return NULL;
}

struct probe_err *probe_child_run(const char *what, probe_child_fn fn, void *user, uint8_t **answer,
				  size_t *size)
{
	return run(what, fn, user, false, answer, size);
}

struct probe_err *probe_child_run_with_files(const char *what, probe_child_fn fn, void *user,
					     uint8_t **answer, size_t *size)
{
	return run(what, fn, user, true, answer, size);
}

struct probe_err *probe_receive_array(struct probe_buf *buf, const char *what, size_t size,
				      void **items, size_t *count)
{
	struct probe_err *err;
	uint64_t n;

	*count = 0;
	err = probe_buf_u64(buf, &n);
	if (err)
		return err;
	if (n > probe_buf_left(buf) / size)
		return probe_buf_error(buf, "%llu %s in %zu bytes", (unsigned long long)n, what,
				       probe_buf_left(buf));
	*items = malloc((n + 1) * size);
	if (!*items)
		return probe_err_oom();
	err = probe_buf_copy(buf, *items, n * size);
	*count = err ? 0 : n;
	return err;
}

struct probe_err *probe_receive_strings(struct probe_buf *buf, const char *what, char ***strings,
					uint32_t *count)
{
	struct probe_err *err;
	uint32_t n;

	*count = 0;
	err = probe_buf_u32(buf, &n);
	if (err)
		return err;
	if (n > probe_buf_left(buf))
		return probe_buf_error(buf, "%u %s in %zu bytes", n, what, probe_buf_left(buf));
	*strings = calloc(n + 1ul, sizeof(**strings));
	if (!*strings)
		return probe_err_oom();
	for (; *count < n; ++*count) {
		const char *text;

		err = probe_buf_string(buf, &text);
		if (err)
			return err;
		(*strings)[*count] = strdup(text);
		if (!(*strings)[*count])
			return probe_err_oom();
	}
	return NULL;
}
