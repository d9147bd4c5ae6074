/* SPDX-License-Identifier: MIT */
/* What an instrumented kernel reads and writes. See wire.h. */
#ifndef PROBE_WIRE_DEVICE_H
#define PROBE_WIRE_DEVICE_H

#include <probe/wire_kinds.h>

/* ---- 3. Counters of the `memory` kind ------------------------------------------------------- */

/*
 * Per site, summed over executions; "execution" = one wave executing the site with at least one
 * active lane. Lines and quads count global memory only, passes count LDS only; a flat access is
 * split by each lane's aperture. Sums run over the machine accesses (units) of an execution.
 * "used" = distinct lines touched by the active lanes; "needed" = ceil(lanes * unit / line);
 * "excess" = sum of max(0, used - needed), so that executions never cancel each other.
 */
enum probe_counter {
	PROBE_C_EXECUTIONS,
	PROBE_C_LANES, /* active lanes */
	PROBE_C_QUADS, /* address-unit cycles: distinct 64 B lines per 4 lanes, at least 1 per quad
			*/
	PROBE_C_LINES64, /* used; vector L1 requests */
	PROBE_C_NEEDED64,
	PROBE_C_EXCESS64,
	PROBE_C_LINES128, /* used; L2 lines */
	PROBE_C_NEEDED128,
	PROBE_C_EXCESS128,
	/*
	 * LDS: sum over phases of max(1, distinct dwords of the worst bank). Atomic operations on
	 * one dword are serialised, so there each lane counts.
	 */
	PROBE_C_PASSES,
	PROBE_C_IDEAL_PASSES, /* LDS: phases; conflicts = passes - ideal */
	PROBE_C_AFFINE,	      /* executions whose active lanes have one constant stride */
	PROBE_C_ADDED,	      /* the words above are sums; those below are maxima */
	/* Worst phase cost of any LDS execution ("n-way"). */
	PROBE_C_MAX_WAY = PROBE_C_ADDED,
	/*
	 * Largest and smallest stride in bytes between neighbouring lanes over affine executions
	 * with two or more lanes, kept as maxima of (stride + bias) and (bias - stride): 0 = none
	 * seen.
	 */
	PROBE_C_STRIDE_HI,
	PROBE_C_STRIDE_LO,
	PROBE_C_SPARE,
	PROBE_COUNTERS, /* 16 words of 64 bits: 128 bytes, one L2 line, per site and replica */
};

#define PROBE_STRIDE_BIAS 0x80000000ull

/*
 * Executions that are counted instead of measured.
 *
 * A wave is regular if EXEC is probe_ctx.regular: every lane that a wave of this launch can have,
 * in a launch whose waves all have the same position relative to their rows of work-items. What a
 * proved site costs a regular wave follows from the launch. So executions need only be counted,
 * once for each group of sites that are executed together, in a row of its own:
 */
enum probe_group_counter {
	PROBE_GROUP_EXECUTIONS, /* regular executions, counted one by one */
	/*
	 * ONCE: regular waves of the parent that did not execute the group, or whose sites were
	 * measured.
	 */
	PROBE_GROUP_SKIPPED,
};

/*
 * Regular executions of a group. If it is ONCE: those of its parent (or the launch's regular
 * waves), less its SKIPPED, less those in its histograms; else its EXECUTIONS. In all of these the
 * addresses tested are multiples of 128.
 *
 * Residue histogram: a regular execution at other multiples of 4. The i-th address tested is
 * counted in one of the PROBE_RESIDUE_ROWS rows from `residue_rows` + PROBE_RESIDUE_ROWS * i on. Of
 * a group that is LAUNCHED, regular executions may be at any address, and the histogram has those
 * that were measured, which the host subtracts.
 *
 * Mask histogram: every other execution, in a bucket chosen by EXEC and addresses. The buckets of a
 * group are in PROBE_BUCKET_ROWS rows from its `mask_rows` on, PROBE_ROW_BUCKETS to a row, in the
 * first replica of the table only. An execution that finds no bucket is measured, in the sites' own
 * rows.
 *
 * Prefix masks: executions in a loop whose active lanes are the first ones of the wave, if their
 * cost does not depend on the address. Lane i counts in word i % PROBE_PREFIX_WORDS of row i /
 * PROBE_PREFIX_WORDS; what a lane has more than the next one is how often it was the last.
 */
