/* SPDX-License-Identifier: MIT */
/*
 * Offload bundles: clang documentation "Clang Offload Bundler", "Bundled Code Object Layout":
 * magic, count, then per entry offset, size, length of the id, id. A fat binary section holds one
 * bundle per translation unit, each aligned, zeros in between.
 */
#define _GNU_SOURCE /* memmem */
#include "codeobj/bundle.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/child.h"
#include "codeobj/elf_image.h"
#include "common/buf.h"
#include "common/cleanup.h"
#include "common/err.h"

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";
static const char compressed_magic[] = "CCOB";

#define BUNDLE_MAGIC_SIZE (sizeof(bundle_magic) - 1)
#define ENTRIES_MAX	  4096
#define ID_MAX		  256

static struct probe_err *add(struct probe_bundle *bundle, const char *id, size_t len,
			     uint64_t offset, uint64_t size)
{
	struct probe_bundle_entry *entries;

	entries = realloc(bundle->entries, (bundle->count + 1) * sizeof(*entries));
	if (!entries)
		return probe_err_oom();
	bundle->entries = entries;
	entries += bundle->count;
	entries->id = strndup(id, len);
	if (!entries->id)
		return probe_err_oom();
	entries->offset = offset;
	entries->size = size;
	bundle->count++;
	return NULL;
}

/* hipv4-amdgcn-..., hip-amdgcn-..., openmp-amdgcn-...; the host's entry is "host-x86_64-...". */
static bool id_is_amdgpu(const char *id, size_t len)
{
	return memmem(id, len, "-amdgcn-", 8) != NULL;
}

/* One entry of the bundle that starts at `start` (in the buffer). */
static struct probe_err *read_entry(struct probe_buf *buf, uint64_t start, uint64_t *end,
				    struct probe_bundle *bundle)
{
	uint64_t offset, size, id_len, total = (uint64_t)(buf->end - buf->start);
	const uint8_t *id;
	struct probe_err *err;

	err = probe_buf_u64(buf, &offset);
	if (err)
		return err;
	err = probe_buf_u64(buf, &size);
	if (err)
		return err;
	err = probe_buf_u64(buf, &id_len);
	if (err)
		return err;
	if (id_len > ID_MAX)
		return probe_buf_error(buf, "bundle entry with a name of %llu bytes",
				       (unsigned long long)id_len);
	err = probe_buf_bytes(buf, id_len, &id);
	if (err)
		return err;
	if (offset > total - start || size > total - start - offset)
		return probe_buf_error(
			buf, "bundle entry %.*s of %llu bytes at 0x%llx reaches past the end",
			(int)id_len, (const char *)id, (unsigned long long)size,
			(unsigned long long)(start + offset));
	if (start + offset + size > *end)
		*end = start + offset + size;
	if (!size || !id_is_amdgpu((const char *)id, id_len))
		return NULL;
	if (bundle->count >= ENTRIES_MAX)
		return probe_buf_error(buf, "over %d code objects", ENTRIES_MAX);
	return add(bundle, (const char *)id, id_len, buf->base + start + offset, size);
}

/* Reads the bundle at the position of the buffer, which it moves after the last entry. */
static struct probe_err *read_bundle(struct probe_buf *buf, struct probe_bundle *bundle)
{
	uint64_t start = (uint64_t)(buf->pos - buf->start), count, end;
	struct probe_err *err;

	err = probe_buf_skip(buf, BUNDLE_MAGIC_SIZE);
	if (err)
		return err;
	err = probe_buf_u64(buf, &count);
	if (err)
		return err;
	if (count > ENTRIES_MAX)
		return probe_buf_error(buf, "bundle of %llu entries", (unsigned long long)count);
	end = start + BUNDLE_MAGIC_SIZE;
	for (uint64_t i = 0; i < count; i++) {
		err = read_entry(buf, start, &end, bundle);
		if (err)
			return err;
	}
	if (buf->pos < buf->start + end)
		buf->pos = buf->start + end;
	return NULL;
}

/* Bundles of a fat binary follow each other with zeros in between. */
static struct probe_err *read_bundles(struct probe_buf *buf, struct probe_bundle *bundle)
{
	for (;;) {
		const uint8_t *next;
		struct probe_err *err;

		while (buf->pos < buf->end && !*buf->pos)
			buf->pos++;
		buf->prev = buf->pos;
		if (probe_buf_left(buf) >= 4 && !memcmp(buf->pos, compressed_magic, 4))
			return probe_buf_error(buf, "compressed offload bundle; compile with "
						    "--no-offload-compress");
		next = memmem(buf->pos, probe_buf_left(buf), bundle_magic, BUNDLE_MAGIC_SIZE);
		if (!next)
			return NULL;
		buf->pos = next;
		err = read_bundle(buf, bundle);
		if (err)
			return err;
	}
}

