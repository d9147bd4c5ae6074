/* SPDX-License-Identifier: MIT */
/* Reading the site table; see sites.h. */
#include "codeobj/sites.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <probe/lds_size.h>

#include "common/buf.h"
#include "common/cleanup.h"
#include "common/err.h"

PROBE_DEFINE_RELEASE(sites_release, struct probe_sites *, probe_sites_destroy)

static struct probe_err *check_header(const struct probe_buf *buf,
				      const struct probe_sites_header *header, uint64_t size)
{
	if (header->magic != PROBE_SITES_MAGIC)
		return probe_buf_error(buf, "not a site table: magic 0x%08x; expected 0x%08x",
				       header->magic, PROBE_SITES_MAGIC);
	if (header->version < PROBE_SITES_VERSION_MIN || header->version > PROBE_SITES_VERSION)
		return probe_buf_error(buf, "site table of version %u; this program reads %u to %u",
				       header->version, PROBE_SITES_VERSION_MIN,
				       PROBE_SITES_VERSION);
	if (header->header_size < PROBE_SITES_HEADER_MIN)
		return probe_buf_error(buf, "header of %u bytes; expected at least %u",
				       header->header_size, PROBE_SITES_HEADER_MIN);
	if (header->total_size > size)
		return probe_buf_error(buf, "table of %u bytes in a section of %llu bytes",
				       header->total_size, (unsigned long long)size);
	if (header->total_size < header->header_size)
		return probe_buf_error(buf, "table of %u bytes, less than its header",
				       header->total_size);
	if (header->proof_count && header->proof_count != header->site_count)
		return probe_buf_error(buf, "%u proofs for %u sites", header->proof_count,
				       header->site_count);
	if (header->site_count > PROBE_SITE_MASK)
		return probe_buf_error(buf, "%u sites; records can name %u", header->site_count,
				       PROBE_SITE_MASK);
	return NULL;
}

/* Copy `count` elements: sections need not be aligned, and the copy outlives them. */
static struct probe_err *copy_array(const struct probe_buf *table, const char *what,
				    uint32_t offset, uint64_t count, size_t element, void **ret)
{
	struct probe_buf part;
	struct probe_err *err = probe_buf_window(table, offset, count * element, &part);
	void *array;

	if (err)
		return probe_err_wrap(err, "%s", what);
	/* One more element: a count of 0 gives an array, too, and strings get a final NUL. */
	array = calloc(count + 1, element);
	if (!array)
		return probe_err_oom();
	err = probe_buf_copy(&part, array, count * element);
	if (err) {
		free(array);
		return err;
	}
	*ret = array;
	return NULL;
}

/* Copies the arrays of a table, and reads the derived ones. */
static struct probe_err *copy_arrays(const struct probe_buf *table,
				     const struct probe_sites_header *h, struct probe_sites *s,
				     struct derived_source *d)
{
	const struct {
		const char *what;
		uint32_t offset, count;
		size_t element;
		void **to;
	} arrays[] = {
#define ARRAY(what, offset, count, to) {what, offset, count, sizeof(*(to)), (void **)&(to)}
		ARRAY("sites", h->sites_offset, h->site_count, s->sites),
		ARRAY("kernels", h->kernels_offset, h->kernel_count, s->kernels),
		ARRAY("frames", h->frames_offset, h->frame_count, s->frames),
		ARRAY("strings", h->strings_offset, h->strings_size, s->strings),
		ARRAY("uncovered accesses", h->uncovered_offset, h->uncovered_count,
		      s->uncovered_list),
		ARRAY("variables", h->variables_offset, h->variable_count, s->variables),
		ARRAY("operations", h->operations_offset, h->operation_count, s->operations),
		ARRAY("terms", h->terms_offset, h->term_count, s->terms),
		ARRAY("groups", h->groups_offset, h->group_count, d->groups),
		ARRAY("predicates", h->predicates_offset, h->predicate_count, d->predicates),
		ARRAY("expressions", h->exprs_offset, h->expr_count, s->expressions),
		ARRAY("proofs", h->proofs_offset, h->proof_count, d->proofs),
#undef ARRAY
	};
	size_t count = sizeof(arrays) / sizeof(arrays[0]) - !h->proof_count;

	for (size_t i = 0; i < count; i++) {
		struct probe_err *err =
			copy_array(table, arrays[i].what, arrays[i].offset, arrays[i].count,
				   arrays[i].element, arrays[i].to);

		if (err)
			return err;
	}
	d->group_count = h->group_count;
	d->predicate_count = h->predicate_count;
	s->expression_count = h->expr_count;
	s->uncovered_count = h->uncovered_count;
	s->variable_count = h->variable_count;
	s->operation_count = h->operation_count;
	s->term_count = h->term_count;
	s->code_before = h->code_before;
	s->code_after = h->code_after;
	s->site_count = h->site_count;
	s->kernel_count = h->kernel_count;
	s->frame_count = h->frame_count;
	s->strings_size = h->strings_size;
	s->uncovered = h->uncovered;
	return NULL;
}

