/* SPDX-License-Identifier: MIT */
/*
 * What crosses a border in memory: the site table a compiler leaves in a code object, the context
 * and records of an instrumented kernel, and the records an application hands to probe-run.
 *
 * Everything here is little-endian, naturally aligned and free of pointers. Sizes and offsets are
 * asserted at the end. The structs are compiled for the device too: no includes but stdint.
 */
#ifndef PROBE_WIRE_H
#define PROBE_WIRE_H

#include <stdint.h>

#ifdef __cplusplus
#define PROBE_STATIC_ASSERT(cond, text) static_assert(cond, text)
#else
#define PROBE_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#endif

/* ---- 1. Kinds, accesses, spaces ------------------------------------------------------------ */

/* Probe kinds. The clone of kernel k for a kind is the kernel "__probe_<name>_<k>". */
enum probe_kind {
	PROBE_KIND_NONE = 0,
	PROBE_KIND_MEMORY = 1, /* exact per-site counters made on the device; clone "memory" */
	PROBE_KIND_TRACE = 2,  /* every address, compressed; clone "trace" */
	PROBE_KIND_TIME = 3,   /* time stamps of functions, blocks and regions; clone "time" */
	PROBE_KIND_COUNT = 4,  /* executions and lanes of blocks; clone "count" */
	PROBE_KINDS = 5,
};

/* Do clones of this kind write records into rings (section 5)? */
static inline int probe_kind_has_rings(uint32_t kind)
{
	return kind == PROBE_KIND_TRACE || kind == PROBE_KIND_TIME;
}

/* Those that count in rows of counters (section 3)? */
static inline int probe_kind_has_counters(uint32_t kind)
{
	return kind == PROBE_KIND_MEMORY || kind == PROBE_KIND_COUNT;
}

enum probe_access_kind {
	PROBE_ACCESS_LOAD = 1,
	PROBE_ACCESS_STORE = 2,
	PROBE_ACCESS_ATOMIC = 3,
	PROBE_ACCESS_BLOCK = 4, /* a basic block: the `count` kind's sites */
	/* Sites that are no accesses: the `time` kind stamps them, messages come from the last. */
	PROBE_ACCESS_REGION = 5,   /* a call of probe_region_begin() or _end() (device.h) */
	PROBE_ACCESS_FUNCTION = 6, /* a kernel, or a device function that was not inlined */
	PROBE_ACCESS_MESSAGE = 7,  /* a call of probe_emit() or probe_emit_lanes() */
	/* No accesses, but rows of counters that the `memory` kind keeps for several; section 3. */
	PROBE_ACCESS_SHARED = 8,
	PROBE_ACCESS_GROUP = 9,	   /* accesses of a block that the `trace` kind records together */
	PROBE_ACCESS_COUNTED = 10, /* as SHARED */
};

/* A row of counters, no place in the source? */
static inline int probe_site_is_row(uint32_t access)
{
	return access == PROBE_ACCESS_COUNTED || access == PROBE_ACCESS_SHARED;
}

/* Address spaces, numbered as LLVM's AMDGPU back end numbers them. */
enum probe_space {
	PROBE_SPACE_FLAT = 0,
	PROBE_SPACE_GLOBAL = 1,
	PROBE_SPACE_LDS = 3,
	PROBE_SPACE_CONSTANT = 4,
	PROBE_SPACE_SCRATCH = 5,
	PROBE_SPACE_BUFFER = 7,
};

/* ---- 2. Site table: section .probe_sites, symbol __probe_sites ----------------------------- */

#define PROBE_SITES_MAGIC   0x54495350u /* "PSIT" */
#define PROBE_SITES_VERSION 2u

/*
 * Layout: header, sites[site_count], proofs[proof_count], kernels[kernel_count],
 * frames[frame_count], uncovered[uncovered_count], strings. Offsets of strings count from
 * strings_offset; string 0 is "". Every string ends in NUL. proof_count is site_count, or 0 if
 * nothing is proved.
 */
