// SPDX-License-Identifier: MIT
// Integers and bytes: SHA-256, CRC-32 by table, Levenshtein distance, a string search, a hash table
// with open addressing, a Monte Carlo estimate with a counted generator.
#include "hip_test.h"

#include <string>

__host__ __device__ static uint32_t turn(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

__constant__ uint32_t k256[64];
static uint32_t host_k256[64];

// Fractional parts of the cube roots of the first 64 primes, by integers alone.
static void make_constants()
{
	int n = 0;

	for (uint32_t p = 2; n < 64; p++) {
		unsigned __int128 low = 0, high = (unsigned __int128)8 << 32;
		bool prime = true;

		for (uint32_t d = 2; d * d <= p; d++)
			prime = prime && p % d;
		if (!prime)
			continue;
		while (high - low > 1) {
			unsigned __int128 mid = (low + high) / 2;

			if (mid * mid * mid <= (unsigned __int128)p << 96)
				low = mid;
			else
				high = mid;
		}
		host_k256[n++] = (uint32_t)low;
	}
}

__host__ __device__ static void sha256(const uint32_t *k, uint32_t number, uint32_t *ret)
{
	uint32_t w[64] = {number, 0x80000000}, s[8],
		 h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	w[15] = 32;
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
	for (int i = 0; i < 8; i++)
		s[i] = h[i];
	for (int i = 0; i < 64; i++) {
		uint32_t t1 = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
			      ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
		uint32_t t2 = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
			      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		for (int j = 7; j; j--)
			s[j] = s[j - 1];
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		ret[i] = h[i] + s[i];
}

__global__ void digests(uint32_t *out)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	sha256(k256, i, out + 8 * i);
}

__global__ void crc(const uint8_t *bytes, uint32_t each, uint32_t *out)
{
	__shared__ uint32_t table[256];
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, sum = ~0u;

	for (uint32_t at = threadIdx.x; at < 256; at += blockDim.x) {
		uint32_t entry = at;

		for (int bit = 0; bit < 8; bit++)
			entry = entry & 1 ? entry >> 1 ^ 0xedb88320 : entry >> 1;
		table[at] = entry;
	}
	__syncthreads();
	for (uint32_t at = 0; at < each; at++)
		sum = table[(sum ^ bytes[i * each + at]) & 255] ^ sum >> 8;
	out[i] = ~sum;
}

static uint32_t host_crc(const uint8_t *bytes, uint32_t n)
{
	uint32_t sum = ~0u;

	for (uint32_t i = 0; i < n; i++) {
		sum ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum & 1 ? sum >> 1 ^ 0xedb88320 : sum >> 1;
	}
	return ~sum;
}

__global__ void search(const char *text, int n, const char *word, int length, uint32_t *found)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x, i = 0;

	if (at + length > n)
		return;
	while (i < length && text[at + i] == word[i])
		i++;
	if (i == length)
		atomicOr(&found[at / 32], 1u << at % 32);
}

// Distances of one word to many, private arrays in scratch.
__host__ __device__ static int levenshtein(const char *a, int n, const char *b, int m)
{
	int row[33];

	for (int j = 0; j <= m; j++)
		row[j] = j;
	for (int i = 1; i <= n; i++) {
		int corner = row[0];

		row[0] = i;
		for (int j = 1; j <= m; j++) {
			int best = corner + (a[i - 1] != b[j - 1]);

			corner = row[j];
			best = row[j] + 1 < best ? row[j] + 1 : best;
			row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
		}
	}
	return row[m];
}

__global__ void distances(const char *text, int length, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = levenshtein(text, length, text + i, length - i % 7);
}

__global__ void insert(uint64_t *table, uint32_t room, uint32_t keys)
{
	uint32_t key = blockIdx.x * blockDim.x + threadIdx.x + 1;
	uint64_t entry = (uint64_t)hash32(key) << 32 | key;

	if (key > keys)
		return;
	for (uint32_t at = hash32(key) % room;; at = (at + 1) % room)
		if (!atomicCAS((unsigned long long *)&table[at], 0ull, (unsigned long long)entry))
			return;
}

