/* SPDX-License-Identifier: MIT */
/* Memory that an instrumented kernel reads and writes. See wire.h. */
#ifndef PROBE_WIRE_DEVICE_H
#define PROBE_WIRE_DEVICE_H

#include <probe/wire_kinds.h>

/* ---- 3. Counters of the `memory` kind ------------------------------------------------------- */

/*
 * Counters of a site, summed over its executions. An execution is one wave that executes the site
 * with at least one active lane.
 *
 * - Cache lines and quads count global memory only; passes count LDS only. A flat access is divided
 *   by the aperture of each lane's address.
 * - Sums include all machine accesses (units) of an execution.
 * - "used": distinct cache lines that the active lanes touch.
 * - "needed": ceil(lanes * unit / cache line), the fewest that could hold the data.
 * - "excess": sum of max(0, used - needed) per execution, so that executions never cancel out.
 */
enum probe_counter {
	PROBE_C_EXECUTIONS,
	PROBE_C_LANES, /* active lanes */
	/* Cycles of the address unit: distinct 64 B lines per quad of 4 lanes, at least 1 each. */
	PROBE_C_QUADS,
	PROBE_C_LINES64, /* 64 B lines used: vector L1 requests */
	PROBE_C_NEEDED64,
	PROBE_C_EXCESS64,
	PROBE_C_LINES128, /* 128 B lines used: L2 cache lines */
	PROBE_C_NEEDED128,
	PROBE_C_EXCESS128,
	/*
	 * LDS: sum over phases of max(1, distinct dwords in the bank with the most). For atomics
	 * each lane counts, because atomic operations on one dword are serialised.
	 */
	PROBE_C_PASSES,
	PROBE_C_IDEAL_PASSES, /* LDS: phases; conflicts = passes - ideal */
	PROBE_C_AFFINE,	      /* executions whose active lanes have one constant stride */
	PROBE_C_ADDED,	      /* number of sums above; the words below are maxima */
	/* LDS: largest number of passes in one phase of any execution ("n-way conflict"). */
	PROBE_C_MAX_WAY = PROBE_C_ADDED,
	/*
	 * Largest and smallest stride in bytes over affine executions with at least two active
	 * lanes, stored as maxima of (stride + bias) and (bias - stride). 0: no such execution.
	 */
	PROBE_C_STRIDE_HI,
	PROBE_C_STRIDE_LO,
	/*
	 * Not counted on the device. 0, or in a row of executions of which a sample was measured
	 * (PROBE_GROUP_SAMPLED), 1 plus the number of those that were measured. The words from
	 * PROBE_C_QUADS to PROBE_C_AFFINE are estimates then: sums over the sample, times N.
	 * A site may have both kinds of rows in a dispatch.
	 */
	PROBE_C_MEASURED,
	PROBE_COUNTERS, /* 16 words of 64 bits: 128 bytes, one L2 line, per site and replica */

	/*
	 * On the device, rows of sites that can only access global memory use the words of the LDS
	 * for sums from which the host derives several counters (model/counter_sums.h).
	 * FITTING: executions whose lanes' data would fit into one cache line. They are counted
	 * only here, and EXCESS64 and EXCESS128 include all their lines. SINGLE: executions by
	 * one lane, counted only here.
	 */
	PROBE_C_FITTING = PROBE_C_PASSES,
	PROBE_C_SINGLE = PROBE_C_IDEAL_PASSES,
};

#define PROBE_STRIDE_BIAS 0x80000000ull

/*
 * Executions that are counted instead of measured.
 *
 * A wave is regular if its EXEC is probe_ctx.regular: all lanes are active, in a launch whose waves
 * all start at the same offset within their rows of work-items. The cost of a proved access in a
 * regular wave follows from the launch. The device therefore only counts executions, once for each
 * group of sites that always execute together. Each group has a row of counters:
 */
enum probe_group_counter {
	PROBE_GROUP_EXECUTIONS, /* regular executions */
	/*
	 * Groups with PROBE_GROUP_ONCE: regular waves of the parent that did not execute the group,
	 * or for which its sites were measured.
	 */
	PROBE_GROUP_SKIPPED,
	/*
	 * Groups with PROBE_GROUP_SAMPLED: executions that would be measured without sampling, and
	 * their active lanes.
	 */
	PROBE_GROUP_SAMPLED_EXECUTIONS,
	PROBE_GROUP_SAMPLED_LANES,
};

