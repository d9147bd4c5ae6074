/* SPDX-License-Identifier: MIT */
/*
 * Handlers: plugins of probe-run that receive what instrumented kernels recorded.
 * docs/handlers.md has a complete example.
 *
 * A handler is a shared object that exports `probe_handler` (PROBE_HANDLER below). There is one
 * instance per `-a` and application process, each in a worker process of its own, which loads the
 * shared object. Those of the first process are opened before the application starts. When the
 * application has ended and the records are committed, the instances receive them and are closed.
 * Nothing here runs inside the application or probe-run.
 *
 * Threads: all calls into one instance come one after the other, on one thread of its process.
 * Several instances run at the same time and share nothing.
 *
 * Lifetimes: what a callback receives is valid until it returns. The struct probe_host, and the
 * strings and structs that its functions return, are valid as long as the instance.
 *
 * Errors: a callback returns 0, or a negative errno. After an error probe-run names the handler,
 * passes it no further records, calls its close(), and keeps the other handlers running. A handler
 * never prints and never exits: it has log(). One that crashes, exits, or takes too long ends its
 * own process only.
 *
 * Units: sizes and addresses are in bytes, times in nanoseconds if the name ends in _ns, clocks in
 * cycles.
 *
 * Versions: structs grow at their end. Those that the host passes begin with `size`, sizeof as the
 * host knows it; a field marked "added later" is present if `size` covers it.
 */
#ifndef PROBE_HANDLER_H
#define PROBE_HANDLER_H

#include <stddef.h>
#include <stdint.h>

#include <probe/user_source.h>
#include <probe/wire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ABI of this header. The host accepts PROBE_HANDLER_ABI_MIN to its own PROBE_HANDLER_ABI. */
#define PROBE_HANDLER_ABI     1u
#define PROBE_HANDLER_ABI_MIN 1u

#define PROBE_EXPORT __attribute__((visibility("default")))

/* What a handler receives. */
enum probe_stream {
	PROBE_STREAM_COUNTERS = 1, /* counters per site and dispatch (kind memory) */
	PROBE_STREAM_ACCESS = 2,   /* every execution of an access, with addresses (kind trace) */
	PROBE_STREAM_TIME = 4,	   /* time stamps (kind time) */
	PROBE_STREAM_MESSAGE = 8,  /* messages of kernels, <probe/device.h> (time and trace) */
	PROBE_STREAM_BLOCKS = 16,  /* executions and lanes of basic blocks (kind count) */
};

/* A place in the source code, of a site or of a call that was inlined. */
struct probe_frame_info {
	const char *file;     /* "" = unknown */
	const char *function; /* demangled */
	uint32_t line;
	uint32_t column;
};

/* A site: one instrumented instruction, region or basic block. */
struct probe_site_info {
	uint32_t size;
	uint32_t id;
	uint32_t code_object;
	uint32_t line, column; /* 0 = unknown */
	uint8_t access;	       /* enum probe_access_kind */
	uint8_t space;	       /* enum probe_space */
	uint16_t bytes;	       /* per lane and execution */
	uint16_t unit;	       /* per lane and machine access; `bytes` is a multiple of it */
	uint16_t frame_count;
	uint32_t align;			       /* in bytes, as the compiler knew it */
	const char *file;		       /* "" = unknown */
	const char *function;		       /* demangled */
	const struct probe_frame_info *frames; /* inlined-at chain, innermost caller first */
	/* Added later. */
	const char *name; /* of a region; tag of a message; "" for other sites */
	/* Added later: how the address depends on the lane (struct probe_site). */
	const char *address;	  /* an expression for readers; "" = unknown */
	const char *index_source; /* "file:line" of the load of the index; "" = none or several */
	uint32_t near_site;	  /* the first access of its block at a constant distance */
	int32_t near_distance;	  /* from its address to this one's */
	uint8_t address_class;	  /* enum probe_address_class; 0 = unknown */
	uint8_t address_flags;	  /* enum probe_address_flag */
	/* The proof of an affine address: three strides, PROBE_BITFIELDS bit fields; or NULL. */
	const struct probe_site_stride *strides;
	const struct probe_site_bitfield *bitfields;
	/* Added later: the variable in LDS that contains the address, a number; 0 = unknown. */
	uint16_t variable;
	/* Added later: bytes of that variable's rows and elements as declared; 0 = unknown. */
	uint32_t row, element;
	/*
	 * Added later: of some of its executions, a sample of one in so many is measured. Counters
	 * of those are estimates, in rows of their own (PROBE_C_MEASURED). 0 = all are exact.
	 */
	uint16_t measured_every;
	/* Added later: the address as a sum (struct probe_site_term); 0 = unknown. */
	uint32_t term_count;
	const struct probe_site_term *terms;
};

