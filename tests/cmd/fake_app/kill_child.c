/* SPDX-License-Identifier: MIT */
/* Preloaded: the KILL_CHILD-th process that the program forks dies at once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

pid_t fork(void)
{
	static long count;
	pid_t (*real_fork)(void) = (pid_t(*)(void))(uintptr_t)dlsym(RTLD_NEXT, "fork");
	const char *at = getenv("KILL_CHILD");
	pid_t child;

	count++;
	child = real_fork();
	if (!child && at && count == atol(at))
		raise(SIGKILL);
	return child;
}