__global__ void find(const uint64_t *table, uint32_t room, uint32_t *values)
{
	uint32_t key = blockIdx.x * blockDim.x + threadIdx.x + 1, at = hash32(key) % room;

	while (table[at] && (uint32_t)table[at] != key)
		at = (at + 1) % room;
	values[key - 1] = (uint32_t)(table[at] >> 32);
}

__host__ __device__ static bool inside(uint32_t i)
{
	float x = (hash32(2 * i) >> 8) * (1.0f / (1 << 24));
	float y = (hash32(2 * i + 1) >> 8) * (1.0f / (1 << 24));

	return x * x + y * y < 1;
}

__global__ void throw_darts(uint32_t *hits)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, own = 0;

	for (int k = 0; k < 20; k++)
		own += inside(i * 20 + k);
	for (int step = 32; step; step /= 2)
		own += __shfl_down(own, step);
	if (!(threadIdx.x % 64))
		atomicAdd(hits, own);
}

int main()
{
	const uint32_t n = 512;
	std::vector<uint32_t> want(8 * n), sums(n), found(64, 0), values(n, 0), hits(1, 0);
	std::vector<uint8_t> bytes(n * 37);
	std::string text;

	make_constants();
	EXPECT(host_k256[0] == 0x428a2f98 && host_k256[63] == 0xc67178f2);
	HIP(hipMemcpyToSymbol(HIP_SYMBOL(k256), host_k256, sizeof(host_k256)));
	for (uint32_t i = 0; i < n; i++)
		sha256(host_k256, i, &want[8 * i]);
	/* The digest of the four bytes "abcd", as published. */
	uint32_t abcd[8];
	sha256(host_k256, 0x61626364, abcd);
	EXPECT(abcd[0] == 0x88d4266f && abcd[7] == 0x6f031589);
	device_array<uint32_t> out((size_t)8 * n);
	digests<<<n / 128, 128>>>(out.data);
	expect_equal("sha256", out.host(), want);

	for (uint32_t i = 0; i < bytes.size(); i++)
		bytes[i] = hash32(i);
	for (uint32_t i = 0; i < n; i++)
		sums[i] = host_crc(&bytes[i * 37], 37);
	EXPECT(host_crc((const uint8_t *)"123456789", 9) == 0xcbf43926);
	device_array<uint8_t> dbytes(bytes);
	device_array<uint32_t> dsums((size_t)n);
	crc<<<n / 64, 64>>>(dbytes.data, 37, dsums.data);
	expect_equal("crc", dsums.host(), sums);

	for (int i = 0; i < 2048; i++)
		text += "abca"[hash32(i) % 4];
	for (size_t at = text.find("abca"); at != std::string::npos; at = text.find("abca", at + 1))
		found[at / 32] |= 1u << at % 32;
	device_array<char> dtext(std::vector<char>(text.begin(), text.end()));
	device_array<char> dword(std::vector<char>{'a', 'b', 'c', 'a'});
	device_array<uint32_t> dfound((size_t)64);
	search<<<16, 128>>>(dtext.data, 2048, dword.data, 4, dfound.data);
	expect_equal("search", dfound.host(), found);

	std::vector<int> far(256);
	for (int i = 0; i < 256; i++)
		far[i] = levenshtein(text.data(), 32, text.data() + i, 32 - i % 7);
	device_array<int> dfar((size_t)256);
	distances<<<4, 64>>>(dtext.data, 32, dfar.data);
	expect_equal("levenshtein", dfar.host(), far);

	for (uint32_t i = 0; i < 400; i++)
		values[i] = hash32(i + 1);
	device_array<uint64_t> table((size_t)601);
	device_array<uint32_t> dvalues((size_t)n);
	insert<<<4, 128>>>(table.data, 601, 400);
	find<<<4, 128>>>(table.data, 601, dvalues.data);
	expect_equal("hash table", dvalues.host(), values);

	for (uint32_t i = 0; i < 4096 * 20; i++)
		hits[0] += inside(i);
	device_array<uint32_t> dhits((size_t)1);
	throw_darts<<<16, 256>>>(dhits.data);
	expect_equal("darts", dhits.host(), hits);
	return 0;
}
