/* SPDX-License-Identifier: MIT */
#include "codeobj/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/child.h"
#include "codeobj/elf_image.h"
#include "codeobj/dwarf_units.h"
#include "codeobj/names.h"
#include "common/buf.h"
#include "common/cleanup.h"
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
				    "not an AMDGPU code object: machine %u, not %u", elf.machine,
				    PROBE_EM_AMDGPU);
	probe_elf_target(&elf, target, sizeof(target));
	probe_put_string(out, target);
	err = probe_elf_section(&elf, ".probe_sites", &found, &buf);
	if (err)
		return err;
	probe_put_u32(out, found);
	if (found)
		fwrite(buf.pos, 1, probe_buf_left(&buf), out);
	return NULL;
}

static struct probe_err *kernels_child(void *user, FILE *out)
{
	const struct work *work = user;
	struct probe_kernels *kernels;
	struct probe_err *err;

	err = probe_kernels_read(work->name, work->bytes, work->size, &kernels);
	if (err)
		return err;
	probe_kernels_send(kernels, out);
	return NULL;
}

static struct probe_err *lines_child(void *user, FILE *out)
{
	const struct work *work = user;
	struct probe_lines *lines;
	struct probe_err *err;

	probe_dwarf_never_free();
	err = probe_lines_read(work->name, work->bytes, work->size, &lines);
	if (err)
		return err;
	probe_lines_send(lines, out);
	return NULL;
}

static struct probe_err *inlines_child(void *user, FILE *out)
{
	const struct work *work = user;
	struct probe_inlines *inlines;
	struct probe_err *err;

	probe_dwarf_never_free();
	err = probe_inlines_read(work->name, work->bytes, work->size, &inlines);
	if (err)
		return err;
	probe_inlines_send(inlines, out);
	return NULL;
}

static struct probe_err *functions_child(void *user, FILE *out)
{
	const struct work *work = user;

	return probe_functions_send(work->name, work->bytes, work->size, out);
}

/* A child's answer; the caller frees `bytes`. */
struct answer {
	uint8_t *bytes;
	struct probe_buf buf;
};

static void answer_deinit(struct answer *answer)
{
	free(answer->bytes);
}

static struct probe_err *run_child(struct work *work, const char *doing, probe_child_fn child,
				   struct answer *ret)
{
	size_t size = 0;
	struct probe_err *err = probe_child_run(doing, child, work, &ret->bytes, &size);

	if (err)
		return err;
	probe_buf_init(&ret->buf, work->name, ret->bytes, size);
	return NULL;
}

static struct probe_err *read_outline(struct work *work, unsigned parts, struct probe_codeobj *ret)
{
	PROBE_AUTO(answer_deinit) struct answer answer = {0};
	struct probe_err *err = run_child(work, "reading a code object", outline_child, &answer);
	const char *target;
	uint32_t found;

	if (err)
		return err;
	err = probe_buf_string(&answer.buf, &target);
	if (err)
		return err;
	err = probe_buf_u32(&answer.buf, &found);
	if (err)
		return err;
	ret->target = strdup(target);
	if (!ret->target)
		return probe_err_oom();
	if (found && parts & PROBE_INSPECT_SITES)
		ret->sites_err = probe_sites_parse(work->name, answer.buf.pos,
						   probe_buf_left(&answer.buf), &ret->sites);
	return NULL;
}

static struct probe_err *read_kernels(struct work *work, struct probe_kernels **ret)
{
	PROBE_AUTO(answer_deinit) struct answer answer = {0};
	struct probe_err *err = run_child(work, "reading kernel metadata", kernels_child, &answer);

	return err ? err : probe_kernels_receive(&answer.buf, ret);
}

static struct probe_err *read_functions(struct work *work, struct probe_functions **ret)
{
	PROBE_AUTO(answer_deinit) struct answer answer = {0};
	struct probe_err *err = run_child(work, "reading symbols", functions_child, &answer);

	return err ? err : probe_functions_receive(&answer.buf, ret);
}

static struct probe_err *read_lines(struct work *work, struct probe_lines **ret)
{
	PROBE_AUTO(answer_deinit) struct answer answer = {0};
	struct probe_err *err = run_child(work, "reading line tables", lines_child, &answer);

	if (err)
		return err;
	err = probe_lines_receive(&answer.buf, ret);
	if (err)
		return err;
	if (!(*ret)->count) {
		probe_lines_destroy(*ret);
		*ret = NULL;
	}
	return NULL;
}

static struct probe_err *demangle(struct probe_inlines *inlines)
{
	struct probe_err *err;
	char **names;

	err = probe_names_demangle((const char *const *)inlines->names, inlines->name_count,
				   &names);
	if (err)
		return err;
	probe_names_destroy(inlines->names, inlines->name_count);
	inlines->names = names;
	return NULL;
}

static struct probe_err *read_inlines(struct work *work, struct probe_inlines **ret)
{
	PROBE_AUTO(answer_deinit) struct answer answer = {0};
	PROBE_AUTO(probe_inlines_release) struct probe_inlines *inlines = NULL;
	struct probe_err *err = run_child(work, "reading inlined calls", inlines_child, &answer);

	if (err)
		return err;
	err = probe_inlines_receive(&answer.buf, &inlines);
	if (err)
		return err;
	err = demangle(inlines);
	if (err)
		return err;
	*ret = PROBE_KEEP(inlines);
	return NULL;
}

struct probe_err *probe_codeobj_inspect(const char *name, const void *bytes, size_t size,
					unsigned parts, struct probe_codeobj **ret)
{
	PROBE_AUTO(probe_codeobj_release)
	struct probe_codeobj *codeobj = calloc(1, sizeof(*codeobj));
	struct work work = {.name = name, .bytes = bytes, .size = size};
	struct probe_err *err;

	if (!codeobj)
		return probe_err_oom();
	err = read_outline(&work, parts, codeobj);
	if (err)
		return err;
	if (parts & PROBE_INSPECT_KERNELS)
		codeobj->kernels_err = read_kernels(&work, &codeobj->kernels);
	if (parts & PROBE_INSPECT_LINES)
		codeobj->lines_err = read_lines(&work, &codeobj->lines);
	if (parts & PROBE_INSPECT_INLINES)
		codeobj->inlines_err = read_inlines(&work, &codeobj->inlines);
	if (parts & PROBE_INSPECT_FUNCTIONS)
		codeobj->functions_err = read_functions(&work, &codeobj->functions);
	*ret = PROBE_KEEP(codeobj);
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
