// SPDX-License-Identifier: MIT
// PC sampling of the simulated GPU against the machine's own counters.
#include "sampling.h"

#include <algorithm>

// Memory, LDS, barriers, divergent branches, slow operations: something of every kind of wait. Each
// block does a different amount in each iteration. Otherwise all units would do the same at any
// time, and a tick of the host trap, which is the same for all, would count as one.
__global__ void mixed(const float *in, float *out, int n, int rounds)
{
	__shared__ float tile[256];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	for (int r = 0; r < rounds; r++) {
		const unsigned other = (blockIdx.x * 2654435761u + r * 40503u) >> 7;

		tile[threadIdx.x] = in[(i * 17 + r * 4099) % n];
		__syncthreads();
		sum += tile[threadIdx.x ^ (r & 63)];
		if (threadIdx.x % 7 < (unsigned)(r & 3))
			sum = __fsqrt_rn(sum * sum + 1.0f);
		for (unsigned k = 0; k < (other & 15); k++)
			sum = sum * 0.5f + tile[(threadIdx.x * 32 + k) & 255];
		__syncthreads();
	}
	out[i] = sum;
}

static std::vector<record> run_mixed(session &session, truth *ret, int blocks, int rounds)
{
	const int n = 1 << 20;
	static device_array<float> in(n), out(1 << 20);
	truth before;

	// Once, for the code to be on the device.
	mixed<<<1, 256>>>(in.data, out.data, n, 1);
	HIP(hipDeviceSynchronize());
	session.take();
	before = truth_now();
	mixed<<<blocks, 256>>>(in.data, out.data, n, rounds);
	HIP(hipDeviceSynchronize());
	*ret = truth_since(before);
	return session.take();
}

// Half the sum of differences of two distributions over addresses.
static double variation(const truth &truth, const std::map<uint64_t, uint64_t> &seen, double samples)
{
	double sum = 0, all = 0;

	for (auto &row : truth)
		all += (double)row.second.sum();
	for (auto &row : truth) {
		auto at = seen.find(row.first);

		sum += std::abs((double)row.second.sum() / all -
				(at == seen.end() ? 0 : (double)at->second / samples));
	}
	for (auto &row : seen)
		if (!truth.count(row.first))
			sum += (double)row.second / samples;
	return sum / 2;
}

struct cell {
	double expected;
	uint64_t seen;
};

// Pearson's statistic in standard deviations above its mean; cells expected below 5 are one cell.
static double chi_square(const std::vector<cell> &cells)
{
	cell rest = {};
	double statistic = 0;
	int count = -1;

	auto add = [&](const cell &c) {
		double d = (double)c.seen - c.expected;

		statistic += d * d / c.expected;
		count++;
	};
	for (auto &c : cells) {
		if (c.expected >= 5) {
			add(c);
			continue;
		}
		rest.expected += c.expected;
		rest.seen += c.seen;
	}
	if (rest.expected >= 5)
		add(rest);
	return (statistic - count) / std::sqrt(2.0 * count);
}

static std::map<uint64_t, uint64_t> by_pc(const std::vector<record> &records)
{
	std::map<uint64_t, uint64_t> seen;

	for (auto &r : records)
		seen[r.pc]++;
	return seen;
}

// A state of an instruction: issued, or why not.
using state = std::pair<uint64_t, int>;

static std::map<state, double> expected_states(const truth &truth)
{
	std::map<state, double> expected;

	for (auto &row : truth) {
		uint64_t pc = row.first;
		kind kind = kind_at(pc);
		bool never = kind == NOP || kind == WAIT;

		// Instructions that use no unit are never seen as issued: their own slots count as
		// their wait reason.
		int own = kind == NOP ? INTERNAL : kind == WAIT ? WAITCNT : -1;

		expected[{pc, own}] += 4.0 * (double)row.second.issued;
		for (int w = 0; w < PROBE_SIM_WAITS; w++) {
			int reason = never && w == NOT_WIN ? own : w;

			if (row.second.wait[w])
				expected[{pc, reason}] += (double)row.second.wait[w];
		}
	}
	return expected;
}

