/* SPDX-License-Identifier: MIT */
/* A section of an ELF image; see elf_section.h. Layout: System V ABI, chapters 4 and 5 (ELF64). */
#include "common/elf_section.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "common/buf.h"
#include "common/err.h"

static struct probe_err *read_header(struct probe_buf *image, Elf64_Ehdr *ret)
{
	struct probe_err *err = probe_buf_copy(image, ret, sizeof(*ret));

	if (err)
		return err;
	if (memcmp(ret->e_ident, ELFMAG, SELFMAG) || ret->e_ident[EI_CLASS] != ELFCLASS64 ||
	    ret->e_ident[EI_DATA] != ELFDATA2LSB)
		return probe_buf_error(image, "not a 64-bit little-endian ELF image");
	if (ret->e_shnum && ret->e_shentsize != sizeof(Elf64_Shdr))
		return probe_buf_error(image, "section headers of %u bytes", ret->e_shentsize);
	if (ret->e_shnum && ret->e_shstrndx >= ret->e_shnum)
		return probe_buf_error(image, "names in section %u of %u", ret->e_shstrndx,
				       ret->e_shnum);
	return NULL;
}

static struct probe_err *read_section(const struct probe_buf *image, const Elf64_Ehdr *header,
				      unsigned index, Elf64_Shdr *ret)
{
	struct probe_buf entry;
	struct probe_err *err;

	err = probe_buf_window(image, header->e_shoff + (uint64_t)index * sizeof(*ret),
			       sizeof(*ret), &entry);
	return err ? err : probe_buf_copy(&entry, ret, sizeof(*ret));
}

static struct probe_err *contents(const struct probe_buf *image, const Elf64_Shdr *section,
				  struct probe_buf *ret)
{
	if (section->sh_type == SHT_NOBITS)
		return probe_buf_window(image, 0, 0, ret);
	return probe_buf_window(image, section->sh_offset, section->sh_size, ret);
}

static bool has_name(const struct probe_buf *names, uint32_t offset, const char *name)
{
	struct probe_buf at = *names;
	size_t left = probe_buf_left(names), len = strlen(name) + 1;

	return offset < left && len <= left - offset && !memcmp(at.pos + offset, name, len);
}

static struct probe_err *section_names(const struct probe_buf *image, const Elf64_Ehdr *header,
				       struct probe_buf *ret)
{
	Elf64_Shdr entry;
	struct probe_err *err = read_section(image, header, header->e_shstrndx, &entry);

	return err ? err : contents(image, &entry, ret);
}

struct probe_err *probe_image_section(const char *file, const void *bytes, size_t size,
				      const char *section, const uint8_t **ret, size_t *ret_size)
{
	struct probe_buf image, names, found;
	struct probe_err *err;
	Elf64_Ehdr header;
	Elf64_Shdr entry;

	probe_buf_init(&image, file, bytes, size);
	err = read_header(&image, &header);
	if (err)
		return err;
	err = header.e_shnum ? section_names(&image, &header, &names) : NULL;
	if (err)
		return err;
	for (unsigned i = 0; i < header.e_shnum; i++) {
		err = read_section(&image, &header, i, &entry);
		if (err)
			return err;
		if (!has_name(&names, entry.sh_name, section))
			continue;
		err = contents(&image, &entry, &found);
		if (err)
			return err;
		*ret = found.pos;
		*ret_size = probe_buf_left(&found);
		return NULL;
	}
	*ret = NULL;
	*ret_size = 0;
	return NULL;
}
