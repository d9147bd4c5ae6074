/* SPDX-License-Identifier: MIT */
/* Progress lines on a pseudo-terminal, with a clock that the test moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"
#include "common/progress.h"

#define LINE(text) "\0337\033[?7l\033[Kprobe: " text "\033[?7h\0338"

static uint64_t now;
static int terminal = -1, saved = -1;

static uint64_t test_clock(void)
{
	return now;
}

static int begin(void **state)
{
	struct winsize size = {.ws_row = 25, .ws_col = 40};
	int slave;

	(void)state;
	assert_int_equal(openpty(&terminal, &slave, NULL, NULL, &size), 0);
	fcntl(terminal, F_SETFL, O_NONBLOCK);
	saved = dup(STDERR_FILENO);
	dup2(slave, STDERR_FILENO);
	close(slave);
	setenv("TERM", "xterm", 1);
	unsetenv(PROBE_PROGRESS_DELAY_VARIABLE);
	now = 5000;
	probe_progress_clock = test_clock;
	probe_progress_setup(false);
	return 0;
}

static int end(void **state)
{
	(void)state;
	probe_progress_end();
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(terminal);
	return 0;
}

/* What has been written to the terminal since the last call. */
static const char *shown(void)
{
	static char text[1000];
	ssize_t size = read(terminal, text, sizeof(text) - 1);

	text[size > 0 ? size : 0] = 0;
	return text;
}

static void test_delay(void **state)
{
	(void)state;
	probe_progress_step("reading %s", "a.db");
	probe_progress_tick();
	now += 999;
	probe_progress_tick();
	assert_string_equal(shown(), "");
	now += 1;
	probe_progress_tick();
	assert_string_equal(shown(), LINE("reading a.db, 1 s"));
	probe_progress_end();
	assert_string_equal(shown(), "\033[K");
	/* Nothing is left to erase. */
	probe_progress_end();
	probe_progress_hide();
	now += 5000;
	probe_progress_tick();
	assert_string_equal(shown(), "");
}

static void test_rate(void **state)
{
	unsigned lines = 0;

	(void)state;
	probe_progress_step("counting");
	for (int i = 0; i < 3000; i++) {
		now++;
		probe_progress_amount((uint64_t)i, 3000);
		lines += *shown() != 0;
	}
	/* At 1000 ms and each 200 ms until 3000. */
	assert_int_equal(lines, 11);
	now += 200;
	probe_progress_amount(1500, 3000);
	assert_string_equal(shown(), LINE("counting, 50 %, 3 s"));
	probe_progress_amount(4000, 3000);
	now += 200;
	probe_progress_tick();
	assert_string_equal(shown(), LINE("counting, 100 %, 3 s"));
}

/* The time counts from the first step; an amount belongs to its step. */
static void test_steps(void **state)
{
	(void)state;
	probe_progress_step("one");
	now += 700;
	probe_progress_amount(1, 2);
	probe_progress_step("two");
	now += 700;
	probe_progress_tick();
	assert_string_equal(shown(), LINE("two, 1 s"));
	probe_progress_hide();
	assert_string_equal(shown(), "\033[K");
	now += 200;
	probe_progress_tick();
	assert_string_equal(shown(), LINE("two, 1 s"));
}

static void test_message(void **state)
{
	(void)state;
	probe_progress_step("one");
	now += 1000;
	probe_progress_tick();
	shown();
	probe_log(PROBE_LOG_WARNING, "careful");
	assert_string_equal(shown(), "\033[Kprobe: warning: careful\r\n");
}

static void test_width(void **state)
{
	(void)state;
	probe_progress_step("reading a\n\033[31mname that is longer than the terminal is wide");
	now += 1000;
	probe_progress_tick();
	assert_string_equal(shown(), LINE("reading a??[31mname that is, 1 s"));
}

static void test_at_once(void **state)
{
	(void)state;
	setenv(PROBE_PROGRESS_DELAY_VARIABLE, "0", 1);
	probe_progress_setup(false);
	probe_progress_step("one");
	assert_string_equal(shown(), LINE("one, 0 s"));
	probe_progress_step("two");
	assert_string_equal(shown(), LINE("two, 0 s"));
}

static void expect_silence(bool quiet)
{
	setenv(PROBE_PROGRESS_DELAY_VARIABLE, "0", 1);
	probe_progress_setup(quiet);
	probe_progress_step("one");
	probe_progress_amount(1, 2);
	now += 5000;
	probe_progress_tick();
	probe_progress_end();
	assert_string_equal(shown(), "");
}

static void test_quiet(void **state)
{
	(void)state;
	expect_silence(true);
}

static void test_dumb(void **state)
{
	(void)state;
	setenv("TERM", "dumb", 1);
	expect_silence(false);
}

static void test_pipe(void **state)
{
	int fds[2];
	char text[100];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	expect_silence(false);
	dup2(saved, STDERR_FILENO);
	assert_int_equal(read(fds[0], text, sizeof(text)), 0);
	close(fds[0]);
}

static atomic_bool stop;

static void *draw_lines(void *arg)
{
	(void)arg;
	while (!stop) {
		probe_progress_step("drawing");
		shown(); /* else the terminal is full at some time */
	}
	return NULL;
}

/* Children that are forked while another thread draws can log. */
static void test_fork(void **state)
{
	pthread_t thread;
	int status;

	(void)state;
	setenv(PROBE_PROGRESS_DELAY_VARIABLE, "0", 1);
	probe_progress_setup(false);
	stop = false;
	assert_int_equal(pthread_create(&thread, NULL, draw_lines, NULL), 0);
	for (int i = 0; i < 200; i++) {
		pid_t child = fork();

		if (!child) {
			alarm(60);
			probe_log(PROBE_LOG_WARNING, "child");
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	stop = true;
	pthread_join(thread, NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_delay), TEST(test_rate),    TEST(test_steps), TEST(test_message),
		TEST(test_width), TEST(test_at_once), TEST(test_quiet), TEST(test_dumb),
		TEST(test_pipe),  TEST(test_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