struct probe_dispatch_info {
	uint32_t size;
	uint32_t agent;
	uint64_t id;
	const char *kernel; /* demangled name of the original */
	const char *arch;   /* "gfx90a" */
	/* Identical code that is loaded again keeps the numbers of the first load. */
	uint32_t code_object;
	uint32_t kernel_id;
	uint32_t kind; /* enum probe_kind of the clone that ran */
	uint32_t wave_size;
	uint32_t grid[3]; /* work-items */
	uint32_t group[3];
	uint32_t lds_aperture;	   /* upper 32 bits of flat addresses in LDS; 0 = unknown */
	uint32_t scratch_aperture; /* the same for scratch */
	uint64_t start_ns, end_ns; /* on the GPU; 0 in dispatch_begin */
	/* Added later: LDS of a workgroup in bytes, static and dynamic, as launched. */
	uint32_t lds_bytes;
	uint32_t reserved;
};

enum probe_run_flags {
	PROBE_RUN_SIMULATED = 1, /* on the simulated GPU: times are modelled */
	PROBE_RUN_REPLAY = 2,	 /* records come from a database, not from a running process */
};

/* The process whose kernels ran. */
struct probe_run_info {
	uint32_t size;
	uint32_t pid;
	uint32_t kind;	/* enum probe_kind requested */
	uint32_t flags; /* enum probe_run_flags */
	const char *command;
};

/* The wave that made an access. */
struct probe_wave_info {
	uint32_t group[3];
	uint32_t wave;	   /* index in the workgroup */
	uint32_t hw_id;	   /* register HW_ID: which compute unit, SIMD and wave slot */
	uint32_t barriers; /* of the workgroup, that the wave has passed so far */
	uint64_t exec;	   /* lanes that the wave started with */
	uint64_t time;	   /* device clock at the start of the wave */
	/* Added later: present if probe_host.wave_fields is, and is not 0. */
	uint32_t ring; /* a small number that identifies the wave while it runs */
	uint32_t site; /* kind time: the FUNCTION site of the kernel */
};

/*
 * One execution of one site by one wave. Address of active lane l (bit l of exec):
 *   AFFINE: base + stride * (l - first active lane)
 *   NEAR:   base + offsets[rank of l among the active lanes]
 *   FULL:   addresses[rank of l among the active lanes]
 * probe_access_expand() below computes them all. Of LDS, addresses are offsets in the workgroup's
 * LDS, unless the access is flat.
 */
struct probe_access {
	uint32_t site;
	uint8_t form;  /* enum probe_form: AFFINE, NEAR or FULL */
	uint8_t lanes; /* popcount of exec, 1..64 */
	uint16_t reserved;
	uint64_t exec;
	uint64_t base;
	int64_t stride;
	union {
		const int32_t *offsets;
		const uint64_t *addresses;
	};
	const struct probe_wave_info *wave;
};

/*
 * A time stamp (kind time), in program order within a wave. Stamps of one wave can be subtracted.
 * The END of a region has a site of its own, with the same name as that of the BEGIN.
 */
