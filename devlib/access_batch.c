/* SPDX-License-Identifier: MIT */
/*
 * Batches of measured accesses (wire_batch.h). A wave stores the addresses of up to 32
 * executions, its records, and this function counts them together: 2 to 16 lanes per record, each
 * with the addresses of up to 16 of the execution's lanes. Sorted by cache line and lane, addresses
 * that share a 64 B line, a 128 B line, or a line in a quad are neighbours.
 *
 * All 64 lanes are active, and EXEC is not that of the program.
 */
#include <probe/wire_batch.h>

#include "devlib/lane_affine.h"
#include "devlib/wave_ids.h"

enum { KEYS = 16 }; /* of a lane, at most */

/* DPP: the lane that a value comes from, in its quad, its half of a row of 16, or its row. */
enum {
	FROM_NEIGHBOUR = 0xb1,	 /* lane ^ 1 */
	FROM_OTHER_PAIR = 0x4e,	 /* lane ^ 2 */
	FROM_OPPOSITE = 0x1b,	 /* lane ^ 3 */
	FROM_OTHER_QUAD = 0x141, /* lane ^ 7 */
	FROM_OTHER_HALF = 0x140, /* lane ^ 15 */
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
	int32_t stride;		/* that the first two and the last active lanes have */
	bool strided;		/* do they have one, or is there one lane? */
};

struct batch_counts {
	uint32_t quads, lines64, lines128; /* cache lines, and those of each quad */
	uint32_t active;		   /* mask of quads with active lanes */
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
		FOR_FOUR(keys, 8, operation, __VA_ARGS__)                                          \
		FOR_FOUR(keys, 12, operation, __VA_ARGS__)                                         \
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
	if (keys == 8)
		return;
	FOR_KEYS(keys, ORDER_HALVES, 8);
	FOR_KEYS(keys, ORDER_REST, 4, 16);
	FOR_KEYS(keys, ORDER_REST, 2, 16);
	FOR_KEYS(keys, ORDER_REST, 1, 16);
}

/* Sort a bitonic sequence. */
DEV_INLINE void merge(uint32_t *key, int keys)
{
	if (keys > 8)
		FOR_KEYS(keys, ORDER_HALVES, 8);
	if (keys > 4)
		FOR_KEYS(keys, ORDER_HALVES, 4);
	FOR_KEYS(keys, ORDER_HALVES, 2);
	FOR_KEYS(keys, ORDER_HALVES, 1);
}

/* What makes lower_or_higher() return the lower value, if `bit` of the lane's part is 0. */
DEV_INLINE uint32_t lower_if_zero(uint32_t part, uint32_t bit)
{
	uint32_t other = part & bit ? ~0u : 0;

	/* If LLVM knew the value, it would use more instructions than one for the median. */
	__asm__("" : "+v"(other));
	return other;
}

/* The median of two values and 0 or the largest one. */
DEV_INLINE uint32_t lower_or_higher(uint32_t a, uint32_t b, uint32_t other)
{
	return greatest(least(a, b), least(greatest(a, b), other));
}

/*
 * Compare each key with that of another lane, where `other` differs: one keeps the lower keys. The
 * keys of a lane that ends a sorted sequence are compared in reverse.
 */
#define EXCHANGE(i, from, other) key[i] = lower_or_higher(key[i], MOVED(key[i], from), other)
#define EXCHANGE_REVERSED(i, from, other)                                                          \
	do {                                                                                       \
		uint32_t first = MOVED(key[keys - 1 - (i)], from), last = MOVED(key[i], from);     \
                                                                                                   \
		key[i] = lower_or_higher(key[i], first, other);                                    \
		key[keys - 1 - (i)] = lower_or_higher(key[keys - 1 - (i)], last, other);           \
	} while (0)
/* The same with lane ^ 4, which no DPP has. */
#define EXCHANGE_QUADS(i, other)                                                                   \
	key[i] = lower_or_higher(                                                                  \
		key[i], (uint32_t)__builtin_amdgcn_ds_swizzle((int)key[i], 0x101f), other)

