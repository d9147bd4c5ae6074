/* SPDX-License-Identifier: MIT */
/* Call stacks of the application. Nothing here allocates. */
#ifndef PROBE_HSA_PLUGIN_TRACE_FRAMES_H
#define PROBE_HSA_PLUGIN_TRACE_FRAMES_H

#include <stddef.h>
#include <stdint.h>

enum { PROBE_FRAMES_DEPTH = 64 };

/*
 * Addresses in the calls that this thread is in, innermost first: of each the byte before the
 * return address, which belongs to the call instruction, and so to its source line. It ends with
 * the `calls`-th call of the application. Returns how many there are, at most `max`, which is at
 * most PROBE_FRAMES_DEPTH.
 */
unsigned probe_frames_capture(uintptr_t *addresses, unsigned max, unsigned calls);

/*
 * The addresses as lines "path+0xoffset", without a terminating NUL: offset is the ELF file's
 * virtual address. Frames of runtimes are omitted. At most `frames` lines and `size` bytes. Returns
 * how many bytes they take.
 */
size_t probe_frames_text(const uintptr_t *addresses, unsigned count, unsigned frames, char *text,
			 size_t size);

/* A hash of the addresses, FNV-1a over words; never 0. */
uint64_t probe_frames_hash(const uintptr_t *addresses, unsigned count);

#endif
