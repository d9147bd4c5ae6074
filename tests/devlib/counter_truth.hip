// SPDX-License-Identifier: MIT
// The device library against the model: launches clones directly with a context made by hand and
// compares every counter and every traced address of every site.
//   devlib_truth CODE_OBJECT LDS_ORACLE_CSV [few]
//   devlib_truth CODE_OBJECT      only what holds however the kernels were compiled
#include "../hip/hip_test.h"
#include "../../model/counter_sums.h"
#include "reference_model.h"

#include <algorithm>
#include <string>

static constexpr uint32_t REPLICAS = 4;
static constexpr uint32_t LDS_BYTES = 65536;
static constexpr size_t ARENA = 64 << 20;

static hipModule_t module_;
static std::vector<uint8_t> table;
static char *arena; // device memory that is accessed
static int failures;
static size_t checks;

static const probe_sites_header &header()
{
	return *(const probe_sites_header *)table.data();
}

// For the trace kind, only accesses of 4 bytes.
static bool few_traces;

static const probe_site &site(uint32_t id)
{
	return ((const probe_site *)(table.data() + header().sites_offset))[id];
}

static const char *string(uint32_t at)
{
	return (const char *)table.data() + header().strings_offset + at;
}

static const probe_site_kernel &kernel(const std::string &name)
{
	auto *kernels = (const probe_site_kernel *)(table.data() + header().kernels_offset);

	for (uint32_t i = 0; i < header().kernel_count; i++)
		if (name == string(kernels[i].name))
			return kernels[i];
	fprintf(stderr, "no kernel %s in the site table\n", name.c_str());
	exit(1);
}

// One lane's address in the pattern array, and in the model.
struct pattern {
	std::string name;
	uint64_t entry[64] = {};
	wave_access access;
};

enum target { GLOBAL, LDS, FLAT };

static constexpr uint64_t FLAT_LDS = 1ull << 63;
static constexpr uint64_t LDS_APERTURE = 0x10000ull << 32;

static void set_lane(pattern &p, target where, int lane, uint64_t address, uint8_t space)
{
	p.access.exec |= 1ull << lane;
	p.access.space[lane] = space;
	if (where == GLOBAL) {
		p.entry[lane] = (uint64_t)arena + address;
		p.access.address[lane] = p.entry[lane];
	} else if (where == LDS) {
		p.entry[lane] = address + 1;
		p.access.address[lane] = address;
	} else if (space == PROBE_SPACE_LDS) {
		p.entry[lane] = FLAT_LDS | address;
		p.access.address[lane] = LDS_APERTURE + address;
	} else {
		p.entry[lane] = (uint64_t)arena + address;
		p.access.address[lane] = p.entry[lane];
	}
}

struct mask {
	const char *name;
	uint64_t exec;
};

static const mask masks[] = {
	{"all", ~0ull},
	{"1", 1},
	{"2", 3},
	{"3", 7},
	{"20", 0xfffff},
	{"63", ~0ull >> 1},
	{"last", 1ull << 63},
	{"even", 0x5555555555555555ull},
	{"every 3rd", 0x9249249249249249ull},
	{"every 12th", 0x1001001001001ull},
	{"upper half", 0xffffffff00000000ull},
	{"middle", 0x0000fffff0000000ull},
	{"holes", 0xf0e1d2c3b4a59687ull},
	{"two runs", 0x00ff00000ff00000ull},
	{"two, 7 apart", 0x1020},
};

static uint64_t random_state = 1;

static uint32_t random32()
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(random_state >> 33);
}

static void add(std::vector<pattern> &list, target where, const std::string &name, uint64_t exec,
		uint64_t limit, uint32_t align, uint64_t (*address)(int lane, int64_t arg),
		int64_t arg)
{
	pattern p;
	uint8_t space = where == LDS ? PROBE_SPACE_LDS : PROBE_SPACE_GLOBAL;

	p.name = name;
	for (int l = 0; l < 64; l++)
		if (exec >> l & 1)
			set_lane(p, where, l, address(l, arg) % limit / align * align, space);
	list.push_back(p);
}