/*
 * The number of regular executions of a group in which every tested address is a multiple of 128:
 *
 * - With PROBE_GROUP_ONCE: executions of its parent (or the launch's regular waves), minus
 *   PROBE_GROUP_SKIPPED, minus the executions in the group's histograms.
 * - Otherwise: PROBE_GROUP_EXECUTIONS.
 *
 * A group may have three histograms, each in rows of its own:
 *
 * - Residue histogram: regular executions whose tested addresses are other multiples of 4. The i-th
 *   tested address is counted in one of the PROBE_RESIDUE_ROWS rows from `residue_rows` +
 *   PROBE_RESIDUE_ROWS * i. With PROBE_GROUP_LAUNCH the host derives all regular executions. There
 *   the histogram holds the ones that were measured, and the host subtracts them.
 * - Execution-mask histogram: all other executions. The bucket is selected by EXEC and the tested
 *   addresses. The buckets are in PROBE_BUCKET_ROWS rows from `mask_rows`, PROBE_ROW_BUCKETS per
 *   row, in the first replica of the table only. An execution that finds no bucket is measured, in
 *   the rows of its sites.
 * - Prefix masks: executions in a loop whose active lanes are the first n lanes of the wave, if the
 *   cost does not depend on the address. Lane i is counted in word i % PROBE_PREFIX_WORDS of row
 *   i / PROBE_PREFIX_WORDS. The count of lane i minus that of lane i + 1 is the number of
 *   executions in which lane i was the last active one.
 */
struct probe_exec_bucket {
	uint64_t exec; /* 0 = free */
	/*
	 * 0 = free, or claimed but not yet written. Otherwise PROBE_BUCKET_TAKEN, and
	 * - for the i-th tested address, its value modulo 128 in the first active lane, shifted
	 *   left by PROBE_BUCKET_RESIDUE(i);
	 * - the low bits of the observed value that masks bit fields (struct probe_site_bitfield),
	 *   shifted left by PROBE_BUCKET_OBSERVED.
	 */
	uint64_t residues;
};
/* A hash of the execution selects the row; the execution claims the first free bucket there. */
enum { PROBE_BUCKET_ROWS = 16, PROBE_ROW_BUCKETS = 4 };
struct probe_bucket_row {
	uint64_t count[PROBE_ROW_BUCKETS];
	struct probe_exec_bucket bucket[PROBE_ROW_BUCKETS];
	uint64_t spare[4];
};
#define PROBE_BUCKET_TAKEN    (1ull << 63)
#define PROBE_BUCKET_OBSERVED 32
/*
 * Four residues fit into the lower half. A group with more than four tested addresses has no
 * observed value, so that the others use the upper half.
 */
#define PROBE_BUCKET_RESIDUE(i) ((i) / 4 * 32 + (i) % 4 * 7)
/* The word that counts an address modulo 128. Words are sums, like those before PROBE_C_ADDED. */
enum { PROBE_RESIDUE_ROWS = 4, PROBE_RESIDUE_WORDS = 8 };
#define PROBE_RESIDUE_ROW(residue)  ((residue) / 32)
#define PROBE_RESIDUE_WORD(residue) ((residue) / 4 % 8)
enum { PROBE_PREFIX_ROWS = 8, PROBE_PREFIX_WORDS = 8 };
/* A launch with more work-items or workgroups than this along an axis has no regular waves. */
#define PROBE_REGULAR_GRID   (1u << 29)
#define PROBE_REGULAR_GROUPS (1u << 20)
/* The host enumerates the waves of a launch that has complete workgroups and at most this many. */
#define PROBE_ENUMERATED_WAVES (1u << 14)

/*
 * The `count` kind uses the same rows, with two words for each BLOCK site (basic blocks that always
 * run together): PROBE_C_EXECUTIONS counts the waves that ran them, and PROBE_C_LANES sums their
 * active lanes. With PROBE_GROUP_ONCE the words count what is missing instead, compared with the
 * parent or the launch. COUNTED_ROW sites are rows that this subtraction needs although they are
 * outside of the requested scope. A wave accumulates 32 bits of each word until it ends.
 */