static bool unit_ok(uint16_t unit)
{
	return unit == 1 || unit == 2 || unit == 4 || unit == 8 || unit == 12 || unit == 16;
}

static struct probe_err *malformed(const char *name, const char *what, uint32_t index,
				   const char *why, uint64_t value)
{
	return probe_err_at(name, PROBE_ERR_NO_OFFSET, "site table: %s %u: %s %llu", what, index,
			    why, (unsigned long long)value);
}

/* Check a site that is not an access. */
static struct probe_err *check_mark(const char *name, const struct probe_sites *sites, uint32_t i)
{
	const struct probe_site *site = &sites->sites[i];

	if (site->access != PROBE_ACCESS_FUNCTION && site->name >= sites->strings_size)
		return malformed(name, "site", i, "name at", site->name);
	if (site->size || site->unit)
		return malformed(name, "site", i, "size, where there is no access:", site->size);
	return NULL;
}

static struct probe_err *check_site(const char *name, const struct probe_sites *sites, uint32_t i)
{
	const struct probe_site *site = &sites->sites[i];
	const uint32_t strings[] = {site->file, site->function, site->owner, site->address,
				    site->index_source};

	for (size_t k = 0; k < sizeof(strings) / sizeof(*strings); k++)
		if (strings[k] >= sites->strings_size)
			return malformed(name, "site", i, "string at", strings[k]);
	if (site->first_frame > sites->frame_count ||
	    site->frame_count > sites->frame_count - site->first_frame)
		return malformed(name, "site", i, "frames from", site->first_frame);
	if (site->near_site > i)
		return malformed(name, "site", i, "near a later site:", site->near_site);
	if (probe_site_is_mark(site->access))
		return check_mark(name, sites, i);
	if (!probe_site_is_row(site->access) &&
	    (site->access < PROBE_ACCESS_LOAD || site->access > PROBE_ACCESS_ATOMIC))
		return malformed(name, "site", i, "access kind", site->access);
	if (!unit_ok(site->unit))
		return malformed(name, "site", i, "unit of bytes:", site->unit);
	if (!site->size || site->size % site->unit)
		return malformed(name, "site", i,
				 "size that is no multiple of the unit:", site->size);
	return NULL;
}

static struct probe_err *check_uncovered(const char *name, const struct probe_sites *sites,
					 uint32_t i)
{
	const struct probe_site_uncovered *row = &sites->uncovered_list[i];
	const uint32_t strings[] = {row->file, row->function, row->owner, row->what};

	for (size_t k = 0; k < sizeof(strings) / sizeof(*strings); k++)
		if (strings[k] >= sites->strings_size)
			return malformed(name, "uncovered access", i, "string at", strings[k]);
	return NULL;
}

static struct probe_err *check_operations(const char *name, const struct probe_sites *sites,
					  uint32_t i)
{
	const struct probe_site_operations *o = &sites->operations[i];

	if (o->row >= sites->site_count)
		return malformed(name, "operations", i, "row", o->row);
	if (o->first_frame > sites->frame_count ||
	    o->frame_count > sites->frame_count - o->first_frame)
		return malformed(name, "operations", i, "frames from", o->first_frame);
	return NULL;
}

static struct probe_err *check_variables(const char *name, const struct probe_sites *sites)
{
	for (uint32_t i = 0; i < sites->variable_count; i++) {
		const struct probe_site_variable *variable = &sites->variables[i];

		if (variable->row > PROBE_LDS_MOST)
			return malformed(name, "variable", i, "row of bytes:", variable->row);
		if (variable->element > PROBE_LDS_MOST)
			return malformed(name, "variable", i,
					 "element of bytes:", variable->element);
	}
	return NULL;
}

static struct probe_err *check_content(const char *name, const struct probe_sites *sites)
{
	struct probe_err *err;