struct probe_exec_bucket {
	uint64_t exec; /* 0 = free */
	/*
	 * 0 = free, or not written yet. Of the i-th address tested, in the first active lane:
	 * address mod 128 << PROBE_BUCKET_CLASS(i); the low bits of the value that masks bit
	 * fields << PROBE_BUCKET_OBSERVED; and PROBE_BUCKET_TAKEN.
	 */
	uint64_t classes;
};
/* A hash of the execution chooses the row; in it, the execution takes the first free bucket. */
enum { PROBE_BUCKET_ROWS = 16, PROBE_ROW_BUCKETS = 4 };
struct probe_bucket_row {
	uint64_t count[PROBE_ROW_BUCKETS];
	struct probe_exec_bucket bucket[PROBE_ROW_BUCKETS];
	uint64_t spare[4];
};
#define PROBE_BUCKET_TAKEN    (1ull << 63)
#define PROBE_BUCKET_OBSERVED 32
/* Four in the lower half, the others in the upper one, where there is no observed value then. */
#define PROBE_BUCKET_CLASS(i) ((i) / 4 * 32 + (i) % 4 * 7)
/* Where an address mod 128 is counted. The words are sums, like those before PROBE_C_ADDED. */
enum { PROBE_RESIDUE_ROWS = 4, PROBE_RESIDUE_WORDS = 8 };
#define PROBE_RESIDUE_ROW(class)  ((class) / 32)
#define PROBE_RESIDUE_WORD(class) ((class) / 4 % 8)
enum { PROBE_PREFIX_ROWS = 8, PROBE_PREFIX_WORDS = 8 };
/* No wave is regular in a launch of more work-items, or groups, than these along an axis. */
#define PROBE_REGULAR_GRID   (1u << 29)
#define PROBE_REGULAR_GROUPS (1u << 20)
/* A launch of whole workgroups, and no more waves than these, is enumerated wave by wave. */
#define PROBE_ENUMERATED_WAVES (1u << 14)

/*
 * The `count` kind has the same rows, and uses two words of them: PROBE_C_EXECUTIONS, how often
 * waves ran the basic blocks of a BLOCK, which run together, and PROBE_C_LANES, with how many lanes
 * altogether. If its proof is ONCE they are what is missing from the executions and lanes of its
 * parent, or of the launch. Rows that are only needed for that, outside of the scope asked for, are
 * COUNTED. A wave keeps 32 bits of each until its end.
 */

/* ---- 4. Dispatch context: what the clone's extra argument points to ------------------------- */

#define PROBE_CTX_VERSION 1u

enum probe_when_full {
	PROBE_FULL_BLOCK = 0, /* wait for the reader, up to spin_limit, then drop */
	PROBE_FULL_DROP = 1,
	PROBE_FULL_SAMPLE = 2, /* as block for one record in sample_every of a ring, else drop */
};

/* Written by the host before the launch; constant while the kernel runs. At a multiple of 32. */
struct probe_ctx {
	uint32_t version;
	uint32_t size;
	uint64_t dispatch; /* id, unique in the process, from 1 */
	union {
		uint64_t counters; /* device memory: uint64_t[replicas][site_count][PROBE_COUNTERS]
				    */
		/*
		 * `trace`: the lanes of all waves' ROWS records, if they are the same in all waves
		 * and nothing is filtered; 0 = each wave finds out. `time`: not 0 if nothing is.
		 */
		uint64_t rows;
	};
	uint32_t replica_mask; /* replicas - 1, replicas a power of two */
	uint32_t site_first;   /* counters and filters start at this site id */
	uint32_t site_count;
	uint32_t when_full; /* enum probe_when_full */
	union {
		uint64_t ring_states; /* device memory: struct probe_ring_state[ring_mask + 1] */
		/* `memory`: where row 0 of the first replica would be, before `counters`. */
		uint64_t row_0;
	};
	union {
		uint64_t ring_heads; /* host memory: struct probe_ring[ring_mask + 1] */
		/* `memory`: replica_mask, and in the upper half the bytes of a replica. */
		uint64_t replica_step;
	};
	uint64_t ring_data; /* host memory: ring_mask + 1 areas of ring_size bytes */
	uint32_t ring_mask;
	uint32_t ring_size;  /* bytes, a power of two, at least 4096 */
	uint32_t spin_limit; /* rounds of s_sleep before a full ring drops although it should block
			      */
	uint32_t lds_aperture; /* high halves of flat addresses that mean LDS and scratch */
	uint32_t scratch_aperture;
	union {
		uint32_t ring_places; /* `trace`: bits of HW_ID that choose a wave's ring, see below
				       */
		/*
		 * `memory`: not 0 if 16 lanes from a multiple of 16 on are neighbours in x, in
		 * every wave of the launch.
		 */
		uint32_t rows16;
	};
	uint64_t regular;      /* EXEC of a regular wave (section 3); 0 = there is none */
	uint32_t enumerated;   /* `memory`: not 0 = what EXACT groups do follows from the launch */
	uint32_t sample_every; /* see PROBE_FULL_SAMPLE; at least 1 */
	/*
	 * Waves of other workgroups record nothing; last is included. Whole grid: 0 to UINT32_MAX.
	 * Of kinds with counters, the argument has PROBE_CTX_FILTERED added if that is not the
	 * whole grid; then a second context for those other waves follows, with counters that
	 * nobody reads.
	 */
	uint32_t group_first[3], group_last[3];
	/* `trace`: what the short way of a wave reads, as it needs it (trace_wave.h). */
	struct probe_ctx_wave {
		uint32_t spare0[2];
		uint64_t rows; /* as above */
		uint32_t spare1;
		uint32_t data_high; /* high half of the addresses of all rings' bytes */
		uint32_t spare2[2];
		uint64_t states; /* as ring_states, or a state that nobody can have */
		uint64_t dispatch;
		uint32_t places; /* as ring_places */
		uint32_t spare3[3];
	} wave;
};
#define PROBE_CTX_FILTERED 1u