struct probe_sites_header {
	uint32_t magic;
	uint16_t version;
	uint16_t header_size;
	uint32_t total_size;
	uint32_t site_count;
	uint32_t kernel_count;
	uint32_t frame_count;
	uint32_t sites_offset; /* bytes from the header, as the next three */
	uint32_t kernels_offset;
	uint32_t frames_offset;
	uint32_t strings_offset;
	uint32_t strings_size;
	uint32_t uncovered; /* memory accesses of the module that no probe of these kinds covers */
	/* Since header_size 72. Shorter headers have none of these. */
	uint32_t uncovered_offset; /* struct probe_site_uncovered[uncovered_count] */
	uint32_t uncovered_count;
	uint32_t code_before;	/* IR instructions of the kernels and what they call */
	uint32_t code_after;	/* of all clones */
	uint32_t proofs_offset; /* struct probe_site_proof[proof_count] */
	uint32_t proof_count;
};
#define PROBE_SITES_HEADER_MIN 48u

/* Why no probe sees an access. */
enum probe_uncovered_reason {
	PROBE_UNCOVERED_INTRINSIC = 1,	/* an intrinsic whose address or width is not known */
	PROBE_UNCOVERED_POINTER = 2,	/* what a call through a pointer does */
	PROBE_UNCOVERED_BY_POINTER = 3, /* in a function that is called through a pointer */
	PROBE_UNCOVERED_EXTERNAL = 4,	/* what a function outside of the module does */
	PROBE_UNCOVERED_SHAPE = 5,	/* too wide, or through a buffer pointer */
	PROBE_UNCOVERED_TARGET = 6,	/* a whole kernel: no probes for its target */
	PROBE_UNCOVERED_REASONS = 7,
};

/* One access, or one call that may make some, that is not probed. */
struct probe_site_uncovered {
	uint32_t file, function, line, column; /* as in struct probe_site */
	uint32_t owner;
	uint32_t what;	 /* string: "load", "store", an intrinsic's or function's name ... */
	uint32_t reason; /* enum probe_uncovered_reason */
	uint32_t reserved;
};

/*
 * One probed access. A lane's access is `size` bytes wide; the machine executes it as size / unit
 * accesses of `unit` bytes (1, 2, 4, 8, 12 or 16), the k-th at address + k * unit. The id of a site
 * is its index; the same access has the same id in every kind's clone. Sites that are no accesses
 * have size and unit 0 and come behind all that are.
 */
struct probe_site {
	uint32_t file;	   /* string: path, joined with its directory if relative; "" = unknown */
	uint32_t function; /* string: the function the line belongs to (innermost inlined) */
	uint32_t line;	   /* 0 = no debug information */
	uint32_t column;
	uint32_t first_frame; /* callers by inlining, innermost first: frames[first .. first+count)
			       */
	uint16_t frame_count;
	uint8_t access; /* enum probe_access_kind */
	uint8_t space;	/* enum probe_space */
	uint16_t size;
	uint16_t unit;
	union {
		uint32_t align; /* known alignment of the address, bytes */
		uint32_t name;	/* string, of REGION, MESSAGE and GROUP sites: see section 5 */
	};
	uint32_t owner; /* string: mangled name of the kernel or device function that holds it */
	uint32_t kinds; /* bit (1 << enum probe_kind) for each kind that probes it */
};

/* A kernel and its clones. Its sites and those of the functions it calls lie in the given range. */
struct probe_site_kernel {
	uint32_t name; /* string: mangled name of the original */
	uint32_t kinds;
	uint32_t first_site;
	uint32_t site_count;
};

/* One caller of the inlined-at chain. */
struct probe_site_frame {
	uint32_t file;
	uint32_t function;
	uint32_t line;
	uint32_t column;
};

/*
 * What the compiler proved of a site, so that the `memory` kind need not measure it (section 3).
 * The address in a lane is U + stride[0] * x + stride[1] * y + stride[2] * z + digits, U the same
 * in all lanes, x, y, z the work-item's id.
 */
