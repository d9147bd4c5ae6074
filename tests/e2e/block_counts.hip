/* SPDX-License-Identifier: MIT */
/*
 * Kernels with known executions and lanes per block. The program computes them on the host, wave by
 * wave, and prints them as "LINE EXECUTIONS LANES". The comment HERE marks the lines that count;
 * each is the only one of its block.
 */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <map>

#define CHECK(call) do { if ((call) != hipSuccess) { puts("failed: " #call); exit(1); } } while (0)

struct line { long executions, lanes; };
static std::map<int, line> lines;

/*
 * A wave executes a line with some lanes, `times` per lane: as often as the lane with the most
 * executions.
 */
struct wave {
	long most[64] = {}, lanes[64] = {};
};

static void add(int line, long executions, long lanes)
{
	lines[line].executions += executions;
	lines[line].lanes += lanes;
}

/* For each wave of a launch: call(first work-item of the launch, lanes). */
template <class F> static void waves(int groups, int items, F call)
{
	for (int g = 0; g < groups; g++)
		for (int w = 0; w < items; w += 64)
			call(g * items + w, items - w < 64 ? items - w : 64);
}

/* times(item) is how often that work-item executes the line. */
template <class F> static void expect(int line, int groups, int items, F times)
{
	waves(groups, items, [&](int first, int lanes) {
		long most = 0, sum = 0;

		for (int i = first; i < first + lanes; i++) {
			long n = times(i);

			most = n > most ? n : most;
			sum += n;
		}
		add(line, most, sum);
	});
}

enum { GUARDED = 1000, ALL, INNER, SPLIT, CALLED, LATE };
#define AT (blockIdx.x * blockDim.x + threadIdx.x)

/* A guard, a uniform loop, and a loop that each lane leaves at a different time. */
__global__ void loops(int *to, int n, int rounds)
{
	int i = AT, sum = 0;

	if (i < n) {
		for (int k = 0; k < rounds; k++)
#line 1000
			sum += to[i + k * n];
#line 70
		for (int k = 0; k < i % 9; k++)
#line 1001
			sum ^= to[sum & 15];
#line 74
		to[i] = sum;
	}
}

/* Lanes diverge in a loop that all execute, and the divergent part contains a loop. */
__global__ void parts(int *to, int rounds)
{
	int i = AT, sum = 0;

	for (int k = 0; k < rounds; k++) {
		if ((i ^ k) & 3)
#line 1002
			sum += to[i + k];
#line 87
		else
			for (int j = 0; j < (i & 7); j++)
#line 1003
				sum -= to[j * 3 + k];
#line 92
	}
	to[i] = sum;
}

static __device__ __attribute__((noinline)) int helper(int *to, int x)
{
	if (x & 4)
#line 1004
		return to[x & 31];
#line 102
	return x;
}

__global__ void calls(int *to)
{
	to[AT] = helper(to, (int)AT);
}

/* Waves that exit early, and a block that few reach, after two guards. */
__global__ void leaves(int *to, int n)
{
	int i = AT;

	if (i >= n)
		return;
	to[i] += 3;
	if (i % 128 == 5)
#line 1005
		to[i] *= to[i + 1];
#line 121
}

/* Code that every wave executes. */
__global__ void plain(int *to)
{
#line 1006
	to[AT] = 1;
#line 128
}

/* Many blocks that execute at most once: more than there are registers for. */
template <int K> struct branches {
	static __device__ __forceinline__ void run(volatile int *to, int i)
	{
		if ((i * (K + 3) >> 4 & 3) == 1)
#line 1007
			to[i] = K;
#line 138
		branches<K - 1>::run(to, i);
	}
};

template <> struct branches<0> {
	static __device__ __forceinline__ void run(volatile int *, int)
	{
	}
};

template <int K> __global__ void many(int *to)
{
	branches<K>::run(to, AT);
}

template <int K> static void run_many(int *to)
{
	many<K><<<3, 160>>>(to);
	for (int k = 1; k <= K; k++)
		expect(1007, 3, 160, [&](int i) { return (i * (k + 3) >> 4 & 3) == 1; });
}

/* Loops in which the lanes of a wave are those of the block before: more than there are registers for. */
template <int K> struct repeats {
	static __device__ __forceinline__ void run(volatile int *to, int i, int rounds)
	{
		if ((i / 64 + K) % 3 == 1 || i * K % 7 == 2)
			for (int k = 0; k < rounds; k++)
#line 1008
				to[i + k] = K;
#line 170
		repeats<K - 1>::run(to, i, rounds);
	}
};

template <> struct repeats<0> {
	static __device__ __forceinline__ void run(volatile int *, int, int)
	{
	}
};

template <int K> __global__ void many_loops(int *to, int rounds)
{
	repeats<K>::run(to, AT, rounds);
}

template <int K> static void run_many_loops(int *to, int rounds)
{
	many_loops<K><<<3, 160>>>(to, rounds);
	for (int n = 1; n <= K; n++)
		expect(1008, 3, 160, [&](int i) {
			return (i / 64 + n) % 3 == 1 || i * n % 7 == 2 ? rounds : 0;
		});
}

int main()
{
	const int n = 1000, rounds = 7;
	int *to;

	CHECK(hipMalloc(&to, 1 << 20));
	CHECK(hipMemset(to, 1, 1 << 20));
	loops<<<10, 120>>>(to, n, rounds);
	parts<<<3, 192>>>(to, rounds);
	calls<<<2, 96>>>(to);
	leaves<<<5, 256>>>(to, n);
	plain<<<7, 33>>>(to);
	run_many<20>(to);
	run_many<50>(to);
	run_many<90>(to);
	run_many_loops<3>(to, rounds);
	run_many_loops<20>(to, rounds);
	run_many_loops<40>(to, rounds);
	CHECK(hipDeviceSynchronize());
	expect(1000, 10, 120, [&](int i) { return i < n ? rounds : 0; });
	expect(1001, 10, 120, [&](int i) { return i < n ? i % 9 : 0; });
	for (int k = 0; k < rounds; k++) {
		expect(1002, 3, 192, [&](int i) { return ((i ^ k) & 3) != 0; });
		expect(1003, 3, 192, [&](int i) { return (i ^ k) & 3 ? 0 : i & 7; });
	}
	expect(1004, 2, 96, [&](int i) { return (i & 4) != 0; });
	expect(1005, 5, 256, [&](int i) { return i < n && i % 128 == 5; });
	expect(1006, 7, 33, [&](int) { return 1; });
	for (auto &line : lines)
		printf("%d %ld %ld\n", line.first, line.second.executions, line.second.lanes);
}
