/* SPDX-License-Identifier: MIT */
/*
 * Marks: [HW] measured on hardware, [DOC] vendor document, [SRC] source code of a vendor, [SIM] a
 * constant of another model, [E] our own estimate. mt4g: caps-tum/mt4g, MI210; rpc: ROCm
 * rocprofiler-compute's documentation, MI250; mca: llvm-mca 19 for gfx90a; mica: AMD's matrix
 * instruction calculator; pyhip: tingqli/pyhip, MI308X; rpw: recorded workloads of
 * rocprofiler-compute's tests, MI210 and MI300X; gb: te42kyfo/gpu-benches, MI210; seis: AMD's
 * articles on seismic stencils (ROCm/rocm-blogs), one die of an MI250X.
 */
#include "simgpu/base/timing_constants.h"

#include <stddef.h>

struct sim_time_cost sim_time_cost = {
	.valu = 4,	    /* [DOC rpc] 64 lanes on 16 */
	.f64 = 4,	    /* [SIM mca] full rate */
	.trans = 16,	    /* [SIM mca] quarter rate */
	.mul32 = 4,	    /* [SIM mca]; uncertain: a quarter of the rate is often quoted for
			     * GCN */
	.branch_taken = 16, /* [E] often quoted for GCN; mca has 8 units, 32 cycles */
	.branch_not = 4,    /* [E] */
	.sleep = 64,	    /* [DOC] MI200 ISA: s_sleep N is about 64 * N */
	.scalar_l1 = 48,    /* [HW mt4g] */
	.lds = 48,	    /* [HW mt4g] */
	.vector_l1 = 124,   /* [HW mt4g] */
	/* [HW] Two sources differ: mt4g 302 and 741, gb 240 to 268 and 574. */
	.l2 = 276,
	.scalar_l2 = 175, /* [HW mt4g] 127 more than a hit in the scalar L1 */
	.hbm = 672,
	.store = 430,	   /* [HW gb] waves that only store, at low occupancy */
	.group_start = 50, /* [HW gb] the same, without the store */
	/*
	 * [HW gb] 212, 423, 841 GB/s in workgroups of 16, 32 and 64 lanes: 2.06 cycles, and as many
	 * of two waves. [HW seis] Stencils with a float per lane run at 915 to 995 GB/s whatever
	 * their radius: 3.5 to 3.8 cycles per workgroup of four waves. [HW rpc] 6.79 s_nop per cycle
	 * do not allow more of sixteen.
	 */
	.group_every = 8,
	.group_every_large = 14,
	.l1_line = 64,		 /* [HW mt4g] */
	.l1_kib = 16,		 /* [HW mt4g] */
	.l2_kib = 8192,		 /* [HW mt4g] */
	.ta_queue = 64,		 /* [E] four whole-wave accesses */
	.ta_once = 1,		 /* [HW rpw] L1 hits of 4 bytes a lane: 52 bytes per cycle */
	.l1_return = 64,	 /* [DOC] */
	.l2_read = 2954 * 1024,	 /* [HW rpw] 5022 GB/s; mt4g reached 4014 GiB/s */
	.l2_write = 1518 * 1024, /* [HW mt4g] 2404 GiB/s */
	/* [HW rpw] 1389 GB/s, reads and writes together; mt4g reached 1085 and 967 GiB/s. */
	.hbm_rate = 817 * 1024,
	.cu_most = 64 * 1024, /* [DOC] the bus between a unit's L1 and L2 */
	.lds_read = 4,	      /* [HW pyhip] b32 4 cycles, b128 16 */
	.lds_write = 4,	      /* [DOC rpc] 4-byte stores 8 cycles, 16-byte ones 20 */
	.lds_write_once = 4,
	/* [E] some 80 scalar instructions, and three consecutive round trips to memory */
	.trap = 2600,
};

/* [SRC mica]; other vector instructions can run during all but 4 cycles, but never during f64. */
const struct sim_mfma_cost sim_mfma_costs[] = {
	{"f64_16x16x4", 32, 32}, {"f64_4x4x4", 16, 16}, {"_32x32x", 64, 4},
	{"_16x16x", 32, 4},	 {"_4x4x", 8, 4},	{NULL, 0, 0},
};

/*
 * [HW mt4g] MI300X, a virtual function of it: latencies, geometry, and rates of 14365, 6562, 5400
 * and 3690 GiB/s. The MALL's latency is the penalty of a miss in the L2, 209 cycles, more than a
 * hit's. The dispatcher is the MI210's, which fits a copy by 4096 workgroups of four waves in 14653
 * cycles [HW rpw].
 */
void sim_time_cost_of_gfx942(void)
{
	sim_time_cost.lds = 51;
	sim_time_cost.vector_l1 = 116;
	sim_time_cost.l2 = 288;
	sim_time_cost.mall = 496;
	sim_time_cost.hbm = 900;
	sim_time_cost.l1_line = 128;
	sim_time_cost.l1_kib = 32;
	sim_time_cost.l2_kib = 4096;
	sim_time_cost.mall_kib = 262144;
	sim_time_cost.scalar_l2 = 172;
	sim_time_cost.l2_emptied = true; /* [HW rpw] a copy that is repeated misses again */
	sim_time_cost.l2_read = 7345 * 1024;
	sim_time_cost.l2_write = 3355 * 1024;
	sim_time_cost.mall_rate = 2761 * 1024;
	sim_time_cost.hbm_rate = 1887 * 1024;
}

/* [SRC mica] for CDNA3. */
const struct sim_mfma_cost sim_mfma_costs_gfx942[] = {
	{"f64_16x16x4", 32, 32},
	{"f64_4x4x4", 16, 16},
	{"32x32x1_2b_f32", 64, 64},
	{"16x16x1_4b_f32", 32, 32},
	{"4x4x1_16b_f32", 8, 8},
	{"32x32x2_f32", 64, 64},
	{"16x16x4_f32", 32, 32},
	{"v_smfmac_f32_16x16", 16, 8},
	{"v_smfmac_i32_16x16", 16, 8},
	{"v_smfmac_", 32, 8},
	{"_2b_", 64, 4},
	{"_4b_", 32, 4},
	{"_16b_", 8, 4},
	{"_32x32x", 32, 4},
	{"_16x16x", 16, 4},
	{NULL, 0, 0},
};