struct probe_site_stride {
	int64_t constant;
	int64_t factor; /* of a kernel argument, or of a field of the launch; 0 = none */
	/*
	 * Where and how wide that is: in the kernel's argument block, a signed integer of 32 or 64
	 * bits, or one without a sign with PROBE_STRIDE_UNSIGNED; or with PROBE_STRIDE_LAUNCH in
	 * the dispatch packet, an unsigned size of 16 or 32.
	 */
	uint32_t offset;
	uint32_t bits;
};
#define PROBE_STRIDE_LAUNCH   0x80000000u
#define PROBE_STRIDE_UNSIGNED 0x40000000u

/*
 * times * OP(v), where v = inner[0] * x + inner[1] * y + inner[2] * z, ids counted from the first
 * active lane's; for BITS and AND from the wave's lowest. P is a number that a cell has for each
 * execution (section 3).
 */
enum probe_digit_op {
	PROBE_DIGIT_BITS = 0, /* v >> shift & mask */
	PROBE_DIGIT_AND = 1,  /* v >> shift & mask & P */
	PROBE_DIGIT_ADD = 2,  /* v + P >> shift & mask */
	PROBE_DIGIT_MIN = 3,  /* of v and P - PROBE_DIGIT_BIAS */
	PROBE_DIGIT_MAX = 4,
	PROBE_DIGIT_OPS = 5,
};
struct probe_site_digit {
	int64_t times;
	uint32_t mask;
	int16_t inner[3];
	uint8_t shift;
	uint8_t op;
	uint8_t with; /* which of the cell's numbers P is */
	uint8_t reserved[3];
};
enum {
	PROBE_DIGITS = 4,
	PROBE_NUMBERS = 3, /* of a cell, each 0 to PROBE_NUMBER_MAX */
	PROBE_NUMBER_MAX = 1023,
	PROBE_DIGIT_BIAS = 512,
};

#define PROBE_ROW_NONE 0xffffffffu

enum probe_proof_flag {
	/* COUNTED: runs once in every wave that its parent runs in, and then with the same lanes.
	 */
	PROBE_PROOF_ONCE = 1,
	/* The cost depends on the address modulo 128: counted where that of lane 0 was 0. */
	PROBE_PROOF_ALIGNED = 2,
	/* ALIGNED: bits 8 to 10 say which of the addresses tested it counts from. */
	PROBE_PROOF_RISING = 4, /* the proof needs that no lane's address is below the first's */
};

struct probe_site_proof {
	uint32_t group; /* its COUNTED row's id; NONE = measured. Of such a row: its parent, a lower
			   id */
	uint32_t shared; /* a row; NONE. Of a site: what it costs, measured for several. Of a group:
			    first of its PROBE_CELL_ROWS rows of cells (section 3) */
	int32_t delta;	 /* from the address that was tested to this site's */
	uint32_t flags;	 /* enum probe_proof_flag */
	struct probe_site_stride stride[3];
	struct probe_site_digit digit[PROBE_DIGITS]; /* added; times = 0: none */
};

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
	 * LDS: sum over phases of max(1, distinct dwords of the worst bank); lanes of an atomic
	 * operation take turns on one dword too, so there each lane counts.
	 */
	PROBE_C_PASSES,
	PROBE_C_IDEAL_PASSES, /* LDS: phases; conflicts = passes - ideal */
	PROBE_C_AFFINE,	      /* executions whose active lanes lie at one constant stride */
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
 * Executions that are not measured. A wave is regular if EXEC is probe_ctx.regular: every lane that
 * a wave of this launch can have, in a launch whose waves all lie alike in their workgroups. What a
 * proved site costs a regular wave follows from the launch alone, so that executions need only be
 * counted, and that once for a group of sites that run together, in a row that is a site of kind
 * COUNTED:
 */
