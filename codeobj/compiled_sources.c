/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "codeobj/compiled_sources.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/child.h"
#include "codeobj/dwarf_sources.h"
#include "codeobj/dwarf_units.h"
#include "codeobj/elf_image.h"
#include "common/buf.h"
#include "common/cleanup.h"
#include "common/err.h"

/* ---- In the child --------------------------------------------------------------------------- */

struct builder {
	struct probe_compiled_sources sources;
	size_t directory_capacity, md5_capacity;
};

static struct probe_err *add_directory(void *user, const char *path)
{
	struct builder *builder = user;
	struct probe_compiled_sources *sources = &builder->sources;

	for (uint32_t i = 0; i < sources->directory_count; i++)
		if (!strcmp(sources->directories[i], path))
			return NULL;
	if (sources->directory_count == builder->directory_capacity) {
		size_t capacity = 2 * builder->directory_capacity + 16;
		char **grown = reallocarray(sources->directories, capacity, sizeof(*grown));

		if (!grown)
			return probe_err_oom();
		sources->directories = grown;
		builder->directory_capacity = capacity;
	}
	sources->directories[sources->directory_count] = strdup(path);
	return sources->directories[sources->directory_count++] ? NULL : probe_err_oom();
}

static struct probe_err *add_md5(void *user, const uint8_t *md5)
{
	struct builder *builder = user;
	struct probe_compiled_sources *sources = &builder->sources;

	if (sources->md5_count == builder->md5_capacity) {
		size_t capacity = 2 * builder->md5_capacity + 64;
		void *grown = reallocarray(sources->md5, capacity, PROBE_MD5_BYTES);

		if (!grown)
			return probe_err_oom();
		sources->md5 = grown;
		builder->md5_capacity = capacity;
	}
	memcpy(sources->md5[sources->md5_count++], md5, PROBE_MD5_BYTES);
	return NULL;
}

struct work {
	const char *name;
	const void *bytes;
	size_t size;
};

static struct probe_err *child(void *user, FILE *out)
{
	struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS] = {0};
	const struct work *work = user;
	struct builder builder = {0};
	const struct probe_dwarf_sources sink = {&builder, add_directory, add_md5};
	struct probe_err *err;
	struct probe_elf elf;

	probe_dwarf_never_free();
	err = probe_elf_open(work->name, work->bytes, work->size, &elf);
	if (err)
		return err;
	err = probe_dwarf_sections_find(&elf, sections);
	if (err)
		return err;
	err = probe_dwarf_sources_read(work->name, sections, &sink);
	if (err)
		return err;
	probe_put_u32(out, builder.sources.directory_count);
	for (uint32_t i = 0; i < builder.sources.directory_count; i++)
		probe_put_string(out, builder.sources.directories[i]);
	probe_put_u64(out, builder.sources.md5_count);
	if (builder.sources.md5_count)
		fwrite(builder.sources.md5, PROBE_MD5_BYTES, builder.sources.md5_count, out);
	return NULL;
}

/* ---- In the parent -------------------------------------------------------------------------- */

PROBE_DEFINE_RELEASE(sources_release, struct probe_compiled_sources *,
		     probe_compiled_sources_destroy)

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, PROBE_MD5_BYTES);
}

struct probe_err *probe_compiled_sources_read(const char *name, const void *bytes, size_t size,
					      struct probe_compiled_sources **ret)
{
	PROBE_AUTO(sources_release)
	struct probe_compiled_sources *sources = calloc(1, sizeof(*sources));
	struct work work = {name, bytes, size};
	PROBE_AUTO_FREE uint8_t *answer = NULL;
	struct probe_err *err;
	struct probe_buf buf;
	size_t answered = 0;

	if (!sources)
		return probe_err_oom();
	err = probe_child_run("reading names of sources", child, &work, &answer, &answered);
	if (err)
		return err;
	probe_buf_init(&buf, name, answer, answered);
	err = probe_receive_strings(&buf, "directories", &sources->directories,
				    &sources->directory_count);
	if (err)
		return err;
	err = probe_receive_array(&buf, "checksums", PROBE_MD5_BYTES, (void **)&sources->md5,
				  &sources->md5_count);
	if (err)
		return err;
	if (sources->md5_count)
		qsort(sources->md5, sources->md5_count, PROBE_MD5_BYTES, compare);
	*ret = PROBE_KEEP(sources);
	return NULL;
}

void probe_compiled_sources_destroy(struct probe_compiled_sources *sources)
{
	if (!sources)
		return;
	for (uint32_t i = 0; i < sources->directory_count; i++)
		free(sources->directories[i]);
	free(sources->directories);
	free(sources->md5);
	free(sources);
}

bool probe_compiled_sources_has(const struct probe_compiled_sources *sources, const void *text,
				size_t size)
{
	uint8_t md5[PROBE_MD5_BYTES];

	if (!sources || !sources->md5_count)
		return false;
	probe_md5(text, size, md5);
	return bsearch(md5, sources->md5, sources->md5_count, PROBE_MD5_BYTES, compare) != NULL;
}

bool probe_path_is_below(const char *directory, const char *file)
{
	char root[PATH_MAX], path[PATH_MAX];
	size_t len;

	if (!realpath(directory, root) || !realpath(file, path))
		return false;
	len = strlen(root);
	return len > 1 && !strncmp(path, root, len) && path[len] == '/';
}

bool probe_compiled_sources_below(const struct probe_compiled_sources *sources, const char *file)
{
	for (uint32_t i = 0; sources && i < sources->directory_count; i++)
		if (probe_path_is_below(sources->directories[i], file))
			return true;
	return false;
}
