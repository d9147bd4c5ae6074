/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/code/call_graph.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/elf_section.h"
#include "common/err.h"

enum {
	FUNCTIONS_MAX = 1 << 16,
	/* "AMDGPU Usage", relocations */
	RELOC_ABS64 = 3,
	RELOC_RELATIVE64 = 13,
};

/* Instruction words, gfx9 ISA documents: SOP1 s_getpc_b64, s_swappc_b64; SOP2 with a literal. */
#define IS_GETPC(w)  (((w)&0xff80ff00u) == 0xbe801c00u)
#define IS_SWAPPC(w) (((w)&0xff80ff00u) == 0xbe801e00u)
#define IS_ADD(w)    (((w)&0xff80ff00u) == 0x8000ff00u)
#define IS_ADDC(w)   (((w)&0xff80ff00u) == 0x8200ff00u)

enum state { NEW = 0, OPEN, CLOSED };

struct function {
	uint64_t address, size;
	uint64_t name; /* offset in strings */
	enum state state;
	int depth; /* depth is valid once the function is CLOSED */
};

struct section {
	const uint8_t *bytes;
	size_t size;
};

struct probe_call_graph {
	const uint8_t *image;
	size_t size;
	struct section strings, relocations, symbols;
	size_t count;
	struct function *functions; /* by address */
};

static bool section(const void *image, size_t size, const char *name, struct section *ret)
{
	struct probe_err *err =
		probe_image_section("code object", image, size, name, &ret->bytes, &ret->size);

	probe_err_destroy(err);
	return !err && ret->bytes;
}

/* Bytes at a virtual address, up to the end of their segment. NULL if the file has none there. */
static const uint8_t *at_address(const struct probe_call_graph *graph, uint64_t address,
				 uint64_t *ret_left)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	memcpy(&header, graph->image, sizeof(header));
	for (unsigned i = 0; i < header.e_phnum; i++) {
		uint64_t at = header.e_phoff + (uint64_t)i * sizeof(segment);

		if (at > graph->size || graph->size - at < sizeof(segment))
			return NULL;
		memcpy(&segment, graph->image + at, sizeof(segment));
		if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz ||
		    segment.p_offset > graph->size ||
		    segment.p_filesz > graph->size - segment.p_offset)
			continue;
		*ret_left = segment.p_filesz - (address - segment.p_vaddr);
		return graph->image + segment.p_offset + (address - segment.p_vaddr);
	}
	return NULL;
}

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int read_functions(struct probe_call_graph *graph)
{
	struct section symbols;
	size_t total;

	if (!section(graph->image, graph->size, ".symtab", &symbols) ||
	    !section(graph->image, graph->size, ".strtab", &graph->strings))
		return -ENOENT;
	total = symbols.size / sizeof(Elf64_Sym);
	if (total > FUNCTIONS_MAX)
		return -E2BIG;
	graph->functions = calloc(total + 1, sizeof(graph->functions[0]));
	if (!graph->functions)
		return -ENOMEM;
	for (size_t i = 0; i < total; i++) {
		Elf64_Sym symbol;

		memcpy(&symbol, symbols.bytes + i * sizeof(symbol), sizeof(symbol));
		if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
			graph->functions[graph->count++] = (struct function){
				.address = symbol.st_value,
				.size = symbol.st_size,
				.name = symbol.st_name,
			};
	}
	qsort(graph->functions, graph->count, sizeof(graph->functions[0]), by_address);
	/* A program without calls through the global offset table has neither section. */
	section(graph->image, graph->size, ".rela.dyn", &graph->relocations);
	section(graph->image, graph->size, ".dynsym", &graph->symbols);
	return 0;
}

struct probe_call_graph *probe_call_graph_create(const void *image, size_t size)
{
	struct probe_call_graph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	graph->image = image;
	graph->size = size;
	if (size < sizeof(Elf64_Ehdr) || read_functions(graph)) {
		probe_call_graph_destroy(graph);
		return NULL;
	}
	return graph;
}