/* ---- 4. Dispatch context: what the clone's extra argument points to ------------------------- */

#define PROBE_CTX_VERSION 1u

enum probe_when_full {
	PROBE_FULL_BLOCK = 0, /* wait for the reader, at most spin_limit microseconds, then drop */
	PROBE_FULL_DROP = 1,
	PROBE_FULL_SAMPLE = 2, /* wait with one of sample_every records, drop the others */
};

/* The host writes it before the launch, aligned to 32 bytes. Constant while the kernel runs. */
struct probe_ctx {
	uint32_t version;
	uint32_t size;
	uint64_t dispatch; /* id, unique in the process, from 1 */
	union {
		/* Device memory: uint64_t[replicas][site_count][PROBE_COUNTERS]. */
		uint64_t counters;
		/*
		 * `trace`: the lanes of the ROWS record, if they are the same in all waves and
		 * there is no workgroup filter; else 0, and each wave computes them. `time`: not 0
		 * if there is no workgroup filter.
		 */
		uint64_t row_lanes;
	};
	uint32_t replica_mask; /* number of replicas, a power of two, minus 1 */
	uint32_t site_first;   /* id of the site with the first row of counters */
	uint32_t site_count;
	uint32_t when_full; /* enum probe_when_full */
	union {
		uint64_t ring_states; /* device memory: struct probe_ring_state[] */
		/* `memory`: address that row 0 would have in the first replica. */
		uint64_t first_row;
	};
	union {
		uint64_t ring_heads; /* host memory: struct probe_ring[ring_mask + 1] */
		/* `memory`: replica_mask, and in the upper half the size of a replica in bytes. */
		uint64_t replica_mask_and_size;
	};
	uint64_t ring_data; /* host memory: ring_mask + 1 areas of ring_size bytes */
	uint32_t ring_mask; /* number of rings, a power of two, minus 1 */
	uint32_t ring_size; /* bytes, a power of two, at least PROBE_RING_SIZE_MIN */
	/* Microseconds, about, that a wave waits for space in a ring before it drops a record. */
	uint32_t spin_limit;
	uint32_t lds_aperture; /* upper halves of flat addresses in LDS and in scratch */
	uint32_t scratch_aperture;
	uint32_t ring_slot_mask; /* `trace`: bits of HW_ID that select a wave's ring, see below */
	uint64_t regular;	 /* EXEC of regular waves (section 3); 0 = no wave is regular */
	uint32_t enumerated;	 /* `memory`: the host enumerates the launch (PROBE_GROUP_LANES) */
	uint32_t sample_every;	 /* PROBE_FULL_SAMPLE: at least 1 */
	/*
	 * Workgroup filter: waves of workgroups outside of the range record nothing. `last` is
	 * inclusive; 0 to UINT32_MAX selects the whole grid. For kinds with counters, a filter adds
	 * PROBE_CTX_FILTERED to the pointer that the clone receives. A second context then follows
	 * this one, for waves that are filtered out: its counters are never read.
	 */
	uint32_t group_first[3], group_last[3];
	/*
	 * `trace`: copies of the fields that the fast path of a wave reads (trace_wave.h), in the
	 * order in which it loads them.
	 */
	struct probe_ctx_wave {
		uint32_t spare0[2];
		uint64_t row_lanes;
		uint32_t spare1;
		uint32_t data_high; /* upper half of the addresses of all rings' data */
		uint32_t spare2[2];
		uint64_t ring_states; /* or a state that no wave can claim: no fast path */
		uint64_t dispatch;
		uint32_t slot_mask; /* ring_slot_mask */
		uint32_t spare3[3];
	} wave;
};
#define PROBE_CTX_FILTERED 1u

/*
 * Follows the struct probe_ctx of a `time` dispatch. The kernel's arguments follow it, so that it
 * shares a 64-byte cache line with the first of them. In small launches, waves that write all their
 * records at their end write them to this storage instead of a ring.
 */
