/* SPDX-License-Identifier: MIT */
#include "codeobj/elf_image.h"

#include <stdio.h>
#include <string.h>

#include <gelf.h>
#include <libelf.h>

#include "common/buf.h"
#include "common/err.h"
#include "common/memory_watch.h"

/* Code objects have tens of sections; a forged table of a million would only cost time. */
#define SECTIONS_MAX 4096

bool probe_elf_is(const void *bytes, size_t size)
{
	return size >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG);
}

static struct probe_err *check_header(struct probe_elf *elf)
{
	const uint8_t *ident = elf->bytes;
	GElf_Ehdr header;

	if (!probe_elf_is(elf->bytes, elf->size) || elf->size < sizeof(Elf64_Ehdr))
		return probe_err_at(elf->name, 0, "not an ELF file");
	if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
		return probe_err_at(elf->name, 0, "not a 64-bit little-endian ELF file");
	elf->elf = elf_memory((char *)elf->bytes, elf->size);
	if (!elf->elf || elf_kind(elf->elf) != ELF_K_ELF || !gelf_getehdr(elf->elf, &header)) {
		const char *why = elf_errmsg(-1);

		/* libelf has no public number for it. */
		if (why && !strcmp(why, "out of memory"))
			probe_memory_note_failure();
		return probe_err_at(elf->name, 0, "damaged ELF file: %s", why ? why : "unknown");
	}
	if (elf_getshdrnum(elf->elf, &elf->section_count) ||
	    elf_getshdrstrndx(elf->elf, &elf->section_names))
		return probe_err_at(elf->name, header.e_shoff, "damaged section table: %s",
				    elf_errmsg(-1));
	/* libelf reports no sections if the section table is after the end of the file. */
	if (header.e_shoff && !elf->section_count)
		return probe_err_at(elf->name, header.e_shoff,
				    "section table after the end of the file (%zu bytes)",
				    elf->size);
	if (elf->section_count > SECTIONS_MAX)
		return probe_err_at(elf->name, header.e_shoff, "%zu sections; the limit is %d",
				    elf->section_count, SECTIONS_MAX);
	elf->type = header.e_type;
	elf->machine = header.e_machine;
	elf->flags = header.e_flags;
	elf->abi_version = header.e_ident[EI_ABIVERSION];
	return NULL;
}

struct probe_err *probe_elf_open(const char *name, const void *bytes, size_t size,
				 struct probe_elf *ret)
{
	struct probe_elf elf = {.name = name, .bytes = bytes, .size = size};
	struct probe_err *err;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return probe_err_create("libelf: %s", elf_errmsg(-1));
	err = check_header(&elf);
	if (err) {
		probe_elf_close(&elf);
		return err;
	}
	*ret = elf;
	return NULL;
}

void probe_elf_close(struct probe_elf *elf)
{
	if (elf->elf)
		elf_end(elf->elf);
	elf->elf = NULL;
}

/* The bytes in the file, range-checked; libelf's copy is not needed. */
static struct probe_err *section_bytes(const struct probe_elf *elf, const GElf_Shdr *header,
				       struct probe_buf *ret)
{
	struct probe_buf file;

	probe_buf_init(&file, elf->name, elf->bytes, elf->size);
	return probe_buf_window(&file, header->sh_offset, header->sh_size, ret);
}

struct probe_err *probe_elf_section(const struct probe_elf *elf, const char *section, bool *found,
				    struct probe_buf *ret)
{
	*found = false;
	for (size_t i = 1; i < elf->section_count; i++) {
		Elf_Scn *scn = elf_getscn(elf->elf, i);
		struct probe_err *err;
		GElf_Shdr header;
		const char *name;

		if (!scn || !gelf_getshdr(scn, &header))
			return probe_err_at(elf->name, PROBE_ERR_NO_OFFSET,
					    "damaged section header %zu: %s", i, elf_errmsg(-1));
		name = elf_strptr(elf->elf, elf->section_names, header.sh_name);
		if (!name || strcmp(name, section) || header.sh_type == SHT_NOBITS)
			continue;
		if (header.sh_flags & SHF_COMPRESSED)
			return probe_err_at(elf->name, header.sh_offset,
					    "section %s is compressed; decompress it with objcopy "
					    "--decompress-debug-sections",
					    section);
		err = section_bytes(elf, &header, ret);
		if (err)
			return probe_err_wrap(err, "section %s", section);
		*found = true;
		return NULL;
	}
	return NULL;
}

struct probe_err *probe_elf_code(const struct probe_elf *elf, uint64_t address,
				 const uint8_t **bytes, uint64_t *base, uint64_t *size)
{
	for (size_t i = 1; i < elf->section_count; i++) {
		Elf_Scn *scn = elf_getscn(elf->elf, i);
		struct probe_err *err;
		struct probe_buf buf;
		GElf_Shdr header;

		if (!scn || !gelf_getshdr(scn, &header) || header.sh_type != SHT_PROGBITS ||
		    !(header.sh_flags & SHF_EXECINSTR) ||
		    address - header.sh_addr >= header.sh_size)
			continue;
		err = section_bytes(elf, &header, &buf);
		if (err)
			return probe_err_wrap(err, "code at 0x%llx", (unsigned long long)address);
		*bytes = buf.pos;
		*base = header.sh_addr;
		*size = probe_buf_left(&buf);
		return NULL;
	}
	return probe_err_at(elf->name, PROBE_ERR_NO_OFFSET, "no code at address 0x%llx",
			    (unsigned long long)address);
}

