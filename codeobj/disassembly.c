/* SPDX-License-Identifier: MIT */
#include "codeobj/disassembly.h"

#include <stdlib.h>
#include <string.h>

#include <amd_comgr.h>

#include "codeobj/child.h"
#include "codeobj/elf_image.h"
#include "common/buf.h"
#include "common/cleanup.h"
#include "common/err.h"

#define CODE_MAX (64u << 20) /* bytes of one section: 16 million instructions take a minute */

struct work {
	const char *name;
	const void *bytes;
	size_t size;
	uint64_t address;
};

/* ---- In the child -------------------------------------------------------------------------- */

struct section {
	const uint8_t *bytes;
	uint64_t base, size;
	char text[512]; /* of the instruction just decoded */
};

static uint64_t read_memory(uint64_t from, char *to, uint64_t size, void *user)
{
	const struct section *section = user;
	uint64_t offset = from - section->base;

	if (offset >= section->size)
		return 0;
	if (size > section->size - offset)
		size = section->size - offset;
	memcpy(to, section->bytes + offset, size);
	return size;
}

/* comgr's text starts with a tab, and has padding between mnemonic and operands. */
static void keep_text(const char *instruction, void *user)
{
	struct section *section = user;
	size_t n = 0;

	for (instruction += strspn(instruction, " \t"); *instruction; instruction++) {
		bool blank = *instruction == ' ' || *instruction == '\t';

		if (n + 1 < sizeof(section->text) && !(blank && n && section->text[n - 1] == ' '))
			section->text[n++] = blank ? ' ' : *instruction;
	}
	while (n && section->text[n - 1] == ' ')
		n--;
	section->text[n] = 0;
}

static void ignore_address(uint64_t address, void *user)
{
	(void)address;
	(void)user;
}

static struct probe_err *send_all(const struct work *work, amd_comgr_disassembly_info_t info,
				  struct section *section, FILE *out)
{
	probe_put_u64(out, section->base);
	for (uint64_t at = 0; at + 4 <= section->size;) {
		uint64_t bytes = 0;

		section->text[0] = 0;
		/*
		 * Bytes that are not an instruction become an instruction of 4 bytes without text.
		 */
		if (amd_comgr_disassemble_instruction(info, section->base + at, section, &bytes) !=
			    AMD_COMGR_STATUS_SUCCESS ||
		    bytes < 4 || bytes > 20) {
			section->text[0] = 0;
			bytes = 4;
		}
		probe_put_u32(out, (uint32_t)bytes);
		probe_put_string(out, section->text);
		at += bytes;
	}
	(void)work;
	return NULL;
}

static struct probe_err *child(void *user, FILE *out)
{
	const struct work *work = user;
	amd_comgr_disassembly_info_t info;
	struct section section = {0};
	struct probe_err *err;
	struct probe_elf elf;
	char target[64], isa[96] = "amdgcn-amd-amdhsa--";

	err = probe_elf_open(work->name, work->bytes, work->size, &elf);
	if (err)
		return err;
	err = probe_elf_code(&elf, work->address, &section.bytes, &section.base, &section.size);
	if (err)
		return err;
	if (section.size > CODE_MAX)
		return probe_err_at(work->name, PROBE_ERR_NO_OFFSET,
				    "%llu bytes of code are too many to disassemble",
				    (unsigned long long)section.size);
	probe_elf_target(&elf, target, sizeof(target));
	strncat(isa, target, sizeof(isa) - strlen(isa) - 1);
	if (amd_comgr_create_disassembly_info(isa, read_memory, keep_text, ignore_address, &info) !=
	    AMD_COMGR_STATUS_SUCCESS)
		return probe_err_create("amd-comgr cannot disassemble %s", isa);
	return send_all(work, info, &section, out);
}

/* ---- In the parent ------------------------------------------------------------------------- */

PROBE_DEFINE_RELEASE(disassembly_release, struct probe_disassembly *, probe_disassembly_destroy)

static struct probe_err *receive(struct probe_buf *buf, struct probe_disassembly *ret)
{
	struct probe_err *err;
	uint64_t address;
	size_t capacity = 0;

	err = probe_buf_u64(buf, &address);
	if (err)
		return err;
	while (probe_buf_left(buf)) {
		struct probe_instruction *row;

		if (ret->count == capacity) {
			capacity = capacity ? 2 * capacity : 4096;
			row = reallocarray(ret->rows, capacity, sizeof(*row));
			if (!row)
				return probe_err_oom();
			ret->rows = row;
		}
		row = &ret->rows[ret->count];
		row->address = address;
		err = probe_buf_u32(buf, &row->size);
		if (err)
			return err;
		err = probe_buf_string(buf, &row->text);
		if (err)
			return err;
		if (row->size < 4 || row->size > 20)
			return probe_buf_error(buf, "an instruction of %u bytes", row->size);
		address += row->size;
		ret->count++;
	}
	return NULL;
}

struct probe_err *probe_disassemble(const char *name, const void *bytes, size_t size,
				    uint64_t address, struct probe_disassembly **ret)
{
	PROBE_AUTO(disassembly_release)
	struct probe_disassembly *disassembly = calloc(1, sizeof(*disassembly));
	struct work work = {name, bytes, size, address};
	struct probe_err *err;
	struct probe_buf buf;
	size_t length;

	if (!disassembly)
		return probe_err_oom();
	err = probe_child_run("disassembling", child, &work, &disassembly->answer, &length);
	if (err)
		return err;
	probe_buf_init(&buf, name, disassembly->answer, length);
	err = receive(&buf, disassembly);
	if (err)
		return err;
	*ret = PROBE_KEEP(disassembly);
	return NULL;
}

void probe_disassembly_destroy(struct probe_disassembly *disassembly)
{
	if (!disassembly)
		return;
	free(disassembly->rows);
	free(disassembly->answer);
	free(disassembly);
}

static int compare(const void *key, const void *row)
{
	uint64_t address = *(const uint64_t *)key;
	const struct probe_instruction *instruction = row;

	return address < instruction->address ? -1 : address > instruction->address;
}

const struct probe_instruction *probe_disassembly_find(const struct probe_disassembly *disassembly,
						       uint64_t address)
{
	if (!disassembly->count)
		return NULL;
	return bsearch(&address, disassembly->rows, disassembly->count, sizeof(*disassembly->rows),
		       compare);
}
