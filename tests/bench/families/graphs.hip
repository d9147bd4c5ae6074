// SPDX-License-Identifier: MIT
// Graphs and sparse matrices: data-dependent addresses.
#include "families.h"

struct csr {
	std::vector<int> start, column;
	std::vector<float> value;
};

// Rows of 0 to 40 entries, most of them short.
static csr random_csr(int rows, random_numbers &random)
{
	csr m;

	m.start.push_back(0);
	for (int r = 0; r < rows; r++) {
		int count = random.below(8) ? random.below(8) : random.below(40);

		for (int i = 0; i < count; i++) {
			m.column.push_back(random.below(rows));
			m.value.push_back(random.real());
		}
		m.start.push_back((int)m.column.size());
	}
	return m;
}

// ---- Sparse matrix times vector -------------------------------------------------------------------

__global__ void spmv_scalar(const int *start, const int *column, const float *value, const float *x,
			    float *y, int rows)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;

	if (row < rows) {
		float sum = 0;

		for (int i = start[row]; i < start[row + 1]; i++)
			sum += value[i] * x[column[i]];
		y[row] = sum;
	}
}

__global__ void spmv_vector(const int *start, const int *column, const float *value, const float *x,
			    float *y, int rows)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 64, lane = threadIdx.x & 63;
	float sum = 0;

	if (row >= rows)
		return;
	for (int i = start[row] + lane; i < start[row + 1]; i += 64)
		sum += value[i] * x[column[i]];
	for (int s = 32; s; s >>= 1)
		sum += __shfl_down(sum, s);
	if (lane == 0)
		y[row] = sum;
}

// ELLPACK, column major; -1 ends a row.
__global__ void spmv_ell(const int *column, const float *value, const float *x, float *y, int rows, int width)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (row >= rows)
		return;
	for (int i = 0; i < width; i++) {
		int c = column[i * rows + row];

		if (c < 0)
			break;
		sum += value[i * rows + row] * x[c];
	}
	y[row] = sum;
}

static void test_spmv(const csr &m, int rows, random_numbers &random)
{
	std::vector<float> x = random_floats(rows, random), want(rows);
	int width = 40;
	std::vector<int> ell_column(rows * width, -1);
	std::vector<float> ell_value(rows * width);

	for (int r = 0; r < rows; r++)
		for (int i = m.start[r]; i < m.start[r + 1]; i++) {
			want[r] += m.value[i] * x[m.column[i]];
			ell_column[(i - m.start[r]) * rows + r] = m.column[i];
			ell_value[(i - m.start[r]) * rows + r] = m.value[i];
		}
	device_array<int> start(m.start), column(m.column), ec(ell_column);
	device_array<float> value(m.value), dx(x), y(rows), ev(ell_value);

	spmv_scalar<<<(rows + 127) / 128, 128>>>(start.data, column.data, value.data, dx.data, y.data, rows);
	expect_near("scalar", y.host(), want, 1e-4f);
	spmv_vector<<<(rows + 3) / 4, 256>>>(start.data, column.data, value.data, dx.data, y.data, rows);
	expect_near("vector", y.host(), want, 1e-4f);
	spmv_ell<<<(rows + 127) / 128, 128>>>(ec.data, ev.data, dx.data, y.data, rows, width);
	expect_near("ELL", y.host(), want, 1e-4f);
}

// ---- Breadth-first search: by level over all vertices, and by a queue ----------------------------------

__global__ void bfs_level(const int *start, const int *column, int *level, int rows, int now, int *changed)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= rows || level[v] != now)
		return;
	for (int i = start[v]; i < start[v + 1]; i++)
		if (level[column[i]] < 0) {
			level[column[i]] = now + 1;
			*changed = 1;
		}
}

__global__ void bfs_queue(const int *start, const int *column, int *level, const int *queue, int size,
			  int *next, int *next_size, int now)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= size)
		return;
	int v = queue[i];

	for (int e = start[v]; e < start[v + 1]; e++) {
		int to = column[e];

		if (atomicCAS(&level[to], -1, now + 1) == -1)
			next[atomicAdd(next_size, 1)] = to;
	}
}

static void test_bfs(const csr &m, int rows)
{
	std::vector<int> want(rows, -1), order(1, 0), start_level(rows, -1);

	want[0] = start_level[0] = 0;
	for (size_t i = 0; i < order.size(); i++)
		for (int e = m.start[order[i]]; e < m.start[order[i] + 1]; e++)
			if (want[m.column[e]] < 0) {
				want[m.column[e]] = want[order[i]] + 1;
				order.push_back(m.column[e]);
			}
	device_array<int> start(m.start), column(m.column), level(start_level), other(start_level), flag(1),
		queue(rows), next(rows), size(1);
	int more = 1;

	for (int now = 0; more; now++) {
		HIP(hipMemset(flag.data, 0, sizeof(int)));
		bfs_level<<<(rows + 255) / 256, 256>>>(start.data, column.data, level.data, rows, now, flag.data);
		more = flag.host()[0];
	}
	expect_equal("level", level.host(), want);
	int *from = queue.data, *to = next.data;
	int count = 1;

	HIP(hipMemset(from, 0, sizeof(int)));
	for (int now = 0; count; now++) {
		HIP(hipMemset(size.data, 0, sizeof(int)));
		bfs_queue<<<(count + 63) / 64, 64>>>(start.data, column.data, other.data, from, count, to,
						     size.data, now);
		count = size.host()[0];
		std::swap(from, to);
	}
	expect_equal("queue", other.host(), want);
}

