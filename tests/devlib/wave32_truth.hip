// SPDX-License-Identifier: MIT
// Waves of 32 lanes: counters of the generic probes for strides, permutations and random patterns,
// compared with the model.
#include "tests/devlib/reference_model.h"
#include "tests/hip/hip_test.h"

enum { WAVES = 256 };

static uint32_t state = 1;

static uint32_t random32()
{
	state += 0x9e3779b9;
	return hash32(state);
}

// Addresses of a wave; aligned if the access is.
static wave_access make_access(uint32_t wave, bool lds, uint32_t align)
{
	wave_access a;
	uint64_t base = (lds ? 0 : 0x7f0000000000) + random32() % 4096 * align;
	int64_t stride = (int64_t)align * ((int)(random32() % 67) - 33);
	uint32_t spread = 1u << random32() % 11;

	a.exec = wave % 4 ? random32() & (wave % 4 == 3 ? random32() : ~0u) : ~0u;
	a.exec |= a.exec ? 0 : 1u << random32() % 32;
	for (int lane = 0; lane < 32; lane++) {
		uint64_t chance = (uint64_t)(random32() % spread) * align;

		a.space[lane] = lds ? PROBE_SPACE_LDS : PROBE_SPACE_GLOBAL;
		a.address[lane] = base + (wave & 8 ? chance : (uint64_t)(stride * lane + 65536));
	}
	return a;
}

static size_t test(hipFunction_t function, bool lds, const site_shape &shape, uint32_t align)
{
	std::vector<wave_access> waves;
	std::vector<uint64_t> address(32 * WAVES), exec(WAVES);
	device_array<uint64_t> counted(WAVES * PROBE_COUNTERS);
	size_t wrong = 0;

	for (uint32_t i = 0; i < WAVES; i++) {
		waves.push_back(make_access(i, lds, align));
		exec[i] = waves[i].exec;
		std::copy_n(waves[i].address, 32, &address[32 * i]);
	}
	device_array<uint64_t> address_dev(address), exec_dev(exec);
	uint32_t bits = shape.unit | shape.size / shape.unit << 8; // SHAPE_ of wave_ids.h
	void *args[] = {&address_dev.data, &exec_dev.data, &counted.data, &bits};

	bits |= (shape.access == PROBE_ACCESS_STORE) << 16 | (align % shape.unit != 0) << 17 |
		lds << 18 | (shape.access == PROBE_ACCESS_ATOMIC) << 20;
	HIP(hipModuleLaunchKernel(function, WAVES, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr));
	HIP(hipDeviceSynchronize());
	std::vector<uint64_t> got = counted.host();
	for (uint32_t i = 0; i < WAVES; i++) {
		counters want = model(waves[i], shape, 32);

		for (int c = 0; c < PROBE_COUNTERS; c++) {
			if (got[i * PROBE_COUNTERS + c] == want.value[c])
				continue;
			if (!wrong++)
				fprintf(stderr,
					"%s access %u of %u bytes, wave %u: counter %d is %llu, "
					"should be %llu\n",
					lds ? "LDS" : "global", shape.access, shape.size, i, c,
					(unsigned long long)got[i * PROBE_COUNTERS + c],
					(unsigned long long)want.value[c]);
		}
	}
	return wrong;
}

int main(int argc, char **argv)
{
	static const struct {
		uint32_t size, unit, align;
	} widths[] = {{1, 1, 1},   {2, 2, 2},	 {4, 4, 4},    {8, 8, 8},
		      {12, 12, 4}, {16, 16, 16}, {32, 16, 16}, {8, 8, 1}};
	hipModule_t module;
	hipFunction_t function;
	size_t values = 0, wrong = 0;

	EXPECT(argc == 2);
	HIP(hipModuleLoad(&module, argv[1]));
	HIP(hipModuleGetFunction(&function, module, "wave32"));
	for (auto &width : widths)
		for (uint8_t access : {PROBE_ACCESS_LOAD, PROBE_ACCESS_STORE, PROBE_ACCESS_ATOMIC})
			for (bool lds : {false, true}) {
				if (lds && width.align % (width.unit == 12 ? 4 : width.unit))
					continue;
				wrong += test(function, lds, {access, width.size, width.unit},
					      lds && width.unit == 12 ? 16 : width.align);
				values += WAVES * PROBE_COUNTERS;
			}
	printf("%zu values compared, %zu differ\n", values, wrong);
	return wrong != 0;
}
