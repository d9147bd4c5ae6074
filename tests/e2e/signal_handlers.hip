// SPDX-License-Identifier: MIT
// signal_handlers BITS: launches kernels while SIGPROF arrives 1000 times per second of processor time, with a handler
// that restarts calls (1), is not deferred (2), has a stack of its own (4), or blocks all signals (8). Prints the
// signals that are blocked, ignored and caught, and what the kernels computed.
#include <hip/hip_runtime.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/time.h>

enum { LAUNCHES = 100, N = 256 };

__global__ void add(const int *in, int *out, int n)
{
	out[threadIdx.x] += in[(threadIdx.x * 37 + n) % N];
}

static volatile sig_atomic_t ticks;
static volatile double half = 0.5;

// It uses registers and errno, as a profiler's does.
static void on_tick(int)
{
	ticks = ticks + (half * 2 > 0.5);
	errno = EINVAL;
}

static void show_signals(const char *when)
{
	FILE *file = fopen("/proc/thread-self/status", "r");
	char line[256];

	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, "SigBlk", 6) || !strncmp(line, "SigIgn", 6) || !strncmp(line, "SigCgt", 6))
			printf("%s %s", when, line);
	fclose(file);
}

static void catch_ticks(int bits)
{
	static char stack[1 << 16];
	const stack_t own = {stack, 0, sizeof(stack)};
	const itimerval every = {{0, 1000}, {0, 1000}};
	struct sigaction action = {};

	action.sa_handler = on_tick;
	action.sa_flags = (bits & 1 ? SA_RESTART : 0) | (bits & 2 ? SA_NODEFER : 0) | (bits & 4 ? SA_ONSTACK : 0);
	if (bits & 8)
		sigfillset(&action.sa_mask);
	if (bits & 4)
		sigaltstack(&own, nullptr);
	sigaction(SIGPROF, &action, nullptr);
	setitimer(ITIMER_PROF, &every, nullptr);
}

int main(int, char **argv)
{
	int *in, *out, host[N], sum = 0;
	const itimerval never = {};

	show_signals("before");
	catch_ticks(atoi(argv[1]));
	if (hipMalloc(&in, sizeof(host)) != hipSuccess || hipMalloc(&out, sizeof(host)) != hipSuccess)
		return 99;
	for (int i = 0; i < N; i++)
		host[i] = i * i;
	if (hipMemcpy(in, host, sizeof(host), hipMemcpyHostToDevice) != hipSuccess ||
	    hipMemset(out, 0, sizeof(host)) != hipSuccess)
		return 98;
	for (int i = 0; i < LAUNCHES; i++) {
		add<<<1, N>>>(in, out, i);
		if (i % 10 == 9 && hipDeviceSynchronize() != hipSuccess)
			return 97;
	}
	show_signals("after");
	if (hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost) != hipSuccess)
		return 96;
	setitimer(ITIMER_PROF, &never, nullptr);
	for (int i = 0; i < N; i++)
		sum += host[i];
	printf("sum %d, %s\n", sum, ticks ? "interrupted" : "never interrupted");
	return 0;
}