struct probe_stamp {
	uint32_t site;
	uint8_t form;	/* enum probe_form: BEGIN, END or WAVE_END */
	uint8_t lanes;	/* active, 1..64 */
	uint16_t flags; /* PROBE_STAMP_ONE */
	uint64_t clock; /* cycles */
	uint64_t time;	/* WAVE_END: device clock as in probe_wave_info; else 0 */
	const struct probe_wave_info *wave;
};

/* The stamp stayed in a register until its span or wave ended: it delayed the wave very little. */
#define PROBE_STAMP_ONE 1u

/* A message of a kernel: `count` elements of `bytes` bytes, at distances of `stride` bytes. */
struct probe_message {
	uint32_t site;	/* its name is the tag */
	uint32_t count; /* 1; if `lanes`, one per active lane, in lane order */
	uint32_t bytes;
	uint32_t stride;
	uint32_t lanes; /* 1 = from probe_emit_lanes(), 0 = from probe_emit() */
	uint32_t reserved;
	uint64_t exec;
	uint64_t clock;
	const void *data; /* aligned to 8 */
	const struct probe_wave_info *wave;
};

/*
 * Records of one stream and one dispatch. Those of a wave are in program order; waves come in the
 * order of delivery, which is not the order in which the GPU ran them.
 */
struct probe_batch {
	uint32_t size;
	uint32_t stream; /* enum probe_stream: which of the arrays is set */
	const struct probe_dispatch_info *dispatch;
	size_t count;
	union {
		const struct probe_access *access;
		const struct probe_counter_row *counters;
		const struct probe_stamp *stamps;
		const struct probe_message *messages;
	};
};

/*
 * Memory that the process allocated and the GPU can access. `site` is the call stack of the
 * request, one call per line, innermost first: "file.cpp:12", or "file+0xoffset" if the line is not
 * known by the time close() is called. It is "" for allocations of the runtime itself.
 */
struct probe_allocation_info {
	uint32_t size;
	uint32_t id; /* from 1, in the order of the requests */
	uint64_t address, bytes;
	uint32_t source; /* enum probe_allocation_source */
	uint32_t reserved;
	const char *site;
};

enum probe_type { PROBE_TYPE_INTEGER = 1, PROBE_TYPE_REAL = 2, PROBE_TYPE_TEXT = 3 };

struct probe_column {
	const char *name; /* letters, digits, underscore; begins with a letter */
	enum probe_type type;
};

/* One cell. The type of the column selects the member. */
union probe_value {
	int64_t integer;
	double real;
	const char *text; /* NULL = SQL NULL */
};

enum probe_level { PROBE_LOG_ERROR = 0, PROBE_LOG_WARNING = 1, PROBE_LOG_INFO = 2 };

/*
 * What the host offers. Pass `ctx` as first argument, and call on the thread of the instance only.
 * table() and row() may be called from open() to close().
 */
struct probe_host {
	uint32_t size;
	uint32_t abi;
	void *ctx;
	/* Value of `key` in -a name:key=value, or NULL. Read all arguments in open(). */
	const char *(*arg)(void *ctx, const char *key);
	/* A site by id, NULL if the code object has no such site. */
	const struct probe_site_info *(*site)(void *ctx, uint32_t code_object, uint32_t site);
	/* Number of sites of a code object (ids 0..n-1). */
	uint32_t (*site_count)(void *ctx, uint32_t code_object);
	/*
	 * Declare a table "probe_<handler>_<name>" in the database of the run, or find the one
	 * declared before; returns its number, or -errno. The columns follow an id.
	 */
	int (*table)(void *ctx, const char *name, const struct probe_column *columns, size_t count);
	/* Add a row, values in the order of the columns; 0 or -errno. Text is copied. */
	int (*row)(void *ctx, int table, const union probe_value *values, size_t count);
	void (*log)(void *ctx, enum probe_level level, const char *format, ...)
		__attribute__((format(printf, 3, 4)));
	/* Added later. Not 0: struct probe_wave_info has the fields added to it. */
	uint32_t wave_fields;
	/*
	 * Added later. The allocation that contained an address when the dispatch was launched;
	 * NULL if none is known.
	 */
	const struct probe_allocation_info *(*allocation)(
		void *ctx, const struct probe_dispatch_info *dispatch, uint64_t address);
};

