/* SPDX-License-Identifier: MIT */
/* Command lines from one table; see option.h. */
#include "common/option.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/err.h"

#define HELP_COLUMN 34

static const struct probe_option *find_long(const struct probe_command *command, const char *word,
					    size_t len)
{
	for (size_t i = 0; i < command->count; i++) {
		const char *name = command->options[i].name;

		if (name && strlen(name) == len && !memcmp(name, word, len))
			return &command->options[i];
	}
	return NULL;
}

/* Length of the common prefix, enough to guess which option was meant. */
static size_t common_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

static const char *nearest(const struct probe_command *command, const char *word)
{
	const char *best = NULL;
	size_t best_len = 2;

	for (size_t i = 0; i < command->count; i++) {
		const char *name = command->options[i].name;
		size_t len = name ? common_prefix(name, word) : 0;

		if (len > best_len) {
			best = name;
			best_len = len;
		}
	}
	return best;
}

static struct probe_err *unknown_option(const struct probe_command *command, const char *word,
					size_t len)
{
	const char *guess = nearest(command, word);

	if (guess)
		return probe_err_create("unknown option --%.*s; did you mean --%s?", (int)len, word,
					guess);
	return probe_err_create("unknown option --%.*s; %s --help lists them", (int)len, word,
				command->name);
}

/* getopt_long would accept abbreviations, so that the word is checked first. */
static struct probe_err *check_spelling(const struct probe_command *command, const char *word)
{
	size_t len;

	if (!word || strncmp(word, "--", 2) || !word[2])
		return NULL;
	word += 2;
	len = strcspn(word, "=");
	if (find_long(command, word, len))
		return NULL;
	return unknown_option(command, word, len);
}

void probe_command_spelling(const struct probe_command *command, int key,
			    char ret[PROBE_OPTION_SPELLING])
{
	*ret = 0;
	for (size_t i = 0; i < command->count; i++)
		if (command->options[i].key == key)
			snprintf(ret, PROBE_OPTION_SPELLING, "--%s", command->options[i].name);
}

static struct probe_err *bad_option(const struct probe_command *command, int result,
				    const char *word)
{
	bool is_long = word && !strncmp(word, "--", 2);
	int len = word ? (int)strcspn(word, "=") : 0;

	if (result == ':') {
		if (is_long)
			return probe_err_create("option %.*s needs a value", len, word);
		return probe_err_create("option -%c needs a value", optopt);
	}
	if (is_long)
		return probe_err_create("option %.*s takes no value", len, word);
	return probe_err_create("unknown option -%c; %s --help lists them", optopt, command->name);
}

/* The options in getopt's form. */
struct getopt_tables {
	struct option *longs;
	char *letters; /* 3 + 2 bytes per option */
};

static void getopt_tables_deinit(struct getopt_tables *tables)
{
	free(tables->letters);
	free(tables->longs);
}

static void fill_tables(const struct probe_command *command, struct getopt_tables *tables)
{
	char *letters = tables->letters;
	size_t n = 0, l = 0;

	letters[l++] = '+'; /* stop at the first word that is not an option: the program */
	letters[l++] = ':'; /* report missing values and unknown options differently */
	for (size_t i = 0; i < command->count; i++) {
		const struct probe_option *option = &command->options[i];

		if (!option->name)
			continue;
		tables->longs[n++] = (struct option){
			.name = option->name,
			.has_arg = option->value ? required_argument : no_argument,
			.val = 0x10000 + (int)i,
		};
		if (!option->letter)
			continue;
		letters[l++] = option->letter;
		if (option->value)
			letters[l++] = ':';
	}
	letters[l] = 0;
}

static const struct probe_option *find_letter(const struct probe_command *command, int letter)
{
	for (size_t i = 0; i < command->count; i++)
		if (command->options[i].name && command->options[i].letter == letter)
			return &command->options[i];
	return NULL;
}

static struct probe_err *parse_words(const struct probe_command *command, int argc, char **argv,
				     const struct getopt_tables *tables, probe_option_fn fn,
				     void *user)
{
	optind = 0; /* glibc: restart, also for a second command line */
	opterr = 0;
	for (;;) {
		const struct probe_option *option;
		char *word = argv[optind ? optind : 1];
		struct probe_err *err = check_spelling(command, word);
		int result;

		if (err)
			return err;
		result = getopt_long(argc, argv, tables->letters, tables->longs, NULL);
		if (result == -1)
			return NULL;
		if (result == '?' || result == ':')
			return bad_option(command, result, word);
		option = result >= 0x10000 ? &command->options[result - 0x10000]
					   : find_letter(command, result);
		/* A variable of a script that is not set; no option has a meaning for it. */
		if (option->value && !*optarg)
			return probe_err_create("option --%s needs a value", option->name);
		err = fn(user, option->key, option->value ? optarg : NULL);
		if (err)
			return err;
	}
}

struct probe_err *probe_command_parse(const struct probe_command *command, int argc, char **argv,
				      probe_option_fn fn, void *user, int *ret)
{
	PROBE_AUTO(getopt_tables_deinit)
	struct getopt_tables tables = {
		.longs = calloc(command->count + 1, sizeof(*tables.longs)),
		.letters = calloc(command->count + 2, 2),
	};
	struct probe_err *err;

	if (!tables.longs || !tables.letters)
		return probe_err_oom();
	if (argc <= 1) {
		*ret = argc;
		return NULL;
	}
	fill_tables(command, &tables);
	err = parse_words(command, argc, argv, &tables, fn, user);
	if (err)
		return err;
	*ret = optind;
	return NULL;
}

/* "memory, trace or time" */
static void list_words(const char *const *words, char *text, size_t size)
{
	size_t used = 0;

	*text = 0;
	for (size_t i = 0; words[i] && used < size; i++) {
		const char *between = !i ? "" : words[i + 1] ? ", " : " or ";

		used += (size_t)snprintf(text + used, size - used, "%s%s", between, words[i]);
	}
}

struct probe_err *probe_option_choose(const char *option, const char *const *words,
				      const char *value, int *ret)
{
	char text[200];

	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], value))
			continue;
		*ret = i;
		return NULL;
	}
	list_words(words, text, sizeof(text));
	return probe_err_create("invalid value '%s' for %s; expected %s", value, option, text);
}

static void help_row(const struct probe_option *option, FILE *out)
{
	const char *line = option->help;
	int width;

	if (!option->name) {
		fprintf(out, "\n%s\n", option->help);
		return;
	}
	width = option->letter ? fprintf(out, "  -%c, ", option->letter) : fprintf(out, "      ");
	width += fprintf(out, "--%s%s%s", option->name, option->value ? " " : "",
			 option->value ? option->value : "");
	if (width >= HELP_COLUMN - 1) {
		fputc('\n', out);
		width = 0;
	}
	while (line && *line) {
		int len = (int)strcspn(line, "\n");

		fprintf(out, "%*s%.*s\n", HELP_COLUMN - width, "", len, line);
		width = 0;
		line += len + (line[len] == '\n');
	}
}

void probe_command_help(const struct probe_command *command, FILE *out)
{
	fprintf(out, "Usage: %s %s\n%s\n", command->name, command->usage, command->summary);
	for (size_t i = 0; i < command->count; i++)
		help_row(&command->options[i], out);
	if (command->footer)
		fprintf(out, "\n%s\n", command->footer);
}

void probe_command_list(const struct probe_command *command, FILE *out)
{
	for (size_t i = 0; i < command->count; i++)
		if (command->options[i].name)
			fprintf(out, "--%s%s\n", command->options[i].name,
				command->options[i].value ? "=" : "");
}
