/* SPDX-License-Identifier: MIT */
/*
 * An ELF file in memory, through libelf. For sandboxed children and fuzz tests; other code uses
 * inspect.h and bundle.h.
 */
#ifndef PROBE_CODEOBJ_ELF_IMAGE_H
#define PROBE_CODEOBJ_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf;
struct probe_buf;
struct probe_err;

struct probe_elf {
	const char *name;
	const uint8_t *bytes;
	size_t size;
	struct Elf *elf;
	size_t section_count, section_names;
	uint16_t type, machine; /* ET_, EM_ */
	uint32_t flags;
	uint8_t abi_version;
};

#define PROBE_EM_AMDGPU 224

/* 64-bit little-endian ELF only; `name` and `bytes` must outlive it. */
struct probe_err *probe_elf_open(const char *name, const void *bytes, size_t size,
				 struct probe_elf *ret);
void probe_elf_close(struct probe_elf *elf);

/* Does the file start with the ELF magic number? */
bool probe_elf_is(const void *bytes, size_t size);

/* Bytes of the first section of that name; *found = false if there is none or it has no bytes. */
struct probe_err *probe_elf_section(const struct probe_elf *elf, const char *section, bool *found,
				    struct probe_buf *ret);

/* The executable section that contains `address`; an error if there is none. */
struct probe_err *probe_elf_code(const struct probe_elf *elf, uint64_t address,
				 const uint8_t **bytes, uint64_t *base, uint64_t *size);

/* `fn` gets each defined symbol of the static symbol table, or the dynamic one without it. */
struct probe_err *probe_elf_symbols(const struct probe_elf *elf,
				    void (*fn)(void *user, const char *symbol, uint64_t value),
				    void *user);

/* The same for functions, with the size of their code; 0: unknown. */
struct probe_err *probe_elf_functions(const struct probe_elf *elf,
				      void (*fn)(void *user, const char *symbol, uint64_t value,
						 uint64_t size),
				      void *user);

/* "gfx90a:sramecc+:xnack-" from the header's flags; "unknown (mach 0x..)" for one not in the table.
 */
void probe_elf_target(const struct probe_elf *elf, char *out, size_t capacity);

#endif