static void stochastic()
{
	session session(PROBE_HSA_PCS_STOCHASTIC_V1, 256);
	truth truth;
	auto records = run_mixed(session, &truth, 2496, 19);
	double n = (double)records.size(), all = 0;
	std::map<state, uint64_t> seen;
	std::vector<cell> pcs, states;

	for (auto &r : records)
		seen[{r.pc, r.issued() ? -1 : (int)r.reason()}]++;
	for (auto &row : truth)
		all += (double)row.second.sum();
	auto places = by_pc(records);
	for (auto &row : truth)
		pcs.push_back({(double)row.second.sum() / all * n, places[row.first]});
	auto expected = expected_states(truth);
	for (auto &row : expected)
		states.push_back({row.second / all * n, seen[row.first]});
	for (auto &row : seen)
		EXPECT(expected.count(row.first));
	printf("stochastic: %zu samples, %zu places, variation %.4f, chi-square %.2f and %.2f sigma\n",
	       records.size(), truth.size(), variation(truth, places, n), chi_square(pcs),
	       chi_square(states));
	EXPECT(records.size() >= 100000);
	EXPECT(variation(truth, places, n) <= 0.02);
	EXPECT(chi_square(pcs) < 4 && chi_square(states) < 4);
}

static __device__ unsigned scattered(unsigned x)
{
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return x ^ x >> 16;
}

// Waits of many lengths and few instructions, so that much simulated time passes at little cost.
__global__ void resting(const float *in, float *out, int n, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	// Blocks begin anywhere in a round. Otherwise all units would be at the same place at a tick,
	// and their samples would count as one.
	for (unsigned k = 0; k < (scattered(blockIdx.x) & 63); k++)
		__builtin_amdgcn_s_sleep(16);
	for (int r = 0; r < rounds; r++) {
		sum += in[(i * 33 + r * 4099) % n];
		__builtin_amdgcn_s_sleep(3);
		for (unsigned k = 0; k < (scattered(blockIdx.x + (r << 20)) & 15); k++)
			__builtin_amdgcn_s_sleep(22);
		if (sum > 1e30f)
			__builtin_amdgcn_s_sleep(1);
		for (int k = 0; k < 4; k++)
			__builtin_amdgcn_s_sleep(61);
		__syncthreads();
		sum = sum * 0.5f + in[(i * 65 + r * 257 + (int)sum) % n];
		for (int k = 0; k < 4; k++)
			__builtin_amdgcn_s_sleep(127);
		sum *= 1.25f;
		for (int k = 0; k < 4; k++)
			__builtin_amdgcn_s_sleep(29);
	}
	out[i] = sum;
}

/*
 * Residency: where waves are, whether they issue or wait. The trap handler delays its wave by 1.5
 * us, and the others of the block wait for it at the barrier, which the next tick is too late to see;
 * ticks much nearer to one another would also keep waves in step with them.
 */
static void host_trap()
{
	session session(PROBE_HSA_PCS_HOSTTRAP_V1, 16);
	const int n = 1 << 20;
	device_array<float> in(n), out(1 << 20);
	std::vector<record> records;
	truth before, truth;

	resting<<<1, 256>>>(in.data, out.data, n, 1);
	HIP(hipDeviceSynchronize());
	session.take();
	before = truth_now();
	resting<<<3328, 256>>>(in.data, out.data, n, 8);
	HIP(hipDeviceSynchronize());
	truth = truth_since(before);
	records = session.take();

	double all = (double)records.size(), bound = 0.02 * std::max(1.0, std::sqrt(100000 / all));

	printf("host trap: %zu samples, %zu places, variation %.4f of %.4f\n", records.size(),
	       truth.size(), variation(truth, by_pc(records), all), bound);
	EXPECT(records.size() > 5000);
	EXPECT(variation(truth, by_pc(records), all) <= bound);
	for (auto &r : records)
		EXPECT(truth.count(r.pc) && !r.snapshot[0] && !r.snapshot[1] && !r.snapshot[2]);
}

