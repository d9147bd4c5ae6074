// SPDX-License-Identifier: MIT
// Compares the cost model with a third set of published measurements of MI210, MI250 and MI250X,
// which was chosen, and these kernels written, before the model had run any of it; only the
// workgroups of stencils along y and z were corrected later (published_stencils.h). Prints
// "name value" lines, as published.hip does; published.py compares them with published_figures.csv.
#include "published_caches.h"
#include "published_instructions.h"
#include "published_stencils.h"

int main()
{
	HIP(hipFree(nullptr));
	print("chase_scalar_l1_cycles", chase(scalar_chase, 8 << 10, 64));
	print("chase_scalar_l2_cycles", chase(scalar_chase, 64 << 10, 64));
	print("chase_lds_cycles", chase_lds());
	matrix_instructions();
	one_lane();
	lds_conflicts();
	vcopy_instructions();
	strides<float>("float", {6, 7, 9, 13, 15, 18, 24, 31, 47}, {2});
	strides<double>("double", {5, 7, 10, 11, 13, 17, 25, 30, 32, 33}, {});
	cache_size<12>();
	cache_size<40>();
	cache_size<128>();
	latencies({5245, 7684, 8453, 11254, 18132});
	stencils();
	more_laplacians();
	return 0;
}
