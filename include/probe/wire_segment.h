/* SPDX-License-Identifier: MIT */
/* The memory segment in which an application sends records to probe-run. See wire.h. */
#ifndef PROBE_WIRE_SEGMENT_H
#define PROBE_WIRE_SEGMENT_H

#include <probe/verdicts.h>
#include <probe/wire_device.h>

/* ---- 6. Segment: one per application process ------------------------------------------------ */

#define PROBE_SEG_MAGIC	  0x314745534f525050ull /* "PPROSEG1" */
#define PROBE_SEG_VERSION 1u

/*
 * A memory file that probe-run creates, sends over its socket, and shares with the application. It
 * outlives both. probe-run keeps its own copy of every field and never reads the header from the
 * mapping again.
 */
struct probe_seg_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_size;
	uint64_t total_size;
	uint64_t host_offset;  /* struct probe_host_ring, then its data */
	uint64_t host_size;    /* bytes of data, a power of two */
	uint64_t heads_offset; /* struct probe_ring[ring_count + large_count]; page aligned */
	/* ring_count * ring_size bytes, then large_count * large_size; page aligned */
	uint64_t data_offset;
	uint32_t ring_count;
	uint32_t ring_size;
	uint32_t pid; /* written by the application */
	/* Larger rings, for launches of few waves. Their numbers follow those of the others. */
	uint32_t large_count;
	uint32_t large_size;
	uint32_t reserved;
};

/* Value of `reader`: the segment will not be read again. */
#define PROBE_READER_ENDED UINT64_MAX

/* Host records: many writers (any thread of the application), one reader. */
struct probe_host_ring {
	uint64_t head;	  /* bytes reserved since the start: compare-and-swap */
	uint64_t emitted; /* records reserved, without PAD: committed + dropped + holes */
	uint64_t dropped; /* records that did not fit */
	uint64_t reader;  /* changes at least each second while there is a reader */
	uint64_t pad0[4];
	uint64_t tail; /* bytes consumed; the reader zeroes them first */
	uint64_t pad1[7];
	/* data[host_size] follows */
};

/*
 * Header of every host record. The writer reserves the bytes by moving head over zeroed bytes,
 * stores size (release), fills the rest, and stores commit (release) last. A reader stops at a
 * commit word of 0. The payload is padded with zeros to a multiple of 8, and the CRC includes the
 * padding.
 *
 * Records never wrap. The rest of the ring before a wrap is a PAD record, whose commit is
 * PROBE_COMMIT and whose payload is not checked. A rest shorter than struct probe_host_rec remains
 * zero and is skipped without a record.
 *
 * A writer that is killed between reserving and committing leaves a hole. The reader waits at a
 * hole as long as the process lives. After that it skips a hole with a valid size. If the size is
 * 0, it skips to head. Either counts as one or more lost records.
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
	PROBE_HR_WAVE_STORAGE = 21,
	PROBE_HR_NOTE = 26,
};

/*
 * Strings in payloads follow the struct, in the order of their length fields, without a terminating
 * NUL.
 */

/* First record of a process. Strings: command line and environment, each NUL-separated. */
struct probe_hr_process {
	uint32_t pid, ppid;
	uint64_t start;	     /* ns, CLOCK_BOOTTIME; 0 = unknown */
	uint32_t runtime[2]; /* HsaApiTable version: major, and minor, which is a size in bytes */
	uint32_t core_size;  /* sizes of tables, as the runtime reports them */
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

/* How PC samples identify a queue. With sampling, precedes the queue's first DISPATCH. */
struct probe_hr_queue_hardware {
	uint32_t id;
	uint32_t doorbell; /* (doorbell's address >> 3) & 0x3ff */
	uint32_t size;	   /* packets of the hardware ring */
	uint32_t reserved;
};

/*
 * Memory that the application allocated and the GPU can access. String: the call stack of the
 * request, innermost call first, as lines "path+0xoffset". The offset is the ELF file's virtual
 * address of the byte before the return address. Frames of the runtime are omitted.
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

/* Written before the runtime frees the memory. */
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

/* Written before the packet reaches the hardware queue. */
struct probe_hr_dispatch {
	uint64_t id; /* from 1 */
	uint32_t queue, agent;
	uint32_t kernel;	/* that the application launched, 0 = unknown */
	uint32_t launched;	/* that ran: a clone, or the same kernel */
	uint32_t kind, verdict; /* enum probe_kind, enum probe_verdict */
	uint32_t grid[3];
	uint16_t group[3];
	uint16_t dims;
	uint32_t packet;		   /* lower half of its index in the hardware queue */
	uint32_t group_size, private_size; /* in the application's packet */
	uint32_t lds_aperture, scratch_aperture;
	uint64_t kernel_object;
};

/* Written after completion; for `memory`, after its COUNTERS. Times in ns, system clock. */
struct probe_hr_complete {
	uint64_t id;
	uint64_t start, end;
	uint32_t flags;	   /* bit 0: times were reversed and swapped */
	uint32_t counters; /* rows sent in COUNTERS records */
	uint64_t rows_dropped;
};

/*
 * Follows the DISPATCH of a `memory` or `trace` clone: the first `bytes` bytes of the kernel's
 * argument block, which has the explicit arguments first; at most PROBE_ARGUMENTS_MAX.
 */
#define PROBE_ARGUMENTS_MAX 512u
struct probe_hr_arguments {
	uint64_t dispatch;
	uint32_t bytes, reserved;
};

/* `rows` times struct probe_counter_row follow: the rows with a counter that is not 0. */
struct probe_hr_counters {
	uint64_t dispatch;
	uint32_t code_object;
	uint32_t rows;
};

struct probe_counter_row {
	uint32_t site, reserved;
	uint64_t value[PROBE_COUNTERS];
};

/*
 * Precedes the COMPLETE of a `time` dispatch: struct probe_wave_storage and its waves follow.
 * Records lost from it are counted in COMPLETE's rows_dropped.
 */
struct probe_hr_wave_storage {
	uint64_t dispatch;
	uint32_t waves, reserved;
};

struct probe_hr_queue_end {
	uint32_t id, reserved;
};

/*
 * PC sampling has started on an agent; precedes its first SAMPLES. method: 0 host trap, 1
 * stochastic; unit: 0 microseconds, 1 cycles, 2 instructions. Strings: provider ("ROCr",
 * "simulated").
 */
struct probe_hr_sampler {
	uint32_t agent, method, unit, provider_len;
	uint64_t interval;
};

/*
 * `count` records of 64 bytes follow, as the provider delivered them. The library flushes the
 * sampler before CODE_UNLOAD and before a packet index is reused. The code objects and packets of a
 * record are therefore those that are current at its position in this stream.
 */
struct probe_hr_samples {
	uint32_t agent, count;
	uint32_t flags; /* PROBE_SAMPLES_ */
	uint32_t reserved;
	uint64_t lost; /* by the provider, before these */
};
#define PROBE_SAMPLES_FLUSHED 1u /* the stream has all samples taken until now */

/* A message of the library for the user. String: text. */
struct probe_hr_note {
	uint32_t level; /* PROBE_NOTE_ */
	uint32_t text_len;
};
#define PROBE_NOTE_INFO	   0u
#define PROBE_NOTE_WARNING 1u

/* Host records lost before this position; also the total at exit. String: reason. */
struct probe_hr_loss {
	uint64_t records;
	uint32_t reason_len, reserved;
};

/* Last record of a process that ended normally. Without it, the run is partial. */
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

#endif
