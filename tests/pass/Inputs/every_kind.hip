// SPDX-License-Identifier: MIT
// Global, LDS and flat accesses, an atomic, a barrier, without any header.
__attribute__((global)) void every(int *out, const int *in, int **flat)
{
	static __attribute__((shared)) int tile[64];
	int i = __builtin_amdgcn_workitem_id_x();

	tile[i] = in[i];
	__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
	__builtin_amdgcn_s_barrier();
	out[i] = tile[i ^ 1] + *flat[i];
	__atomic_fetch_add(out, 1, __ATOMIC_RELAXED);
}