enum probe_block_counter {
	PROBE_B_RUNS, /* regular executions, counted one by one */
	/*
	 * ONCE: regular waves of the parent in which it was not run, or its sites were measured.
	 */
	PROBE_B_MISSES,
};

/*
 * The regular executions of a group that is ONCE are those of its parent, or the launch's regular
 * waves if it has none, less its MISSES, less those in its cells; those of others are its RUNS.
 * Every other execution is counted in a cell, by EXEC and addresses: the cells of a group lie in
 * the PROBE_CELL_ROWS rows that its proof's `shared` names, PROBE_ROW_CELLS to a row, in the first
 * replica of the table only. What finds no cell is measured: in a row that all sites of the same
 * cost have in common (their proof's `shared`), or in the site's own.
 */
struct probe_exec_cell {
	uint64_t exec; /* 0 = free, or not written yet */
	/*
	 * 0 = free. Of the i-th address tested, in the first active lane: address mod 128 <<
	 * PROBE_CELL_CLASS(i);
	 * of the i-th number that digits are made with: number << PROBE_CELL_NUMBERS + 10 * i; and
	 * PROBE_CELL_TAKEN.
	 */
	uint64_t classes;
};
/* A row of cells: what is counted in one of them chooses the row, and takes the first free cell. */
enum { PROBE_CELL_ROWS = 16, PROBE_ROW_CELLS = 4 };
struct probe_cell_row {
	uint64_t count[PROBE_ROW_CELLS];
	struct probe_exec_cell cell[PROBE_ROW_CELLS];
	uint64_t spare[4];
};
#define PROBE_CELL_TAKEN   (1ull << 63)
#define PROBE_CELL_NUMBERS 32
/* Four in the lower half, the others in the upper one, where there are no numbers then. */
#define PROBE_CELL_CLASS(i) ((i) / 4 * 32 + (i) % 4 * 7)
/* No wave is regular in a launch of more work-items, or groups, than these along an axis. */
#define PROBE_REGULAR_GRID   (1u << 29)
#define PROBE_REGULAR_GROUPS (1u << 20)

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

/* Written by the host before the launch; constant while the kernel runs. 64-byte aligned. */
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
	uint32_t when_full;   /* enum probe_when_full */
	uint64_t ring_states; /* device memory: struct probe_ring_state[ring_mask + 1] */
	uint64_t ring_heads;  /* host memory: struct probe_ring[ring_mask + 1] */
	uint64_t ring_data;   /* host memory: ring_mask + 1 areas of ring_size bytes */
	uint32_t ring_mask;
	uint32_t ring_size;  /* bytes, a power of two, at least 4096 */
	uint32_t spin_limit; /* rounds of s_sleep before a full ring drops although it should block
			      */
	uint32_t lds_aperture; /* high halves of flat addresses that mean LDS and scratch */
	uint32_t scratch_aperture;
	uint32_t reserved0;
	uint64_t regular; /* EXEC of a regular wave (section 3); 0 = there is none */
	uint32_t reserved1;
	uint32_t sample_every; /* see PROBE_FULL_SAMPLE; at least 1 */
	/*
	 * Waves of other workgroups record nothing; last is included. Whole grid: 0 to UINT32_MAX.
	 * Of kinds with counters, the argument has PROBE_CTX_FILTERED added if that is not the
	 * whole grid; then a second context for those other waves follows, with counters that
	 * nobody reads.
	 */
	uint32_t group_first[3], group_last[3];
};
#define PROBE_CTX_FILTERED 1u

/*
 * A ring belongs to one wave at a time: claimed at the wave's start by setting bit 0 of head,
 * starting the search at a hash of the wave's place, and released at its end. Hence one writer, no
 * shared cursor, no atomic per record.
 */