// ---- What every stochastic record satisfies (AMD's validators for gfx9)

static const unsigned pipe_misc = 1, pipe_flat = 4, pipe_lds = 8, pipe_scalar = 32, pipe_matrix = 64,
		      pipe_valu = 128;

struct rule {
	std::vector<unsigned> types; // if issued; none: never
	unsigned pipe, reasons;	     // bit per reason
};

static rule rule_of(kind kind)
{
	unsigned nia = 1 << NO_INSTRUCTION, alu = 1 << ALU, anw = 1 << NOT_WIN, exs = 1 << EX_STALL;

	switch (kind) {
	case NOP: return {{}, 0, 1u << INTERNAL | nia};
	case WAIT: return {{}, 0, 1u << WAITCNT | nia};
	case CONDITIONAL: return {{9, 10}, pipe_misc, nia | alu | anw | exs};
	case BRANCH: return {{10}, pipe_misc, nia | anw};
	case SCALAR_ALU:
	case SCALAR_MEMORY: return {{2}, pipe_scalar, nia | alu | anw | exs};
	case BARRIER_INST: return {{8}, pipe_misc, nia | anw | 1u << BARRIER | 1u << INTERNAL};
	case VECTOR: return {{0}, pipe_valu, nia | anw | exs};
	case FLAT: return {{5}, pipe_flat, nia | alu | anw | exs};
	case DS: return {{4}, pipe_lds, nia | alu | anw | exs};
	case ENDPGM: return {{12}, pipe_misc, 1u << INTERNAL};
	default: return {{12, 2, 0, 11}, 0, 255};
	}
}

static void check_record(const record &r)
{
	rule rule = rule_of(kind_at(r.pc));
	bool issue = r.issue() & rule.pipe, stall = r.stall() & rule.pipe;

	EXPECT((r.snapshot[0] & 1) && !(r.snapshot[0] >> 26));
	EXPECT(r.waves() >= 1 && r.waves() <= 32);
	EXPECT(r.exec);
	// No pipe stalls an instruction that was not chosen for it; exports and direct LDS loads do
	// not occur.
	EXPECT(!(r.stall() & ~r.issue()));
	EXPECT(!(r.stall() & 2));
	if (r.issued()) {
		EXPECT(std::count(rule.types.begin(), rule.types.end(), r.type()));
		EXPECT(!rule.pipe || (issue && !stall));
		return;
	}
	EXPECT(rule.reasons >> r.reason() & 1);
	if (r.reason() == NOT_WIN)
		EXPECT(issue || (rule.pipe == pipe_valu && r.stall() & pipe_matrix));
	if (r.reason() == EX_STALL)
		EXPECT(issue && stall);
}

static void invariants()
{
	session session(PROBE_HSA_PCS_STOCHASTIC_V1, 256);
	truth truth;
	auto records = run_mixed(session, &truth, 416, 8);
	unsigned reasons = 0, types = 0;

	EXPECT(records.size() > 5000);
	for (size_t i = 0; i < records.size(); i++) {
		const record &r = records[i];

		check_record(r);
		EXPECT(truth.count(r.pc)); // of this kernel's code
		EXPECT(r.workgroup[0] < 416 && !r.workgroup[1] && !r.workgroup[2]);
		EXPECT((r.wave & 63) < 4 && r.wave >> 6 == 0);
		EXPECT(!i || r.timestamp >= records[i - 1].timestamp);
		EXPECT(r.correlation == records[0].correlation);
		r.issued() ? types |= 1u << r.type() : reasons |= 1u << r.reason();
	}
	// All types of instructions of this kernel have been seen.
	EXPECT((types & 0x635) == 0x635); // valu, scalar, lds, flat, branches taken and not
	EXPECT((reasons & 0x75) == 0x75); // fetch, waitcnt, barrier, arbiter, busy units
}

