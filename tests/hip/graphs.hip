// SPDX-License-Identifier: MIT
// Irregular memory: breadth-first search by frontiers, shortest paths, sparse matrix times vector,
// connected components by pointer jumping, Floyd-Warshall.
#include "hip_test.h"

#include <algorithm>

struct csr {
	std::vector<uint32_t> start, to;
};

// Every node has from 0 to 6 neighbours; the last fifty nodes are an island.
static csr make_graph(uint32_t n)
{
	csr graph;

	for (uint32_t i = 0; i < n; i++) {
		graph.start.push_back((uint32_t)graph.to.size());
		for (uint32_t k = 0; k < hash32(i) % 7; k++)
			graph.to.push_back(i < n - 50 ? hash32(i * 8 + k) % (n - 50)
						      : n - 50 + hash32(i * 8 + k) % 50);
	}
	graph.start.push_back((uint32_t)graph.to.size());
	return graph;
}

__global__ void expand(const uint32_t *start, const uint32_t *to, uint32_t *depth,
		       const uint32_t *frontier, const uint32_t *size, uint32_t *next,
		       uint32_t *next_size, uint32_t level)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < *size;
	     i += gridDim.x * blockDim.x) {
		uint32_t node = frontier[i];

		for (uint32_t k = start[node]; k < start[node + 1]; k++)
			if (atomicCAS(&depth[to[k]], ~0u, level) == ~0u)
				next[atomicAdd(next_size, 1u)] = to[k];
	}
}

// Bellman-Ford with atomicMin; the weight of an edge is made of its ends.
__host__ __device__ static uint32_t weight(uint32_t a, uint32_t b)
{
	return 1 + hash32(a * 31 + b) % 20;
}

__global__ void relax(const uint32_t *start, const uint32_t *to, uint32_t *distance, uint32_t n,
		      uint32_t *changed)
{
	uint32_t node = blockIdx.x * blockDim.x + threadIdx.x;

	if (node >= n || distance[node] == ~0u)
		return;
	for (uint32_t k = start[node]; k < start[node + 1]; k++) {
		uint32_t far = distance[node] + weight(node, to[k]);

		if (atomicMin(&distance[to[k]], far) > far)
			*changed = 1;
	}
}

// A wave per row.
__global__ void multiply(const uint32_t *start, const uint32_t *to, const double *x, double *y)
{
	double sum = 0;

	for (uint32_t k = start[blockIdx.x] + threadIdx.x; k < start[blockIdx.x + 1]; k += 64)
		sum += weight(blockIdx.x, to[k]) * x[to[k]];
	for (int step = 32; step; step /= 2)
		sum += __shfl_xor(sum, step);
	if (!threadIdx.x)
		y[blockIdx.x] = sum;
}

__global__ void hook(const uint32_t *start, const uint32_t *to, uint32_t *parent, uint32_t n,
		     uint32_t *changed)
{
	uint32_t node = blockIdx.x * blockDim.x + threadIdx.x;

	if (node >= n)
		return;
	for (uint32_t k = start[node]; k < start[node + 1]; k++) {
		uint32_t a = parent[node], b = parent[to[k]];

		if (a == b)
			continue;
		if (atomicMin(&parent[max(a, b)], min(a, b)) > min(a, b))
			*changed = 1;
	}
}

__global__ void jump(uint32_t *parent, uint32_t n)
{
	uint32_t node = blockIdx.x * blockDim.x + threadIdx.x;

	if (node < n)
		while (parent[node] != parent[parent[node]])
			parent[node] = parent[parent[node]];
}

__global__ void warshall(int *distance, int n, int k)
{
	int i = blockIdx.x, j = threadIdx.x;

	distance[i * n + j] = min(distance[i * n + j], distance[i * n + k] + distance[k * n + j]);
}

static std::vector<uint32_t> host_depths(const csr &graph, uint32_t n)
{
	std::vector<uint32_t> depth(n, ~0u), queue = {0};

	depth[0] = 0;
	for (size_t i = 0; i < queue.size(); i++)
		for (uint32_t k = graph.start[queue[i]]; k < graph.start[queue[i] + 1]; k++)
			if (depth[graph.to[k]] == ~0u) {
				depth[graph.to[k]] = depth[queue[i]] + 1;
				queue.push_back(graph.to[k]);
			}
	return depth;
}

