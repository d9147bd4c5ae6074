// SPDX-License-Identifier: MIT
// PC samples of the simulated GPU in the program that is sampled: sessions as ROCr's, records read
// bit by bit as AMD's headers and trap handlers have them.
#ifndef PROBE_TESTS_SAMPLING_H
#define PROBE_TESTS_SAMPLING_H

#include "common/hsa_pc_sampling.h"
#include "simgpu/probe_sim.h"
#include "hip_test.h"

#include <dlfcn.h>
#include <map>
#include <mutex>

struct record {
	uint64_t pc, exec;
	uint32_t workgroup[3], wave, hw_id, snapshot[3];
	uint64_t timestamp, correlation;

	bool issued() const
	{
		return snapshot[0] >> 1 & 1;
	}
	unsigned type() const
	{
		return snapshot[0] >> 3 & 15;
	}
	unsigned reason() const
	{
		return snapshot[0] >> 7 & 7;
	}
	unsigned issue() const
	{
		return snapshot[0] >> 10 & 255;
	}
	unsigned stall() const
	{
		return snapshot[0] >> 18 & 255;
	}
	unsigned waves() const
	{
		return snapshot[1] & 63;
	}
};
static_assert(sizeof(record) == 64, "as AMD's");

enum reason_code { NO_INSTRUCTION, ALU, WAITCNT, INTERNAL, BARRIER, NOT_WIN, EX_STALL, OTHER };

// True if ROCr samples, with what the driver offers.
static bool through_rocr()
{
	const char *set = getenv("PROBE_SIM_DRIVER_SAMPLING");

	return set && *set == '1';
}

template <typename F> static F *function(const char *name)
{
	void *library = dlopen("libprobe-sim.so", RTLD_LAZY | RTLD_NOLOAD);
	F *found;

	if (through_rocr() && strstr(name, "_pcs_"))
		library = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
	found = library ? (F *)dlsym(library, name) : nullptr;
	EXPECT(found);
	return found;
}

static hsa_agent_t gpu_agent(int wanted)
{
	struct search {
		int left;
		hsa_agent_t agent;
	} search = {wanted, {}};

	hsa_iterate_agents(
		[](hsa_agent_t agent, void *data) {
			auto *search = (struct search *)data;
			hsa_device_type_t type;

			hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
			if (type == HSA_DEVICE_TYPE_GPU && !search->left--)
				search->agent = agent;
			return HSA_STATUS_SUCCESS;
		},
		&search);
	EXPECT(search.agent.handle);
	return search.agent;
}

// A session and what it has delivered.
struct session {
	probe_hsa_pcs_t handle = {};
	std::mutex lock;
	std::vector<record> records;
	uint64_t deliveries = 0, lost = 0;
	size_t buffer;

	static void ready(void *data, size_t size, size_t lost, probe_hsa_pcs_copy *copy, void *hsa)
	{
		auto *self = (session *)data;
		std::lock_guard<std::mutex> guard(self->lock);
		size_t before = self->records.size();

		EXPECT(size && size % sizeof(record) == 0 && size <= self->buffer);
		self->records.resize(before + size / sizeof(record));
		// The whole or nothing, as ROCr 7.0.
		EXPECT(copy(hsa, size / 2, &self->records[before]) != HSA_STATUS_SUCCESS);
		EXPECT(copy(hsa, size, &self->records[before]) == HSA_STATUS_SUCCESS);
		self->deliveries++;
		self->lost += lost;
	}

	session(uint32_t method, size_t interval, int gpu = 0, size_t bytes = 1 << 16)
	    : buffer(bytes)
	{
		auto create = function<probe_hsa_pcs_create>("hsa_ven_amd_pcs_create");

		EXPECT(create(gpu_agent(gpu), method,
			      method == PROBE_HSA_PCS_STOCHASTIC_V1 ? PROBE_HSA_PCS_CLOCK_CYCLES
								    : PROBE_HSA_PCS_MICRO_SECONDS,
			      interval, 0, buffer, ready, this, &handle) == HSA_STATUS_SUCCESS);
		call("hsa_ven_amd_pcs_start");
	}

	void call(const char *name)
	{
		EXPECT(function<probe_hsa_pcs_call>(name)(handle) == HSA_STATUS_SUCCESS);
	}

	// What was taken so far, and no more of it later.
	std::vector<record> take()
	{
		call("hsa_ven_amd_pcs_flush");
		// hsa-plugin/runtime/sampler.h says why.
		if (through_rocr())
			call("hsa_ven_amd_pcs_flush");
		std::lock_guard<std::mutex> guard(lock);
		EXPECT(!lost);
		return std::move(records);
	}

	~session()
	{
		call("hsa_ven_amd_pcs_stop");
		call("hsa_ven_amd_pcs_destroy");
	}
};

// The machine's own count of cycles per instruction (PROBE_SIM_PC=1).
struct cycles {
	uint64_t issued, wait[PROBE_SIM_WAITS];

	uint64_t sum() const
	{
		uint64_t n = 4 * issued;

		for (uint64_t w : wait)
			n += w;
		return n;
	}
};
using truth = std::map<uint64_t, cycles>;

static truth truth_now()
{
	auto each = function<decltype(probe_sim_each_pc)>("probe_sim_each_pc");
	truth all;

	each(
		0, UINT64_MAX,
		[](void *ctx, const probe_sim_pc *row) {
			cycles c = {row->issued, {}};

			memcpy(c.wait, row->wait, sizeof(c.wait));
			(*(truth *)ctx)[row->pc] = c;
			return 0;
		},
		&all);
	return all;
}

static truth truth_since(const truth &before)
{
	truth now = truth_now(), since;

	for (auto &row : now) {
		cycles c = row.second;
		auto old = before.find(row.first);

		if (old != before.end()) {
			c.issued -= old->second.issued;
			for (int i = 0; i < PROBE_SIM_WAITS; i++)
				c.wait[i] -= old->second.wait[i];
		}
		if (c.sum())
			since[row.first] = c;
	}
	return since;
}

// Instructions by their first word, as the ISA manual has the encodings.
enum kind {
	SCALAR_ALU,
	NOP,
	ENDPGM,
	BRANCH,
	CONDITIONAL,
	BARRIER_INST,
	WAIT,
	OTHER_SOPP,
	SCALAR_MEMORY,
	VECTOR,
	DS,
	FLAT,
	OTHER_KIND
};

static uint32_t word_at(uint64_t pc)
{
	return *(const uint32_t *)pc; // code lies in memory of the host
}

static kind kind_at(uint64_t pc)
{
	uint32_t word = word_at(pc);

	if (word >> 23 == 0x17f)
		switch (word >> 16 & 0x7f) {
		case 0:
			return NOP;
		case 1:
			return ENDPGM;
		case 2:
			return BRANCH;
		case 4:
		case 5:
		case 6:
		case 7:
		case 8:
		case 9:
			return CONDITIONAL;
		case 10:
			return BARRIER_INST;
		case 12:
			return WAIT;
		default:
			return OTHER_SOPP;
		}
	if (word >> 30 == 2)
		return SCALAR_ALU;
	if (!(word >> 31))
		return VECTOR;
	switch (word >> 26) {
	case 0x30:
		return SCALAR_MEMORY;
	case 0x34:
		return VECTOR;
	case 0x36:
		return DS;
	case 0x37:
		return FLAT;
	default:
		return OTHER_KIND;
	}
}

#endif
