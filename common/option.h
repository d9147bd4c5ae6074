/* SPDX-License-Identifier: MIT */
/*
 * Command lines from one table: parsing (getopt_long), --help, and the list for completion and
 * manual checks use the same rows, so that they agree.
 */
#ifndef PROBE_COMMON_OPTION_H
#define PROBE_COMMON_OPTION_H

#include <stddef.h>
#include <stdio.h>

struct probe_err;

struct probe_option {
	const char *name;  /* long name without dashes; NULL = a heading, text in `help` */
	char letter;	   /* 0 = none */
	const char *value; /* name of the argument in --help; NULL = takes none */
	const char *help;  /* one or more lines, separated by '\n' */
	int key;	   /* passed to the callback; unique in a table */
};

struct probe_command {
	const char *name;    /* "probe-run" */
	const char *usage;   /* what follows the name in the first line of --help */
	const char *summary; /* second line */
	const struct probe_option *options;
	size_t count;
	const char *footer; /* last lines of --help, or NULL */
};

/*
 * The index of a value among the allowed words, which end with NULL. The error names the option or
 * variable, the value, and the allowed words.
 */
struct probe_err *probe_option_choose(const char *option, const char *const *words,
				      const char *value, int *ret);

/* Called once per option in the order given; `value` is NULL for options that take none. */
typedef struct probe_err *(*probe_option_fn)(void *user, int key, const char *value);

/*
 * Parse argv up to the first word that is not an option, or past "--"; `*ret` is its index. Long
 * names must be spelled out: abbreviations would break when options are added. Not re-entrant
 * (getopt).
 */
struct probe_err *probe_command_parse(const struct probe_command *command, int argc, char **argv,
				      probe_option_fn fn, void *user, int *ret);

/* "--name" of the option with the key; "" if there is none. */
#define PROBE_OPTION_SPELLING 64
void probe_command_spelling(const struct probe_command *command, int key,
			    char ret[PROBE_OPTION_SPELLING]);

void probe_command_help(const struct probe_command *command, FILE *out);

/* One line per option, "--name" or "--name=" if it takes a value: for completion and checks. */
void probe_command_list(const struct probe_command *command, FILE *out);

#endif
