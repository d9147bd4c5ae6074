/* SPDX-License-Identifier: MIT */
/* One code object, read part by part in throw-away children; see inspect.h. */
#include "codeobj/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/child.h"
#include "codeobj/elf_image.h"
#include "codeobj/kernels_read.h"
#include "codeobj/lines_read.h"
#include "common/buf.h"
#include "common/err.h"

struct work {
	const char *name;
	const void *bytes;
	size_t size;
};

/* Answer: target, then the site table's bytes if there is one. */
static struct probe_err *outline_child(void *user, FILE *out)
{
	const struct work *work = user;
	struct probe_err *err;
	struct probe_buf buf;
	struct probe_elf elf;
	char target[64];
	bool found;

	err = probe_elf_open(work->name, work->bytes, work->size, &elf);
	if (err)
		return err;
	if (elf.machine != PROBE_EM_AMDGPU)
		return probe_err_at(work->name, PROBE_ERR_NO_OFFSET,
				    "no AMDGPU code object: machine %u, not %u", elf.machine,
				    PROBE_EM_AMDGPU);
	probe_elf_target(&elf, target, sizeof(target));
	probe_put_string(out, target);
	err = probe_elf_section(&elf, ".probe_sites", &found, &buf);
	probe_put_u32(out, found);
	if (!err && found)
		fwrite(buf.pos, 1, probe_buf_left(&buf), out);
	return err;
}

static struct probe_err *kernels_child(void *user, FILE *out)
{
	const struct work *work = user;
	struct probe_kernels *kernels;
	struct probe_err *err;

	err = probe_kernels_read(work->name, work->bytes, work->size, &kernels);
	if (!err)
		probe_kernels_send(kernels, out);
	return err;
}

static struct probe_err *lines_child(void *user, FILE *out)
{
	const struct work *work = user;
	struct probe_lines *lines;
	struct probe_err *err;

	probe_dwarf_keep_nothing();
	err = probe_lines_read(work->name, work->bytes, work->size, &lines);
	if (!err)
		probe_lines_send(lines, out);
	return err;
}

static struct probe_err *inlines_child(void *user, FILE *out)
{
	const struct work *work = user;
	struct probe_inlines *inlines;
	struct probe_err *err;

	probe_dwarf_keep_nothing();
	err = probe_inlines_read(work->name, work->bytes, work->size, &inlines);
	if (!err)
		probe_inlines_send(inlines, out);
	return err;
}

static struct probe_err *functions_child(void *user, FILE *out)
{
	const struct work *work = user;

	return probe_functions_send(work->name, work->bytes, work->size, out);
}

static struct probe_err *read_functions(struct work *work, struct probe_functions **ret)
{
	struct probe_err *err;
	struct probe_buf buf;
	uint8_t *answer;
	size_t size;

	err = probe_child_run("reading symbols", functions_child, work, &answer, &size);
	if (err)
		return err;
	probe_buf_init(&buf, work->name, answer, size);
	err = probe_functions_receive(&buf, ret);
	free(answer);
	return err;
}

static struct probe_err *read_outline(struct work *work, unsigned parts, struct probe_codeobj *ret)
{
	const char *target;
	struct probe_err *err;
	struct probe_buf buf;
	uint8_t *answer;
	uint32_t found;
	size_t size;

	err = probe_child_run("reading a code object", outline_child, work, &answer, &size);
	if (err)
		return err;
	probe_buf_init(&buf, work->name, answer, size);
	err = probe_buf_string(&buf, &target);
	if (!err)
		err = probe_buf_u32(&buf, &found);
	if (!err) {
		ret->target = strdup(target);
		if (!ret->target)
			err = probe_err_oom();
	}
	if (!err && found && parts & PROBE_INSPECT_SITES)
		ret->sites_err =
			probe_sites_parse(work->name, buf.pos, probe_buf_left(&buf), &ret->sites);
	free(answer);
	return err;
}

static struct probe_err *read_kernels(struct work *work, struct probe_kernels **ret)
{
	struct probe_err *err;
	struct probe_buf buf;
	uint8_t *answer;
	size_t size;

	err = probe_child_run("reading kernel metadata", kernels_child, work, &answer, &size);
	if (err)
		return err;
	probe_buf_init(&buf, work->name, answer, size);
	err = probe_kernels_receive(&buf, ret);
	free(answer);
	return err;
}

static struct probe_err *read_lines(struct work *work, struct probe_lines **ret)
{
	struct probe_err *err;
	struct probe_buf buf;
	uint8_t *answer;
	size_t size;

	err = probe_child_run("reading line tables", lines_child, work, &answer, &size);
	if (err)
		return err;
	probe_buf_init(&buf, work->name, answer, size);
	err = probe_lines_receive(&buf, ret);
	free(answer);
	if (!err && !(*ret)->count) {
		probe_lines_destroy(*ret);
		*ret = NULL;
	}
	return err;
}

static struct probe_err *read_inlines(struct work *work, struct probe_inlines **ret)
{
	struct probe_inlines *inlines;
	struct probe_err *err;
	struct probe_buf buf;
	uint8_t *answer;
	char **names;
	size_t size;

	err = probe_child_run("reading inlined calls", inlines_child, work, &answer, &size);
	if (err)
		return err;
	probe_buf_init(&buf, work->name, answer, size);
	err = probe_inlines_receive(&buf, &inlines);
	free(answer);
	if (err)
		return err;
	err = probe_names_demangle((const char *const *)inlines->names, inlines->name_count,
				   &names);
	if (err) {
		probe_inlines_destroy(inlines);
		return err;
	}
	probe_names_destroy(inlines->names, inlines->name_count);
	inlines->names = names;
	*ret = inlines;
	return NULL;
}

struct probe_err *probe_codeobj_inspect(const char *name, const void *bytes, size_t size,
					unsigned parts, struct probe_codeobj **ret)
{
	struct work work = {.name = name, .bytes = bytes, .size = size};
	struct probe_codeobj *codeobj = calloc(1, sizeof(*codeobj));
	struct probe_err *err;

	if (!codeobj)
		return probe_err_oom();
	err = read_outline(&work, parts, codeobj);
	if (err) {
		probe_codeobj_destroy(codeobj);
		return err;
	}
	if (parts & PROBE_INSPECT_KERNELS)
		codeobj->kernels_err = read_kernels(&work, &codeobj->kernels);
	if (parts & PROBE_INSPECT_LINES)
		codeobj->lines_err = read_lines(&work, &codeobj->lines);
	if (parts & PROBE_INSPECT_INLINES)
		codeobj->inlines_err = read_inlines(&work, &codeobj->inlines);
	if (parts & PROBE_INSPECT_FUNCTIONS)
		codeobj->functions_err = read_functions(&work, &codeobj->functions);
	*ret = codeobj;
	return NULL;
}

void probe_codeobj_destroy(struct probe_codeobj *codeobj)
{
	if (!codeobj)
		return;
	free(codeobj->target);
	probe_sites_destroy(codeobj->sites);
	probe_kernels_destroy(codeobj->kernels);
	probe_lines_destroy(codeobj->lines);
	probe_inlines_destroy(codeobj->inlines);
	probe_functions_destroy(codeobj->functions);
	probe_err_destroy(codeobj->sites_err);
	probe_err_destroy(codeobj->kernels_err);
	probe_err_destroy(codeobj->lines_err);
	probe_err_destroy(codeobj->inlines_err);
	probe_err_destroy(codeobj->functions_err);
	free(codeobj);
}