struct probe_ring_state {
	uint64_t head;	  /* of the last owner, as in struct probe_ring; bit 0: it is owned */
	uint64_t tail;	  /* last value read from the host */
	uint64_t emitted; /* records this ring was asked to take, since the start. Those
			     that were lost: who reads the others counts them */
	uint64_t dropped; /* of those, lost because the ring stayed full */
	uint64_t ctx;	  /* address of the owner's struct probe_ctx */
	uint64_t refused; /* records that found the ring full: one in sample_every waits */
	uint64_t pad[2];
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
	PROBE_FORM_BARRIER = 11, /* 8 bytes: the wave comes to a barrier of its workgroup */
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
};

#define PROBE_SITE_MASK 0x00ffffffu
/* Site of an AFFINE record that says: the wave comes to a barrier of its workgroup (s_barrier). */
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
 * of the WAVE record.
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
	uint32_t extra; /* LOW: the high half of all addresses; STRIDE: as in AFFINE */
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

/* ---- 6. Segment: one per application process ------------------------------------------------ */

#define PROBE_SEG_MAGIC	  0x314745534f525050ull /* "PPROSEG1" */
#define PROBE_SEG_VERSION 1u

/*
 * A sealed memory file made by probe-run, handed over its socket, mapped shared by both. The
 * supervisor keeps its own copy of every field and never trusts the mapping again.
 */
struct probe_seg_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_size;
	uint64_t total_size;
	uint64_t host_offset;  /* struct probe_host_ring, then its data */
	uint64_t host_size;    /* bytes of data, a power of two */
	uint64_t heads_offset; /* struct probe_ring[ring_count]; page aligned */
	uint64_t data_offset;  /* ring_count * ring_size bytes; page aligned */
	uint32_t ring_count;
	uint32_t ring_size;
	uint32_t pid; /* written by the application */
	uint32_t reserved[3];
};

/* Host records: many writers (any thread of the application), one reader. */
struct probe_host_ring {
	uint64_t head;	  /* bytes reserved since the start: compare-and-swap */
	uint64_t emitted; /* records begun, PAD not counted: committed + dropped + holes */
	uint64_t dropped; /* records that found no room */
	uint64_t pad0[5];
	uint64_t tail; /* bytes consumed; the reader zeroes them first */
	uint64_t pad1[7];
	/* data[host_size] follows */
};

/*
 * Every host record. The writer reserves (which makes head pass over zeroed bytes), stores size
 * (release), fills the rest and stores commit (release) last; a zero commit word ends what a reader
 * may take. The payload is padded with zeros to a multiple of 8, and the CRC covers the padding.
 *
 * Records never wrap. The rest of the ring before a wrap is a PAD record, whose commit is
 * PROBE_COMMIT and whose payload is not checked; a rest shorter than struct probe_host_rec stays
 * zero and is skipped without a record.
 *
 * A writer that dies between reserving and committing leaves a hole. While the process lives a
 * reader waits in front of it. Once the process is gone it steps over a hole whose size word makes
 * sense, and gives up the rest up to head if that is zero; either is one or more records lost.
 */
struct probe_host_rec {
	uint32_t size;	 /* whole record, a multiple of 8 */
	uint32_t commit; /* PROBE_COMMIT ^ CRC-32C of the payload; PROBE_COMMIT if that is 0 */
	uint32_t type;	 /* enum probe_host_rec_type */
	uint32_t tid;
	uint64_t time; /* CLOCK_BOOTTIME, ns */
};

#define PROBE_COMMIT 0x80000001u

enum probe_host_rec_type {
	PROBE_HR_PAD = 0,
	PROBE_HR_PROCESS = 1,
	PROBE_HR_AGENT = 2,
	PROBE_HR_QUEUE = 3,
	PROBE_HR_CODE_OBJECT = 4,
	PROBE_HR_CODE_BYTES = 5,
	PROBE_HR_CODE_UNLOAD = 6,
	PROBE_HR_KERNEL = 7,
	PROBE_HR_DISPATCH = 8,
	PROBE_HR_COMPLETE = 9,
	PROBE_HR_COUNTERS = 10,
	PROBE_HR_QUEUE_END = 11,
	PROBE_HR_LOSS = 12,
	PROBE_HR_EXIT = 13,
	PROBE_HR_QUEUE_HARDWARE = 14,
	PROBE_HR_SAMPLER = 15,
	PROBE_HR_SAMPLES = 16,
	PROBE_HR_ALLOCATION = 17,
	PROBE_HR_FREE = 18,
	PROBE_HR_ARGUMENTS = 20,
	PROBE_HR_NOTE = 26,
};

