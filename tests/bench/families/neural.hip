// SPDX-License-Identifier: MIT
// Layers of neural networks: attention, normalisation, softmax, embedding, quantisation.
#include "families.h"

// ---- Attention: one workgroup per block of queries, keys and values by tiles in LDS --------------

template <int D, int TILE>
__global__ void attention(const float *q, const float *k, const float *v, float *out, int n, float scale)
{
	__shared__ float keys[TILE][D], values[TILE][D];
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float query[D], sum[D] = {}, most = -1e30f, total = 0;

	for (int d = 0; d < D; d++)
		query[d] = q[row * D + d] * scale;
	for (int start = 0; start < n; start += TILE) {
		for (int i = threadIdx.x; i < TILE * D; i += blockDim.x) {
			keys[i / D][i % D] = k[(start + i / D) * D + i % D];
			values[i / D][i % D] = v[(start + i / D) * D + i % D];
		}
		__syncthreads();
		for (int j = 0; j < TILE; j++) {
			float score = 0, before = most;

			for (int d = 0; d < D; d++)
				score += query[d] * keys[j][d];
			most = fmaxf(most, score);
			float keep = __expf(before - most), weight = __expf(score - most);

			total = total * keep + weight;
			for (int d = 0; d < D; d++)
				sum[d] = sum[d] * keep + weight * values[j][d];
		}
		__syncthreads();
	}
	for (int d = 0; d < D; d++)
		out[row * D + d] = sum[d] / total;
}

static void test_attention(random_numbers &random)
{
	const int n = 256, d = 16;
	std::vector<float> q = random_floats(n * d, random), k = random_floats(n * d, random),
			   v = random_floats(n * d, random), want(n * d);
	device_array<float> dq(q), dk(k), dv(v), out(n * d);

	attention<d, 32><<<n / 64, 64>>>(dq.data, dk.data, dv.data, out.data, n, 0.25f);
	for (int i = 0; i < n; i++) {
		std::vector<double> weight(n);
		double total = 0;

		for (int j = 0; j < n; j++) {
			double score = 0;

			for (int e = 0; e < d; e++)
				score += q[i * d + e] * 0.25 * k[j * d + e];
			total += weight[j] = std::exp(score);
		}
		for (int e = 0; e < d; e++) {
			double sum = 0;

			for (int j = 0; j < n; j++)
				sum += weight[j] * v[j * d + e];
			want[i * d + e] = (float)(sum / total);
		}
	}
	expect_near("attention", out.host(), want, 1e-3f);
}

// ---- Rows: softmax, layer norm, RMS norm ----------------------------------------------------------

__device__ static float block_sum(float x, float *scratch)
{
	scratch[threadIdx.x] = x;
	__syncthreads();
	for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
		if (threadIdx.x < s)
			scratch[threadIdx.x] += scratch[threadIdx.x + s];
		__syncthreads();
	}
	float sum = scratch[0];

	__syncthreads();
	return sum;
}

__global__ void softmax(const float *in, float *out, int columns)
{
	__shared__ float scratch[128];
	const float *row = in + (size_t)blockIdx.x * columns;
	float most = -1e30f, sum = 0;

	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		most = fmaxf(most, row[i]);
	scratch[threadIdx.x] = most;
	__syncthreads();
	for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
		if (threadIdx.x < s)
			scratch[threadIdx.x] = fmaxf(scratch[threadIdx.x], scratch[threadIdx.x + s]);
		__syncthreads();
	}
	most = scratch[0];
	__syncthreads();
	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		sum += __expf(row[i] - most);
	sum = block_sum(sum, scratch);
	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		out[(size_t)blockIdx.x * columns + i] = __expf(row[i] - most) / sum;
}

__global__ void layer_norm(const float *in, const float *gain, const float *bias, float *out, int columns)
{
	__shared__ float scratch[128];
	const float *row = in + blockIdx.x * columns;
	float sum = 0, square = 0;

	for (int i = threadIdx.x; i < columns; i += blockDim.x) {
		sum += row[i];
		square += row[i] * row[i];
	}
	float mean = block_sum(sum, scratch) / columns;
	float variance = block_sum(square, scratch) / columns - mean * mean;
	float scale = rsqrtf(variance + 1e-5f);

	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		out[blockIdx.x * columns + i] = (row[i] - mean) * scale * gain[i] + bias[i];
}

// One wave per row, four elements per lane and step.
__global__ void rms_norm(const float4 *in, const float4 *gain, float4 *out, int quads, int rows)
{
	int row = blockIdx.x * (blockDim.x / 64) + threadIdx.x / 64, lane = threadIdx.x % 64;
	float square = 0;

	if (row >= rows)
		return;
	for (int i = lane; i < quads; i += 64) {
		float4 x = in[row * quads + i];

		square += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
	}
	for (int s = 32; s > 0; s /= 2)
		square += __shfl_xor(square, s);
	float scale = rsqrtf(square / (4 * quads) + 1e-5f);

	for (int i = lane; i < quads; i += 64) {
		float4 x = in[row * quads + i], g = gain[i];

		out[row * quads + i] = make_float4(x.x * scale * g.x, x.y * scale * g.y, x.z * scale * g.z,
						   x.w * scale * g.w);
	}
}