/* Sort the keys of a record's lanes, of which `part` is the own one. */
DEV_INLINE void sort_record(uint32_t *key, int keys, int parts, uint32_t part)
{
	uint32_t one = lower_if_zero(part, 1), two, four, eight;

	sort(key, keys);
	FOR_KEYS(keys / 2, EXCHANGE_REVERSED, FROM_NEIGHBOUR, one);
	merge(key, keys);
	if (parts == 2)
		return;
	two = lower_if_zero(part, 2);
	FOR_KEYS(keys / 2, EXCHANGE_REVERSED, FROM_OPPOSITE, two);
	FOR_KEYS(keys, EXCHANGE, FROM_NEIGHBOUR, one);
	merge(key, keys);
	if (parts == 4)
		return;
	four = lower_if_zero(part, 4);
	FOR_KEYS(keys / 2, EXCHANGE_REVERSED, FROM_OTHER_QUAD, four);
	FOR_KEYS(keys, EXCHANGE, FROM_OTHER_PAIR, two);
	FOR_KEYS(keys, EXCHANGE, FROM_NEIGHBOUR, one);
	merge(key, keys);
	if (parts == 8)
		return;
	eight = lower_if_zero(part, 8);
	FOR_KEYS(keys / 2, EXCHANGE_REVERSED, FROM_OTHER_HALF, eight);
	FOR_KEYS(keys, EXCHANGE_QUADS, four);
	FOR_KEYS(keys, EXCHANGE, FROM_OTHER_PAIR, two);
	FOR_KEYS(keys, EXCHANGE, FROM_NEIGHBOUR, one);
	merge(key, keys);
}

/* The key of an entry: its 64 B line, and the lane in the bits below. */
DEV_INLINE uint32_t key_of(uint32_t address, uint32_t fields)
{
	return (address & ~63u) | (fields & PROBE_BATCH_LANE);
}

/* Entries that are not used have the first one's key. */
DEV_INLINE uint32_t read_entry(uint32_t key, bool used, uint32_t first_key,
			       struct batch_counts *counts)
{
	key = used ? key : first_key;
	counts->active |= 1u << (key >> 2 & 15);
	return key;
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
	value += parts > 4 ? MOVED(value, FROM_OTHER_QUAD) : 0;
	return parts > 8 ? value + MOVED(value, FROM_OTHER_HALF) : value;
}

DEV_INLINE uint32_t all_bits(uint32_t value, int parts)
{
	value |= MOVED(value, FROM_NEIGHBOUR);
	value |= parts > 2 ? MOVED(value, FROM_OTHER_PAIR) : 0;
	value |= parts > 4 ? MOVED(value, FROM_OTHER_QUAD) : 0;
	return parts > 8 ? value | MOVED(value, FROM_OTHER_HALF) : value;
}

#define COUNT(i, counts)                                                                           \
	count_differences(key[i], (i) ? key[((i) + KEYS - 1) % KEYS] : below, counts)
/* Two entries. Not all loads at once: registers are scarce. */
#define READ(i, entry, used, first_key)                                                            \
	do {                                                                                       \
		entry_pair words;                                                                  \
                                                                                                   \
		if ((i) % 2)                                                                       \
			break;                                                                     \
		if ((i) % 4 == 0)                                                                  \
			__asm__ volatile("" : : : "memory");                                       \
		words = *(const entry_pair DEV_GLOBAL *)&(entry)[i];                               \
		key[i] = read_entry(key_of(words[0], words[1]), (i) < (used), first_key, &counts); \
		key[((i) + 1) % KEYS] = read_entry(key_of(words[2], words[3]), (i) + 1 < (used),   \
						   first_key, &counts);                            \
	} while (0)

/*
 * Is an entry not where the stride predicts it? Only asked of records whose first two and last
 * entries are.
 */
DEV_INLINE uint32_t find_mismatch(const struct batch_record *record,
				  const entry_words DEV_GLOBAL *entry, int used, int keys)
{
	uint32_t mismatch = 0;

#pragma clang loop unroll(disable)
	for (int i = 0; i < used && i < keys; i++)
		mismatch |=
			entry[i][0] ^ (record->address +
				       (uint32_t)record->stride *
					       ((entry[i][1] & PROBE_BATCH_LANE) - record->lane));
	return mismatch;
}

DEV_INLINE struct batch_counts count_record(struct batch_record *record, int keys, int parts,
					    uint32_t part)
{
	const entry_words DEV_GLOBAL *entry = record->entry + part * (uint32_t)keys;
	int used = (int)record->lanes - (int)part * keys;
	struct batch_counts counts = {0};
	uint32_t key[KEYS], below, lines, mismatch = 0;

	FOR_KEYS(keys, READ, entry, used, key_of(record->address, record->lane));
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
	if (record->strided && record->lanes > 3)
		mismatch = find_mismatch(record, entry, used, keys);
	record->strided &= !all_bits(mismatch, parts);
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

/* The rows behind a record's own that receive the same counts: bit n = n rows further. */
DEV_INLINE uint32_t also_of(const entry_words DEV_GLOBAL *record, uint32_t fields)
{
	return fields >> PROBE_BATCH_ALSO & 1 ? record[PROBE_BATCH_LANES][0] : 0;
}

/* Add a quarter of a record's counters. */
DEV_INLINE void add_quarter(uint64_t row, const struct batch_counts *counts,
			    const struct batch_record *record, uint32_t unit, uint32_t quarter)
{
	uint32_t lanes = record->lanes;
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
		    odd ? record->strided : excess128);
	if (high && record->strided && lanes > 1) {
		uint32_t biased = (uint32_t)record->stride + (uint32_t)PROBE_STRIDE_BIAS;

		raise(row, odd ? PROBE_C_STRIDE_LO : PROBE_C_STRIDE_HI, odd ? -biased : biased);
	}
}

