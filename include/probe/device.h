/* SPDX-License-Identifier: MIT */
/*
 * Calls for kernels: timed regions, and messages to handlers.
 *
 *	probe_region_begin("load");
 *	...
 *	probe_region_end("load");
 *	probe_emit("state", &state, sizeof(state));	 from the first active lane
 *	probe_emit_lanes("key", &key, sizeof(key));	 from every active lane
 *
 * For HIP, OpenCL C and C11 device code compiled by clang. The calls have an effect only in the
 * clones that Probe's pass makes. They generate no instructions in the original kernels, on the
 * host, or without the pass. Code must therefore not depend on side effects of the arguments.
 *
 * Names and tags are string literals.
 *
 * Regions may nest. Times are per wave: a region starts when the first active lanes of the wave
 * pass its begin, and ends when the last of them pass its end. A region that a wave leaves in
 * another way ends with the enclosing region. Loads that the compiler moved out of a region, or
 * that have not completed at its end, are not part of its time. A mark is no barrier for the
 * compiler, which may also move arithmetic over it: a region does not necessarily contain the
 * arithmetic that stands in it, and one without accesses to memory may be empty.
 *
 * A message has `size` bytes, a constant of at most 64 (PROBE_EMIT_MAX). They are copied from
 * `data`, a pointer to private memory, such as the address of a variable. Messages are recorded in
 * dispatches that run a `time` or `trace` clone.
 */
#ifndef PROBE_DEVICE_H
#define PROBE_DEVICE_H

#define PROBE_EMIT_MAX 64

#if defined(__AMDGCN__) && defined(__clang__)

/* The pass finds these calls by their text; the back end generates no code for them. */
#define PROBE_DEVICE_MARK(value, text) ((void)__builtin_annotation((value), text))

#ifdef __OPENCL_VERSION__
typedef ulong probe_device_word;
#else
typedef unsigned long long probe_device_word;
#endif

/* Bytes in word i of a message of `size` bytes. */
#define PROBE_DEVICE_PART(size, i) ((size) <= 8 * (i) ? 0 : (size)-8 * (i) < 8 ? (size)-8 * (i) : 8)

/* The condition is constant: unused words are not compiled, with or without optimisation. */
#define PROBE_DEVICE_WORD(data, size, i)                                                           \
	if ((size) > 8 * (i)) {                                                                    \
		probe_device_word probe_word_ = 0;                                                 \
		__builtin_memcpy(&probe_word_, (const char *)(data) + 8 * (i),                     \
				 PROBE_DEVICE_PART(size, i));                                      \
		PROBE_DEVICE_MARK(probe_word_, "probe:word:");                                     \
	}

#define PROBE_DEVICE_EMIT(kind, tag, data, size)                                                   \
	do {                                                                                       \
		typedef char probe_emit_size_[(size) <= PROBE_EMIT_MAX ? 1 : -1]                   \
			__attribute__((unused));                                                   \
		PROBE_DEVICE_MARK((int)(size), "probe:" kind ":" tag);                             \
		PROBE_DEVICE_WORD(data, size, 0)                                                   \
		PROBE_DEVICE_WORD(data, size, 1)                                                   \
		PROBE_DEVICE_WORD(data, size, 2)                                                   \
		PROBE_DEVICE_WORD(data, size, 3)                                                   \
		PROBE_DEVICE_WORD(data, size, 4)                                                   \
		PROBE_DEVICE_WORD(data, size, 5)                                                   \
		PROBE_DEVICE_WORD(data, size, 6)                                                   \
		PROBE_DEVICE_WORD(data, size, 7)                                                   \
	} while (0)

#define probe_region_begin(name)	  PROBE_DEVICE_MARK(0, "probe:begin:" name)
#define probe_region_end(name)		  PROBE_DEVICE_MARK(0, "probe:end:" name)
#define probe_emit(tag, data, size)	  PROBE_DEVICE_EMIT("emit", tag, data, size)
#define probe_emit_lanes(tag, data, size) PROBE_DEVICE_EMIT("lanes", tag, data, size)

#else

/* Still checks that names and tags are string literals. */
#define probe_region_begin(name)	  ((void)sizeof("" name))
#define probe_region_end(name)		  ((void)sizeof("" name))
#define probe_emit(tag, data, size)	  ((void)sizeof("" tag), (void)sizeof(data), (void)(size))
#define probe_emit_lanes(tag, data, size) ((void)sizeof("" tag), (void)sizeof(data), (void)(size))

#endif

#endif
