/* SPDX-License-Identifier: MIT */
/* Where the application called from, as text. Nothing here allocates or waits. */
#ifndef PROBE_HSA_PLUGIN_TRACE_CALL_SITES_H
#define PROBE_HSA_PLUGIN_TRACE_CALL_SITES_H

#include <stddef.h>

enum { PROBE_CALL_SITE_MAX = 2048 };

/*
 * The innermost calls of the application that this thread is in, in the form of
 * probe_frames_text(); returns their length. Text of a call stack that was seen before is copied.
 */
size_t probe_call_site(char text[PROBE_CALL_SITE_MAX]);

#endif
