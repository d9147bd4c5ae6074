/* SPDX-License-Identifier: MIT */
#include "codeobj/users_place.h"

#include <stddef.h>

#include <probe/user_source.h>

#include "codeobj/inlines.h"
#include "codeobj/lines.h"

/* The function a scope is in, and the scope itself, are the user's own code. */
static bool is_written(const struct probe_scope *scope)
{
	return !scope || !scope->implicit;
}

static bool by_calls(const struct probe_inlines *inlines, const struct probe_scope *scope,
		     struct probe_place *ret)
{
	const struct probe_scope *parent;

	for (; scope && (parent = probe_scope_parent(inlines, scope)); scope = parent) {
		const char *file = inlines->names[scope->call_file];

		if (!scope->call_line || !*file || !probe_is_user_source(file) ||
		    !is_written(parent))
			continue;
		*ret = (struct probe_place){.file = file, .line = scope->call_line};
		return true;
	}
	return false;
}

/* Of the instruction itself, or of the calls around it. */
static bool exact(const struct probe_lines *lines, const struct probe_inlines *inlines,
		  const struct probe_line *line, uint64_t address, struct probe_place *ret)
{
	const struct probe_scope *scope = inlines ? probe_inlines_find(inlines, address) : NULL;
	const char *file = line ? lines->files[line->file] : "";

	if (line && line->line && probe_is_user_source(file) && is_written(scope)) {
		*ret = (struct probe_place){.file = file, .line = line->line};
		return true;
	}
	if (by_calls(inlines, scope, ret))
		return true;
	/* A kernel of a library: its own lines are all there are. */
	*ret = (struct probe_place){.file = file, .line = line ? line->line : 0};
	return line && line->line;
}

bool probe_users_place(const struct probe_lines *lines, const struct probe_inlines *inlines,
		       uint64_t start, uint64_t address, struct probe_place *ret)
{
	const struct probe_line *line = lines ? probe_lines_find(lines, address) : NULL;
	const struct probe_function *function;

	if (exact(lines, inlines, line, address, ret))
		return true;
	if (!line)
		return false;
	for (; line > lines->rows && line->address > start; line--) {
		const struct probe_line *before = line - 1;

		if (before->file == PROBE_LINE_END || before->address < start)
			break;
		/* Its last byte: what it is inlined into there is nearest. */
		if (exact(lines, inlines, before, line->address - 1, ret)) {
			ret->approximate = true;
			return true;
		}
	}
	function = probe_lines_function(lines, start);
	if (!function || !function->line)
		return true;
	*ret = (struct probe_place){
		.file = lines->files[function->file], .line = function->line, .approximate = true};
	return true;
}