static void test_rows(random_numbers &random)
{
	const int rows = 37, columns = 300;
	std::vector<float> in = random_floats(rows * columns, random), gain = random_floats(columns, random),
			   bias = random_floats(columns, random), soft(in.size()), layer(in.size()),
			   rms(in.size());
	device_array<float> din(in), dgain(gain), dbias(bias), out(in.size());

	for (int r = 0; r < rows; r++) {
		double total = 0, sum = 0, square = 0;

		for (int c = 0; c < columns; c++) {
			float x = in[r * columns + c];

			total += std::exp((double)x);
			sum += x;
			square += (double)x * x;
		}
		double mean = sum / columns;
		double scale = 1 / std::sqrt(square / columns - mean * mean + 1e-5);

		for (int c = 0; c < columns; c++) {
			float x = in[r * columns + c];

			soft[r * columns + c] = (float)(std::exp((double)x) / total);
			layer[r * columns + c] = (float)((x - mean) * scale * gain[c] + bias[c]);
			rms[r * columns + c] = (float)(x / std::sqrt(square / columns + 1e-5) * gain[c]);
		}
	}
	softmax<<<rows, 128>>>(din.data, out.data, columns);
	expect_near("softmax", out.host(), soft, 1e-4f);
	layer_norm<<<rows, 128>>>(din.data, dgain.data, dbias.data, out.data, columns);
	expect_near("layer norm", out.host(), layer, 1e-3f);
	rms_norm<<<(rows + 3) / 4, 256>>>((float4 *)din.data, (float4 *)dgain.data, (float4 *)out.data,
					  columns / 4, rows);
	expect_near("RMS norm", out.host(), rms, 1e-3f);
}

// ---- Elements: rotary embedding, embedding bag, quantisation ----------------------------------------

__global__ void rotary(float2 *x, const int *position, int heads, int half)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, token = i / (heads * half), pair = i % half;
	float angle = position[token] * __powf(10000.0f, -(float)pair / half), s, c;

	__sincosf(angle, &s, &c);
	float2 v = x[i];

	x[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

__global__ void embedding_bag(const float *table, const int *index, const int *start, float *out, int width)
{
	int bag = blockIdx.x, column = threadIdx.x;
	float sum = 0;

	for (int i = start[bag]; i < start[bag + 1]; i++)
		sum += table[(size_t)index[i] * width + column];
	out[bag * width + column] = sum;
}

__global__ void quantise(const float *in, int8_t *out, float *scales, int columns)
{
	__shared__ float scratch[256];
	float most = 0;

	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		most = fmaxf(most, fabsf(in[blockIdx.x * columns + i]));
	scratch[threadIdx.x] = most;
	__syncthreads();
	for (int s = 128; s > 0; s >>= 1) {
		if ((int)threadIdx.x < s)
			scratch[threadIdx.x] = fmaxf(scratch[threadIdx.x], scratch[threadIdx.x + s]);
		__syncthreads();
	}
	float scale = scratch[0] / 127;

	if (threadIdx.x == 0)
		scales[blockIdx.x] = scale;
	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		out[blockIdx.x * columns + i] = (int8_t)rintf(in[blockIdx.x * columns + i] / scale);
}

static void test_elements(random_numbers &random)
{
	const int tokens = 24, heads = 4, half = 32, words = 500, width = 64, bags = 40;
	std::vector<float> x = random_floats(tokens * heads * half * 2, random), turned(x.size()),
			   table = random_floats(words * width, random), bag(bags * width);
	std::vector<int> position = random_ints(tokens, 50, random), index, start(1, 0);

	for (int i = 0; i < tokens * heads * half; i++) {
		double angle = position[i / (heads * half)] * std::pow(10000.0, -(double)(i % half) / half);
		double s = std::sin(angle), c = std::cos(angle);

		turned[2 * i] = (float)(x[2 * i] * c - x[2 * i + 1] * s);
		turned[2 * i + 1] = (float)(x[2 * i] * s + x[2 * i + 1] * c);
	}
	device_array<float> dx(x);
	device_array<int> dposition(position);

	rotary<<<tokens * heads * half / 128, 128>>>((float2 *)dx.data, dposition.data, heads, half);
	expect_near("rotary", dx.host(), turned, 2e-3f);

	for (int b = 0; b < bags; b++) {
		int count = random.below(9);

		for (int i = 0; i < count; i++) {
			index.push_back(random.below(words));
			for (int c = 0; c < width; c++)
				bag[b * width + c] += table[index.back() * width + c];
		}
		start.push_back((int)index.size());
	}
	device_array<float> dtable(table), dbag(bag.size());
	device_array<int> dindex(index), dstart(start);

	embedding_bag<<<bags, width>>>(dtable.data, dindex.data, dstart.data, dbag.data, width);
	expect_near("embedding bag", dbag.host(), bag, 1e-5f);

	const int rows = 16, columns = 700;
	std::vector<float> in = random_floats(rows * columns, random), scales(rows);
	std::vector<int8_t> small(in.size());

	for (int r = 0; r < rows; r++) {
		for (int c = 0; c < columns; c++)
			scales[r] = std::fmax(scales[r], std::fabs(in[r * columns + c]));
		scales[r] /= 127;
		for (int c = 0; c < columns; c++)
			small[r * columns + c] = (int8_t)std::rint(in[r * columns + c] / scales[r]);
	}
	device_array<float> din(in), dscales(rows);
	device_array<int8_t> out(in.size());

	quantise<<<rows, 256>>>(din.data, out.data, dscales.data, columns);
	expect_near("scales", dscales.host(), scales, 1e-6f);
	expect_equal("quantised", out.host(), small);
}

int main()
{
	random_numbers random;

	test_attention(random);
	test_rows(random);
	test_elements(random);
	return 0;
}
