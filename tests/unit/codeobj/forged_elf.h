/* SPDX-License-Identifier: MIT */
/* Site tables, ELF files and bundles made byte by byte, so that tests can break any field. */
#ifndef PROBE_TESTS_CODEOBJ_FORGED_ELF_H
#define PROBE_TESTS_CODEOBJ_FORGED_ELF_H

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <probe/wire.h>

struct forged {
	uint8_t bytes[65536];
	size_t size;
};

static inline size_t forge_put(struct forged *forged, const void *bytes, size_t size)
{
	size_t at = forged->size;

	memcpy(forged->bytes + at, bytes, size);
	forged->size += size;
	return at;
}

static inline void forge_align(struct forged *forged, size_t align)
{
	while (forged->size % align)
		forged->bytes[forged->size++] = 0;
}

static inline uint32_t forge_string(char *strings, uint32_t *size, const char *text)
{
	uint32_t at = *size;

	memcpy(strings + at, text, strlen(text) + 1);
	*size += (uint32_t)strlen(text) + 1;
	return at;
}

/* Two sites, the second inlined once; one kernel. Offsets of the parts are in the header. */
static inline void forge_sites(struct forged *forged)
{
	struct probe_sites_header header = {
		.magic = PROBE_SITES_MAGIC,
		.version = PROBE_SITES_VERSION,
		.header_size = sizeof(header),
		.site_count = 2,
		.kernel_count = 1,
		.frame_count = 1,
		.uncovered = 3,
		.variable_count = 1,
		.operation_count = 1,
		.term_count = 2,
	};
	struct probe_site sites[2] = {
		{.line = 7,
		 .column = 3,
		 .access = PROBE_ACCESS_LOAD,
		 .space = PROBE_SPACE_GLOBAL,
		 .size = 4,
		 .unit = 4,
		 .align = 4,
		 .kinds = 6},
		{.line = 70000,
		 .column = 66000,
		 .frame_count = 1,
		 .access = PROBE_ACCESS_STORE,
		 .space = PROBE_SPACE_LDS,
		 .size = 32,
		 .unit = 16,
		 .align = 16,
		 .kinds = 2},
	};
	struct probe_site_kernel kernel = {.kinds = 6, .site_count = 2};
	struct probe_site_frame frame = {.line = 9, .column = 1};
	struct probe_site_operations operations = {.row = 1,
						   .frame_count = 1,
						   .operation = PROBE_OPERATION_FP32,
						   .count = 3,
						   .amount = 6};
	const struct probe_site_variable variable = {.row = 128, .element = 4};
	const struct probe_site_term terms[2] = {{.site = 0, .of = PROBE_TERM_ITEM, .step = 4},
						 {.site = 1, .of = PROBE_TERM_LOOP, .step = -64}};
	char strings[256];
	uint32_t size = 0;

	forge_string(strings, &size, "");
	sites[0].file = forge_string(strings, &size, "/src/a.hip");
	sites[1].file = frame.file = sites[0].file;
	sites[0].function = forge_string(strings, &size, "copy");
	sites[0].owner = kernel.name = frame.function = sites[0].function;
	sites[1].owner = sites[0].owner;
	sites[1].function = forge_string(strings, &size, "helper");
	forge_put(forged, &header, sizeof(header));
	header.sites_offset = (uint32_t)forge_put(forged, sites, sizeof(sites));
	header.kernels_offset = (uint32_t)forge_put(forged, &kernel, sizeof(kernel));
	header.frames_offset = (uint32_t)forge_put(forged, &frame, sizeof(frame));
	header.operations_offset = (uint32_t)forge_put(forged, &operations, sizeof(operations));
	header.variables_offset = (uint32_t)forge_put(forged, &variable, sizeof(variable));
	forge_align(forged, 8);
	header.terms_offset = (uint32_t)forge_put(forged, terms, sizeof(terms));
	header.strings_offset = (uint32_t)forge_put(forged, strings, size);
	header.strings_size = size;
	header.total_size = (uint32_t)forged->size;
	memcpy(forged->bytes, &header, sizeof(header));
}

/* An ELF file with one section of the given name and bytes. */
static inline void forge_elf(struct forged *forged, uint16_t machine, uint32_t flags,
			     const char *section, const void *bytes, size_t size)
{
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
			    64, 3},
		.e_type = ET_DYN,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_flags = flags,
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 1,
	};
	Elf64_Shdr headers[3] = {
		{0},
		{.sh_type = SHT_STRTAB, .sh_name = 1},
		{.sh_type = SHT_PROGBITS, .sh_name = 11},
	};
	char names[64] = "\0.shstrtab\0";

	strcpy(names + 11, section);
	forge_put(forged, &header, sizeof(header));
	headers[1].sh_offset = forge_put(forged, names, sizeof(names));
	headers[1].sh_size = sizeof(names);
	forge_align(forged, 16);
	headers[2].sh_offset = forge_put(forged, bytes, size);
	headers[2].sh_size = size;
	forge_align(forged, 8);
	header.e_shoff = forge_put(forged, headers, sizeof(headers));
	memcpy(forged->bytes, &header, sizeof(header));
}

/* A bundle with an empty host entry and one code object per id. */
static inline void forge_bundle(struct forged *forged, const char *const *ids, size_t count,
				const void *bytes, uint64_t size)
{
	uint64_t start = forged->size, entries = count + 1, offset = 512;

	forge_put(forged, "__CLANG_OFFLOAD_BUNDLE__", 24);
	forge_put(forged, &entries, 8);
	for (size_t i = 0; i < entries; i++) {
		const char *id = i ? ids[i - 1] : "host-x86_64-unknown-linux--";
		uint64_t len = strlen(id), own = i ? size : 0;

		forge_put(forged, &offset, 8);
		forge_put(forged, &own, 8);
		forge_put(forged, &len, 8);
		forge_put(forged, id, len);
		offset += own;
	}
	while (forged->size < start + 512)
		forged->bytes[forged->size++] = 0;
	for (size_t i = 0; i < count; i++)
		forge_put(forged, bytes, size);
}

/* A whole file in an exact heap block, so that the sanitizer sees one byte too many. */
static inline uint8_t *forge_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;

	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*size);
	if (bytes && fread(bytes, 1, *size, file) != *size)
		*size = 0;
	fclose(file);
	return bytes;
}

static inline uint64_t forge_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Change one to six bytes. */
static inline void forge_mutate(uint8_t *bytes, size_t size, uint64_t *seed)
{
	static const uint8_t telling[] = {0, 1, 0x7f, 0x80, 0xff};

	for (uint64_t n = 1 + forge_random(seed) % 6; n; n--) {
		uint64_t how = forge_random(seed);
		uint8_t *at = bytes + forge_random(seed) % size;

		if (how & 1)
			*at = telling[(how >> 8) % sizeof(telling)];
		else
			*at ^= (uint8_t)(1u << (how >> 8) % 8);
	}
}

#endif
