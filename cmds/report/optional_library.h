/* SPDX-License-Identifier: MIT */
/* Libraries that only one format or verb needs: loaded when it is used, not needed before. */
#ifndef PROBE_CMDS_REPORT_OPTIONAL_LIBRARY_H
#define PROBE_CMDS_REPORT_OPTIONAL_LIBRARY_H

struct probe_err;

struct optional_function {
	const char *name;
	void *to; /* where the address goes: a pointer to a function */
};

/*
 * Loads a library and looks functions up, to the entry without a name. `what` needs it and Debian's
 * `package` has it, for the message if that fails.
 */
struct probe_err *optional_library_load(const char *library, const char *what, const char *package,
					const struct optional_function *functions);

#endif
