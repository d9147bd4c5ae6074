/* SPDX-License-Identifier: MIT */
/*
 * ROCTx: marks and ranges of a program in its trace. The interface is AMD's (roctx.h of roctracer
 * and of rocprofiler-sdk), so that a program may be built with either header and run with either
 * library. Without a tool in the process a call costs a few nanoseconds.
 */
#ifndef PROBE_HSA_PLUGIN_ROCTX_ROCTX_H
#define PROBE_HSA_PLUGIN_ROCTX_ROCTX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROCTX_VERSION_MAJOR 4
#define ROCTX_VERSION_MINOR 1

typedef uint64_t roctx_range_id_t;
typedef uint64_t roctx_thread_id_t;

uint32_t roctx_version_major(void);
uint32_t roctx_version_minor(void);

/* An instant. */
void roctxMarkA(const char *message);

/* Nested ranges of a thread. Returns the level, from 0; pop returns -1 if there is no range. */
int roctxRangePushA(const char *message);
int roctxRangePop(void);

/* A range that may end on another thread. */
roctx_range_id_t roctxRangeStartA(const char *message);
void roctxRangeStop(roctx_range_id_t id);

/* Stops recording until it is resumed, for the whole process: the thread is ignored. Returns 0. */
int roctxProfilerPause(roctx_thread_id_t thread);
int roctxProfilerResume(roctx_thread_id_t thread);

/* Names for the trace. Those of devices and streams are accepted but not used. Returns 0. */
struct hsa_agent_s;
struct ihipStream_t;
int roctxNameOsThread(const char *name);
int roctxNameHsaAgent(const char *name, const struct hsa_agent_s *agent);
int roctxNameHipDevice(const char *name, int device);
int roctxNameHipStream(const char *name, const struct ihipStream_t *stream);

int roctxGetThreadId(roctx_thread_id_t *ret);

#ifndef roctxMark
#define roctxMark(message) roctxMarkA(message)
#endif
#ifndef roctxRangePush
#define roctxRangePush(message) roctxRangePushA(message)
#endif
#ifndef roctxRangeStart
#define roctxRangeStart(message) roctxRangeStartA(message)
#endif

#ifdef __cplusplus
}
#endif

#endif