// ---- Sessions

static int configurations(std::vector<probe_hsa_pcs_configuration> *ret)
{
	auto iterate = function<probe_hsa_pcs_iterate>("hsa_ven_amd_pcs_iterate_configuration");

	ret->clear();
	return iterate(
		gpu_agent(0),
		[](const probe_hsa_pcs_configuration *c, void *data) {
			((std::vector<probe_hsa_pcs_configuration> *)data)->push_back(*c);
			return HSA_STATUS_SUCCESS;
		},
		ret);
}

static hsa_status_t try_create(uint32_t method, uint32_t units, size_t interval, size_t buffer)
{
	auto create = function<probe_hsa_pcs_create>("hsa_ven_amd_pcs_create");
	probe_hsa_pcs_t handle;

	return create(
		gpu_agent(0), method, units, interval, 0, buffer,
		[](void *, size_t, size_t, probe_hsa_pcs_copy *, void *) {}, nullptr, &handle);
}

__global__ void brief(int *out)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = (int)threadIdx.x;
}

static void sessions()
{
	std::vector<probe_hsa_pcs_configuration> all;
	const hsa_status_t bad = HSA_STATUS_ERROR_INVALID_ARGUMENT;
	device_array<int> out(104 * 1024);
	auto flush = function<probe_hsa_pcs_call>("hsa_ven_amd_pcs_flush");

	EXPECT(!configurations(&all) && all.size() == 2);
	EXPECT(all[0].min_interval == 1 && all[1].min_interval == 256 && all[1].flags == 1);
	EXPECT(try_create(0, 0, 0, 128) == bad);	  // interval
	EXPECT(try_create(0, 1, 1024, 128) == bad);	  // host trap takes time
	EXPECT(try_create(1, 0, 1024, 128) == bad);	  // stochastic takes cycles
	EXPECT(try_create(1, 2, 1024, 128) == bad);	  // instructions: unsupported
	EXPECT(try_create(1, 1, 128, 128) == bad);	  // too short
	EXPECT(try_create(1, 1, 1000, 128) == bad);	  // not a power of two
	EXPECT(try_create(1, 1, 1ull << 32, 128) == bad); // too long
	EXPECT(try_create(1, 1, 256, 64) == bad);	  // buffers come in pairs of records
	EXPECT(flush({12345}) == bad);
	for (int round = 0; round < 3; round++) {
		session session(PROBE_HSA_PCS_HOSTTRAP_V1, 1, 0, 128);

		EXPECT(!configurations(&all) && all.size() == 1);
		EXPECT(!all[0].method && all[0].min_interval == 1 && all[0].max_interval == 1);
		EXPECT(try_create(0, 0, 1, 128) == PROBE_HSA_STATUS_ERROR_RESOURCE_BUSY);
		EXPECT(try_create(1, 1, 256, 128) == PROBE_HSA_STATUS_ERROR_RESOURCE_BUSY);
		session.call("hsa_ven_amd_pcs_start"); // again: nothing happens
		// A short kernel, but on every unit: some wave is there at some tick.
		std::vector<record> records;
		for (int i = 0; i < 20; i++)
			brief<<<104, 1024>>>(out.data);
		HIP(hipDeviceSynchronize());
		records = session.take();
		EXPECT(!records.empty() && session.deliveries >= records.size() / 2);
		session.call("hsa_ven_amd_pcs_stop");
		brief<<<104, 1024>>>(out.data);
		HIP(hipDeviceSynchronize());
		EXPECT(session.take().empty());
	}
	EXPECT(!configurations(&all) && all.size() == 2);
}

// ---- EXEC: 64 kernels, one for each size of a block, and one whose halves part

template <int N> __global__ void sized(float *out, int rounds)
{
	float x = (float)threadIdx.x + N;

	for (int i = 0; i < rounds; i++)
		x = x * 1.5f + 1.0f / x;
	out[threadIdx.x] = x;
}