struct probe_ctx_wave_storage {
	uint64_t area;		     /* struct probe_wave_storage; 0 = waves write to rings */
	uint32_t groups_x, groups_y; /* number of workgroups */
	uint32_t items_x, items_xy;  /* work-items per workgroup: along x, and along x and y */
	uint32_t waves;		     /* per workgroup */
	uint32_t reserved;
};

/*
 * Wave storage, one per launch. A wave's index selects its slot, so that no wave claims a ring or
 * waits. It is complete when the launch is. Slots of `stride` bytes follow, ordered by workgroup (x
 * fastest), then by wave in the workgroup.
 */
#define PROBE_STORED_SPANS 4u
struct probe_wave_storage {
	uint32_t stride; /* 48 + 16 * spans; 0 = no wave has written */
	uint32_t spans;
	uint32_t site;	/* the kernel's FUNCTION site */
	uint32_t lanes; /* active lanes at the stamps `idle` */
	uint32_t span_site[PROBE_STORED_SPANS];
	uint64_t idle[4]; /* clocks of PROBE_SITE_IDLE stamps: BEGIN BEGIN END END */
};

struct probe_wave_slot {
	uint32_t hw_id;
	/* One byte per span: active lanes at its end; 0 = the wave did not execute it. */
	uint32_t lanes;
	uint64_t exec;
	uint64_t begin, time;	/* s_memtime and s_memrealtime at the wave's start */
	uint64_t end, end_time; /* and at its end */
				/* Begin and end of each span follow. */
};

/*
 * One wave owns a ring at a time: it claims the ring when it starts and releases it when it ends. A
 * ring therefore has one writer, and writing a record takes no atomic operation.
 *
 * `trace`: HW_ID & ring_slot_mask is the index of the state of a wave slot's ring. The mask has as
 * many bits as distinguish ring_mask + 1 rings; states at other indices are unused. A wave that
 * exchanges `cursor` for 0 owns the ring if it receives another value than 0. Otherwise it tries
 * the rings of the other slots. `ctx` points to a context that the host wrote once, in which only
 * when_full, spin_limit, sample_every, ring_heads, ring_data and ring_size are valid.
 *
 * `time`: there are as many states as rings. The search starts at a hash of the wave slot. A wave
 * claims the ring if it is the one that sets bit 0 of `head`. `ctx` is the owner's.
 */
struct probe_ring_state {
	union {
		uint64_t head; /* of the last owner, as in struct probe_ring; bit 0: owned */
		struct {
			uint32_t address_low; /* of the next record: lower half of the address */
			uint32_t free_bytes;  /* contiguous from there; bit 0 is always set */
		} cursor;
	};
	uint64_t tail;	      /* last value read from struct probe_ring */
	uint64_t emitted;     /* as `dropped`: probe-run adds the records that it reads */
	uint64_t dropped;     /* records lost because the ring stayed full */
	uint64_t ctx;	      /* address of a struct probe_ctx */
	uint64_t full_count;  /* PROBE_FULL_SAMPLE: records that found the ring full */
	uint64_t head_offset; /* `trace`: head minus the address of the next record */
	uint64_t host;	      /* address of the ring's struct probe_ring */
};

#define PROBE_RING_SIZE_MIN 4096u

/* Head and tail of a ring, in the segment. The device writes head, probe-run writes tail. */
struct probe_ring {
	/* Bytes written since the start; stored (release) after the bytes of the records. */
	uint64_t head;
	uint64_t emitted; /* as in struct probe_ring_state */
	uint64_t dropped;
	uint64_t waited; /* microseconds, about, that waves have waited for space */
	uint64_t pad0[4];
	uint64_t tail; /* bytes consumed since the start */
	uint64_t pad1[7];
};

/* ---- 5. Records of the `trace` kind --------------------------------------------------------- */

/*
 * A record starts at a multiple of 8 bytes and never wraps. If it does not fit before the end of
 * the ring, a PAD record fills the rest. Word 0 is site | form << 24.
 */
