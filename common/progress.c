/* SPDX-License-Identifier: MIT */
/* A line about long work on a terminal; see progress.h. */
#include "common/progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/*
 * The cursor returns to where it was, and the line does not wrap: text of another program that has
 * not ended its line stays, and what comes next replaces ours.
 */
#define BEGIN "\0337\033[?7l"
#define CLEAR "\033[K" /* from the cursor on */
#define END   "\033[?7h\0338"

enum { TEXT_BYTES = 200, COLUMNS = 80 };

static uint64_t monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t (*probe_progress_clock)(void) = monotonic_ms;

static struct {
	pthread_mutex_t lock;
	bool on, working, drawn;
	uint64_t delay;
	uint64_t since; /* start of the work */
	uint64_t next;	/* no line before */
	uint64_t done, total;
	char text[TEXT_BYTES];
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
}

static uint64_t first_delay(void)
{
	const char *text = getenv(PROBE_PROGRESS_DELAY_VARIABLE);
	char *end = NULL;
	unsigned long ms = text && *text ? strtoul(text, &end, 10) : 0;

	return end && !*end ? ms : PROBE_PROGRESS_DELAY_MS;
}

static void lock(void)
{
	pthread_mutex_lock(&progress.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&progress.lock);
}

/* A child is forked by one thread while another one draws, and may log. */
static void keep_lock_over_fork(void)
{
	pthread_atfork(lock, unlock, unlock);
}

void probe_progress_setup(bool quiet)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, keep_lock_over_fork);
	lock();
	progress.on = !quiet && is_terminal();
	progress.delay = first_delay();
	unlock();
}

/* A terminal that takes no more is not waited for by retries. */
static void put(const char *text, size_t size)
{
	int saved = errno;

	if (write(STDERR_FILENO, text, size) < 0)
		progress.on = false;
	errno = saved;
}

static void erase(void)
{
	if (progress.drawn)
		put(CLEAR, sizeof(CLEAR) - 1);
	progress.drawn = false;
}

static size_t width(void)
{
	struct winsize size = {0};

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return COLUMNS;
	return size.ws_col;
}

/* ASCII only, so that a byte is a column: names of files are cut anywhere. */
static void make_plain(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++)
		if (*c < 0x20 || *c > 0x7e)
			*c = '?';
}

static void draw(uint64_t now)
{
	char text[TEXT_BYTES], line[TEXT_BYTES + 100], end[60], share[20] = "";
	size_t columns = width(), rest;

	if (progress.total)
		snprintf(share, sizeof(share), ", %u %%",
			 (unsigned)((double)progress.done * 100 / (double)progress.total));
	snprintf(end, sizeof(end), "%s, %llu s", share,
		 (unsigned long long)(now - progress.since) / 1000);
	/* The last column stays free: some terminals go on to the next line after it. */
	rest = strlen("probe: ") + strlen(end) + 1;
	snprintf(text, sizeof(text), "%s", progress.text);
	make_plain(text);
	put(line, (size_t)snprintf(line, sizeof(line), BEGIN CLEAR "probe: %.*s%s" END,
				   columns > rest ? (int)(columns - rest) : 0, text, end));
	progress.drawn = true;
	progress.next = now + (progress.delay ? PROBE_PROGRESS_STEP_MS : 0);
}

static void tick(void)
{
	uint64_t now = progress.on && progress.working ? probe_progress_clock() : 0;

	if (progress.on && progress.working && now >= progress.next)
		draw(now);
}

void probe_progress_step(const char *format, ...)
{
	va_list args;

	lock();
	if (progress.on) {
		va_start(args, format);
		vsnprintf(progress.text, sizeof(progress.text), format, args);
		va_end(args);
		progress.done = progress.total = 0;
		if (!progress.working) {
			progress.since = probe_progress_clock();
			progress.next = progress.since + progress.delay;
		}
		progress.working = true;
		tick();
	}
	unlock();
}

void probe_progress_amount(uint64_t done, uint64_t total)
{
	lock();
	progress.done = done < total ? done : total;
	progress.total = total;
	tick();
	unlock();
}

void probe_progress_tick(void)
{
	lock();
	tick();
	unlock();
}

void probe_progress_hide(void)
{
	lock();
	erase();
	unlock();
}

void probe_progress_end(void)
{
	lock();
	erase();
	progress.working = false;
	unlock();
}
