/* SPDX-License-Identifier: MIT */
/*
 * Finds the name of a kernel from its descriptor's address alone. The loader copies a code object's
 * segments to device memory unchanged, including ELF header and dynamic symbols. The symbol that
 * names the descriptor (NAME.kd) is therefore usually a few pages below it.
 *
 * These bytes belong to the application and are not trusted: every read goes through
 * sim_mem_allows().
 */
#include "simgpu/group/kernel_name.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "simgpu/mem/gpu_allocations.h"

#ifndef EM_AMDGPU
#define EM_AMDGPU 224
#endif

enum {
	MAX_PAGES_BACK = 65536, /* maximum distance of the header below the descriptor */
	MAX_SYMBOLS = 1 << 20,
};

struct image {
	uint64_t base, size; /* loaded bytes, base = load address of the header */
};

/* Copies size bytes at offset of the image; false if they are not all mapped. */
static bool image_read(const struct image *image, uint64_t offset, void *ret, size_t size)
{
	if (offset > image->size || size > image->size - offset ||
	    !sim_mem_allows(image->base + offset, size, SIM_MEM_READ, NULL))
		return false;
	memcpy(ret, sim_mem_pointer(image->base + offset), size);
	return true;
}

static bool is_header(const Elf64_Ehdr *header)
{
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_machine == EM_AMDGPU &&
	       header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum < 64;
}

/* The loaded image that begins at base: its extent is the end of its last segment. */
static bool image_open(uint64_t base, struct image *ret, uint64_t *dynamic)
{
	struct image image = {base, sizeof(Elf64_Ehdr)};
	Elf64_Ehdr header;
	uint64_t end = 0;

	if (!image_read(&image, 0, &header, sizeof(header)) || !is_header(&header))
		return false;
	image.size = UINT32_MAX;
	*dynamic = 0;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		if (!image_read(&image, header.e_phoff + i * sizeof(segment), &segment,
				sizeof(segment)))
			return false;
		if (segment.p_type == PT_LOAD && segment.p_vaddr < UINT32_MAX &&
		    segment.p_memsz < UINT32_MAX && segment.p_vaddr + segment.p_memsz > end)
			end = segment.p_vaddr + segment.p_memsz;
		if (segment.p_type == PT_DYNAMIC)
			*dynamic = segment.p_vaddr;
	}
	image.size = end;
	*ret = image;
	return true;
}

struct tables {
	uint64_t symbols, strings, hash;
};

/* Addresses in the dynamic section are relative to the image: the loader does not relocate them. */
static bool find_tables(const struct image *image, uint64_t dynamic, struct tables *ret)
{
	struct tables tables = {0};

	for (unsigned i = 0; dynamic && i < 64; i++) {
		Elf64_Dyn entry;

		if (!image_read(image, dynamic + i * sizeof(entry), &entry, sizeof(entry)) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_SYMTAB)
			tables.symbols = entry.d_un.d_ptr;
		if (entry.d_tag == DT_STRTAB)
			tables.strings = entry.d_un.d_ptr;
		if (entry.d_tag == DT_HASH)
			tables.hash = entry.d_un.d_ptr;
	}
	*ret = tables;
	return tables.symbols && tables.strings && tables.hash;
}

static bool copy_name(const struct image *image, uint64_t offset, char *buf, size_t size)
{
	size_t length = 0;
	char *suffix;

	while (length < size - 1) {
		if (!image_read(image, offset + length, &buf[length], 1))
			return false;
		if (!buf[length])
			break;
		length++;
	}
	buf[length] = '\0';
	suffix = length > 3 ? buf + length - 3 : buf;
	if (!strcmp(suffix, ".kd"))
		*suffix = '\0';
	return length > 0;
}

static bool find_symbol(const struct image *image, const struct tables *tables, uint64_t value,
			char *buf, size_t size)
{
	uint32_t counts[2]; /* buckets, chains; there is one chain per symbol */

	if (!image_read(image, tables->hash, counts, sizeof(counts)) || counts[1] > MAX_SYMBOLS)
		return false;
	for (uint32_t i = 1; i < counts[1]; i++) {
		Elf64_Sym symbol;

		if (!image_read(image, tables->symbols + i * sizeof(symbol), &symbol,
				sizeof(symbol)))
			return false;
		if (symbol.st_value == value && symbol.st_name &&
		    copy_name(image, tables->strings + symbol.st_name, buf, size))
			return true;
	}
	return false;
}

static bool find_name(uint64_t descriptor, char *buf, size_t size)
{
	uint64_t page = descriptor & ~(uint64_t)(SIM_PAGE - 1);
	struct sim_range range;
	struct tables tables;
	struct image image;
	uint64_t dynamic;

	if (sim_mem_find(descriptor, &range))
		return false;
	for (unsigned i = 0; i < MAX_PAGES_BACK && page >= range.base; i++, page -= SIM_PAGE) {
		if (!image_open(page, &image, &dynamic))
			continue;
		return descriptor - page < image.size && find_tables(&image, dynamic, &tables) &&
		       find_symbol(&image, &tables, descriptor - page, buf, size);
	}
	return false;
}

bool sim_kernel_name(uint64_t descriptor, char *buf, size_t size)
{
	if (find_name(descriptor, buf, size))
		return true;
	snprintf(buf, size, "at 0x%" PRIx64, descriptor);
	return false;
}
