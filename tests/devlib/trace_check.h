// SPDX-License-Identifier: MIT
// The trace part of counter_truth.hip: rings set up by the test, drained as probe-run does, and
// decoded according to wire_device.h section 5.

#include <atomic>
#include <map>
#include <thread>

extern "C" {
#include "wire/ring_states.h"
#include "wire/trace_expand.h"
}

struct traced {
	uint32_t site;
	wave_access access;
};

struct traced_wave {
	probe_rec_wave start;
	std::vector<traced> accesses;
};

struct rings {
	uint32_t count, size;
	probe_ring *heads; // host memory
	char *data;
	probe_ring_state *states;
	probe_ctx *shared; // referenced by the ring states
	probe_ctx ctx = {};

	rings(uint32_t n, uint32_t bytes, probe_when_full when, uint32_t spin)
	    : count(n), size(bytes)
	{
		HIP(hipHostMalloc((void **)&heads, n * sizeof(*heads), 0));
		HIP(hipHostMalloc((void **)&data, (size_t)n * bytes, 0));
		HIP(hipHostMalloc((void **)&shared, sizeof(*shared), 0));
		HIP(hipMalloc((void **)&states, PROBE_RING_SLOTS * sizeof(*states)));
		memset(heads, 0, n * sizeof(*heads));
		memset(data, 0xee, (size_t)n * bytes);
		ctx.version = PROBE_CTX_VERSION;
		ctx.size = sizeof(ctx);
		ctx.dispatch = 77;
		ctx.row_lanes = 3;
		ctx.when_full = when;
		ctx.ring_states = (uint64_t)states;
		ctx.ring_heads = (uint64_t)heads;
		ctx.ring_data = (uint64_t)data;
		ctx.ring_mask = n - 1;
		ctx.ring_size = bytes;
		ctx.spin_limit = spin;
		ctx.sample_every = 4;
		for (uint32_t &last : ctx.group_last)
			last = UINT32_MAX;
		make_states();
	}
	void make_states()
	{
		std::vector<probe_ring_state> table(PROBE_RING_SLOTS);
		uint64_t bytes = (uint64_t)count * size;

		ctx.ring_slot_mask = probe_ring_slot_bits(count);
		ctx.wave.data_high = (uint32_t)((ctx.ring_data + bytes / 2) >> 32);
		ctx.wave.row_lanes = ctx.row_lanes;
		ctx.wave.ring_states = ctx.ring_states;
		ctx.wave.dispatch = ctx.dispatch;
		ctx.wave.slot_mask = ctx.ring_slot_mask;
		*shared = ctx;
		for (uint32_t i = 0; i < count; i++)
			EXPECT(probe_ring_state_make(
				&ctx, (uint64_t)shared, i, PROBE_KIND_TRACE,
				&table[probe_ring_slot(ctx.ring_slot_mask, i)]));
		HIP(hipMemcpy(states, table.data(), table.size() * sizeof(table[0]),
			      hipMemcpyHostToDevice));
	}
	~rings()
	{
		HIP(hipHostFree(shared));
		HIP(hipHostFree(heads));
		HIP(hipHostFree(data));
		HIP(hipFree(states));
	}
};

// The groups of the code object's site table.
static const probe_trace_groups *trace_groups()
{
	static std::vector<probe_trace_group> groups(header().site_count);
	static std::vector<const probe_trace_group *> by_site(header().site_count);
	static const probe_trace_groups ret = {by_site.data(), header().site_count};

	for (uint32_t id = 0; id < header().site_count; id++) {
		probe_trace_group &group = groups[id];

		if (site(id).access != PROBE_ACCESS_GROUP || by_site[id])
			continue;
		EXPECT(probe_trace_group_read(id, string(site(id).name), &group));
		for (uint32_t i = 0; i < group.sites; i++)
			group.site[i].lds = site(group.first_site + i).space == PROBE_SPACE_LDS;
		for (uint32_t i = 0; i <= group.bases; i++)
			by_site[id + i] = &group;
	}
	return &ret;
}

// All launches have groups of one whole wave.
static const probe_trace_key *trace_key()
{
	static const probe_trace_key ret = {trace_groups(), {1 << 20, 1, 1}, {64, 1, 1}, 3};

	return &ret;
}