/* Strings in payloads: `n` bytes without NUL, after the struct, in the order of the length fields.
 */

/* First record of a process. Strings: command line (NUL-separated), environment (NUL-separated). */
struct probe_hr_process {
	uint32_t pid, ppid;
	uint64_t start;	     /* ns, CLOCK_BOOTTIME; 0 = unknown */
	uint32_t runtime[2]; /* HsaApiTable version: major, minor (byte size) */
	uint32_t core_size;  /* table sizes as the runtime states them */
	uint32_t amd_ext_size;
	uint32_t flags; /* bit 0: the simulated GPU is in use */
	uint32_t command_len, environment_len, reserved;
};
#define PROBE_PROCESS_SIMULATED 1u

/* Strings: name (ISA, "gfx90a:sramecc+:xnack-"), product name, vendor name. */
struct probe_hr_agent {
	uint64_t handle;
	uint32_t index;			    /* order of hsa_iterate_agents, from 0 */
	uint32_t type;			    /* 0 CPU, 1 GPU */
	uint32_t compute_units, wave_slots; /* wave slots of the whole agent */
	uint32_t wave_size, clock_mhz;
	uint64_t timestamp_hz;
	uint64_t uuid;
	uint32_t name_len, product_len, vendor_len, node;
};

struct probe_hr_queue {
	uint64_t handle;
	uint32_t id;	/* from 1 */
	uint32_t agent; /* index */
	uint32_t size, flags;
};

/* What PC samples name a queue by; where there is sampling, before its first DISPATCH. */
struct probe_hr_queue_hardware {
	uint32_t id;
	uint32_t doorbell; /* (doorbell's address >> 3) & 0x3ff */
	uint32_t size;	   /* packets of the hardware ring */
	uint32_t reserved;
};

/*
 * Memory that the GPU can reach, as the application asked the runtime for it. String: where it did,
 * innermost call first, as lines "path+0xoffset": the file and the offset that its ELF file gives
 * the byte before the return address. The runtime's own frames are left out.
 */
struct probe_hr_allocation {
	uint64_t address, size;
	uint32_t source; /* enum probe_allocation_source */
	uint32_t frames_len;
};

enum probe_allocation_source {
	PROBE_ALLOCATION_POOL = 1,   /* hsa_amd_memory_pool_allocate */
	PROBE_ALLOCATION_REGION = 2, /* hsa_memory_allocate */
};

/* Put before the runtime is told. */
struct probe_hr_free {
	uint64_t address;
};

/* Strings: URI. Bytes follow in CODE_BYTES records, then KERNEL records. */
struct probe_hr_code_object {
	uint32_t id; /* from 1 */
	uint32_t agent;
	uint64_t load_base, load_size;
	int64_t load_delta;
	uint64_t memory_base, bytes; /* bytes of the ELF image */
	uint32_t storage;	     /* 1 file, 2 memory */
	uint32_t uri_len;
};

struct probe_hr_code_bytes {
	uint32_t code_object;
	uint32_t bytes; /* of this chunk, following */
	uint64_t offset;
};

struct probe_hr_code_unload {
	uint32_t code_object, reserved;
};

/* Strings: symbol ("name.kd" without the suffix, mangled). */
struct probe_hr_kernel {
	uint32_t id; /* from 1, unique in the process */
	uint32_t code_object;
	uint64_t kernel_object;
	uint32_t kernarg_size, kernarg_align;
	uint32_t group_size, private_size;
	uint32_t sgprs, vgprs, agprs, wave_size;
	uint32_t kind;	   /* enum probe_kind: NONE = an original */
	uint32_t original; /* kernel id of the original if this is a clone, else 0 */
	uint32_t name_len, reserved;
};