/* What the plugin offers. open, batch and close are required; other callbacks may be NULL. */
struct probe_handler {
	uint32_t size;	     /* sizeof(struct probe_handler) when compiled */
	uint32_t abi;	     /* PROBE_HANDLER_ABI when compiled */
	const char *name;    /* letters, digits, underscore: used in options and table names */
	const char *summary; /* one line for probe-run --list */
	uint32_t streams;    /* enum probe_stream, combined with | */
	uint32_t reserved;
	/*
	 * Before the application starts. An error, or an argument of -a that open() did not read
	 * with arg(), stops the run. `*state` is passed to all other callbacks.
	 */
	int (*open)(const struct probe_host *host, void **state);
	/* Around the batches of each dispatch. Dispatches may overlap. */
	int (*dispatch_begin)(void *state, const struct probe_dispatch_info *dispatch);
	int (*batch)(void *state, const struct probe_batch *batch);
	int (*dispatch_end)(void *state, const struct probe_dispatch_info *dispatch);
	/* Once, after an error as well. Writes its last rows and frees the state. */
	int (*close)(void *state);
	/*
	 * Added later. Once before the first dispatch_begin, and once after the last dispatch_end,
	 * before close(). Neither is called if the process used no GPU.
	 */
	int (*run_begin)(void *state, const struct probe_run_info *run);
	int (*run_end)(void *state, const struct probe_run_info *run);
};

#define PROBE_HANDLER_SYMBOL "probe_handler"

/* Put this in front: PROBE_HANDLER struct probe_handler probe_handler = { ... }; */
#ifdef __cplusplus
#define PROBE_HANDLER extern "C" PROBE_EXPORT const
#else
#define PROBE_HANDLER                                                                              \
	extern PROBE_EXPORT const struct probe_handler probe_handler;                              \
	const
#endif

/*
 * Where the user wrote a site: its own place or, if that is in a header of HIP or the compiler, the
 * innermost inlined call in a file of the user's.
 */
static inline struct probe_frame_info probe_site_user_place(const struct probe_site_info *site)
{
	const struct probe_frame_info own = {site->file, site->function, site->line, site->column};

	if (probe_is_user_source(site->file))
		return own;
	for (unsigned i = 0; i < site->frame_count; i++)
		if (probe_is_user_source(site->frames[i].file) && site->frames[i].line)
			return site->frames[i];
	return own;
}

/* Compute the addresses of an access, one per active lane in lane order; returns how many (1..64).
 */
static inline unsigned probe_access_expand(const struct probe_access *access, uint64_t out[64])
{
	unsigned n = 0;
	uint64_t exec = access->exec;

	if (access->form == PROBE_FORM_AFFINE) {
		uint64_t addr = access->base;
		unsigned first = exec ? (unsigned)__builtin_ctzll(exec) : 0;

		for (; exec; exec &= exec - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(exec);

			out[n++] = addr + (uint64_t)access->stride * (lane - first);
		}
		return n;
	}
	n = access->lanes < 64 ? access->lanes : 64;
	for (unsigned i = 0; i < n && access->form == PROBE_FORM_NEAR; i++)
		out[i] = access->base + (uint64_t)(int64_t)access->offsets[i];
	for (unsigned i = 0; i < n && access->form != PROBE_FORM_NEAR; i++)
		out[i] = access->addresses[i];
	return n;
}

#ifdef __cplusplus
}
#endif

#endif
