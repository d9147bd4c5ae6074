// SPDX-License-Identifier: MIT
// Scans, sorts, histograms, layouts: data movement.
#include "families.h"

// ---- Scan, reduction, compaction ----------------------------------------------------------------------

// Blelloch's scan of a block, exclusive.
__global__ void scan_blocks(const int *in, int *out, int *sums)
{
	__shared__ int data[512];
	int id = threadIdx.x, offset = 1, base = blockIdx.x * 512;

	data[2 * id] = in[base + 2 * id];
	data[2 * id + 1] = in[base + 2 * id + 1];
	for (int d = 256; d > 0; d >>= 1) {
		__syncthreads();
		if (id < d)
			data[offset * (2 * id + 2) - 1] += data[offset * (2 * id + 1) - 1];
		offset *= 2;
	}
	if (id == 0) {
		sums[blockIdx.x] = data[511];
		data[511] = 0;
	}
	for (int d = 1; d < 512; d *= 2) {
		offset >>= 1;
		__syncthreads();
		if (id < d) {
			int a = offset * (2 * id + 1) - 1, b = offset * (2 * id + 2) - 1, t = data[a];

			data[a] = data[b];
			data[b] += t;
		}
	}
	__syncthreads();
	out[base + 2 * id] = data[2 * id];
	out[base + 2 * id + 1] = data[2 * id + 1];
}

__global__ void add_offsets(int *out, const int *offsets)
{
	out[blockIdx.x * 512 + threadIdx.x] += offsets[blockIdx.x];
	out[blockIdx.x * 512 + 256 + threadIdx.x] += offsets[blockIdx.x];
}

__global__ void reduce(const int *in, int *out, int n)
{
	int sum = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += in[i];
	for (int s = 32; s; s >>= 1)
		sum += __shfl_down(sum, s);
	if ((threadIdx.x & 63) == 0)
		atomicAdd(out, sum);
}

__global__ void compact(const int *in, int *out, int *count, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 63, base = 0;
	bool keep = i < n && in[i] % 3 == 0;
	unsigned long long mask = __ballot(keep);

	if (lane == 0)
		base = atomicAdd(count, __popcll(mask));
	base = __shfl(base, 0);
	if (keep)
		out[base + __popcll(mask & ((1ull << lane) - 1))] = in[i];
}

static void test_scans(random_numbers &random)
{
	const int n = 8 * 512;
	std::vector<int> in = random_ints(n, 100, random), want(n), kept, sums(8);
	int sum = 0;

	for (int i = 0; i < n; i++) {
		want[i] = sum;
		if (i % 512 == 0)
			sums[i / 512] = sum;
		sum += in[i];
		if (in[i] % 3 == 0)
			kept.push_back(in[i]);
	}
	device_array<int> din(in), out(n), block(8), offsets(sums), total(1), list(n), count(1);

	scan_blocks<<<8, 256>>>(din.data, out.data, block.data);
	add_offsets<<<8, 256>>>(out.data, offsets.data);
	expect_equal("scan", out.host(), want);
	reduce<<<4, 256>>>(din.data, total.data, n);
	EXPECT(total.host()[0] == sum);
	compact<<<n / 256, 256>>>(din.data, list.data, count.data, n);
	EXPECT(count.host()[0] == (int)kept.size());
	std::vector<int> got = list.host();

	got.resize(kept.size());
	std::sort(got.begin(), got.end());
	std::sort(kept.begin(), kept.end());
	expect_equal("compaction", got, kept);
}

// ---- Histograms ---------------------------------------------------------------------------------------------

