/* SPDX-License-Identifier: MIT */
/*
 * Batches of measured accesses (wire_batch.h). A wave stores the addresses of up to 32
 * executions, its records, and this function counts them together: two, four or eight lanes per
 * record, each with the addresses of up to 4 or 8 of the execution's lanes. Sorted by cache line
 * and lane, addresses that share a 64 B line, a 128 B line, or a line in a quad are neighbours.
 *
 * All 64 lanes are active, and EXEC is not that of the program.
 */
#include <probe/wire_batch.h>

#include "devlib/lane_affine.h"
#include "devlib/wave_ids.h"

enum { KEYS = 8 }; /* of a lane, at most */

/* DPP: the lane that a value comes from, in its quad or its half of a row of 16. */
enum {
	FROM_NEIGHBOUR = 0xb1,	 /* lane ^ 1 */
	FROM_OTHER_PAIR = 0x4e,	 /* lane ^ 2 */
	FROM_OPPOSITE = 0x1b,	 /* lane ^ 3 */
	FROM_OTHER_QUAD = 0x141, /* lane ^ 7 */
	FROM_BELOW = 0x111,	 /* lane - 1 */
};

#define MOVED(value, from) ((uint32_t)__builtin_amdgcn_mov_dpp((int)(value), from, 0xf, 0xf, true))

/* An entry: the low half of an address, and the fields of PROBE_BATCH_. */
typedef uint32_t entry_words __attribute__((vector_size(8)));
/* Two entries, at an address that is a multiple of 8 only. */
typedef uint32_t entry_pair __attribute__((vector_size(16), aligned(8)));

/* An execution. Vector registers are scarce: the other fields of its first entry are read later. */
struct batch_record {
	const entry_words DEV_GLOBAL *entry;
	uint32_t lanes;		/* active lanes; 0 = not used */
	uint32_t address, lane; /* of the first active lane */
	int32_t stride;		/* that the first two active lanes have; 0 if there is one */
	bool strided;		/* could it be the stride of all? */
};

struct batch_counts {
	uint32_t quads, lines64, lines128; /* cache lines, and those of each quad */
	uint32_t active;		   /* mask of quads with active lanes */
	uint32_t mismatch;		   /* 0 = all lanes have the stride */
};

DEV_INLINE uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

DEV_INLINE uint32_t greatest(uint32_t a, uint32_t b)
{
	return a < b ? b : a;
}

DEV_INLINE void order(uint32_t *key, int low, int high)
{
	uint32_t a = key[low], b = key[high];

	key[low] = least(a, b);
	key[high] = greatest(a, b);
}

/*
 * operation(i, ...) for each key. Not a loop: LLVM does not unroll all loops of this kind, and
 * arrays that loops index are in memory.
 */
#define FOR_KEY(keys, i, operation, ...)                                                           \
	if ((i) < (keys))                                                                          \
		operation(i, __VA_ARGS__);
#define FOR_FOUR(keys, i, operation, ...)                                                          \
	FOR_KEY(keys, (i), operation, __VA_ARGS__)                                                 \
	FOR_KEY(keys, (i) + 1, operation, __VA_ARGS__)                                             \
	FOR_KEY(keys, (i) + 2, operation, __VA_ARGS__)                                             \
	FOR_KEY(keys, (i) + 3, operation, __VA_ARGS__)
#define FOR_KEYS(keys, operation, ...)                                                             \
	do {                                                                                       \
		FOR_FOUR(keys, 0, operation, __VA_ARGS__)                                          \
		FOR_FOUR(keys, 4, operation, __VA_ARGS__)                                          \
	} while (0)

/* Steps of Batcher's sort: compare keys at a distance of `step`. */
#define ORDER_HALVES(i, step)                                                                      \
	if (!((i) & (step)))                                                                       \
	order(key, i, (i) + (step))
#define ORDER_REST(i, step, size)                                                                  \
	if (((i) & (step)) && (i) % (size) + (step) < (size))                                      \
	order(key, i, (i) + (step))

DEV_INLINE void sort(uint32_t *key, int keys)
{
	FOR_KEYS(keys, ORDER_HALVES, 1);
	FOR_KEYS(keys, ORDER_HALVES, 2);
	FOR_KEYS(keys, ORDER_REST, 1, 4);
	if (keys == 4)
		return;
	FOR_KEYS(keys, ORDER_HALVES, 4);
	FOR_KEYS(keys, ORDER_REST, 2, 8);
	FOR_KEYS(keys, ORDER_REST, 1, 8);
}