enum probe_form {
	PROBE_FORM_PAD = 0,	 /* skip to the end of the ring */
	PROBE_FORM_WAVE = 1,	 /* struct probe_rec_wave: the wave of the records that follow */
	PROBE_FORM_AFFINE = 2,	 /* struct probe_rec_affine */
	PROBE_FORM_NEAR = 3,	 /* struct probe_rec_lanes, one int32_t offset per active lane */
	PROBE_FORM_FULL = 4,	 /* struct probe_rec_lanes, base 0, one uint64_t per active lane */
	PROBE_FORM_BEGIN = 5,	 /* struct probe_rec_stamp: a function, block or region begins */
	PROBE_FORM_END = 6,	 /* struct probe_rec_stamp: a function or region ends */
	PROBE_FORM_WAVE_END = 7, /* struct probe_rec_wave_end */
	PROBE_FORM_MESSAGE = 8,	 /* struct probe_rec_message */
	/* Only the device writes the forms below; probe-run expands them to the forms above. */
	PROBE_FORM_BLOCK = 9,	 /* struct probe_rec_block */
	PROBE_FORM_ROWS = 10,	 /* struct probe_rec_rows */
	PROBE_FORM_BARRIER = 11, /* 8 bytes: the wave reaches a barrier of its workgroup */
	PROBE_FORM_SPAN = 12,	 /* struct probe_rec_span */
	/*
	 * struct probe_rec_wave whose `wave` is the id of the first lane's work-item, x | y << 10 |
	 * z << 20. Its ROWS are those of the launch, unless a ROWS record follows.
	 */
	PROBE_FORM_WAVE_ITEM = 13,
	PROBE_FORM_EXEC = 14,	/* struct probe_rec_exec */
	PROBE_FORM_PROVED = 15, /* struct probe_rec_proved */
	/* struct probe_rec_short, for the lanes of the last EXEC or wave record, and then */
	PROBE_FORM_LOW = 16,	/* the lower 32 bits of each address */
	PROBE_FORM_WHOLE = 17,	/* each address */
	PROBE_FORM_STRIDE = 18, /* the address of the first active lane */
	PROBE_FORM_HALF = 19,	/* the lower 16 bits of each address */
};

#define PROBE_SITE_MASK 0x00ffffffu
/* Site of the AFFINE record for an s_barrier: the wave has reached a barrier of its workgroup. */
#define PROBE_SITE_BARRIER 0x00ffffffu
/*
 * Site of stamps that measure the cost of stamps: only other stamps of this site are between
 * them. They are nested pairs: BEGIN BEGIN END END, and BEGIN, a span (PROBE_STAMP_SPAN), END.
 */
#define PROBE_SITE_IDLE	 PROBE_SITE_MASK
#define PROBE_FORM_SHIFT 24

/*
 * hw_id is the HW_ID register of gfx9: wave 3:0, SIMD 5:4, CU 11:8, shader array 12, engine 15:13
 * (MI200 ISA document, "Hardware Registers"). On gfx10 and gfx11 the fields of HW_ID1 are moved to
 * these bits: the workgroup processor (WGP) to those of the CU, and bit 4 of the wave to bit 16
 * (RDNA 2 and RDNA 3 ISA documents, "Hardware Registers").
 */
struct probe_rec_wave {
	uint32_t word0; /* site: `time`: the kernel's FUNCTION site, else 0 */
	uint32_t wave;	/* index in the workgroup */
	uint64_t dispatch;
	uint32_t group[3]; /* workgroup id */
	uint32_t hw_id;	   /* see above */
	uint64_t time;	   /* s_memrealtime at the wave's start */
	uint64_t exec;	   /* active lanes at the wave's start */
};

/* Address of active lane l: base + stride * (l - first active lane). 24 bytes. */
struct probe_rec_affine {
	uint32_t word0;
	int32_t stride;
	uint64_t exec;
	uint64_t base;
};

/* Followed by one element per active lane in lane order, padded with zeros to 8 bytes. */
struct probe_rec_lanes {
	uint32_t word0;
	uint32_t size; /* of the whole record, bytes */
	uint64_t exec;
	uint64_t base; /* NEAR: address = base + offset */
};

/*
 * Follows a WAVE record of the `trace` kind: the lanes for which BLOCK records store addresses.
 * These are always the lowest two lanes, and the first two lanes of each row of work-items.
 */
struct probe_rec_rows {
	uint32_t word0;
	uint32_t reserved;
	uint64_t lanes;
};