// Patterns for the fast paths, their limits, and everything else.
static std::vector<pattern> make_patterns(target where, uint32_t size, uint32_t align)
{
	static const int64_t strides[] = {0,   1,    2,	  3,   4,   5,	 6,    8,    12,   16,
					  20,  24,   32,  36,  40,  48,	 60,   64,   68,   80,
					  96,  100,  128, 132, 136, 144, 160,  192,  256,  260,
					  512, 1024, -4,  -8,  -16, -64, -128, -132, -256, 2500004};
	uint64_t limit = where == GLOBAL ? ARENA - 4096 : LDS_BYTES - size;
	std::vector<pattern> list;

	for (int64_t stride : strides)
		for (const mask &m : masks)
			add(
				list, where,
				"stride " + std::to_string(stride) + " lanes " + m.name, m.exec,
				limit, align,
				[](int l, int64_t s) { return (uint64_t)(20480 + l * s); }, stride);
	for (const mask &m : masks) {
		std::string lanes = std::string(" lanes ") + m.name;

		add(
			list, where, "shifted" + lanes, m.exec, limit, align,
			[](int l, int64_t a) { return (uint64_t)(4096 + a + l * 4); }, align);
		add(
			list, where, "rows of 32" + lanes, m.exec, limit, align,
			[](int l, int64_t) { return (uint64_t)(l % 32 * 4 + l / 32 * 8192); }, 0);
		add(
			list, where, "columns of 32" + lanes, m.exec, limit, align,
			[](int l, int64_t) { return (uint64_t)(l % 32 * 128 + l / 32 * 4); }, 0);
		add(
			list, where, "blocks of 16" + lanes, m.exec, limit, align,
			[](int l, int64_t) { return (uint64_t)(l % 16 * 8 + l / 16 * 1040); }, 0);
		add(
			list, where, "falling blocks of 16" + lanes, m.exec, limit, align,
			[](int l, int64_t) {
				return (uint64_t)(8192 - l % 16 * 8 - l / 16 * 1040);
			},
			0);
		add(
			list, where, "blocks of 8" + lanes, m.exec, limit, align,
			[](int l, int64_t) { return (uint64_t)(l % 8 * 16 + l / 8 * 272); }, 0);
		add(
			list, where, "bank trick" + lanes, m.exec, limit, align,
			[](int l, int64_t) {
				return (uint64_t)((l % 8 + l / 8) % 8 * 16 + l / 8 * 128);
			},
			0);
		add(
			list, where, "swizzle" + lanes, m.exec, limit, align,
			[](int l, int64_t) { return (uint64_t)((l ^ 21) * 16); }, 0);
		add(
			list, where, "rising" + lanes, m.exec, limit, align,
			[](int l, int64_t) { return (uint64_t)(l * l * 2); }, 0);
		add(
			list, where, "one apart" + lanes, m.exec, limit, align,
			[](int l, int64_t) { return (uint64_t)(l * 4 + (l == 37 ? 640 : 0)); }, 0);
		for (int64_t span : {32, 256, 2048, 16384, 1 << 20, 1 << 25})
			for (int turn = 0; turn < 3; turn++)
				add(
					list, where,
					"random within " + std::to_string(span) + lanes, m.exec,
					limit, align,
					[](int, int64_t s) { return random32() % (uint64_t)s; },
					span);
	}
	if (where != FLAT)
		return list;
	for (const mask &m : masks)
		for (int turn = 0; turn < 8; turn++) {
			pattern p;

			p.name = std::string("mixed apertures lanes ") + m.name;
			for (int l = 0; l < 64; l++) {
				if (!(m.exec >> l & 1))
					continue;
				if ((turn < 4 ? random32() : (uint32_t)l >> (turn - 2)) & 1)
					set_lane(p, FLAT, l, random32() % 4096 / align * align,
						 PROBE_SPACE_LDS);
				else
					set_lane(p, FLAT, l, random32() % 65536 / align * align,
						 PROBE_SPACE_GLOBAL);
			}
			list.push_back(p);
		}
	return list;
}

static void run(const char *kind, const std::string &name, const uint64_t *pattern_dev,
		uint32_t *sink, const probe_ctx &ctx, uint32_t blocks)
{
	static probe_ctx *ctx_dev;
	hipFunction_t function;
	const void *pattern_arg = pattern_dev;

	if (!ctx_dev)
		HIP(hipMalloc((void **)&ctx_dev, sizeof(*ctx_dev)));
	HIP(hipMemcpy(ctx_dev, &ctx, sizeof(ctx), hipMemcpyHostToDevice));
	HIP(hipModuleGetFunction(&function, module_,
				 (std::string("__probe_") + kind + "_" + name).c_str()));
	void *args[] = {&pattern_arg, &sink, &ctx_dev};

	HIP(hipModuleLaunchKernel(function, blocks, 1, 1, 64, 1, 1,
				  name.find("global") == std::string::npos ? LDS_BYTES : 0, nullptr,
				  args, nullptr));
	HIP(hipDeviceSynchronize());
}

// The access of site `index` of a kernel in a wave with this pattern; false if the site is unknown.
static bool expected_access(const pattern &p, uint32_t index, uint32_t target, uint32_t sites,
			    const uint64_t *pattern_dev, const uint32_t *sink, uint32_t block,
			    wave_access &ret)
{
	ret = wave_access();
	if (index == target) {
		ret = p.access;
		return true;
	}
	if (index != 0 && index + 1 != sites)
		return false;
	ret.exec = index == 0 ? ~0ull : p.access.exec;
	for (int l = 0; l < 64; l++) {
		if (!(ret.exec >> l & 1))
			continue;
		ret.space[l] = PROBE_SPACE_GLOBAL;
		ret.address[l] = index == 0 ? (uint64_t)(pattern_dev + 64 * block + l)
					    : (uint64_t)(sink + 64 * block + l);
	}
	return true;
}

