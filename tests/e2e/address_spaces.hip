// SPDX-License-Identifier: MIT
// Accesses to constant memory and scratch. The program prints what their cache lines cost: source
// line, executions, lanes, cache lines of 64 and of 128 bytes, by the rules in
// docs/instrumenting.md.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

enum { LANES = 160, GROUPS = 3, OWN = 40, TABLE = 512 };

__constant__ __attribute__((aligned(1024))) int table[TABLE];

static void check(hipError_t error)
{
	if (error != hipSuccess) {
		fprintf(stderr, "spaces: %s\n", hipGetErrorString(error));
		exit(1);
	}
}

__global__ void own_array(int *out, const int *in)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, own[OWN];

	for (int k = 0; k < OWN; k++)
#line 1001
		own[k] = in[i + k];
#line 1002
	out[i] = own[in[i] % OWN];
}

struct __attribute__((packed)) odd {
	char first;
	short pairs[OWN];
};

__global__ void own_shorts(int *out, const int *in)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	odd own;

	for (int k = 0; k < OWN; k++)
#line 1003
		own.pairs[k] = (short)(in[i + k] + k);
#line 1004
	out[i] = own.pairs[in[i] % OWN];
}

__global__ void constants(int *out, const int *in, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

#line 1005
	int v = table[n];
#line 1006
	v += table[in[i] % TABLE];
	out[i] = v;
}
#line 62

// Bytes `first` and up of each lane's own scratch, `bytes` of them, in pieces that are in one dword
// each.
static uint64_t place(unsigned lane, unsigned byte)
{
	return uint64_t(byte / 4) * 256 + lane * 4 + byte % 4;
}

struct cost {
	unsigned long executions, lanes, lines64, lines128;
};

// One execution per wave and piece.
template <typename F> static cost count(F address)
{
	cost sum{};

	for (unsigned i = 0; i < GROUPS * LANES;) {
		unsigned left = LANES - i % LANES, lanes = left < 64 ? left : 64;
		std::set<uint64_t> lines64, lines128;

		for (unsigned lane = 0; lane < lanes; lane++) {
			lines64.insert(address(i + lane, lane) / 64);
			lines128.insert(address(i + lane, lane) / 128);
		}
		sum.executions++;
		sum.lanes += lanes;
		sum.lines64 += lines64.size();
		sum.lines128 += lines128.size();
		i += lanes;
	}
	return sum;
}

static void add(cost &sum, const cost &more)
{
	sum.executions += more.executions;
	sum.lanes += more.lanes;
	sum.lines64 += more.lines64;
	sum.lines128 += more.lines128;
}

static void say(int line, const cost &sum)
{
	printf("%d %lu %lu %lu %lu\n", line, sum.executions, sum.lanes, sum.lines64, sum.lines128);
}

int main()
{
	std::vector<int> in(GROUPS * LANES + OWN);
	cost all{}, pieces{};
	int *from, *to;

	for (size_t i = 0; i < in.size(); i++)
		in[i] = int(i * 37 % 1009);
	check(hipMalloc(&from, in.size() * sizeof(int)));
	check(hipMalloc(&to, in.size() * sizeof(int)));
	check(hipMemcpy(from, in.data(), in.size() * sizeof(int), hipMemcpyHostToDevice));
	own_array<<<GROUPS, LANES>>>(to, from);
	own_shorts<<<GROUPS, LANES>>>(to, from);
	constants<<<GROUPS, LANES>>>(to, from, 7);
	check(hipDeviceSynchronize());
	for (unsigned k = 0; k < OWN; k++)
		add(all, count([=](unsigned, unsigned lane) { return place(lane, 4 * k); }));
	say(1001, all);
	say(1002, count([&](unsigned i, unsigned lane) { return place(lane, in[i] % OWN * 4); }));
	all = {};
	for (unsigned byte = 1; byte < 1 + 2 * OWN; byte++)
		add(all, count([=](unsigned, unsigned lane) { return place(lane, byte); }));
	say(1003, all);
	for (unsigned byte = 0; byte < 2; byte++)
		add(pieces, count([&](unsigned i, unsigned lane) {
			    return place(lane, 1 + in[i] % OWN * 2 + byte);
		    }));
	say(1004, pieces);
	say(1005, count([](unsigned, unsigned) { return 28; }));
	say(1006, count([&](unsigned i, unsigned) { return in[i] % TABLE * 4; }));
	return 0;
}