template <int N> static void check_size(session &session, float *out, uint64_t *samples, uint64_t *wrong)
{
	if constexpr (N) {
		check_size<N - 1>(session, out, samples, wrong);
		sized<N><<<1024, N>>>(out, 4);
		HIP(hipDeviceSynchronize());
		for (auto &r : session.take()) {
			(*samples)++;
			*wrong += r.exec != (N == 64 ? ~0ull : (1ull << N) - 1);
		}
	}
}

__global__ void parted(double *doubles, float *floats, int rounds)
{
	double d = threadIdx.x + 2.0;
	float f = (float)threadIdx.x + 2.0f;

	for (int i = 0; i < rounds; i++) {
		if (threadIdx.x & 1)
			asm volatile("v_rcp_f32 %0, %0" : "+v"(f));
		else
			asm volatile("v_rcp_f64 %0, %0" : "+v"(d));
	}
	doubles[threadIdx.x] = d;
	floats[threadIdx.x] = f;
}

static void masks()
{
	session session(PROBE_HSA_PCS_STOCHASTIC_V1, 256);
	device_array<float> floats(64);
	uint64_t samples = 0, wrong = 0;

	HIP(hipDeviceSynchronize());
	session.take();
	check_size<64>(session, floats.data, &samples, &wrong);
	printf("masks: %llu samples, %llu with another EXEC\n", (unsigned long long)samples,
	       (unsigned long long)wrong);
	EXPECT(samples > 5000 && !wrong);
}

static void lanes()
{
	session session(PROBE_HSA_PCS_STOCHASTIC_V1, 256);
	device_array<double> doubles(64);
	device_array<float> floats(64);
	uint64_t even = 0, odd = 0;

	HIP(hipDeviceSynchronize());
	session.take();
	parted<<<416, 64>>>(doubles.data, floats.data, 256);
	HIP(hipDeviceSynchronize());
	for (auto &r : session.take()) {
		uint32_t word = word_at(r.pc);

		if (word >> 25 != 0x3f) // VOP1
			continue;
		if ((word >> 9 & 0xff) == 0x25) { // v_rcp_f64
			EXPECT(r.exec == 0x5555555555555555);
			even++;
		} else if ((word >> 9 & 0xff) == 0x22) { // v_rcp_f32
			EXPECT(r.exec == 0xaaaaaaaaaaaaaaaa);
			odd++;
		}
	}
	printf("lanes: %llu of even lanes, %llu of odd ones\n", (unsigned long long)even,
	       (unsigned long long)odd);
	EXPECT(even > 100 && odd > 100);
}

// Everything that must be the same in the next run; times count from the first sample.
static void list(int methods)
{
	for (int method = 0; method < methods; method++) {
		session session((uint32_t)method, method ? 256 : 1);
		truth truth;
		auto records = run_mixed(session, &truth, 300, 6);
		uint64_t code = truth.empty() ? 0 : truth.begin()->first;

		for (auto &r : records)
			printf("%d %llx %llx %u %x %x %x %x %llu\n", method,
			       (unsigned long long)(r.pc - code), (unsigned long long)r.exec,
			       r.workgroup[0], r.wave, r.hw_id, r.snapshot[0], r.snapshot[1],
			       (unsigned long long)(r.timestamp - records[0].timestamp));
	}
}

int main(int, char **argv)
{
	std::string what = argv[1] ? argv[1] : "";

	HIP(hipSetDevice(0));
	HIP(hipFree(nullptr));
	if (what == "stochastic")
		stochastic();
	else if (what == "host_trap")
		host_trap();
	else if (what == "invariants")
		invariants();
	else if (what == "sessions")
		sessions();
	else if (what == "masks")
		masks();
	else if (what == "lanes")
		lanes();
	else if (what == "list")
		list(2);
	else if (what == "list_host_trap")
		list(1);
	else
		return 2;
	return 0;
}