static void compare_counters(const std::string &name, const pattern &p, uint32_t id,
			     const counters &got, const counters &want)
{
	static const char *const names[PROBE_COUNTERS] = {
		"executions", "lanes",	   "quads",	"lines64", "needed64", "excess64",
		"lines128",   "needed128", "excess128", "passes",  "ideal",    "affine",
		"max_way",    "stride_hi", "stride_lo", "spare"};

	for (int i = 0; i < PROBE_COUNTERS; i++) {
		checks++;
		if (got.value[i] == want.value[i])
			continue;
		if (failures++ < 20)
			fprintf(stderr, "%s site %u, %s: %s is %llu, should be %llu\n",
				name.c_str(), id, p.name.c_str(), names[i],
				(unsigned long long)got.value[i],
				(unsigned long long)want.value[i]);
	}
}

static void check_counters(const std::string &name, const pattern &p, uint32_t id,
			   const counters &got, const wave_access &access)
{
	compare_counters(name, p, id, got,
			 model(access, {site(id).access, site(id).size, site(id).unit}));
}

// The counters of a kernel's site, over all replicas.
static counters counted(const std::vector<uint64_t> &raw, const probe_site_kernel &k,
			uint32_t index)
{
	const probe_site &s = site(k.first_site + index);
	counters sum;

	for (uint32_t r = 0; r < REPLICAS; r++) {
		counters one;

		memcpy(one.value, &raw[(r * k.site_count + index) * PROBE_COUNTERS],
		       sizeof(one.value));
		sum.add(one);
	}
	if (counter_sums_in(s.access, s.space))
		counter_sums_resolve(sum.value);
	return sum;
}

static void test_memory(const std::string &name, const std::vector<pattern> &patterns,
			uint32_t target)
{
	const probe_site_kernel &k = kernel(name);
	size_t words = (size_t)REPLICAS * k.site_count * PROBE_COUNTERS;
	device_array<uint64_t> pattern_dev(64);
	device_array<uint32_t> sink(64);
	device_array<uint64_t> counts(words);
	probe_ctx ctx = {};

	ctx.version = PROBE_CTX_VERSION;
	ctx.size = sizeof(ctx);
	ctx.dispatch = 1;
	ctx.counters = (uint64_t)counts.data;
	ctx.replica_mask = REPLICAS - 1;
	ctx.site_first = k.first_site;
	ctx.site_count = k.site_count;
	for (const pattern &p : patterns) {
		HIP(hipMemcpy(pattern_dev.data, p.entry, sizeof(p.entry), hipMemcpyHostToDevice));
		HIP(hipMemset(counts.data, 0, words * 8));
		run("memory", name, pattern_dev.data, sink.data, ctx, 1);
		std::vector<uint64_t> raw = counts.host();

		for (uint32_t i = 0; i < k.site_count; i++) {
			wave_access access;
			counters sum = counted(raw, k, i);

			if (expected_access(p, i, target, k.site_count, pattern_dev.data, sink.data,
					    0, access))
				check_counters(name, p, k.first_site + i, sum, access);
		}
	}
}

// A wave that executes the access with several patterns, one after the other: in batches, if there
// are enough of them.
static void test_loop(const std::string &name, const std::vector<pattern> &patterns, size_t count)
{
	const probe_site_kernel &k = kernel(name);
	const uint32_t target = k.site_count - 1;
	size_t words = (size_t)REPLICAS * k.site_count * PROBE_COUNTERS;
	std::vector<uint64_t> entries;
	std::vector<uint32_t> sink(65);
	counters want;
	probe_ctx ctx = {};
	pattern all;

	all.name = std::to_string(count) + " patterns";
	for (size_t i = 0; i < count; i++) {
		const pattern &p = patterns[random32() % patterns.size()];

		entries.insert(entries.end(), p.entry, p.entry + 64);
		want.add(model(p.access, {site(k.first_site + target).access,
					  site(k.first_site + target).size,
					  site(k.first_site + target).unit}));
	}
	sink[0] = (uint32_t)count;
	device_array<uint64_t> pattern_dev(entries), counts(words);
	device_array<uint32_t> sink_dev(sink);

	ctx.version = PROBE_CTX_VERSION;
	ctx.size = sizeof(ctx);
	ctx.dispatch = 1;
	ctx.counters = (uint64_t)counts.data;
	ctx.replica_mask = REPLICAS - 1;
	ctx.site_first = k.first_site;
	ctx.site_count = k.site_count;
	HIP(hipMemset(counts.data, 0, words * 8));
	run("memory", name, pattern_dev.data, sink_dev.data, ctx, 1);
	compare_counters(name, all, k.first_site + target, counted(counts.host(), k, target), want);
}

