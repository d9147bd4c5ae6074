/* SPDX-License-Identifier: MIT */
/*
 * Message handlers: plugins of probe-run that see what instrumented kernels recorded.
 *
 * A handler is a shared object that exports `probe_handler` (PROBE_HANDLER below). probe-run loads
 * it before the application starts, opens one instance per `-a`, feeds it batches for the whole
 * run of one application process, and closes it when that process has ended. All calls into one
 * instance come from one thread. Nothing here runs inside the application.
 *
 * Lifetimes: what a callback receives is valid until it returns, except the struct probe_host,
 * which lives as long as the instance, and the strings and structs the host hands out through its
 * functions, which live as long as the instance too.
 *
 * Errors: 0 is success; a negative errno makes probe-run stop feeding the instance, name it, keep
 * the others running and call close(). A handler never prints and never exits: it has log().
 */
#ifndef PROBE_HANDLER_H
#define PROBE_HANDLER_H

#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ABI of this header. The host accepts PROBE_HANDLER_ABI_MIN to its own PROBE_HANDLER_ABI. */
#define PROBE_HANDLER_ABI     1u
#define PROBE_HANDLER_ABI_MIN 1u

#define PROBE_EXPORT __attribute__((visibility("default")))

/* What a handler wants to see. */
enum probe_stream {
	PROBE_STREAM_COUNTERS = 1, /* rows of device counters, per dispatch (kind memory) */
	PROBE_STREAM_ACCESS = 2,   /* every wave access with its addresses (kind trace) */
	PROBE_STREAM_TIME = 4,	   /* time stamps (kind time) */
	PROBE_STREAM_MESSAGE = 8,  /* messages of the kernels (kinds time and trace) */
	PROBE_STREAM_BLOCKS = 16,  /* executions and lanes of blocks, as counters (kind count) */
};

struct probe_frame_info {
	const char *file;
	const char *function;
	uint32_t line;
	uint32_t column;
};

/* One site, names resolved. `size` is sizeof as the host knows it: fields may be added behind. */
struct probe_site_info {
	uint32_t size;
	uint32_t id;
	uint32_t code_object;
	uint32_t line, column; /* 0 = unknown */
	uint8_t access;	       /* enum probe_access_kind */
	uint8_t space;	       /* enum probe_space */
	uint16_t bytes;	       /* per lane */
	uint16_t unit;	       /* bytes per machine access */
	uint16_t frame_count;
	uint32_t align;
	const char *file;		       /* "" = unknown */
	const char *function;		       /* demangled */
	const struct probe_frame_info *frames; /* inlined-at chain, innermost caller first */
	/* Below: only if `size` covers it. */
	const char *name; /* of a region, tag of a message; "" for other sites */
};

struct probe_dispatch_info {
	uint32_t size;
	uint32_t agent;
	uint64_t id;
	const char *kernel; /* demangled name of the original */
	const char *arch;   /* "gfx90a" */
	/* Code that is loaded again, to the byte, keeps the numbers of the first load. */
	uint32_t code_object;
	uint32_t kernel_id;
	uint32_t kind; /* enum probe_kind of the clone that ran */
	uint32_t wave_size;
	uint32_t grid[3]; /* work-items */
	uint32_t group[3];
	uint32_t lds_aperture; /* high half of flat addresses in LDS; 0 = unknown */
	uint32_t scratch_aperture;
	uint64_t start_ns, end_ns; /* 0 in dispatch_begin */
};

enum probe_run_flags {
	PROBE_RUN_SIMULATED = 1, /* on the simulated GPU: times are a model's */
	PROBE_RUN_REPLAY = 2,	 /* records come from a database, not from a process */
};

/* The process whose kernels ran. */
struct probe_run_info {
	uint32_t size;
	uint32_t pid;
	uint32_t kind;	/* enum probe_kind asked for */
	uint32_t flags; /* enum probe_run_flags */
	const char *command;
};

/* The wave that made an access. */
struct probe_wave_info {
	uint32_t group[3];
	uint32_t wave; /* inside the workgroup */
	uint32_t hw_id;
	uint32_t barriers; /* of the workgroup, that the wave has passed by then */
	uint64_t exec;
	uint64_t time; /* device clock at the wave's start */
	/* Added later; present if probe_host.size covers probe_host.wave_fields. */
	uint32_t ring; /* a small number that no two waves have at the same time */
	uint32_t site; /* kind time: the kernel's FUNCTION site */
};

/*
 * One wave execution of one site. Address of active lane l (bit l of exec):
 *   AFFINE: base + stride * (l - first active lane)
 *   NEAR:   base + offsets[rank of l among the active lanes]
 *   FULL:   addresses[rank]
 * probe_access_expand() below writes them all out.
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
 * A stamp of the `time` kind, in program order within a wave. Clocks of one wave are in cycles; the
 * END of a region names its own site, whose name equals that of the region's BEGIN.
 */