/*
 * The stride of the first two active lanes, if the last one has it, too: products of it with
 * differences of lanes then do not overflow 32 bits. Few records have one, so that LLVM branches
 * around the division.
 */
DEV_INLINE void find_stride(struct batch_record *record, uint32_t second, uint32_t second_fields)
{
	entry_words last = record->entry[record->lanes - 1];
	uint32_t gap = (second_fields & PROBE_BATCH_LANE) - record->lane;
	uint32_t distance = (last[1] & PROBE_BATCH_LANE) - record->lane;
	int32_t diff = (int32_t)(second - record->address);

	record->strided = (int64_t)diff * (int32_t)distance ==
			  (int64_t)(int32_t)(last[0] - record->address) * (int32_t)gap;
	record->stride = diff;
	if (record->strided && gap > 1) {
		record->stride = dev_divide_exact(diff, gap);
		record->strided = (int64_t)record->stride * (int32_t)gap == diff;
	}
}

DEV_INLINE struct batch_record read_record(const entry_words DEV_GLOBAL *entry, bool used)
{
	entry_pair first = *(const entry_pair DEV_GLOBAL *)entry;
	struct batch_record record = {
		.entry = entry,
		.lanes = used ? first[1] >> PROBE_BATCH_LANES_AT & PROBE_BATCH_ALL : 0,
		.address = first[0],
		.lane = first[1] & PROBE_BATCH_LANE,
		.strided = true,
	};

	if (record.lanes > 1)
		find_stride(&record, first[2], first[3]);
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
	row = rows + (fields >> PROBE_BATCH_ROW) * (PROBE_COUNTERS * 8);
	also = also_of(record.entry, fields);
	for (;;) {
		add_quarter(row, &counts, &record, fields >> PROBE_BATCH_UNIT & 31, part);
		if (parts == 2)
			add_quarter(row, &counts, &record, fields >> PROBE_BATCH_UNIT & 31,
				    part + 2);
		if (!also)
			break;
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
	uint32_t offset, lanes, left, over32, over16, counted;

	rows = dev_uniform64(rows);
	records = dev_uniform64(records);
	bytes = dev_uniform32(bytes);
	start = dev_uniform32(start);
	left = bytes - start;
	offset = start + dev_lane() % PROBE_BATCH_RECORDS * PROBE_BATCH_STRIDE;
	lanes = offset < bytes ? ((const uint32_t DEV_GLOBAL *)(records + offset))[1] : 0;
	lanes = lanes >> PROBE_BATCH_LANES_AT & PROBE_BATCH_ALL;
	over32 = (uint32_t)dev_ballot(lanes > 32);
	over16 = (uint32_t)dev_ballot(lanes > 16);
	if (over16 && left <= 4 * PROBE_BATCH_STRIDE) {
		count_records(rows, records, bytes, start, 4, 16);
		counted = 4;
	} else if (over32 & 0xffff) {
		if (left <= 8 * PROBE_BATCH_STRIDE) {
			count_records(rows, records, bytes, start, 8, 8);
			counted = 8;
		} else {
			count_records(rows, records, bytes, start, 16, 4);
			counted = 16;
		}
	} else if (over16 && !over32 && left > 16 * PROBE_BATCH_STRIDE) {
		count_records(rows, records, bytes, start, 16, 2);
		counted = 32;
	} else if (over16 & 0xffff) {
		count_records(rows, records, bytes, start, 8, 4);
		counted = 16;
	} else if (over16 || left <= 16 * PROBE_BATCH_STRIDE) {
		count_records(rows, records, bytes, start, 4, 4);
		counted = 16;
	} else {
		count_records(rows, records, bytes, start, 8, 2);
		counted = 32;
	}
	start += counted * PROBE_BATCH_STRIDE;
	return start < bytes ? start : 0;
}