/* Why a dispatch ran as it was. SWAPPED is not a refusal. */
enum probe_verdict {
	PROBE_V_SWAPPED = 0,
	PROBE_V_OFF = 1,	    /* instrumentation not asked for */
	PROBE_V_FILTERED = 2,	    /* by the kernel's name */
	PROBE_V_NO_CLONE = 3,	    /* code object has no clone of the kernel for the kind */
	PROBE_V_UNKNOWN_KERNEL = 4, /* kernel object of no code object seen */
	PROBE_V_METADATA = 5, /* metadata unreadable, or the clone needs an argument we lack */
	PROBE_V_LDS = 6,      /* clone would need more LDS than a workgroup can have */
	PROBE_V_MEMORY = 7,   /* no memory for counters, rings or arguments */
	PROBE_V_TOO_MANY_SITES = 8,
	PROBE_V_NO_SEGMENT = 9,	  /* no supervisor, or rings could not be mapped to the GPU */
	PROBE_V_DISPATCH = 10,	  /* not among the dispatches asked for (before: FILTERED) */
	PROBE_V_LIBRARY = 11,	  /* its code object is none of the libraries asked for */
	PROBE_V_SCRATCH = 12,	  /* clone would need more scratch than a wave can have */
	PROBE_V_WORKGROUP = 13,	  /* more work-items than its registers are allotted for */
	PROBE_V_RECURSION = 14,	  /* nothing bounds the stack of what it calls */
	PROBE_V_COOPERATIVE = 15, /* not all workgroups of the clone would be resident at a time */
	PROBE_VERDICTS = 16,
};

/* Written before the packet reaches the hardware queue. */
struct probe_hr_dispatch {
	uint64_t id; /* from 1 */
	uint32_t queue, agent;
	uint32_t kernel;   /* the application's, 0 = unknown */
	uint32_t launched; /* the clone, or the same as kernel */
	uint32_t kind, verdict;
	uint32_t grid[3];
	uint16_t group[3];
	uint16_t dims;
	uint32_t packet;		   /* low half of its index in the hardware queue */
	uint32_t group_size, private_size; /* of the application's packet */
	uint32_t lds_aperture, scratch_aperture;
	uint64_t kernel_object;
};

/* Written when it has completed; for `memory`, after its COUNTERS. Times in ns, system clock. */
struct probe_hr_complete {
	uint64_t id;
	uint64_t start, end;
	uint32_t flags;	   /* bit 0: times were reversed and swapped */
	uint32_t counters; /* rows sent in COUNTERS records */
	uint64_t rows_dropped;
};

/*
 * After the DISPATCH of a `memory` clone: the first `bytes` bytes of its argument block follow,
 * where the explicit arguments are.
 */
struct probe_hr_arguments {
	uint64_t dispatch;
	uint32_t bytes, reserved;
};

/* `rows` structs probe_counter_row follow: rows in which something was counted. */
struct probe_hr_counters {
	uint64_t dispatch;
	uint32_t code_object;
	uint32_t rows;
};

struct probe_counter_row {
	uint32_t site, reserved;
	uint64_t value[PROBE_COUNTERS];
};

struct probe_hr_queue_end {
	uint32_t id, reserved;
};

/*
 * PC sampling has begun on an agent; before its first SAMPLES. method 0 host trap, 1 stochastic;
 * unit 0 microseconds, 1 cycles, 2 instructions. Strings: provider ("ROCr", "simulated").
 */
struct probe_hr_sampler {
	uint32_t agent, method, unit, provider_len;
	uint64_t interval;
};

/*
 * `count` records of 64 bytes as the provider delivered them follow. The tool flushes the sampler
 * before CODE_UNLOAD and before a packet index comes round again, so that each record means what is
 * loaded and in flight at its place in this stream.
 */