/* Sort a bitonic sequence. */
DEV_INLINE void merge(uint32_t *key, int keys)
{
	if (keys > 4)
		FOR_KEYS(keys, ORDER_HALVES, 4);
	FOR_KEYS(keys, ORDER_HALVES, 2);
	FOR_KEYS(keys, ORDER_HALVES, 1);
}

DEV_INLINE uint32_t lower_or_higher(uint32_t a, uint32_t b, bool lower)
{
	return lower ? least(a, b) : greatest(a, b);
}

/*
 * Compare each key with that of another lane, where `lower` differs: it keeps the lower keys. The
 * keys of a lane that ends a sorted sequence are compared in reverse.
 */
#define EXCHANGE(i, from, lower) key[i] = lower_or_higher(key[i], MOVED(key[i], from), lower)
#define EXCHANGE_REVERSED(i, from, lower)                                                          \
	do {                                                                                       \
		uint32_t first = MOVED(key[keys - 1 - (i)], from), last = MOVED(key[i], from);     \
                                                                                                   \
		key[i] = lower_or_higher(key[i], first, lower);                                    \
		key[keys - 1 - (i)] = lower_or_higher(key[keys - 1 - (i)], last, lower);           \
	} while (0)

/* Sort the keys of a record's lanes, of which `part` is the own one. */
DEV_INLINE void sort_record(uint32_t *key, int keys, int parts, uint32_t part)
{
	sort(key, keys);
	FOR_KEYS(keys / 2, EXCHANGE_REVERSED, FROM_NEIGHBOUR, !(part & 1));
	merge(key, keys);
	if (parts == 2)
		return;
	FOR_KEYS(keys / 2, EXCHANGE_REVERSED, FROM_OPPOSITE, !(part & 2));
	FOR_KEYS(keys, EXCHANGE, FROM_NEIGHBOUR, !(part & 1));
	merge(key, keys);
	if (parts == 4)
		return;
	FOR_KEYS(keys / 2, EXCHANGE_REVERSED, FROM_OTHER_QUAD, !(part & 4));
	FOR_KEYS(keys, EXCHANGE, FROM_OTHER_PAIR, !(part & 2));
	FOR_KEYS(keys, EXCHANGE, FROM_NEIGHBOUR, !(part & 1));
	merge(key, keys);
}

/*
 * The key of an entry: its 64 B line, and the lane in the bits below. Entries that are not used
 * have the first one's. `origin` is the address that the stride predicts for lane 0.
 */
DEV_INLINE uint32_t read_entry(const struct batch_record *record, uint32_t address, uint32_t lane,
			       bool used, uint32_t origin, struct batch_counts *counts)
{
	address = used ? address : record->address;
	lane = used ? lane : record->lane;
	counts->mismatch |= address ^ (origin + (uint32_t)record->stride * lane);
	counts->active |= 1u << (lane >> 2);
	return (address & ~63u) | lane;
}

DEV_INLINE void count_differences(uint32_t key, uint32_t below, struct batch_counts *counts)
{
	uint32_t bits = key ^ below;

	counts->quads += bits > 3;
	counts->lines64 += bits > 63;
	counts->lines128 += bits > 127;
}

/* Combine the values of a record's lanes. */
DEV_INLINE uint32_t sum(uint32_t value, int parts)
{
	value += MOVED(value, FROM_NEIGHBOUR);
	value += parts > 2 ? MOVED(value, FROM_OTHER_PAIR) : 0;
	return parts > 4 ? value + MOVED(value, FROM_OTHER_QUAD) : value;
}

DEV_INLINE uint32_t all_bits(uint32_t value, int parts)
{
	value |= MOVED(value, FROM_NEIGHBOUR);
	value |= parts > 2 ? MOVED(value, FROM_OTHER_PAIR) : 0;
	return parts > 4 ? value | MOVED(value, FROM_OTHER_QUAD) : value;
}

#define COUNT(i, counts)                                                                           \
	count_differences(key[i], (i) ? key[((i) + KEYS - 1) % KEYS] : below, counts)
