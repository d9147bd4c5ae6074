// SPDX-License-Identifier: MIT
// Loops with addresses from tables, which no proof covers: patterns that stay while their base
// moves, that change or alternate, that lanes leave; all for units of each size. Counters are
// compared with the addresses.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(hipError_t error)
{
	if (error != hipSuccess) {
		fprintf(stderr, "repeated_patterns: %s\n", hipGetErrorString(error));
		exit(1);
	}
}

enum { LANES = 64, TABLES = 10, MANY = 2600, BYTES = 1 << 20 };

struct three {
	int a, b, c;
};

// Uses all parts of a value, so that it is loaded as a whole.
template <typename T> static __device__ int as_int(const T &value)
{
	int words[(sizeof(T) + 3) / 4] = {}, sum = 0;

	__builtin_memcpy(words, &value, sizeof(T));
	for (int word : words)
		sum += word;
	return sum;
}

// A base that moves by a unit, and a second access that has the same cost wherever the first is.
template <typename T> __global__ void along(int *out, const T *in, const int *table, int rounds)
{
	int at = table[threadIdx.x], sum = 0;

	for (int i = 0; i < rounds; i++)
		sum += as_int(in[at + i]) + as_int(in[at + i + 128]);
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The same at addresses that cross cache lines in some iterations.
__global__ void askew(int *out, const char *in, const int *table, int rounds)
{
	typedef int odd __attribute__((aligned(1)));
	int at = table[threadIdx.x], sum = 0;

	for (int i = 0; i < rounds; i++)
		sum += *(const odd *)(in + at + i) + *(const odd *)(in + at + i + 256);
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Lanes leave one by one, or are active in rotation.
__global__ void leaving(int *out, const int *in, const int *table, const int *bound)
{
	int at = table[threadIdx.x], sum = 0;

	for (int i = 0; i < bound[threadIdx.x & 63]; i++) {
		sum += in[at + 64 * i];
		if ((i >> 2 & 1) == (threadIdx.x & 1))
			sum += in[at + i];
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Alternating patterns: a b a b, and a a a b b b, in nested loops.
__global__ void turns(int *out, const int *in, const int *a, const int *b, int rounds)
{
	int sum = 0;

	for (int r = 0; r < 3; r++)
		for (int i = 0; i < rounds; i++) {
			sum += in[i & 1 ? a[threadIdx.x] : b[threadIdx.x]];
			sum += in[(i / 3 & 1 ? a[threadIdx.x] : b[threadIdx.x]) + r];
		}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// In LDS, whose banks are all equal.
template <typename T> __global__ void banks(int *out, const int *table, int rounds)
{
	__shared__ T lds[512];
	int at = table[threadIdx.x], sum = 0;

	for (int i = threadIdx.x; i < 512; i += blockDim.x)
		lds[i] = T();
	__syncthreads();
	for (int i = 0; i < rounds; i++) {
		sum += as_int(lds[at + i & 511]);
		lds[at + 3 * i & 511] = T();
		__syncthreads();
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Accesses at uniform distances from each other: one cost holds for all, if it does not depend on
// the position in a cache line.
template <typename T> __global__ void apart(int *out, T *in, const int *table, int pitch, int rounds)
{
	__shared__ int lds[1024];
	int at = table[threadIdx.x], sum = 0;

	for (int i = threadIdx.x; i < 1024; i += blockDim.x)
		lds[i] = 0;
	__syncthreads();
	for (int i = 0; i < rounds; i++) {
		T *row = in + at + 4 * i * pitch;

		sum += as_int(row[0]) + as_int(row[pitch]) + as_int(row[2 * pitch]) + as_int(row[2 * pitch + 128]);
		if (i & 2)
			row[3 * pitch] = T();
		sum += lds[(at & 127) + i] + lds[(at & 127) + i + 8 * pitch];
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Several arrays with one index, and fields of one element: their distances are uniform, but
// whether the costs are equal depends on the launch.
struct cell {
	int a, gap[4], b, more[3];
	short c;
};

template <typename T>
__global__ void arrays(int *out, T *a, T *b, const T *c, cell *cells, const int *table, const int *steps,
		       int pitch, int rounds)
{
	int at = table[threadIdx.x], sum = 0;

	sum += as_int(a[at]) + as_int(b[at]) + as_int(c[at + 1]) + cells[at].a + cells[at].b + cells[at].c;
	if (threadIdx.x % 3) {
		b[at + 2] = T();
		a[at + 2] = c[at + 2];
	}
	for (int i = 0; i < rounds; i++) {
		int other = 4 * (at & 255) * pitch, row = (4 * (at & 255) | i & 3) * pitch;

		sum += as_int(a[row]) + as_int(b[other]) + as_int(c[other + steps[i & 7]]);
		sum += cells[at + i].b + cells[at + i].a + cells[at + 2].c;
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The first accesses have equal costs at any position in their lines. The second ones do not,
// because they may cross lines.
template <typename T> __global__ void second(int *out, const T *a, const T *b, const int *table, int rounds)
{
	int at = 128 * (table[threadIdx.x] & 255), sum = 0;

	for (int i = 0; i < rounds; i++)
		sum += as_int(a[at + i]) + as_int(b[at + i]);
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Proved addresses in loops with inactive lanes: one or several positions per line, aligned or not,
// alternating; lanes that leave and return; and a base that moves from one line into the next.
template <typename T> __global__ void rows(int *out, const T *in, const char *odd, int lanes, int rounds)
{
	int t = threadIdx.x, sum = 0;

	if (t % 5 == 3 || t >= lanes)
		return;
	for (int i = 0; i < rounds; i++)
		sum += as_int(in[128 * t + i]);
	for (int i = 0; i < rounds; i++)
		sum += as_int(in[33 * t + i]);
	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < rounds; i++)
			if (t > 9 || i & 8)
				sum += as_int(*(const T *)(odd + 256 * t + i));
		for (int i = 0; i < rounds; i++)
			sum += as_int(in[t + 256 * i / 8 * 8]);
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Accesses of several units.
struct lump {
	char bytes[36];
};

__global__ void copies(int *out, struct lump *lumps, const int *table, int lanes)
{
	int at = table[threadIdx.x];

	if ((int)threadIdx.x < lanes)
		lumps[at + 1] = lumps[at];
	out[threadIdx.x] = at;
}

// Atomic updates, in memory and in LDS; a wave that has ended may have exited before.
__global__ void updates(int *out, int *sums, const int *table, int rounds)
{
	__shared__ int lds[256];
	int at = table[threadIdx.x];

	lds[threadIdx.x] = 0;
	__syncthreads();
	if (at < 0)
		return;
	for (int i = 0; i < rounds; i++) {
		atomicAdd(&sums[at + (i & 3)], 1);
		atomicAdd(&lds[at + i & 255], 1);
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = lds[threadIdx.x];
}

// Consecutive loops, more than there is capacity for.
__global__ void many(int *out, const int *in, const int *table, int rounds)
{
	int sum = 0;

#pragma unroll
	for (int k = 0; k < 12; k++) {
		int at = table[threadIdx.x + (k & 7) * LANES];

#pragma nounroll
		for (int i = 0; i < rounds; i++)
			sum += in[at + i * 32 + k];
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Each table has LANES entries: rows of several pitches, one position, random order, and so on.
static std::vector<int> tables()
{
	std::vector<int> table(TABLES * LANES);
	unsigned seed = 1;

	for (int lane = 0; lane < LANES; lane++) {
		int *of = &table[lane];

		seed = seed * 1664525 + 1013904223;
		of[0 * LANES] = lane;
		of[1 * LANES] = 77;
		of[2 * LANES] = lane * 100;
		of[3 * LANES] = (lane * 37 & 63) * 64;
		of[4 * LANES] = (int)(seed >> 20);
		of[5 * LANES] = (63 - lane) * 33;
		of[6 * LANES] = lane / 8 * 200 + lane % 8;
		of[7 * LANES] = lane & 1;
		of[8 * LANES] = lane * 8;
		of[9 * LANES] = lane == 63 ? 4000 : lane * 2;
	}
	return table;
}

template <typename T> static void sizes(int *out, void *in, const int *table, int k)
{
	apart<T><<<1, LANES>>>(out, (T *)in, table + k * LANES, 11, 20);
	apart<T><<<1, LANES - 60 * (k & 1)>>>(out, (T *)in, table + k * LANES, 64, 9);
	along<T><<<2, LANES>>>(out, (const T *)in, table + k * LANES, 20);
	rows<T><<<2, LANES>>>(out, (const T *)in, (const char *)in + k, 60 - 5 * k, 20);
	rows<T><<<1, 3 * LANES>>>(out, (const T *)in + k, (const char *)in + 8 * k, 150, 40);
	second<T><<<1, LANES>>>(out, (const T *)in, (const T *)((char *)in + 3 * k), table + k * LANES, 20);
	arrays<T><<<1, LANES>>>(out, (T *)in, (T *)in + 4096 + k, (const T *)in + 1024 + 3 * k, (cell *)in,
				table + k * LANES, table, k & 1 ? 1 : 11, 12);
	arrays<T><<<1, LANES>>>(out, (T *)in, (T *)((char *)in + 65536), (const T *)((char *)in + 4097 + k),
				(cell *)((char *)in + 20 * k), table + k * LANES, table, 32, 9);
	banks<T><<<1, LANES>>>(out, table + k * LANES, 24);
	check(hipGetLastError());
}

int main()
{
	std::vector<int> table = tables(), bound(LANES), large(4 * LANES);
	int *out, *in, *places, *bounds, *places_large;

	for (int i = 0; i < LANES; i++)
		bound[i] = i * 7 % 40;
	/* Four waves, of which the last exits early. */
	for (int i = 0; i < 4 * LANES; i++)
		large[i] = i < 3 * LANES ? table[(i / LANES + 6) * LANES + i % LANES] & 255 : -1;
	check(hipMalloc((void **)&out, 4 * LANES * 4 * sizeof(int)));
	check(hipMalloc((void **)&in, BYTES));
	check(hipMalloc((void **)&places, table.size() * sizeof(int)));
	check(hipMalloc((void **)&bounds, bound.size() * sizeof(int)));
	check(hipMalloc((void **)&places_large, large.size() * sizeof(int)));
	check(hipMemset(in, 0, BYTES));
	check(hipMemcpy(places, table.data(), table.size() * sizeof(int), hipMemcpyHostToDevice));
	check(hipMemcpy(bounds, bound.data(), bound.size() * sizeof(int), hipMemcpyHostToDevice));
	check(hipMemcpy(places_large, large.data(), large.size() * sizeof(int), hipMemcpyHostToDevice));
	for (int k = 0; k < TABLES; k++) {
		const int *at = places + k * LANES;

		sizes<char>(out, in, places, k);
		sizes<short>(out, in, places, k);
		sizes<int>(out, in, places, k);
		sizes<double>(out, in, places, k);
		sizes<int4>(out, in, places, k);
		sizes<three>(out, in, places, k);
		copies<<<1, LANES>>>(out, (struct lump *)in, at, LANES);
		copies<<<1, LANES>>>(out, (struct lump *)in, at, k);
		askew<<<1, LANES>>>(out, (const char *)in, at, 70);
		leaving<<<2, LANES>>>(out, in, at, bounds);
		turns<<<1, LANES - 5>>>(out, in, at, places + (k + 1) % TABLES * LANES, 20);
		check(hipGetLastError());
	}
	along<int><<<1, LANES>>>(out, in, places + 3 * LANES, MANY);
	banks<int><<<1, LANES>>>(out, places + 3 * LANES, MANY);
	along<int><<<1, 1>>>(out, in, places, MANY);
	updates<<<2, 4 * LANES>>>(out, in, places_large, 30);
	many<<<2, LANES>>>(out, in, places, 6);
	check(hipGetLastError());
	check(hipDeviceSynchronize());
	printf("repeated_patterns: done\n");
	return 0;
}