// Reads bytes [tail, head) of a ring, in order.
struct ring_reader {
	probe_trace_expander expander = {};
	std::vector<char> out = std::vector<char>(1 << 18);
	uint64_t shortened = 0; // bytes that arrived
	std::vector<traced_wave> waves;
	uint64_t records = 0;

	static uint64_t word(const char *at)
	{
		uint64_t value;

		memcpy(&value, at, 8);
		return value;
	}

	void lanes(uint32_t form, const char *at, traced &out)
	{
		uint64_t base = word(at + 16);
		int32_t stride = (int32_t)(word(at) >> 32);
		const char *element = at + 24;
		int first = __builtin_ctzll(out.access.exec);

		for (int l = 0; l < 64; l++) {
			if (!(out.access.exec >> l & 1))
				continue;
			if (form == PROBE_FORM_AFFINE) {
				out.access.address[l] = base + (int64_t)stride * (l - first);
			} else if (form == PROBE_FORM_NEAR) {
				int32_t offset;

				memcpy(&offset, element, 4);
				element += 4;
				out.access.address[l] = base + (int64_t)offset;
			} else {
				EXPECT(base == 0);
				out.access.address[l] = word(element);
				element += 8;
			}
		}
		if (form != PROBE_FORM_AFFINE) {
			uint32_t size = (uint32_t)(element - at + 7) & ~7u;

			EXPECT(word(at) >> 32 == size);
			if (element < at + size)
				EXPECT(*(const uint32_t *)element == 0);
		}
	}

	// Returns the size of the record.
	uint64_t record(const char *at, uint64_t to_end)
	{
		uint32_t form = (uint32_t)word(at) >> PROBE_FORM_SHIFT;
		traced out;

		if (form == PROBE_FORM_PAD)
			return to_end;
		records++;
		if (form == PROBE_FORM_WAVE) {
			waves.emplace_back();
			memcpy(&waves.back().start, at, sizeof(probe_rec_wave));
			return sizeof(probe_rec_wave);
		}
		EXPECT(form <= PROBE_FORM_FULL && !waves.empty());
		out.site = (uint32_t)word(at) & PROBE_SITE_MASK;
		out.access.exec = word(at + 8);
		EXPECT(out.access.exec != 0);
		lanes(form, at, out);
		waves.back().accesses.push_back(out);
		return form == PROBE_FORM_AFFINE ? sizeof(probe_rec_affine) : word(at) >> 32;
	}

	// Reads a piece that does not wrap.
	void take_piece(const char *data, size_t size)
	{
		trace_piece piece = {(const unsigned char *)data, size, 0};

		shortened += size;
		while (piece.pos < size) {
			size_t bytes =
				probe_trace_expand(&piece, trace_key(), &expander,
						   (unsigned char *)out.data(), out.size());

			for (size_t at = 0; at < bytes;) {
				uint64_t one = record(out.data() + at, bytes - at);

				EXPECT(one && one % 8 == 0 && at + one <= bytes);
				at += one;
			}
		}
	}

	void take(const char *data, uint32_t size, uint64_t tail, uint64_t head)
	{
		EXPECT(head - tail <= size);
		while (tail < head) {
			uint64_t at = tail & (size - 1);
			uint64_t bytes = std::min<uint64_t>(head - tail, size - at);

			take_piece(data + at, bytes);
			tail += bytes;
		}
	}
};

static std::map<uint32_t, traced_wave> by_block(const std::vector<traced_wave> &waves)
{
	std::map<uint32_t, traced_wave> blocks;

	for (const traced_wave &wave : waves) {
		EXPECT(wave.start.dispatch == 77 && wave.start.wave == 0);
		EXPECT(wave.start.group[1] == 0 && wave.start.group[2] == 0);
		EXPECT(wave.start.exec == ~0ull && wave.start.time != 0);
		EXPECT(!blocks.count(wave.start.group[0]));
		blocks[wave.start.group[0]] = wave;
	}
	return blocks;
}

static void check_wave(const std::string &name, const pattern &p, uint32_t block, uint32_t target,
		       const traced_wave &wave, const uint64_t *pattern_dev, const uint32_t *sink)
{
	const probe_site_kernel &k = kernel(name);
	size_t next = 0;

	for (uint32_t i = 0; i < k.site_count; i++) {
		wave_access want;
		bool known =
			expected_access(p, i, target, k.site_count, pattern_dev, sink, block, want);
		const traced *got = next < wave.accesses.size() ? &wave.accesses[next] : nullptr;

		if (known && !want.exec)
			continue;
		checks++;
		next++;
		if (got && got->site == k.first_site + i &&
		    (!known || (got->access.exec == want.exec &&
				!memcmp(got->access.address, want.address, sizeof(want.address)))))
			continue;
		if (failures++ < 20)
			fprintf(stderr, "%s block %u, %s: trace of site %u differs\n", name.c_str(),
				block, p.name.c_str(), k.first_site + i);
	}
	EXPECT(next == wave.accesses.size());
}

