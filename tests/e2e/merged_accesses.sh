#!/bin/sh
# SPDX-License-Identifier: MIT
# Neighbouring accesses, which the back end merges or not: the sums of each kernel are those of the machine.
# Loop strength reduction chooses the base of a loop's addresses, and only constants of one sign are merged.
# Folder: llvm-plugin/analysis
. "$(dirname "$0")/lib.sh"

cat >merged.hip <<'END'
#include <hip/hip_runtime.h>
struct f3 { float x, y, z; };
struct pair { double d; int i, rest; };
struct node { node *next; int value, rest; };
#define KERNEL extern "C" __global__ void
// What `value` is for the elements v of a lane in a loop.
#define LOOP(name, type, value)                                                                    \
	KERNEL loop_##name(const type *a, float *o, int n)                                         \
	{                                                                                          \
		float s = 0;                                                                       \
		for (int k = 0; k < n; k++) {                                                      \
			const type &v = a[threadIdx.x + 64 * k];                                   \
			s += (value);                                                              \
		}                                                                                  \
		o[threadIdx.x] = s;                                                                \
	}
LOOP(xyz, f3, v.x * v.y + v.z)
LOOP(zyx, f3, v.z * v.y + v.x)
LOOP(yzx, f3, v.y * v.z + v.x)
LOOP(xz, f3, v.x * v.z)
LOOP(pair, pair, v.d * v.i)
LOOP(node, node, v.value + (v.next != nullptr))
// And for pointer p, without a loop.
#define ONCE(name, type, step, value)                                                              \
	KERNEL once_##name(const type *a, float *o, int n)                                         \
	{                                                                                          \
		const type *p = a + 64 + (int)threadIdx.x * step;                                  \
		o[threadIdx.x] = (value);                                                          \
	}
ONCE(before, float, 3, p[-1] + p[0] * p[1])
ONCE(more, float, 4, p[-2] + p[-1] * p[0] - p[1])
ONCE(doubles, double, 2, p[-1] + p[0])
ONCE(members, f3, 1, p[-1].x * p[-1].y + p[-1].z)
ONCE(pair, pair, 1, p->d * p->i)
ONCE(node, node, 1, p->value + (p->next != nullptr))
KERNEL index32(const float *a, float *o, int n)
{
	int t = threadIdx.x;
	o[t] = a[4 * t] + a[4 * t + 1] * a[4 * t + 2] + a[4 * t + 3];
}
KERNEL index64(const float *a, float *o, int n)
{
	size_t t = threadIdx.x;
	o[t] = a[4 * t] * a[4 * t + 1];
}
KERNEL columns(const int *a, float *o, int n)
{
	int s = 0;
	for (int i = threadIdx.x; i < 64 * n; i += 64)
		s += (a[3 * i] * a[3 * i + 1]) ^ a[3 * i + 2];
	o[threadIdx.x] = s;
}
KERNEL neighbours(const float *a, float *o, int n)
{
	float s = 0;
	for (int i = threadIdx.x; i < 64 * n; i += 64)
		s += a[i] * a[i + 1];
	o[threadIdx.x] = s;
}
KERNEL particles(const float *a, float *o, int n)
{
	float s = 0;
	for (int j = 0; j < n; j++) {
		int k = (j * 7 + (int)threadIdx.x) % (64 * n);
		s += a[3 * k] * a[3 * k + 1] + a[3 * k + 2];
	}
	o[threadIdx.x] = s;
}
// The constant is added before the loop, so that the other two have different signs.
KERNEL wrapped(const float *a, float *o, int n)
{
	float s = 0;
	for (int j = 0; j < n; j++) {
		const float *p = a + 30 * (((int)threadIdx.x + 7 * j) % 61) + 1;
		s += p[-1] * p[0] + p[1];
	}
	o[threadIdx.x] = s;
}
// At -O3 a value is carried to the next iteration. Its first load, before the loop, is not counted.
KERNEL carried(float *a, float *o, int n)
{
	for (int k = 1; k < n; k++)
		a[k * 64 + threadIdx.x] += a[(k - 1) * 64 + threadIdx.x];
}
KERNEL in_block(f3 *a, float *o, int n)
{
	f3 *own = a + threadIdx.x;
	float sum = own->x + own->y + own->z;
	if (sum >= o[threadIdx.x]) {
		own->x += 1;
		own->y += 2;
		own->z += 3;
	}
}
KERNEL update(f3 *a, const f3 *b, int n)
{
	for (int i = threadIdx.x; i < 64 * n; i += blockDim.x) {
		a[i].x += b[i].x;
		a[i].y += b[i].y;
		a[i].z += b[i].z;
	}
}
KERNEL store(node *a, node *b, int n)
{
	a[threadIdx.x].value = n;
	a[threadIdx.x].next = b + threadIdx.x;
}
// Hundreds of instructions between the two loads.
KERNEL distant(const float *a, float *o, int n)
{
	size_t t = threadIdx.x;
	float x = a[2 * t];
#pragma unroll
	for (int k = 1; k < 200; k++)
		x = x * (x + k);
	o[t] = x + a[2 * t + 1];
}
// All lanes store to one address.
KERNEL uniform(const int *a, f3 *o, int n)
{
	for (int k = 0; k < n; k++) {
		int w = k ^ (k >> 1);
		if (threadIdx.x < 33)
			o[w] = f3{(float)w, w + 1.0f, w + 2.0f};
	}
}
int main()
{
	char *a, *b;
	if (hipMalloc(&a, 1 << 16) || hipMalloc(&b, 1 << 16) || hipMemset(a, 0, 1 << 16))
		return 1;
#define RUN(name, type) name<<<1, 64>>>((const type *)a, (float *)b, 8)
	RUN(loop_xyz, f3), RUN(loop_zyx, f3), RUN(loop_yzx, f3), RUN(loop_xz, f3);
	RUN(loop_pair, pair), RUN(loop_node, node);
	RUN(once_before, float), RUN(once_more, float), RUN(once_doubles, double), RUN(once_members, f3);
	RUN(once_pair, pair), RUN(once_node, node), RUN(index32, float), RUN(index64, float);
	RUN(columns, int), RUN(neighbours, float), RUN(particles, float), RUN(wrapped, float), RUN(distant, float);
	carried<<<1, 64>>>((float *)a, (float *)b, 8);
	in_block<<<1, 64>>>((f3 *)a, (float *)b, 8);
	uniform<<<1, 64>>>((const int *)a, (f3 *)b, 8);
	update<<<1, 64>>>((f3 *)a, (const f3 *)b, 8);
	store<<<1, 64>>>((node *)a, (node *)b, 8);
	return hipDeviceSynchronize();
}
END

for level in 1 2 3; do
	compile merged.hip merged -O$level
	hipcc -g -O$level --offload-arch=gfx90a merged.hip -o plain
	machine_sums ./plain "^(loop|once|index|col|nei|par|wra|dis|uni|upd|sto|car|in_)" lines64 lines128 |
		awk -F, -v level=$level '/carried/ && level == 3 { $2 -= 4; $3 -= 2 } { print $1 "," $2 "," $3 }' |
		sort >machine
	expect "kernels" "$(wc -l <machine)" 24
	record memory.db -q -- ./merged
	probed_sums memory.db lines64_used lines128_used >probed
	diff machine probed >differences || fail "-O$level: $(head differences)"
done