/* Two entries. Not all loads at once: registers are scarce. */
#define READ(i, first)                                                                             \
	do {                                                                                       \
		entry_pair words;                                                                  \
                                                                                                   \
		if ((i) % 2)                                                                       \
			break;                                                                     \
		if ((i) % 4 == 0)                                                                  \
			__asm__ volatile("" : : : "memory");                                       \
		words = *(const entry_pair DEV_GLOBAL *)&record->entry[(first) + (i)];             \
		key[i] = read_entry(record, words[0], words[1] >> PROBE_BATCH_LANE,                \
				    (first) + (i) < record->lanes, origin, &counts);               \
		key[((i) + 1) % KEYS] =                                                            \
			read_entry(record, words[2], words[3] >> PROBE_BATCH_LANE,                 \
				   (first) + (i) + 1 < record->lanes, origin, &counts);            \
	} while (0)

DEV_INLINE struct batch_counts count_record(const struct batch_record *record, int keys, int parts,
					    uint32_t part)
{
	struct batch_counts counts = {.mismatch = !record->strided};
	uint32_t origin = record->address - (uint32_t)record->stride * record->lane;
	uint32_t key[KEYS], below, lines;

	FOR_KEYS(keys, READ, part * (uint32_t)keys);
	sort_record(key, keys, parts, part);
	below = MOVED(key[keys - 1], FROM_BELOW);
	/* The record's first key has none below it. */
	below = part ? below : ~key[0];
	FOR_KEYS(keys, COUNT, &counts);
	lines = sum(counts.quads | counts.lines64 << 8 | counts.lines128 << 16, parts);
	counts.quads = lines & 0xff;
	counts.lines64 = lines >> 8 & 0xff;
	counts.lines128 = lines >> 16;
	counts.active = all_bits(counts.active, parts);
	counts.mismatch = all_bits(counts.mismatch, parts);
	return counts;
}

DEV_INLINE void add(uint64_t row, uint32_t counter, uint32_t value)
{
	__atomic_fetch_add((uint64_t DEV_GLOBAL *)row + counter, value, __ATOMIC_RELAXED);
}

DEV_INLINE void raise(uint64_t row, uint32_t counter, uint32_t value)
{
	__atomic_fetch_max((uint64_t DEV_GLOBAL *)row + counter, value, __ATOMIC_RELAXED);
}

/* Add a quarter of a record's counters. */
DEV_INLINE void add_quarter(uint64_t row, const struct batch_counts *counts, uint32_t lanes,
			    uint32_t unit, int32_t stride, uint32_t quarter)
{
	uint32_t needed64 = (lanes * unit + 63) >> 6, needed128 = (needed64 + 1) >> 1;
	uint32_t excess64 = greatest(counts->lines64, needed64) - needed64;
	uint32_t excess128 = greatest(counts->lines128, needed128) - needed128;
	uint32_t idle = 16 - dev_count(counts->active);
	bool odd = quarter & 1, high = quarter & 2;

	_Static_assert(PROBE_C_EXECUTIONS == 0 && PROBE_C_LANES == 1 && PROBE_C_QUADS == 2 &&
			       PROBE_C_LINES64 == 3 && PROBE_C_NEEDED64 == 4 &&
			       PROBE_C_EXCESS64 == 5 && PROBE_C_LINES128 == 6 &&
			       PROBE_C_NEEDED128 == 7,
		       "four counters at a time");
	add(row, quarter,
	    high ? (odd ? counts->lines64 : counts->quads + idle) : (odd ? lanes : 1));
	add(row, 4 + quarter,
	    high ? (odd ? needed128 : counts->lines128) : (odd ? excess64 : needed64));
	if (!high)
		add(row, odd ? PROBE_C_AFFINE : PROBE_C_EXCESS128,
		    odd ? !counts->mismatch : excess128);
	if (high && !counts->mismatch && lanes > 1) {
		uint32_t biased = (uint32_t)stride + (uint32_t)PROBE_STRIDE_BIAS;

		raise(row, odd ? PROBE_C_STRIDE_LO : PROBE_C_STRIDE_HI, odd ? -biased : biased);
	}
}

/*
 * The first two active lanes predict a stride. If it fits the last one, too, its products with
 * differences of lanes do not overflow 32 bits.
 */