/*
 * Behind the struct probe_ctx of a `time` dispatch, and right before the kernel's arguments, with
 * the first of which it shares a cache line of 64 bytes: where the waves of a launch that is not
 * large write their records, if they write all of them at their end.
 */
struct probe_ctx_wave_storage {
	uint64_t area;		     /* struct probe_wave_storage; 0 = waves write into rings */
	uint32_t groups_x, groups_y; /* workgroups of the launch */
	uint32_t items_x, items_xy;  /* work-items of a workgroup: along x, and in a plane */
	uint32_t waves;		     /* of a workgroup */
	uint32_t reserved;
};

/*
 * Wave storage, one per launch: each wave has a slot in it by its number, so no wave claims a ring,
 * and none waits. Complete when the launch is. `stride` bytes for each wave follow: workgroup by
 * workgroup, x first, and in a workgroup in the order of their numbers.
 */
#define PROBE_STORED_SPANS 4u
struct probe_wave_storage {
	uint32_t stride; /* 0 = no wave wrote; 48 + 16 * spans */
	uint32_t spans;
	uint32_t site;	/* the kernel's FUNCTION site */
	uint32_t lanes; /* of the stamps `idle` */
	uint32_t span_site[PROBE_STORED_SPANS];
	uint64_t idle[4]; /* clocks of PROBE_SITE_IDLE stamps, BEGIN BEGIN END END */
};

struct probe_stored_wave {
	uint32_t hw_id;
	uint32_t lanes; /* a byte for each span: active at its end; 0 = the wave did not execute it
			 */
	uint64_t exec;
	uint64_t begin, time; /* s_memtime, s_memrealtime */
	uint64_t end, end_time;
	/* begin and end of each span follow */
};

/*
 * A ring belongs to one wave at a time: claimed at the wave's start, beginning with the ring of the
 * wave's place, and released at its end. Hence one writer, no shared cursor, no atomic per record.
 *
 * `trace`: a wave's place is (HW_ID & ring_places), with as many bits as tell ring_mask + 1 rings
 * apart, and the index of its ring's state; states of other places are never looked at. Who takes
 * the cursor and leaves 0 owns the ring. ctx is the ring's, written once: when_full, spin_limit,
 * sample_every, ring_heads, ring_data and ring_size count there.
 *
 * `time`: states are as many as rings, the search begins at a hash of the place, and who sets bit 0
 * of the head owns the ring. ctx is the owner's.
 */
struct probe_ring_state {
	union {
		uint64_t head; /* of the last owner, as in struct probe_ring; bit 0: it is owned */
		struct {
			uint32_t at;   /* low half of the address the next record goes to */
			uint32_t room; /* bytes that fit there, and 1 */
		} cursor;
	};
	uint64_t tail;	      /* last value read from the host */
	uint64_t emitted;     /* records this ring was asked to take, since the start. Those
				 that were lost: who reads the others counts them */
	uint64_t dropped;     /* of those, lost because the ring stayed full */
	uint64_t ctx;	      /* address of a struct probe_ctx */
	uint64_t refused;     /* records that found the ring full: one in sample_every waits */
	uint64_t head_offset; /* `trace`: head less the address the next record goes to */
	uint64_t host;	      /* address of the ring's struct probe_ring */
};

