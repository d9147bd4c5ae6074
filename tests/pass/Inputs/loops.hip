// SPDX-License-Identifier: MIT
// Accesses in loops, and of several units, without any header.
#define KERNEL __attribute__((global)) void

template <typename T> KERNEL rows(T *global, const int *table, int n)
{
	static __attribute__((shared)) T lds[64];
	int at = table[__builtin_amdgcn_workitem_id_x()];

	for (int i = 0; i < n; i++) {
		lds[at + i & 63] = global[at + i];
		__builtin_amdgcn_s_barrier();
		global[at + i + 1000] = lds[at & 63];
	}
}

typedef float four __attribute__((ext_vector_type(4)));
template KERNEL rows(char *, const int *, int);
template KERNEL rows(int *, const int *, int);
template KERNEL rows(double *, const int *, int);
template KERNEL rows(four *, const int *, int);

struct lump {
	char bytes[36];
};

KERNEL copies(lump *lumps, const int *table)
{
	int at = table[__builtin_amdgcn_workitem_id_x()];

	lumps[at + 1] = lumps[at];
}