__global__ void histogram_lds(const unsigned char *in, unsigned *bins, int n)
{
	__shared__ unsigned local[256];

	local[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&local[in[i]], 1u);
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void histogram_global(const unsigned char *in, unsigned *bins, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomicAdd(&bins[in[i]], 1u);
}

static void test_histograms(random_numbers &random)
{
	const int n = 20000;
	std::vector<unsigned char> in(n);
	std::vector<unsigned> want(256);

	for (unsigned char &c : in)
		want[c = (unsigned char)random.next()]++;
	device_array<unsigned char> din(in);
	device_array<unsigned> a(256), b(256);

	histogram_lds<<<8, 256>>>(din.data, a.data, n);
	expect_equal("LDS histogram", a.host(), want);
	histogram_global<<<(n + 255) / 256, 256>>>(din.data, b.data, n);
	expect_equal("global histogram", b.host(), want);
}

// ---- Sorts ------------------------------------------------------------------------------------------------------

__global__ void bitonic_lds(int *data)
{
	__shared__ int s[512];
	int base = blockIdx.x * 512;

	for (int i = threadIdx.x; i < 512; i += blockDim.x)
		s[i] = data[base + i];
	for (int size = 2; size <= 512; size *= 2)
		for (int step = size / 2; step > 0; step /= 2) {
			__syncthreads();
			int a = 2 * threadIdx.x - (threadIdx.x & (step - 1)), b = a + step;
			bool up = (a & size) == 0;

			if ((s[a] > s[b]) == up) {
				int t = s[a];

				s[a] = s[b];
				s[b] = t;
			}
		}
	__syncthreads();
	for (int i = threadIdx.x; i < 512; i += blockDim.x)
		data[base + i] = s[i];
}

// One pass over four bits, a block of keys per workgroup: ranks by ballots.
__global__ void radix_pass(const unsigned *in, unsigned *out, const unsigned *base, int shift)
{
	__shared__ unsigned seen[16];
	unsigned lane = threadIdx.x;

	if (lane < 16)
		seen[lane] = base[blockIdx.x * 16 + lane];
	__syncthreads();
	for (int i = 0; i < 4; i++) {
		unsigned key = in[blockIdx.x * 256 + i * 64 + lane], digit = key >> shift & 15;
		unsigned long long same = ~0ull;

		for (int b = 0; b < 4; b++) {
			unsigned long long ones = __ballot(digit >> b & 1);

			same &= digit >> b & 1 ? ones : ~ones;
		}
		unsigned rank = __popcll(same & ((1ull << lane) - 1));

		out[seen[digit] + rank] = key;
		__syncthreads();
		if (rank == 0)
			seen[digit] += __popcll(same);
		__syncthreads();
	}
}

static void test_sorts(random_numbers &random)
{
	std::vector<int> data = random_ints(4 * 512, 100000, random), want = data;
	std::vector<unsigned> keys(2048), sorted, base(8 * 16);
	device_array<int> ddata(data);

	for (int b = 0; b < 4; b++)
		std::sort(want.begin() + b * 512, want.begin() + (b + 1) * 512);
	bitonic_lds<<<4, 256>>>(ddata.data);
	expect_equal("bitonic", ddata.host(), want);
	for (unsigned &k : keys)
		k = random.next();
	sorted = keys;
	std::stable_sort(sorted.begin(), sorted.end(),
			 [](unsigned a, unsigned b) { return (a >> 4 & 15) < (b >> 4 & 15); });
	unsigned at = 0;

	for (unsigned digit = 0; digit < 16; digit++)
		for (int b = 0; b < 8; b++) {
			base[b * 16 + digit] = at;
			for (int i = 0; i < 256; i++)
				at += (keys[b * 256 + i] >> 4 & 15) == digit;
		}
	device_array<unsigned> din(keys), dbase(base), out(keys.size());

	radix_pass<<<8, 64>>>(din.data, out.data, dbase.data, 4);
	expect_equal("radix", out.host(), sorted);
}

// ---- Layouts ------------------------------------------------------------------------------------------------------

struct particle {
	float x, y, z, mass, vx, vy, vz;
};

__global__ void move_structs(particle *p, int n, float dt)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	p[i].x += p[i].vx * dt;
	p[i].y += p[i].vy * dt;
	p[i].z += p[i].vz * dt;
}

__global__ void to_arrays(const particle *p, float *x, float *y, float *z, float *mass, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		particle one = p[i];

		x[i] = one.x;
		y[i] = one.y;
		z[i] = one.z;
		mass[i] = one.mass;
	}
}

__global__ void transpose_padded(const float *in, float *out, int width, int height)
{
	__shared__ float tile[32][33];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

	for (int j = 0; j < 32; j += 8)
		if (x < width && y + j < height)
			tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x;
	y = blockIdx.x * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		if (x < height && y + j < width)
			out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// A chunk of bytes per work-item, as on a CPU.
__global__ void checksum_chunks(const unsigned char *in, unsigned *out, unsigned long bytes)
{
	unsigned long per = bytes / (gridDim.x * blockDim.x);
	unsigned long first = (blockIdx.x * blockDim.x + threadIdx.x) * per;
	unsigned sum = 1;

	for (unsigned long i = first; i < first + per; i++)
		sum = sum * 31 + in[i];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static void test_layouts(random_numbers &random)
{
	const int n = 1000, width = 90, height = 70;
	std::vector<particle> p(n);
	std::vector<float> x(n), y(n), in = random_floats(width * height, random), turned(in.size());
	std::vector<unsigned char> bytes(512 * 24);
	std::vector<unsigned> sums(512, 1);

	for (int i = 0; i < n; i++) {
		p[i] = {random.real(), random.real(), random.real(), 1, 2, 4, 8};
		x[i] = p[i].x + 1;
		y[i] = p[i].y + 2;
	}
	for (int i = 0; i < width * height; i++)
		turned[i % width * height + i / width] = in[i];
	for (size_t i = 0; i < bytes.size(); i++)
		sums[i / 24] = sums[i / 24] * 31 + (bytes[i] = (unsigned char)random.next());
	device_array<particle> dp(p);
	device_array<float> dx(n), dy(n), dz(n), dm(n), din(in), out(in.size());
	device_array<unsigned char> dbytes(bytes);
	device_array<unsigned> dsums(512);

	move_structs<<<(n + 127) / 128, 128>>>(dp.data, n, 0.5f);
	to_arrays<<<3, 128>>>(dp.data, dx.data, dy.data, dz.data, dm.data, n);
	expect_near("x", dx.host(), x, 1e-6f);
	expect_near("y", dy.host(), y, 1e-6f);
	transpose_padded<<<dim3((width + 31) / 32, (height + 31) / 32), dim3(32, 8)>>>(din.data, out.data, width,
										      height);
	expect_equal("transposed", out.host(), turned);
	checksum_chunks<<<4, 128>>>(dbytes.data, dsums.data, bytes.size());
	expect_equal("checksums", dsums.host(), sums);
}

int main()
{
	random_numbers random;

	test_scans(random);
	test_histograms(random);
	test_sorts(random);
	test_layouts(random);
	return 0;
}
