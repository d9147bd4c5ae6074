/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/trace/frame_rules.h"

#include <link.h>
#include <stdatomic.h>
#include <stddef.h>

#include "hsa-plugin/trace/frame_decode.h"

/* Of the compiler's runtime library, for its own unwinder; in no header. */
struct dwarf_eh_bases {
	void *text, *data, *function;
};
extern const void *_Unwind_Find_FDE(void *address, struct dwarf_eh_bases *ret);

enum {
	SLOTS = 1 << 12,
	SEARCHED = 8,	   /* slots that an address may be in */
	BEING_WRITTEN = 1, /* instead of a key */
	LOADS_SHIFT = 48,  /* addresses have 47 bits */
};

/* A program calls a runtime in few ways. */
static struct slot {
	_Atomic uint64_t key; /* the address and the low bits of `loads`; 0 = free */
	_Atomic uint64_t rule;
} slots[SLOTS];

/* ---- A rule in 64 bits ------------------------------------------------------------------------
 */

enum {
	OTHER = 1,
	LAST = 2,
	USER = 4,
	FROM_BP = 8,
	SAVES_BP = 16,
	CFA_SHIFT = 8,
	BP_SHIFT = 36,
	DISTANCE_BITS = 28,
};

static bool fits(int32_t distance)
{
	return distance >> (DISTANCE_BITS - 1) == 0 || distance >> (DISTANCE_BITS - 1) == -1;
}

static uint64_t pack(struct probe_frame_rule rule)
{
	const uint64_t mask = (1ull << DISTANCE_BITS) - 1;
	bool other = rule.other || !fits(rule.cfa) || !fits(rule.bp);

	return (other ? OTHER : 0) | (rule.last ? LAST : 0) | (rule.user ? USER : 0) |
	       (rule.from_bp ? FROM_BP : 0) | (rule.saves_bp ? SAVES_BP : 0) |
	       ((uint64_t)(int64_t)rule.cfa & mask) << CFA_SHIFT |
	       ((uint64_t)(int64_t)rule.bp & mask) << BP_SHIFT;
}

static struct probe_frame_rule unpack(uint64_t rule)
{
	return (struct probe_frame_rule){
		.other = rule & OTHER,
		.last = rule & LAST,
		.user = rule & USER,
		.from_bp = rule & FROM_BP,
		.saves_bp = rule & SAVES_BP,
		.cfa = (int32_t)((int64_t)(rule << (64 - CFA_SHIFT - DISTANCE_BITS)) >>
				 (64 - DISTANCE_BITS)),
		.bp = (int32_t)((int64_t)rule >> BP_SHIFT),
	};
}

/* ---- The table --------------------------------------------------------------------------------
 */

static struct slot *slot_at(uint64_t key, unsigned i)
{
	return &slots[((key * 0x9e3779b97f4a7c15ull >> 40) + i) % SLOTS];
}

static bool look_up(uint64_t key, uint64_t *ret)
{
	for (unsigned i = 0; i < SEARCHED; i++) {
		struct slot *slot = slot_at(key, i);
		uint64_t there = atomic_load_explicit(&slot->key, memory_order_acquire);

		if (!there)
			return false;
		if (there != key)
			continue;
		*ret = atomic_load_explicit(&slot->rule, memory_order_acquire);
		/* It may have been replaced meanwhile. */
		return atomic_load_explicit(&slot->key, memory_order_relaxed) == key;
	}
	return false;
}

/* In a free slot, or in that of an address that was looked up before libraries were loaded. */
static void keep(uint64_t key, uint64_t rule)
{
	for (unsigned i = 0; i < SEARCHED; i++) {
		struct slot *slot = slot_at(key, i);
		uint64_t there = atomic_load_explicit(&slot->key, memory_order_relaxed);

		if (there == key)
			return;
		if ((there && (there == BEING_WRITTEN || !((there ^ key) >> LOADS_SHIFT))) ||
		    !atomic_compare_exchange_strong(&slot->key, &there, BEING_WRITTEN))
			continue;
		atomic_store_explicit(&slot->rule, rule, memory_order_release);
		/* Pairs with the first load of look_up(). */
		atomic_store_explicit(&slot->key, key, memory_order_release);
		return;
	}
}

static int first_object(struct dl_phdr_info *info, size_t size, void *loads)
{
	(void)size;
	*(uint64_t *)loads = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

uint64_t probe_frame_loads(void)
{
	uint64_t loads = 0;

	dl_iterate_phdr(first_object, &loads);
	return loads;
}

struct probe_frame_rule probe_frame_rule(uintptr_t address, uint64_t loads,
					 bool (*is_user)(uintptr_t address))
{
	uint64_t key = address ^ loads << LOADS_SHIFT, packed;
	struct probe_frame_rule rule = {.last = true};
	struct dwarf_eh_bases bases;
	const void *fde;

	if (look_up(key, &packed))
		return unpack(packed);
	/* Without unwind information, the unwinder ends there, too. */
	fde = _Unwind_Find_FDE((void *)(address - 1), &bases);
	if (fde)
		rule = probe_frame_decode(fde, (uintptr_t)bases.function, address);
	rule.user = is_user(address - 1);
	packed = pack(rule);
	keep(key, packed);
	return unpack(packed);
}