static Elf_Scn *find_symbols(const struct probe_elf *elf, GElf_Word type, GElf_Shdr *header)
{
	for (size_t i = 1; i < elf->section_count; i++) {
		Elf_Scn *scn = elf_getscn(elf->elf, i);

		if (scn && gelf_getshdr(scn, header) && header->sh_type == type)
			return scn;
	}
	return NULL;
}

typedef void (*symbol_fn)(void *user, const char *symbol, uint64_t value);
typedef void (*function_fn)(void *user, const char *symbol, uint64_t value, uint64_t size);

/* One of the two is NULL. */
static struct probe_err *each_symbol(const struct probe_elf *elf, symbol_fn fn,
				     function_fn function, void *user)
{
	GElf_Shdr header;
	Elf_Scn *scn = find_symbols(elf, SHT_SYMTAB, &header);
	Elf_Data *data;
	size_t count;

	if (!scn)
		scn = find_symbols(elf, SHT_DYNSYM, &header);
	if (!scn)
		return NULL;
	data = elf_getdata(scn, NULL);
	if (!data)
		return probe_err_at(elf->name, header.sh_offset, "damaged symbol table: %s",
				    elf_errmsg(-1));
	count = data->d_size / sizeof(Elf64_Sym);
	for (size_t i = 1; i < count; i++) {
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf->elf, header.sh_link, symbol.st_name);
		if (!name || !*name)
			continue;
		if (fn)
			fn(user, name, symbol.st_value);
		else if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
			function(user, name, symbol.st_value, symbol.st_size);
	}
	return NULL;
}

struct probe_err *probe_elf_symbols(const struct probe_elf *elf, symbol_fn fn, void *user)
{
	return each_symbol(elf, fn, NULL, user);
}

struct probe_err *probe_elf_functions(const struct probe_elf *elf, function_fn fn, void *user)
{
	return each_symbol(elf, NULL, fn, user);
}

/* EF_AMDGPU_MACH values: AMDGPUUsage, "AMDGPU EF_AMDGPU_MACH Values". */
static const struct {
	uint8_t mach;
	const char *name;
} machs[] = {
	{0x20, "gfx600"},  {0x21, "gfx601"},  {0x22, "gfx700"},	 {0x23, "gfx701"},
	{0x24, "gfx702"},  {0x25, "gfx703"},  {0x26, "gfx704"},	 {0x28, "gfx801"},
	{0x29, "gfx802"},  {0x2a, "gfx803"},  {0x2b, "gfx810"},	 {0x2c, "gfx900"},
	{0x2d, "gfx902"},  {0x2e, "gfx904"},  {0x2f, "gfx906"},	 {0x30, "gfx908"},
	{0x31, "gfx909"},  {0x32, "gfx90c"},  {0x33, "gfx1010"}, {0x34, "gfx1011"},
	{0x35, "gfx1012"}, {0x36, "gfx1030"}, {0x37, "gfx1031"}, {0x38, "gfx1032"},
	{0x39, "gfx1033"}, {0x3a, "gfx602"},  {0x3b, "gfx705"},	 {0x3c, "gfx805"},
	{0x3d, "gfx1035"}, {0x3e, "gfx1034"}, {0x3f, "gfx90a"},	 {0x40, "gfx940"},
	{0x41, "gfx1100"}, {0x42, "gfx1013"}, {0x43, "gfx1150"}, {0x44, "gfx1103"},
	{0x45, "gfx1036"}, {0x46, "gfx1101"}, {0x47, "gfx1102"}, {0x48, "gfx1200"},
	{0x4a, "gfx1151"}, {0x4b, "gfx941"},  {0x4c, "gfx942"},	 {0x4e, "gfx1201"},
	{0x4f, "gfx950"},  {0x55, "gfx1152"},
};

void probe_elf_target(const struct probe_elf *elf, char *out, size_t capacity)
{
	/* Two-bit feature fields of ABI versions 2 (code object 4) and up: none, any, off, on. */
	static const char *const sramecc[] = {"", "", ":sramecc-", ":sramecc+"};
	static const char *const xnack[] = {"", "", ":xnack-", ":xnack+"};
	bool fields = elf->abi_version >= 2;

	for (size_t i = 0; i < sizeof(machs) / sizeof(*machs); i++) {
		if (machs[i].mach != (elf->flags & 0xff))
			continue;
		snprintf(out, capacity, "%s%s%s", machs[i].name,
			 fields ? sramecc[elf->flags >> 10 & 3] : "",
			 fields ? xnack[elf->flags >> 8 & 3] : "");
		return;
	}
	snprintf(out, capacity, "unknown (mach 0x%x)", elf->flags & 0xff);
}