// ---- Page rank, triangles ---------------------------------------------------------------------------------

__global__ void page_rank(const int *start, const int *column, const float *rank, const int *degree,
			  float *next, int rows)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (v >= rows)
		return;
	for (int i = start[v]; i < start[v + 1]; i++) {
		int from = column[i];

		sum += rank[from] / degree[from];
	}
	next[v] = 0.15f / rows + 0.85f * sum;
}

// Common neighbours of the ends of each edge; lists are sorted.
__global__ void triangles(const int *start, const int *column, const int *source, unsigned *count, int edges)
{
	int e = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned found = 0;

	if (e >= edges)
		return;
	int i = start[source[e]], i_end = start[source[e] + 1];
	int j = start[column[e]], j_end = start[column[e] + 1];

	while (i < i_end && j < j_end) {
		int a = column[i], b = column[j];

		found += a == b;
		i += a <= b;
		j += b <= a;
	}
	if (found)
		atomicAdd(count, found);
}

static void test_ranks(csr m, int rows)
{
	std::vector<int> degree(rows, 1), source;
	std::vector<float> rank(rows, 1.0f / rows), want(rows);
	unsigned expected = 0;

	for (int v = 0; v < rows; v++) {
		std::sort(m.column.begin() + m.start[v], m.column.begin() + m.start[v + 1]);
		for (int i = m.start[v]; i < m.start[v + 1]; i++) {
			degree[m.column[i]]++;
			source.push_back(v);
		}
	}
	for (int v = 0; v < rows; v++) {
		float sum = 0;

		for (int i = m.start[v]; i < m.start[v + 1]; i++)
			sum += rank[m.column[i]] / degree[m.column[i]];
		want[v] = 0.15f / rows + 0.85f * sum;
	}
	for (size_t e = 0; e < source.size(); e++) {
		int i = m.start[source[e]], j = m.start[m.column[e]];

		while (i < m.start[source[e] + 1] && j < m.start[m.column[e] + 1]) {
			int a = m.column[i], b = m.column[j];

			expected += a == b;
			i += a <= b;
			j += b <= a;
		}
	}
	device_array<int> start(m.start), column(m.column), ddegree(degree), dsource(source);
	device_array<float> drank(rank), next(rows);
	device_array<unsigned> count(1);

	page_rank<<<(rows + 255) / 256, 256>>>(start.data, column.data, drank.data, ddegree.data, next.data, rows);
	expect_near("rank", next.host(), want, 1e-4f);
	triangles<<<((int)source.size() + 127) / 128, 128>>>(start.data, column.data, dsource.data, count.data,
							     (int)source.size());
	EXPECT(count.host()[0] == expected);
}

// ---- A hash table, a list, a search ----------------------------------------------------------------------

__global__ void hash_insert(unsigned *table, const unsigned *keys, int n, unsigned mask)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	unsigned slot = hash32(keys[i]) & mask;

	for (;;) {
		unsigned before = atomicCAS(&table[slot], 0u, keys[i]);

		if (before == 0 || before == keys[i])
			return;
		slot = (slot + 1) & mask;
	}
}

__global__ void hash_find(const unsigned *table, const unsigned *keys, int *found, int n, unsigned mask)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	unsigned slot = hash32(keys[i]) & mask, there;

	while ((there = table[slot]) != 0 && there != keys[i])
		slot = (slot + 1) & mask;
	found[i] = there != 0;
}

__global__ void binary_search(const int *sorted, int n, const int *keys, int *position, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	int low = 0, high = n;

	while (low < high) {
		int middle = (low + high) / 2;

		if (sorted[middle] < keys[i])
			low = middle + 1;
		else
			high = middle;
	}
	position[i] = low;
}

static void test_searches(random_numbers &random)
{
	const int n = 1500, slots = 4096;
	std::vector<unsigned> keys(n), asked(n);
	std::vector<int> want(n), sorted = random_ints(3000, 100000, random), places(n),
			 wanted = random_ints(n, 100000, random);

	for (int i = 0; i < n; i++)
		keys[i] = 2 * random.next() + 1;
	for (int i = 0; i < n; i++) {
		asked[i] = i % 2 ? keys[random.below(n)] : 2 * random.next();
		want[i] = asked[i] & 1;
	}
	asked[0] = keys[0], want[0] = 1;
	for (unsigned &a : asked)
		a = a ? a : 2;
	device_array<unsigned> table(slots), dkeys(keys), dasked(asked);
	device_array<int> found(n);

	hash_insert<<<(n + 255) / 256, 256>>>(table.data, dkeys.data, n, slots - 1);
	hash_find<<<(n + 255) / 256, 256>>>(table.data, dasked.data, found.data, n, slots - 1);
	expect_equal("hash table", found.host(), want);

	std::sort(sorted.begin(), sorted.end());
	for (int i = 0; i < n; i++)
		places[i] = (int)(std::lower_bound(sorted.begin(), sorted.end(), wanted[i]) - sorted.begin());
	device_array<int> dsorted(sorted), dwanted(wanted), position(n);

	binary_search<<<(n + 255) / 256, 256>>>(dsorted.data, (int)sorted.size(), dwanted.data, position.data, n);
	expect_equal("binary search", position.host(), places);
}

int main()
{
	random_numbers random;
	const int rows = 2000;
	csr m = random_csr(rows, random);

	test_spmv(m, rows, random);
	test_bfs(m, rows);
	test_ranks(m, rows);
	test_searches(random);
	return 0;
}