/*
 * Accesses of one basic block by all 64 lanes. The site in word0 is a GROUP site.
 *
 * `bases` 64-bit addresses follow for each lane of the ROWS record, in lane order. The addresses of
 * the other lanes are extrapolated, from lane 2 on: the upper half is that of lane l - 1, and the
 * lower half is low(l - 1) + (low(l - 1) - low(l - 2)), modulo 2^32.
 *
 * The name of a GROUP site lists its accesses as "FIRST:B+D,B-D,...". FIRST is the id of the first
 * site, and the others follow it. Each pair is the index of a base and the distance in bytes from
 * the base to the site's address (in LDS, modulo 2^32). The BASES ids after the GROUP's own are ids
 * of its bases. If not all lanes are active or their stride varies, an AFFINE, NEAR or FULL record
 * with the id of a base replaces the BLOCK record, for all sites of that base.
 */
struct probe_rec_block {
	uint32_t word0;
	uint32_t bases; /* 1 to PROBE_GROUP_BASES */
};
#define PROBE_GROUP_BASES 8u
#define PROBE_GROUP_SITES 64u

/*
 * Accesses whose strides the compiler proved. The name of such a GROUP site continues with ";X/Y/Z"
 * for each base: the stride in bytes along each axis of the work-item's id. One address per base
 * follows, that of the first active lane. The active lanes are those of the last EXEC or WAVE
 * record.
 *
 * X is a number, or "C*F@OFFSET:BITS": C plus F times a kernel argument (struct probe_site_stride).
 * The argument is not negative, and small enough that X is less than 2^20.
 */
struct probe_rec_proved {
	uint32_t word0;
	uint32_t reserved; /* any value */
};

/* The active lanes of the records that follow. */
struct probe_rec_exec {
	uint32_t word0;
	uint32_t reserved;
	uint64_t exec;
};

/* Accesses of one base of a GROUP; the site is the id of the base. Padded to a multiple of 8. */
struct probe_rec_short {
	uint32_t word0;
	/* LOW, HALF: the upper bits that all addresses share. STRIDE: the stride, as in AFFINE. */
	uint32_t extra;
};

/*
 * A stamp of the `time` kind. The clock is s_memtime, in cycles of the unit that runs the wave, so
 * that only stamps of one wave can be subtracted, unless the hardware states otherwise. The shader
 * clock of gfx11 has only 20 bits. There the clock is the constant one of 100 MHz, as in
 * probe_rec_wave (RDNA 3 ISA document, S_SENDMSG_RTN).
 */
struct probe_rec_stamp {
	uint32_t word0;
	uint32_t lanes; /* active, 1..64; and PROBE_STAMP_SPAN */
	uint64_t clock;
};
/*
 * The stamp stayed in registers until its span or the wave ended, so that it delayed the wave very
 * little: a BEGIN and the END that follows it, or the BEGIN of a kernel without other stamps.
 */
#define PROBE_STAMP_SPAN 0x80000000u

/*
 * A BEGIN and an END in one record, counted as two records. If `lanes` is 0, the wave did not
 * execute the span, and no record is counted.
 */
struct probe_rec_span {
	uint32_t word0;
	uint32_t lanes; /* active at the end */
	uint64_t begin, end;
};

/* The wave ends. `clock` and `time` here and in probe_rec_wave give the clock's rate. */
struct probe_rec_wave_end {
	uint32_t word0; /* site: as in probe_rec_wave */
	uint32_t lanes;
	uint64_t clock;
	uint64_t time; /* s_memrealtime */
};

/*
 * A message of probe_emit() or probe_emit_lanes() (device.h). Elements of `stride` bytes follow:
 * one, or with PROBE_MESSAGE_LANES one per active lane in lane order.
 */
struct probe_rec_message {
	uint32_t word0;
	uint32_t size; /* of the whole record, bytes */
	uint64_t exec;
	uint64_t clock;	 /* s_memtime */
	uint32_t bytes;	 /* of data in an element, at most 64 */
	uint32_t stride; /* bytes per element, a multiple of 8, | PROBE_MESSAGE_LANES */
};
#define PROBE_MESSAGE_LANES 0x80000000u
#define PROBE_MESSAGE_MAX   64u

#endif