/* A code object, or a host's file with code objects in it. */
static struct probe_err *find_in_elf(const char *name, const uint8_t *bytes, size_t size,
				     struct probe_bundle *bundle)
{
	PROBE_AUTO(probe_elf_close) struct probe_elf elf = {0};
	struct probe_err *err = probe_elf_open(name, bytes, size, &elf);
	struct probe_buf buf;
	bool found;

	if (err)
		return err;
	if (elf.machine == PROBE_EM_AMDGPU)
		return add(bundle, "", 0, 0, size);
	err = probe_elf_section(&elf, ".hip_fatbin", &found, &buf);
	if (err)
		return err;
	return found ? read_bundles(&buf, bundle) : NULL;
}

static struct probe_err *find(const char *name, const uint8_t *bytes, size_t size,
			      struct probe_bundle *bundle)
{
	struct probe_buf buf;

	if (probe_elf_is(bytes, size))
		return find_in_elf(name, bytes, size, bundle);
	probe_buf_init(&buf, name, bytes, size);
	if (size >= BUNDLE_MAGIC_SIZE && !memcmp(bytes, bundle_magic, BUNDLE_MAGIC_SIZE))
		return read_bundles(&buf, bundle);
	if (size >= 4 && !memcmp(bytes, compressed_magic, 4))
		return read_bundles(&buf, bundle);
	return probe_err_at(name, PROBE_ERR_NO_OFFSET, "neither an ELF file nor an offload bundle");
}

struct probe_err *probe_bundle_read(const char *name, const void *bytes, size_t size,
				    struct probe_bundle **ret)
{
	PROBE_AUTO(probe_bundle_release) struct probe_bundle *bundle = calloc(1, sizeof(*bundle));
	struct probe_err *err;

	if (!bundle)
		return probe_err_oom();
	err = find(name, bytes, size, bundle);
	if (err)
		return err;
	*ret = PROBE_KEEP(bundle);
	return NULL;
}

struct work {
	const char *name;
	const uint8_t *bytes;
	size_t size;
};

static struct probe_err *child(void *user, FILE *out)
{
	const struct work *work = user;
	struct probe_bundle *bundle;
	struct probe_err *err = probe_bundle_read(work->name, work->bytes, work->size, &bundle);

	if (err)
		return err;
	for (size_t i = 0; i < bundle->count; i++) {
		probe_put_u64(out, bundle->entries[i].offset);
		probe_put_u64(out, bundle->entries[i].size);
		probe_put_string(out, bundle->entries[i].id);
	}
	return NULL;
}

static struct probe_err *read_answer(struct probe_buf *buf, uint64_t file_size,
				     struct probe_bundle *bundle)
{
	while (probe_buf_left(buf)) {
		uint64_t offset, size;
		const char *id;
		struct probe_err *err;

		err = probe_buf_u64(buf, &offset);
		if (err)
			return err;
		err = probe_buf_u64(buf, &size);
		if (err)
			return err;
		err = probe_buf_string(buf, &id);
		if (err)
			return err;
		if (offset > file_size || size > file_size - offset)
			return probe_buf_error(buf, "code object outside its file");
		err = add(bundle, id, strlen(id), offset, size);
		if (err)
			return err;
	}
	return NULL;
}

struct probe_err *probe_bundle_find(const char *name, const void *bytes, size_t size,
				    struct probe_bundle **ret)
{
	PROBE_AUTO(probe_bundle_release) struct probe_bundle *bundle = NULL;
	PROBE_AUTO_FREE uint8_t *answer = NULL;
	struct work work = {.name = name, .bytes = bytes, .size = size};
	struct probe_err *err;
	struct probe_buf buf;
	size_t answer_size;

	err = probe_child_run("looking for code objects", child, &work, &answer, &answer_size);
	if (err)
		return err;
	bundle = calloc(1, sizeof(*bundle));
	if (!bundle)
		return probe_err_oom();
	probe_buf_init(&buf, name, answer, answer_size);
	err = read_answer(&buf, size, bundle);
	if (err)
		return err;
	*ret = PROBE_KEEP(bundle);
	return NULL;
}

void probe_bundle_destroy(struct probe_bundle *bundle)
{
	if (!bundle)
		return;
	for (size_t i = 0; i < bundle->count; i++)
		free(bundle->entries[i].id);
	free(bundle->entries);
	free(bundle);
}