/* Host-visible head of a ring, in the segment. Writer: device; tail: the supervisor. */
struct probe_ring {
	uint64_t
		head; /* bytes written since the start; stored (release) after the record's bytes */
	uint64_t emitted;
	uint64_t dropped;
	uint64_t pad0[5];
	uint64_t tail; /* bytes consumed since the start */
	uint64_t pad1[7];
};

/* ---- 5. Records of the `trace` kind --------------------------------------------------------- */

/*
 * A record starts at a multiple of 8 and never wraps: what does not fit before the end of the ring
 * is preceded by a PAD record that fills the rest. Word 0 is site | form << 24.
 */
enum probe_form {
	PROBE_FORM_PAD = 0,    /* skip to the end of the ring */
	PROBE_FORM_WAVE = 1,   /* struct probe_rec_wave: what follows in this ring is this wave's */
	PROBE_FORM_AFFINE = 2, /* struct probe_rec_affine */
	PROBE_FORM_NEAR = 3,   /* struct probe_rec_lanes, one int32_t offset per active lane */
	PROBE_FORM_FULL = 4,  /* struct probe_rec_lanes with base 0, one uint64_t per active lane */
	PROBE_FORM_BEGIN = 5, /* struct probe_rec_stamp: a function, block or region begins */
	PROBE_FORM_END = 6,   /* struct probe_rec_stamp: a function or region ends */
	PROBE_FORM_WAVE_END = 7, /* struct probe_rec_wave_end */
	PROBE_FORM_MESSAGE = 8,	 /* struct probe_rec_message */
	/* Below: from the device only, written out as the forms above where rings are read. */
	PROBE_FORM_BLOCK = 9,	 /* struct probe_rec_block */
	PROBE_FORM_ROWS = 10,	 /* struct probe_rec_rows */
	PROBE_FORM_BARRIER = 11, /* 8 bytes: the wave reaches a barrier of its workgroup */
	PROBE_FORM_SPAN = 12,	 /* struct probe_rec_span */
	/*
	 * struct probe_rec_wave whose `wave` is the id of the work-item in the first lane, x | y <<
	 * 10 | z << 20, and whose ROWS are the launch's unless a record follows.
	 */
	PROBE_FORM_WAVE_ITEM = 13,
	PROBE_FORM_EXEC = 14,	/* struct probe_rec_exec */
	PROBE_FORM_PROVED = 15, /* struct probe_rec_proved */
	/* struct probe_rec_short, of the lanes of the last EXEC or wave record: */
	PROBE_FORM_LOW = 16,	/* the low half of each address follows */
	PROBE_FORM_WHOLE = 17,	/* each address follows */
	PROBE_FORM_STRIDE = 18, /* the first lane's address follows */
	PROBE_FORM_HALF = 19,	/* the lower 16 bits of each address follow */
};

#define PROBE_SITE_MASK 0x00ffffffu
/* Site of an AFFINE record that says: the wave reaches a barrier of its workgroup (s_barrier). */
#define PROBE_SITE_BARRIER 0x00ffffffu
/*
 * Site of stamps with nothing between them but others of this site: what stamps cost. They come in
 * pairs, one in another: BEGIN BEGIN END END, and BEGIN, a span (PROBE_STAMP_SPAN), END.
 */
#define PROBE_SITE_IDLE	 PROBE_SITE_MASK
#define PROBE_FORM_SHIFT 24

/*
 * hw_id is gfx9's HW_ID register: wave 3:0, SIMD 5:4, CU 11:8, shader array 12, engine 15:13
 * (MI200 ISA document, "Hardware Registers"). gfx10 and gfx11 have HW_ID1 instead; its fields are
 * put in the same places, the workgroup processor (WGP) where the CU is, and bit 4 of the wave in
 * bit 16 (RDNA 2 and RDNA 3 ISA documents, "Hardware Registers").
 */
