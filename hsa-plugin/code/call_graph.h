/* SPDX-License-Identifier: MIT */
/*
 * Does a kernel's stack have a bound? Metadata says only that the compiler had to guess, which at
 * -O0 it does for every kernel with a call. A clone's frames are bigger than the original's, so
 * under recursion no guess is safe: such a kernel is not swapped. Read from the machine code of the
 * original (gfx9 encodings), once, when the code object is loaded.
 */
#ifndef PROBE_HSA_PLUGIN_CODE_CALL_GRAPH_H
#define PROBE_HSA_PLUGIN_CODE_CALL_GRAPH_H

#include <stddef.h>
#include <stdint.h>

struct probe_call_graph;

/* NULL if the image cannot be read that way, or no memory. */
struct probe_call_graph *probe_call_graph_create(const void *image, size_t size);
void probe_call_graph_destroy(struct probe_call_graph *graph);

/*
 * Longest chain of calls below the function of this name: 0 = it calls nothing, -ELOOP = recursion
 * or a call whose target is unknown, -ENOENT = no such function.
 */
int probe_call_graph_depth(struct probe_call_graph *graph, const char *symbol);

#endif