void probe_call_graph_destroy(struct probe_call_graph *graph)
{
	if (!graph)
		return;
	free(graph->functions);
	free(graph);
}

static struct function *function_at(struct probe_call_graph *graph, uint64_t address)
{
	struct function key = {.address = address};

	return bsearch(&key, graph->functions, graph->count, sizeof(key), by_address);
}

/* The value that the loader will write into a word of the global offset table; 0 = unknown. */
static uint64_t relocated(const struct probe_call_graph *graph, uint64_t address)
{
	size_t total = graph->relocations.size / sizeof(Elf64_Rela);

	for (size_t i = 0; i < total; i++) {
		uint64_t index;
		Elf64_Rela rela;
		Elf64_Sym symbol;

		memcpy(&rela, graph->relocations.bytes + i * sizeof(rela), sizeof(rela));
		if (rela.r_offset != address)
			continue;
		if (ELF64_R_TYPE(rela.r_info) == RELOC_RELATIVE64)
			return (uint64_t)rela.r_addend;
		index = ELF64_R_SYM(rela.r_info);
		if (ELF64_R_TYPE(rela.r_info) != RELOC_ABS64 ||
		    index >= graph->symbols.size / sizeof(symbol))
			return 0;
		memcpy(&symbol, graph->symbols.bytes + index * sizeof(symbol), sizeof(symbol));
		return symbol.st_value + (uint64_t)rela.r_addend;
	}
	return 0;
}

static int depth_of(struct probe_call_graph *graph, struct function *function, unsigned level);

/*
 * The function whose address is formed by s_getpc_b64, s_add_u32, s_addc_u32, the form of every
 * call and every symbol reference. Taking a function's address counts as a call of it.
 */
static struct function *referred(struct probe_call_graph *graph, const uint32_t *word, size_t left,
				 uint64_t address)
{
	struct function *function;
	uint64_t target;

	if (left < 5 || !IS_GETPC(word[0]) || !IS_ADD(word[1]) || !IS_ADDC(word[3]))
		return NULL;
	/* Both literals are relative to the instruction after s_getpc_b64. */
	target = address + 4 + (((uint64_t)word[4] << 32) | word[2]);
	function = function_at(graph, target);
	return function ? function : function_at(graph, relocated(graph, target));
}

static int walk(struct probe_call_graph *graph, struct function *function, unsigned level)
{
	uint64_t left = 0, words;
	const uint8_t *code = at_address(graph, function->address, &left);
	bool calls = false, known = false;
	int deepest = 0;

	if (!code || function->size > left || (uintptr_t)code % 4)
		return -ELOOP;
	words = function->size / 4;
	for (uint64_t i = 0; i < words; i++) {
		const uint32_t *word = (const uint32_t *)(const void *)code + i;
		struct function *callee =
			referred(graph, word, words - i, function->address + i * 4);
		int depth;

		calls |= IS_SWAPPC(*word);
		if (!callee)
			continue;
		known = true;
		depth = depth_of(graph, callee, level + 1);
		if (depth < 0)
			return depth;
		deepest = depth + 1 > deepest ? depth + 1 : deepest;
	}
	return calls && !known ? -ELOOP : deepest;
}

static int depth_of(struct probe_call_graph *graph, struct function *function, unsigned level)
{
	if (function->state == CLOSED)
		return function->depth;
	if (function->state == OPEN || level > 256)
		return -ELOOP;
	function->state = OPEN;
	function->depth = walk(graph, function, level);
	function->state = CLOSED;
	return function->depth;
}

int probe_call_graph_depth(struct probe_call_graph *graph, const char *symbol)
{
	size_t length = strlen(symbol) + 1;

	for (size_t i = 0; i < graph->count; i++) {
		struct function *function = &graph->functions[i];

		if (function->name <= graph->strings.size &&
		    length <= graph->strings.size - function->name &&
		    !memcmp(graph->strings.bytes + function->name, symbol, length))
			return depth_of(graph, function, 0);
	}
	return -ENOENT;
}