static std::vector<uint32_t> host_distances(const csr &graph, uint32_t n)
{
	std::vector<uint32_t> distance(n, ~0u);
	bool changed = true;

	distance[0] = 0;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t k = graph.start[i];
			     distance[i] != ~0u && k < graph.start[i + 1]; k++)
				if (distance[i] + weight(i, graph.to[k]) < distance[graph.to[k]]) {
					distance[graph.to[k]] =
						distance[i] + weight(i, graph.to[k]);
					changed = true;
				}
	}
	return distance;
}

static uint32_t root_of(const std::vector<uint32_t> &parent, uint32_t i)
{
	while (parent[i] != i)
		i = parent[i];
	return i;
}

int main()
{
	const uint32_t n = 1500, groups = (n + 127) / 128, small = 48;
	const csr graph = make_graph(n);
	device_array<uint32_t> start(graph.start), to(graph.to);
	std::vector<uint32_t> first(n, ~0u), numbers(n), word(1);

	first[0] = 0;
	device_array<uint32_t> depth(first), a(n), b(n), sizes((size_t)64);
	const uint32_t one = 1;
	HIP(hipMemcpy(sizes.data, &one, 4, hipMemcpyHostToDevice));
	for (uint32_t level = 1; level < 64; level++)
		expand<<<3, 64>>>(start.data, to.data, depth.data, level % 2 ? a.data : b.data,
				  sizes.data + level - 1, level % 2 ? b.data : a.data,
				  sizes.data + level, level);
	expect_equal("breadth first", depth.host(), host_depths(graph, n));

	device_array<uint32_t> distance(first), changed((size_t)1);
	do {
		HIP(hipMemset(changed.data, 0, 4));
		relax<<<groups, 128>>>(start.data, to.data, distance.data, n, changed.data);
	} while (changed.host()[0]);
	expect_equal("shortest paths", distance.host(), host_distances(graph, n));

	std::vector<double> x(n), y(n, 0);
	for (uint32_t i = 0; i < n; i++)
		x[i] = hash32(i) % 64;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = graph.start[i]; k < graph.start[i + 1]; k++)
			y[i] += weight(i, graph.to[k]) * x[graph.to[k]];
	device_array<double> dx(x), dy(y.size());
	multiply<<<n, 64>>>(start.data, to.data, dx.data, dy.data);
	expect_equal("sparse product", dy.host(), y);

	for (uint32_t i = 0; i < n; i++)
		numbers[i] = i;
	device_array<uint32_t> parent(numbers);
	do {
		HIP(hipMemset(changed.data, 0, 4));
		hook<<<groups, 128>>>(start.data, to.data, parent.data, n, changed.data);
		jump<<<groups, 128>>>(parent.data, n);
	} while (changed.host()[0]);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = graph.start[i]; k < graph.start[i + 1]; k++) {
			uint32_t p = root_of(numbers, i), q = root_of(numbers, graph.to[k]);

			numbers[std::max(p, q)] = std::min(p, q);
		}
	for (uint32_t i = 0; i < n; i++)
		numbers[i] = root_of(numbers, i);
	expect_equal("components", parent.host(), numbers);

	std::vector<int> matrix(small * small);
	for (uint32_t i = 0; i < small * small; i++)
		matrix[i] = i % (small + 1) ? 1 + hash32(i) % 1000 : 0;
	device_array<int> dmatrix(matrix);
	for (uint32_t k = 0; k < small; k++) {
		warshall<<<small, small>>>(dmatrix.data, small, k);
		for (uint32_t i = 0; i < small; i++)
			for (uint32_t j = 0; j < small; j++)
				matrix[i * small + j] =
					std::min(matrix[i * small + j],
						 matrix[i * small + k] + matrix[k * small + j]);
	}
	expect_equal("warshall", dmatrix.host(), matrix);
	return 0;
}