	if (!sites->strings_size || sites->strings[sites->strings_size - 1])
		return malformed(name, "strings", 0,
				 "no NUL at the end of bytes:", sites->strings_size);
	for (uint32_t i = 0; i < sites->site_count; i++) {
		err = check_site(name, sites, i);
		if (err)
			return err;
	}
	for (uint32_t i = 0; i < sites->kernel_count; i++) {
		const struct probe_site_kernel *kernel = &sites->kernels[i];

		if (kernel->name >= sites->strings_size)
			return malformed(name, "kernel", i, "string at", kernel->name);
		if (kernel->first_site > sites->site_count ||
		    kernel->site_count > sites->site_count - kernel->first_site)
			return malformed(name, "kernel", i, "sites from", kernel->first_site);
	}
	for (uint32_t i = 0; i < sites->frame_count; i++) {
		const struct probe_site_frame *frame = &sites->frames[i];

		if (frame->file >= sites->strings_size)
			return malformed(name, "frame", i, "string at", frame->file);
		if (frame->function >= sites->strings_size)
			return malformed(name, "frame", i, "string at", frame->function);
	}
	for (uint32_t i = 0; i < sites->uncovered_count; i++) {
		err = check_uncovered(name, sites, i);
		if (err)
			return err;
	}
	for (uint32_t i = 0; i < sites->operation_count; i++) {
		err = check_operations(name, sites, i);
		if (err)
			return err;
	}
	for (uint32_t i = 0; i < sites->term_count; i++) {
		const struct probe_site_term *term = &sites->terms[i];

		if (term->site >= sites->site_count || (i && term->site < term[-1].site))
			return malformed(name, "term", i, "site", term->site);
		if (term->step != (int32_t)term->step)
			return malformed(name, "term", i, "step", (uint64_t)term->step);
	}
	return check_variables(name, sites);
}

const char *probe_uncovered_text(uint32_t reason)
{
	static const char *const texts[PROBE_UNCOVERED_REASONS] = {
		[PROBE_UNCOVERED_INTRINSIC] = "its address or width is not in the instruction",
		[PROBE_UNCOVERED_POINTER] = "calls through a pointer",
		[PROBE_UNCOVERED_BY_POINTER] = "in a function that is called through a pointer",
		[PROBE_UNCOVERED_EXTERNAL] = "calls a function outside of the module",
		[PROBE_UNCOVERED_TARGET] = "there are no probes for its target",
		[PROBE_UNCOVERED_COMPILER] = "the compiler made no code for it with probes",
		[PROBE_UNCOVERED_SHAPE] = "too wide, or through a buffer pointer",
		[PROBE_UNCOVERED_ASM] = "inline assembly",
		[PROBE_UNCOVERED_CONSTANT] =
			"constant memory, at an address per lane; PROBE_SPACES=constant probes it",
	};
	const char *text = reason < PROBE_UNCOVERED_REASONS ? texts[reason] : NULL;

	return text ? text : "for a reason this program does not know";
}

static void derived_source_deinit(struct derived_source *source)
{
	free(source->proofs);
	free(source->groups);
	free(source->predicates);
}

struct probe_err *probe_sites_parse(const char *name, const void *bytes, size_t size,
				    struct probe_sites **ret)
{
	PROBE_AUTO(derived_source_deinit) struct derived_source source = {0};
	PROBE_AUTO(sites_release) struct probe_sites *sites = NULL;
	struct probe_sites_header header = {0};
	struct probe_buf buf, table;
	struct probe_err *err;

	probe_buf_init(&buf, name, bytes, size);
	err = probe_buf_copy(&buf, &header, PROBE_SITES_HEADER_MIN);
	if (err)
		return err;
	err = check_header(&buf, &header, size);
	if (err)
		return err;
	err = probe_buf_window(&buf, 0, header.total_size, &table);
	if (err)
		return err;
	/* That of an earlier version may be shorter. */
	err = probe_buf_copy(&table, &header,
			     header.header_size < sizeof(header) ? header.header_size
								 : sizeof(header));
	if (err)
		return err;
	sites = calloc(1, sizeof(*sites));
	if (!sites)
		return probe_err_oom();
	err = copy_arrays(&table, &header, sites, &source);
	if (err)
		return err;
	err = check_content(name, sites);
	if (err)
		return err;
	err = derived_sites_read(name, &source, sites);
	if (err)
		return err;
	*ret = PROBE_KEEP(sites);
	return NULL;
}

void probe_sites_destroy(struct probe_sites *sites)
{
	if (!sites)
		return;
	free(sites->sites);
	derived_sites_free(sites);
	free(sites->kernels);
	free(sites->frames);
	free(sites->strings);
	free(sites->uncovered_list);
	free(sites->variables);
	free(sites->operations);
	free(sites->terms);
	free(sites);
}

const char *probe_sites_string(const struct probe_sites *sites, uint32_t offset)
{
	return offset < sites->strings_size ? sites->strings + offset : "";
}

const struct probe_site_kernel *probe_sites_kernel(const struct probe_sites *sites,
						   const char *name)
{
	for (uint32_t i = 0; i < sites->kernel_count; i++)
		if (!strcmp(probe_sites_string(sites, sites->kernels[i].name), name))
			return &sites->kernels[i];
	return NULL;
}

void probe_sites_of_kernel(const struct probe_sites *sites, const char *name, uint32_t *ret_first,
			   uint32_t *ret_count)
{
	const struct probe_site_kernel *kernel = probe_sites_kernel(sites, name);

	*ret_first = kernel ? kernel->first_site : 0;
	*ret_count = kernel ? kernel->site_count : 0;
}