// For LDS a trace contains only the offset; flat addresses are unchanged.
static void test_trace(const std::string &name, const std::vector<pattern> &patterns,
		       uint32_t target)
{
	if (few_traces && name.find("_32") == std::string::npos)
		return;
	rings r(16, 1 << 20, PROBE_FULL_BLOCK, 100);
	device_array<uint64_t> pattern_dev(64 * patterns.size());
	device_array<uint32_t> sink(64 * patterns.size());
	ring_reader reader;
	for (size_t i = 0; i < patterns.size(); i++)
		HIP(hipMemcpy(pattern_dev.data + 64 * i, patterns[i].entry,
			      sizeof(patterns[i].entry), hipMemcpyHostToDevice));
	run("trace", name, pattern_dev.data, sink.data, r.ctx, (uint32_t)patterns.size());
	for (uint32_t i = 0; i < r.count; i++) {
		EXPECT(r.heads[i].head <= r.size);
		EXPECT(r.heads[i].dropped == 0);
		EXPECT(r.heads[i].emitted == 0);
		reader.take(r.data + (size_t)i * r.size, r.size, 0, r.heads[i].head);
	}
	EXPECT(reader.expander.records == reader.records);
	auto blocks = by_block(reader.waves);

	EXPECT(blocks.size() == patterns.size());
	for (size_t i = 0; i < patterns.size(); i++)
		check_wave(name, patterns[i], (uint32_t)i, target, blocks[(uint32_t)i],
			   pattern_dev.data, sink.data);
}

// Reads rings as the supervisor does, while the kernel runs.
static void consume(rings &r, std::vector<ring_reader> &readers, std::atomic<bool> &done)
{
	std::vector<char> copy(r.size);

	for (bool last = false;; last = done.load()) {
		for (uint32_t i = 0; i < r.count; i++) {
			uint64_t head = __atomic_load_n(&r.heads[i].head, __ATOMIC_ACQUIRE);
			uint64_t tail = r.heads[i].tail;

			EXPECT(head - tail <= r.size);
			readers[i].take(r.data + (size_t)i * r.size, r.size, tail, head);
			__atomic_store_n(&r.heads[i].tail, head, __ATOMIC_RELEASE);
		}
		if (last)
			return;
		std::this_thread::yield();
	}
}

// Rings that wrap hundreds of times: nothing is lost while a reader keeps up, and all records are
// accounted for without a reader.
static void test_small_rings()
{
	const std::string name = "load_global_32";
	auto patterns = make_patterns(GLOBAL, 4, 4);
	device_array<uint64_t> pattern_dev(64 * patterns.size());
	device_array<uint32_t> sink(64 * patterns.size());

	for (size_t i = 0; i < patterns.size(); i++)
		HIP(hipMemcpy(pattern_dev.data + 64 * i, patterns[i].entry,
			      sizeof(patterns[i].entry), hipMemcpyHostToDevice));
	for (uint32_t count : {1, 2, 8}) {
		rings r(count, 4096, PROBE_FULL_BLOCK, 1u << 30);
		std::vector<ring_reader> readers(count);
		std::atomic<bool> done{false};
		std::thread reader([&] { consume(r, readers, done); });
		std::vector<traced_wave> waves;

		run("trace", name, pattern_dev.data, sink.data, r.ctx, (uint32_t)patterns.size());
		done = true;
		reader.join();
		for (uint32_t i = 0; i < count; i++) {
			EXPECT(r.heads[i].dropped == 0);
			EXPECT(r.heads[i].emitted == 0);
			EXPECT(readers[i].expander.records == readers[i].records);
			waves.insert(waves.end(), readers[i].waves.begin(), readers[i].waves.end());
		}
		auto blocks = by_block(waves);

		EXPECT(blocks.size() == patterns.size());
		for (size_t i = 0; i < patterns.size(); i++)
			check_wave(name, patterns[i], (uint32_t)i, 1, blocks[(uint32_t)i],
				   pattern_dev.data, sink.data);
	}
	// Repeated often, because the timing of waves decides which one owns a ring when another
	// counts a loss there.
	for (uint32_t turn = 0; turn < 42; turn++) {
		static const probe_when_full policies[] = {PROBE_FULL_BLOCK, PROBE_FULL_DROP,
							   PROBE_FULL_SAMPLE};
		rings r(2, 4096, policies[turn % 3], 3);
		uint64_t asked = 0, lost = 0, stored = 0, want = 0;

		run("trace", name, pattern_dev.data, sink.data, r.ctx, (uint32_t)patterns.size());
		for (uint32_t i = 0; i < r.count; i++) {
			ring_reader reader;

			reader.take(r.data + (size_t)i * r.size, r.size, 0, r.heads[i].head);
			stored += reader.records;
			asked += r.heads[i].emitted;
			lost += r.heads[i].dropped;
		}
		for (const pattern &p : patterns)
			want += 2 + (p.access.exec ? 2 : 0);
		EXPECT(asked == lost);
		EXPECT(lost && want == stored + lost);
	}
}

