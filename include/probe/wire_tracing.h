/* SPDX-License-Identifier: MIT */
/*
 * Host records of tracing: API calls, memory copies, markers. They are in the host ring of the
 * segment like those of wire_segment.h; their types begin where that enum ends. Host only.
 */
#ifndef PROBE_WIRE_TRACING_H
#define PROBE_WIRE_TRACING_H

#include <stdint.h>

/* X(NAME, number, "word", "text"): what PROBE_TRACE names, separated by commas. */
#define PROBE_TRACED_TABLE(X)                                                                      \
	X(COPIES, 0, "copies", "memory copies")                                                    \
	X(MARKERS, 1, "markers", "ROCTx ranges and marks")                                         \
	X(HSA, 2, "hsa", "calls of HSA")                                                           \
	X(HIP, 3, "hip", "calls of HIP")                                                           \
	X(STACKS, 4, "stacks", "call stacks of launches")

enum probe_traced {
#define PROBE_TRACED_ENUM(name, number, word, text) PROBE_TRACED_##name = 1 << number,
	PROBE_TRACED_TABLE(PROBE_TRACED_ENUM)
#undef PROBE_TRACED_ENUM
};

/* X(NAME, number, "rocprofv3's name of the domain"): the category of a call or range. */
#define PROBE_DOMAIN_TABLE(X)                                                                      \
	X(HSA_CORE, 0, "HSA_CORE_API")                                                             \
	X(HSA_AMD, 1, "HSA_AMD_EXT_API")                                                           \
	X(HIP, 2, "HIP_RUNTIME_API")                                                               \
	X(HIP_COMPILER, 3, "HIP_COMPILER_API")                                                     \
	X(MARKER, 4, "MARKER_CORE_API")

enum probe_domain {
#define PROBE_DOMAIN_ENUM(name, number, text) PROBE_DOMAIN_##name = number,
	PROBE_DOMAIN_TABLE(PROBE_DOMAIN_ENUM)
#undef PROBE_DOMAIN_ENUM
		PROBE_DOMAINS,
};

enum probe_tracing_rec_type {
	PROBE_HR_FUNCTION = 32,
	PROBE_HR_CALL = 33,
	PROBE_HR_COPY = 34,
	PROBE_HR_MARKER = 35,
	PROBE_HR_STACK = 36,
};

/* After the struct of a DISPATCH, where anything is traced. */
struct probe_hr_dispatch_origin {
	/* Of the outermost traced call that launched it; its own if there is none. */
	uint64_t correlation;
};

/* After the origin, where call stacks are traced. */
struct probe_hr_dispatch_stack {
	uint64_t stack; /* id of the thread's call stack; 0 = not recorded */
};

/*
 * A call stack, when a dispatch first has it; other threads may refer to it before. String: the
 * calls, as those of an allocation.
 */
struct probe_hr_stack {
	uint64_t id;
	uint32_t frames_len, reserved;
};

/* Before its first CALL. String: name. */
struct probe_hr_function {
	uint32_t id;	 /* unique in the process */
	uint32_t domain; /* enum probe_domain */
	uint32_t name_len, reserved;
};

/* Put when the call returns, which is the time of the record. */
struct probe_hr_call {
	uint64_t start; /* CLOCK_BOOTTIME, ns */
	uint64_t correlation;
	uint64_t parent; /* correlation of the traced call that it was made in; 0 = none */
	uint32_t function, reserved;
};

#define PROBE_AGENT_UNKNOWN UINT32_MAX

/* Put when it has completed. Times as of a COMPLETE; both 0 if the runtime does not know them. */
struct probe_hr_copy {
	uint64_t correlation; /* of the outermost traced call; its own if there is none */
	uint64_t start, end;
	uint64_t to, from; /* addresses */
	uint64_t bytes;
	uint32_t to_agent, from_agent; /* indices, or PROBE_AGENT_UNKNOWN */
	uint32_t tid;		       /* of the thread that requested it */
	uint32_t failed;	       /* 1: it ended with an error */
};

enum probe_marker {
	/* As ROCTx numbers its calls. */
	PROBE_MARKER_MARK = 0,
	PROBE_MARKER_PUSH = 1,
	PROBE_MARKER_POP = 2,
	PROBE_MARKER_START = 3,
	PROBE_MARKER_STOP = 4,
	/* Our own. */
	PROBE_MARKER_PAUSE = 5,
	PROBE_MARKER_RESUME = 6,
	PROBE_MARKER_NAME_THREAD = 7,
	PROBE_MARKERS,
};

/* String: the message, or the thread's name. */
struct probe_hr_marker {
	uint64_t time;	/* CLOCK_BOOTTIME, ns */
	uint64_t range; /* of START and STOP */
	uint32_t tid;
	uint32_t marker; /* enum probe_marker */
	uint32_t message_len, reserved;
};

#define PROBE_MARKER_MESSAGE_MAX 4096u

#endif