struct probe_stamp {
	uint32_t site;
	uint8_t form;	/* enum probe_form: BEGIN, END or WAVE_END */
	uint8_t lanes;	/* active, 1..64 */
	uint16_t flags; /* PROBE_STAMP_ONE */
	uint64_t clock;
	uint64_t time; /* WAVE_END: device clock as in probe_wave_info; else 0 */
	const struct probe_wave_info *wave;
};

/* Kept in registers until the span or the wave ended (PROBE_STAMP_SPAN): took next to nothing. */
#define PROBE_STAMP_ONE 1u

/* A message: `count` elements of `bytes` bytes, each `stride` bytes behind the one before. */
struct probe_message {
	uint32_t site;	/* its name is the tag */
	uint32_t count; /* 1, or one per active lane in lane order if `lanes` */
	uint32_t bytes;
	uint32_t stride;
	uint32_t lanes; /* 1: from probe_emit_lanes() */
	uint32_t reserved;
	uint64_t exec;
	uint64_t clock;
	const void *data; /* aligned to 8 */
	const struct probe_wave_info *wave;
};

/* Records of one dispatch and one stream, in each wave's program order. */
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
 * Memory of the process that the GPU can reach, as it was asked for. `site` is where, innermost
 * call first and one per line: "file.cpp:12" where that could be found out by the time close is
 * called, else "file+0xoffset"; "" if nobody but the runtime asked.
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

/* One cell; which member counts is said by the column. */
union probe_value {
	int64_t integer;
	double real;
	const char *text; /* NULL = SQL NULL */
};

enum probe_level { PROBE_LOG_ERROR = 0, PROBE_LOG_WARNING = 1, PROBE_LOG_INFO = 2 };

/*
 * What the host offers. All functions are called with `ctx` first, on the instance's thread. open
 * is called before the program starts, maybe on another thread than the rest, never beside it: what
 * it refuses, and arguments it did not ask for with arg(), stop the run.
 */
struct probe_host {
	uint32_t size;
	uint32_t abi;
	void *ctx;
	/* Value of `key` in -a name:key=value, or NULL. */
	const char *(*arg)(void *ctx, const char *key);
	/* A site by id, NULL if the code object has no such site. */
	const struct probe_site_info *(*site)(void *ctx, uint32_t code_object, uint32_t site);
	/* Number of sites of a code object (ids 0..n-1). */
	uint32_t (*site_count)(void *ctx, uint32_t code_object);
	/*
	 * Declare a table "probe_<handler>_<name>" in the run's database (or find it again);
	 * returns its number, or -errno. Columns are as given, after an id.
	 */
	int (*table)(void *ctx, const char *name, const struct probe_column *columns, size_t count);
	/* Add a row; values in the order of the columns. Text is copied. */
	int (*row)(void *ctx, int table, const union probe_value *values, size_t count);
	void (*log)(void *ctx, enum probe_level level, const char *format, ...)
		__attribute__((format(printf, 3, 4)));
	/* Not 0: struct probe_wave_info has the fields that it says were added later. */
	uint32_t wave_fields;
	/*
	 * Behind the first version's fields; only if `size` says that it is there. The allocation
	 * that held an address when a dispatch was launched; NULL if none is known.
	 */
	const struct probe_allocation_info *(*allocation)(
		void *ctx, const struct probe_dispatch_info *dispatch, uint64_t address);
};

/* What the plugin offers. Unset callbacks are NULL; open, batch and close are required. */
struct probe_handler {
	uint32_t size;	     /* sizeof(struct probe_handler) when compiled */
	uint32_t abi;	     /* PROBE_HANDLER_ABI when compiled */
	const char *name;    /* letters, digits, underscore: used in options and table names */
	const char *summary; /* one line for probe-run --list */
	uint32_t streams;    /* enum probe_stream, or-ed */
	uint32_t reserved;
	int (*open)(const struct probe_host *host, void **state);
	int (*dispatch_begin)(void *state, const struct probe_dispatch_info *dispatch);
	int (*batch)(void *state, const struct probe_batch *batch);
	int (*dispatch_end)(void *state, const struct probe_dispatch_info *dispatch);
	/* Called once, also after an error; frees the state and may still write rows. */
	int (*close)(void *state);
	/*
	 * Added behind the first version's fields; a plugin built before them has none. Once before
	 * the first dispatch_begin, and once behind the last dispatch_end, before close; both are
	 * left out if the process ended before it used a GPU.
	 */
	int (*run_begin)(void *state, const struct probe_run_info *run);
	int (*run_end)(void *state, const struct probe_run_info *run);
};

#define PROBE_HANDLER_SYMBOL "probe_handler"

/* Put this before the definition: PROBE_HANDLER struct probe_handler probe_handler = { ... }; */
#ifdef __cplusplus
#define PROBE_HANDLER extern "C" PROBE_EXPORT const
#else
#define PROBE_HANDLER                                                                              \
	extern PROBE_EXPORT const struct probe_handler probe_handler;                              \
	const
#endif

/* Write the addresses of an access, one per active lane in lane order; returns how many (1..64). */
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