// The apertures of the simulated device.
static uint8_t resolve(uint8_t space, uint64_t address)
{
	if (space != PROBE_SPACE_FLAT)
		return space;
	return address >> 32 == 0x10000	  ? PROBE_SPACE_LDS
	       : address >> 32 == 0x20000 ? PROBE_SPACE_SCRATCH
					  : PROBE_SPACE_GLOBAL;
}

// The results of a kernel do not change, and lanes that wait keep their registers.
static void test_diverge()
{
	const uint32_t blocks = 32;
	std::vector<uint64_t> words(64);
	hipFunction_t original;

	for (uint64_t &word : words)
		word = (uint64_t)random32() << 32 | random32();
	device_array<uint64_t> table_dev(words);
	device_array<uint32_t> plain(blocks * 128), memory(blocks * 128), trace(blocks * 128);
	const void *table_arg = table_dev.data;
	void *args[] = {&table_arg, &plain.data};

	HIP(hipModuleGetFunction(&original, module_, "diverge"));
	HIP(hipModuleLaunchKernel(original, blocks, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr));
	HIP(hipDeviceSynchronize());

	const probe_site_kernel &k = kernel("diverge");
	device_array<uint64_t> counts((size_t)REPLICAS * k.site_count * PROBE_COUNTERS);
	rings r(16, 1 << 20, PROBE_FULL_BLOCK, 100);

	r.ctx.counters = (uint64_t)counts.data;
	r.ctx.replica_mask = REPLICAS - 1;
	r.ctx.site_first = k.first_site;
	r.ctx.site_count = k.site_count;
	run("memory", "diverge", table_dev.data, memory.data, r.ctx, blocks);
	r.ctx.row_lanes = 3;
	run("trace", "diverge", table_dev.data, trace.data, r.ctx, blocks);
	expect_equal("memory clone", memory.host(), plain.host());
	expect_equal("trace clone", trace.host(), plain.host());

	// Counters of every site, including those of the called function, from the trace.
	std::map<uint32_t, counters> want;
	ring_reader reader;

	for (uint32_t i = 0; i < r.count; i++)
		reader.take(r.data + (size_t)i * r.size, r.size, 0, r.heads[i].head);
	EXPECT(by_block(reader.waves).size() == blocks);
	for (const traced_wave &wave : reader.waves)
		for (traced access : wave.accesses) {
			for (int l = 0; l < 64; l++)
				access.access.space[l] =
					resolve(site(access.site).space, access.access.address[l]);
			want[access.site].add(model(access.access, {site(access.site).access,
								    site(access.site).size,
								    site(access.site).unit}));
		}
	EXPECT(want.size() >= 3);
	std::vector<uint64_t> raw = counts.host();

	for (uint32_t id = k.first_site; id < k.first_site + k.site_count; id++) {
		counters got = counted(raw, k, id - k.first_site);

		for (int c = 0; c < PROBE_COUNTERS; c++) {
			checks++;
			if (got.value[c] != want[id].value[c] && failures++ < 20)
				fprintf(stderr,
					"diverge site %u counter %d: %llu, trace says %llu\n", id,
					c, (unsigned long long)got.value[c],
					(unsigned long long)want[id].value[c]);
		}
	}
}