#include "trace_check.h"

// Every row of the oracle for this device, as an LDS access of one wave.
static void test_oracle(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[512];
	unsigned rows = 0;

	EXPECT(file);
	while (fgets(line, sizeof(line), file)) {
		char shape[128], direction[16];
		unsigned width, conflicts, lanes = 64, stride = 0, pitch = 0;

		if (sscanf(line, "gfx90a,%u,%15[a-z],%127[^,],%u", &width, direction, shape,
			   &conflicts) != 4)
			continue;
		if (sscanf(shape, "tile16x4;addr=(lane%%16)*%u", &pitch) != 1 &&
		    sscanf(shape, "active_lanes=%u;stride_bytes=%u", &lanes, &stride) != 2)
			EXPECT(sscanf(shape, "stride_bytes=%u", &stride) == 1);
		pattern p;

		p.name = shape;
		for (unsigned l = 0; l < lanes; l++)
			set_lane(p, LDS, l, pitch ? l % 16 * pitch + l / 16 * 16 : l * stride,
				 PROBE_SPACE_LDS);
		bool store = !strcmp(direction, "write");
		counters c =
			model(p.access, {(uint8_t)(store ? PROBE_ACCESS_STORE : PROBE_ACCESS_LOAD),
					 width / 8, width / 8});

		EXPECT(c.value[PROBE_C_PASSES] - c.value[PROBE_C_IDEAL_PASSES] == conflicts);
		test_memory(std::string(store ? "store" : "load") + "_lds_" + std::to_string(width),
			    {p}, 1);
		rows++;
	}
	fclose(file);
	EXPECT(rows == 29);
}

static void test_everything(const char *oracle)
{
	static const struct {
		const char *name;
		uint32_t size, align;
	} widths[] = {{"8", 1, 1},    {"16", 2, 2},    {"32", 4, 4},	{"64", 8, 8},
		      {"96", 12, 16}, {"128", 16, 16}, {"256", 32, 16}, {"96_4", 12, 4},
		      {"32_1", 4, 1}, {"128_4", 16, 4}};

	test_oracle(oracle);
	for (auto &width : widths)
		for (const char *access : {"load", "store"}) {
			std::string suffix = std::string("_") + width.name;
			auto global = make_patterns(GLOBAL, width.size, width.align);
			auto lds = make_patterns(LDS, width.size, width.align);

			test_memory(access + ("_global" + suffix), global, 1);
			test_memory(access + ("_lds" + suffix), lds, 1);
			test_trace(access + ("_global" + suffix), global, 1);
			test_trace(access + ("_lds" + suffix), lds, 1);
			if (width.align != width.size || width.size < 4)
				continue;
			auto flat = make_patterns(FLAT, width.size, width.align);

			test_memory(access + ("_flat" + suffix), flat, 3);
			test_trace(access + ("_flat" + suffix), flat, 3);
		}
	for (auto &width : widths)
		for (const char *name : {"8", "32", "128", "96", "32_1"})
			for (size_t count : {1, 7, 8, 9, 22, 23, 24, 40, 100, 1000})
				if (!strcmp(name, width.name))
					test_loop(std::string("loop_global_") + name,
						  make_patterns(GLOBAL, width.size, width.align),
						  count);
	test_memory("atomic_global_32", make_patterns(GLOBAL, 4, 4), 1);
	test_trace("atomic_global_32", make_patterns(GLOBAL, 4, 4), 1);
	for (uint32_t size : {4, 8}) {
		std::string name = "atomic_lds_" + std::to_string(8 * size);

		test_memory(name, make_patterns(LDS, size, size), 1);
		test_trace(name, make_patterns(LDS, size, size), 1);
	}
	test_small_rings();
}

int main(int argc, char **argv)
{
	hipDeviceptr_t sites;
	size_t size;

	EXPECT(argc >= 2 && argc <= 4);
	few_traces = argc == 4 && !strcmp(argv[3], "few");
	HIP(hipModuleLoad(&module_, argv[1]));
	HIP(hipModuleGetGlobal(&sites, &size, module_, "__probe_sites"));
	table.resize(size);
	HIP(hipMemcpyDtoH(table.data(), sites, size));
	EXPECT(header().magic == PROBE_SITES_MAGIC && header().total_size == size);
	HIP(hipMalloc((void **)&arena, ARENA));

	test_diverge();
	if (argc >= 3)
		test_everything(argv[2]);
	printf("%zu values compared, %d differ\n", checks, failures);
	return failures != 0;
}
