/* SPDX-License-Identifier: MIT */
/*
 * Computes whether a kernel's stack has a bound. Metadata says only that the compiler estimated it,
 * which at -O0 holds for every kernel with a call. A clone has larger stack frames than its
 * original, so no estimate is safe under recursion: such a kernel runs uninstrumented. The graph is
 * read once, from the machine code of the original (gfx9 encodings), when the code object is
 * loaded.
 */
#ifndef PROBE_HSA_PLUGIN_CODE_CALL_GRAPH_H
#define PROBE_HSA_PLUGIN_CODE_CALL_GRAPH_H

#include <stddef.h>
#include <stdint.h>

struct probe_call_graph;

/* NULL if the image cannot be parsed, or if there is no memory. */
struct probe_call_graph *probe_call_graph_create(const void *image, size_t size);
void probe_call_graph_destroy(struct probe_call_graph *graph);

/*
 * Longest chain of calls below the function of this name: 0 = it calls nothing, -ELOOP = recursion
 * or a call whose target is unknown, -ENOENT = no such function.
 */
int probe_call_graph_depth(struct probe_call_graph *graph, const char *symbol);

#endif