DEV_INLINE struct batch_record read_record(const entry_words DEV_GLOBAL *entry, bool used)
{
	entry_pair first = *(const entry_pair DEV_GLOBAL *)entry;
	struct batch_record record = {
		.entry = entry,
		.lanes = used ? first[1] & PROBE_BATCH_ALL : 0,
		.address = first[0],
		.lane = first[1] >> PROBE_BATCH_LANE,
		.strided = true,
	};

	if (record.lanes > 1) {
		uint32_t gap = (first[3] >> PROBE_BATCH_LANE) - record.lane;
		int32_t diff = (int32_t)(first[2] - record.address);
		entry_words last = entry[record.lanes - 1];
		uint32_t distance = (last[1] >> PROBE_BATCH_LANE) - record.lane;

		record.stride = dev_divide_exact(diff, gap);
		record.strided = (int64_t)record.stride * (int32_t)gap == diff &&
				 (int64_t)record.stride * (int32_t)distance ==
					 (int32_t)(last[0] - record.address);
	}
	return record;
}

/*
 * Count the records from offset `first` on, with so many lanes for each, and so many keys in each
 * of them. `rows` is the address of the first site's row of counters.
 */
DEV_INLINE void count_records(uint64_t rows, uint64_t records, uint32_t bytes, uint32_t first,
			      int keys, int parts)
{
	uint32_t part = dev_lane() % (uint32_t)parts, fields, also;
	uint32_t offset = first + dev_lane() / (uint32_t)parts * PROBE_BATCH_STRIDE;
	struct batch_record record =
		read_record((const entry_words DEV_GLOBAL *)(records + offset), offset < bytes);
	struct batch_counts counts = count_record(&record, keys, parts, part);
	uint64_t row;

	if (!record.lanes || part > 3)
		return;
	__asm__ volatile("" : : : "memory");
	fields = record.entry[0][1];
	row = rows + (fields >> PROBE_BATCH_ROW & (PROBE_BATCH_ROWS - 1)) * (PROBE_COUNTERS * 8);
	also = fields >> PROBE_BATCH_ALSO & 1 ? record.entry[PROBE_BATCH_LANES][0] : 0;
	for (;;) {
		add_quarter(row, &counts, record.lanes, fields >> PROBE_BATCH_UNIT & 31,
			    record.stride, part);
		if (parts == 2)
			add_quarter(row, &counts, record.lanes, fields >> PROBE_BATCH_UNIT & 31,
				    record.stride, part + 2);
		if (!also)
			break;
		/* The next row of those that receive the same counts: bit n = n rows further. */
		uint32_t next = (uint32_t)__builtin_ctz(also);

		row += next * (PROBE_COUNTERS * 8);
		also = also >> next & ~1u;
	}
}

/*
 * Count the records of which `bytes` were stored, from the one at offset `start` on: as many as fit
 * into the lanes with the fewest instructions. Returns where to continue, or 0. It has no loop over
 * them, because values that LLVM moves out of a loop would not fit into the registers.
 */
DEV_SHARED uint32_t __probe_dev_memory_batch(uint64_t rows, uint64_t records, uint32_t bytes,
					     uint32_t start)
{
	uint32_t offset, lanes, over32, over16, counted;

	rows = dev_uniform64(rows);
	records = dev_uniform64(records);
	bytes = dev_uniform32(bytes);
	start = dev_uniform32(start);
	offset = start + dev_lane() % PROBE_BATCH_RECORDS * PROBE_BATCH_STRIDE;
	lanes = offset < bytes ? ((const uint32_t DEV_GLOBAL *)(records + offset))[1] : 0;
	lanes &= PROBE_BATCH_ALL;
	over32 = (uint32_t)dev_ballot(lanes > 32);
	over16 = (uint32_t)dev_ballot(lanes > 16);
	if (over32 & 0xffff) {
		count_records(rows, records, bytes, start, 8, 8);
		counted = 8;
	} else if (over16 & 0xffff) {
		count_records(rows, records, bytes, start, 8, 4);
		counted = 16;
	} else if (over16 || bytes - start <= 16 * PROBE_BATCH_STRIDE) {
		count_records(rows, records, bytes, start, 4, 4);
		counted = 16;
	} else {
		count_records(rows, records, bytes, start, 8, 2);
		counted = 32;
	}
	start += counted * PROBE_BATCH_STRIDE;
	return start < bytes ? start : 0;
}