struct probe_hr_samples {
	uint32_t agent, count;
	uint32_t flags; /* PROBE_SAMPLES_ */
	uint32_t reserved;
	uint64_t lost; /* by the provider, before these */
};
#define PROBE_SAMPLES_FLUSHED 1u /* all samples taken so far are in the stream up to here */

/* A sentence of the tool's for the user. String: text. */
struct probe_hr_note {
	uint32_t level; /* PROBE_NOTE_ */
	uint32_t text_len;
};
#define PROBE_NOTE_INFO	   0u
#define PROBE_NOTE_WARNING 1u

/* In-band note of host records lost before this place; also totals at exit. String: reason. */
struct probe_hr_loss {
	uint64_t records;
	uint32_t reason_len, reserved;
};

/* Last record of a process that could say goodbye. Absent = the run is partial. */
struct probe_hr_exit {
	uint64_t dispatches, completed;
	uint64_t verdicts[PROBE_VERDICTS];
};

/* ---- 7. Handing over the segment ------------------------------------------------------------ */

/*
 * The application connects to the socket named by PROBE_SOCKET (SOCK_SEQPACKET, or abstract if the
 * name starts with '@'), sends a hello and gets a reply carrying the segment's descriptor.
 */
#define PROBE_HELLO_MAGIC 0x4f4c4c45u

struct probe_hello {
	uint32_t magic, version;  /* PROBE_SEG_VERSION */
	uint32_t pid, ring_count; /* rings wanted; 0 = no trace */
};

struct probe_welcome {
	uint32_t magic, version;
	int32_t status; /* 0, or -errno: no descriptor comes with it */
	uint32_t reserved;
	uint64_t size; /* of the segment */
};

/* ---- 8. Shape ------------------------------------------------------------------------------- */

PROBE_STATIC_ASSERT(sizeof(struct probe_site_uncovered) == 32, "uncovered access");
PROBE_STATIC_ASSERT(sizeof(struct probe_sites_header) == 72, "site table header");
PROBE_STATIC_ASSERT(sizeof(struct probe_site) == 40, "site");
PROBE_STATIC_ASSERT(sizeof(struct probe_site_digit) == 24, "site digit");
PROBE_STATIC_ASSERT(sizeof(struct probe_site_proof) == 184, "site proof");
PROBE_STATIC_ASSERT(sizeof(struct probe_cell_row) == PROBE_COUNTERS * 8, "row of cells");
PROBE_STATIC_ASSERT(sizeof(struct probe_site_kernel) == 16, "site kernel");
PROBE_STATIC_ASSERT(sizeof(struct probe_site_frame) == 16, "site frame");
PROBE_STATIC_ASSERT(PROBE_COUNTERS == 16, "counter words");
PROBE_STATIC_ASSERT(sizeof(struct probe_ctx) == 128, "context");
PROBE_STATIC_ASSERT(sizeof(struct probe_ring_state) == 64, "ring state");
PROBE_STATIC_ASSERT(sizeof(struct probe_ring) == 128, "ring head");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_wave) == 48, "wave record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_affine) == 24, "affine record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_lanes) == 24, "lanes record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_rows) == 16, "rows record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_block) == 8, "block record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_proved) == 8, "proved record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_exec) == 16, "exec record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_short) == 8, "short record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_stamp) == 16, "stamp record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_span) == 24, "span record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_wave_end) == 24, "wave end record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_message) == 32, "message record");
PROBE_STATIC_ASSERT(sizeof(struct probe_seg_header) == 80, "segment header");
PROBE_STATIC_ASSERT(sizeof(struct probe_host_ring) == 128, "host ring");
PROBE_STATIC_ASSERT(sizeof(struct probe_host_rec) == 24, "host record");
PROBE_STATIC_ASSERT(sizeof(struct probe_counter_row) == 136, "counter row");

#endif