struct probe_rec_wave {
	uint32_t word0; /* site: the kernel's FUNCTION site in kind `time`, else 0 */
	uint32_t wave;	/* number inside the workgroup */
	uint64_t dispatch;
	uint32_t group[3]; /* workgroup id */
	uint32_t hw_id;	   /* gfx9 HW_ID register; of RDNA see below */
	uint64_t time;	   /* s_memrealtime at the wave's start */
	uint64_t exec;	   /* lanes at entry */
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
 * Behind a WAVE record of the `trace` kind: the lanes whose addresses a BLOCK record has. Always
 * the lowest two, and the first two of each row of work-items.
 */
struct probe_rec_rows {
	uint32_t word0;
	uint32_t reserved;
	uint64_t lanes;
};

/*
 * Accesses of one basic block by all 64 lanes, word0's a GROUP site. For each of the lanes of the
 * ROWS record in their order `bases` 64-bit addresses follow. Of the other lanes, from lane 2 on in
 * their order, each address has the high half of that of the lane below, and a low half as far from
 * that as that from the one below it, modulo 2^32.
 *
 * A GROUP's name tells its sites: "FIRST:B+D,B-D,...", for site FIRST and those behind it each the
 * number of a base and the bytes between that and the site's address (in LDS, modulo 2^32). The
 * BASES ids behind a GROUP's are its bases': where not all lanes are active or lie at other
 * strides, an AFFINE, NEAR or FULL record with such an id stands for all sites of that base.
 */
struct probe_rec_block {
	uint32_t word0;
	uint32_t bases; /* 1 to PROBE_GROUP_BASES */
};
#define PROBE_GROUP_BASES 8u
#define PROBE_GROUP_SITES 64u

/*
 * Of a GROUP whose name goes on with ";X/Y/Z" for each base, bytes per step of the work-item's id:
 * the address in the first active lane for each base. Lanes are those of the last EXEC record, or
 * of the WAVE record. X is a number, or "C*F@OFFSET:BITS": C and F times an argument of the kernel
 * (struct probe_site_stride), which is not negative and so small that X is less than 2^20.
 */
struct probe_rec_proved {
	uint32_t word0;
	uint32_t reserved; /* anything */
};

/* From here on these lanes are active. */
struct probe_rec_exec {
	uint32_t word0;
	uint32_t reserved;
	uint64_t exec;
};

/* An access by the base's id of a GROUP. Padded to 8 bytes with anything. */
struct probe_rec_short {
	uint32_t word0;
	/* What all addresses are above those bits, in LOW and HALF; STRIDE: as in AFFINE. */
	uint32_t extra;
};

/*
 * A stamp of the `time` kind. The clock is s_memtime's, in cycles of the unit that runs the wave:
 * differences within a wave have a meaning, others only where the hardware says so. gfx11 has no
 * such clock of more than 20 bits: there it is the constant one of 100 MHz, that of probe_rec_wave
 * (RDNA 3 ISA document, S_SENDMSG_RTN).
 */
struct probe_rec_stamp {
	uint32_t word0;
	uint32_t lanes; /* active, 1..64; and PROBE_STAMP_SPAN */
	uint64_t clock;
};
/*
 * Of stamps that were kept in registers until the end of their span, or of the wave, and so took
 * next to nothing: a BEGIN and the END right behind it, or the BEGIN of a kernel that has no
 * others.
 */
#define PROBE_STAMP_SPAN 0x80000000u

/* Both in one record. Counts as two; as none if `lanes` is 0: the wave did not come by. */
struct probe_rec_span {
	uint32_t word0;
	uint32_t lanes; /* at the end */
	uint64_t begin, end;
};

/* The wave ends; with probe_rec_wave.time this also gives the clock's rate. Site: as the wave's. */
struct probe_rec_wave_end {
	uint32_t word0;
	uint32_t lanes;
	uint64_t clock;
	uint64_t time; /* s_memrealtime */
};

/*
 * A message of the user's (device.h). `stride` bytes per element follow: one element, or with
 * PROBE_MESSAGE_LANES one per active lane in lane order.
 */
struct probe_rec_message {
	uint32_t word0;
	uint32_t size; /* of the whole record, bytes */
	uint64_t exec;
	uint64_t clock;	 /* s_memtime */
	uint32_t bytes;	 /* of an element, that count: at most 64 */
	uint32_t stride; /* of an element, a multiple of 8; and PROBE_MESSAGE_LANES */
};
#define PROBE_MESSAGE_LANES 0x80000000u
#define PROBE_MESSAGE_MAX   64u

#endif
