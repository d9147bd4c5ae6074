/* SPDX-License-Identifier: MIT */
/* call_depths CODE_OBJECT: depth of calls read from machine code; then from damaged copies of it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsa-plugin/code/call_graph.h"

static const struct {
	const char *kernel;
	int depth;
} known[] = {
	{"calls_nothing", 0},
	{"calls_one", 1},
	{"calls_three_deep", 3},
	{"recurses", -ELOOP},
	{"recurses_by_another", -ELOOP},
	{"calls_through_pointer", -ELOOP},
	{"no_such_kernel", -ENOENT},
};

static int check(const void *image, size_t size)
{
	struct probe_call_graph *graph = probe_call_graph_create(image, size);
	int bad = !graph;

	for (size_t i = 0; graph && i < sizeof(known) / sizeof(known[0]); i++) {
		int depth = probe_call_graph_depth(graph, known[i].kernel);

		if (depth == known[i].depth)
			continue;
		fprintf(stderr, "%s: depth %d, expected %d\n", known[i].kernel, depth,
			known[i].depth);
		bad = 1;
	}
	probe_call_graph_destroy(graph);
	return bad;
}

/* Only has to come back; the sanitizers watch. */
static void survive(const unsigned char *image, size_t size, unsigned seed)
{
	unsigned char *copy = malloc(size);
	struct probe_call_graph *graph;

	if (!copy)
		abort();
	memcpy(copy, image, size);
	for (int i = 0; i < 6; i++) {
		seed = seed * 1103515245 + 12345;
		copy[(seed >> 8) % (i < 3 ? 512 : size)] = (unsigned char)(seed >> 4);
	}
	graph = probe_call_graph_create(copy, seed % 4 ? size : seed % size);
	for (size_t i = 0; graph && i < sizeof(known) / sizeof(known[0]); i++)
		probe_call_graph_depth(graph, known[i].kernel);
	probe_call_graph_destroy(graph);
	free(copy);
}

int main(int argc, char **argv)
{
	static _Alignas(16) unsigned char image[1 << 20];
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t size;

	if (!file)
		return 2;
	size = fread(image, 1, sizeof(image), file);
	fclose(file);
	if (check(image, size))
		return 1;
	for (unsigned seed = 0; seed < 3000; seed++)
		survive(image, size, seed);
	return 0;
}
