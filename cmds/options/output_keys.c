/* SPDX-License-Identifier: MIT */
/* The keys of output names: those of rocprofv3, in each of its notations. */
#define _GNU_SOURCE
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmds/options/output_path.h"
#include "common/err.h"
#include "common/process_stat.h"

enum { TEXT_MAX = 4096 };

enum key {
	KEY_HOSTNAME,
	KEY_PID,
	KEY_PPID,
	KEY_PGID,
	KEY_PSID,
	KEY_JOB,
	KEY_RANK,
	KEY_SIZE,
	KEY_NID,
	KEY_CWD,
	KEY_DATE,
	KEY_TIME,
	KEY_TAG,
	KEY_ARGV,
	KEY_ARGS,
	KEY_ARGT,
	WORDS,
	KEY_ARG = WORDS, /* arg0, arg1, ... */
	KEY_ENV,
	KEY_NONE,
};

static const struct {
	const char *word;
	char letter; /* %p for %pid%; 0 = none */
	bool fixed;  /* the same for all processes of a run */
} words[WORDS] = {
	[KEY_HOSTNAME] = {"hostname", 'h', true},
	[KEY_PID] = {"pid", 'p', false},
	[KEY_PPID] = {"ppid", 0, false},
	[KEY_PGID] = {"pgid", 0, false},
	[KEY_PSID] = {"psid", 0, false},
	[KEY_JOB] = {"job", 'j', false},
	[KEY_RANK] = {"rank", 'r', false},
	[KEY_SIZE] = {"size", 's', false},
	[KEY_NID] = {"nid", 0, false},
	[KEY_CWD] = {"cwd", 0, false},
	[KEY_DATE] = {"launch_date", 0, false},
	[KEY_TIME] = {"launch_time", 0, false},
	[KEY_TAG] = {"tag", 0, false},
	[KEY_ARGV] = {"argv", 0, false},
	[KEY_ARGS] = {"args", 0, false},
	[KEY_ARGT] = {"argt", 0, false},
};

/* A key in a text: its length, and for KEY_ENV the name, for KEY_ARG the number. */
struct found {
	enum key key;
	size_t len;
	const char *name;
	size_t name_len;
};

static bool find_environment(const char *text, struct found *ret)
{
	static const char *const opens[] = {"%env{", "$ENV{", "%q{"};

	for (size_t i = 0; i < sizeof(opens) / sizeof(*opens); i++) {
		const char *end =
			strncmp(text, opens[i], strlen(opens[i])) ? NULL : strchr(text, '}');

		if (!end || (i == 0 && end[1] != '%'))
			continue;
		ret->key = KEY_ENV;
		ret->name = text + strlen(opens[i]);
		ret->name_len = (size_t)(end - ret->name);
		ret->len = (size_t)(end + 1 + (i == 0) - text);
		return true;
	}
	return false;
}

/* "%word%" or "{word}", or the number of an argument instead of the word. */
static bool find_word(const char *text, struct found *ret)
{
	char close = *text == '%' ? '%' : '}';
	const char *end = strchr(text + 1, close);
	size_t len = end ? (size_t)(end - text - 1) : 0;

	if (!len)
		return false;
	ret->len = len + 2;
	for (int i = 0; i < WORDS; i++) {
		ret->key = (enum key)i;
		if (strlen(words[i].word) == len && !memcmp(words[i].word, text + 1, len))
			return true;
	}
	ret->key = KEY_ARG;
	ret->name = text + 4;
	ret->name_len = len - 3;
	return len > 3 && len < 8 && !memcmp(text + 1, "arg", 3) &&
	       strspn(text + 4, "0123456789") == len - 3;
}

static bool find_letter(const char *text, struct found *ret)
{
	for (int i = 0; *text == '%' && i < WORDS; i++) {
		if (!words[i].letter || text[1] != words[i].letter || isalnum((unsigned char)text[2]))
			continue;
		ret->key = (enum key)i;
		ret->len = 2;
		return true;
	}
	return false;
}

static struct found find_key(const char *text)
{
	struct found found = {.key = KEY_NONE, .len = 1};

	if (find_environment(text, &found))
		return found;
	if ((*text == '%' || *text == '{') && find_word(text, &found))
		return found;
	if (find_letter(text, &found))
		return found;
	return (struct found){.key = KEY_NONE, .len = 1};
}

struct probe_err *run_keys_check(const char *text)
{
	while (*text) {
		struct found found = find_key(text);

		if (found.key == KEY_NONE && *text == '%')
			return probe_err_create("unknown key at '%s'; there are %%pid%%, "
						"%%hostname%%, %%rank%%, %%env{NAME}%% and the "
						"others of rocprofv3",
						text);
		text += found.len;
	}
	return NULL;
}

bool run_keys_vary(const char *text)
{
	while (*text) {
		struct found found = find_key(text);

		if (found.key == KEY_ENV || found.key == KEY_ARG ||
		    (found.key < WORDS && !words[found.key].fixed))
			return true;
		text += found.len;
	}
	return false;
}

static const char *look_up(const struct run_keys *keys, const char *name, size_t len)
{
	const char *end = keys->environment + keys->environment_size;

	for (const char *entry = keys->environment; entry && entry < end;) {
		size_t size = strnlen(entry, (size_t)(end - entry));

		if (size > len && size < (size_t)(end - entry) && entry[len] == '=' &&
		    !memcmp(entry, name, len))
			return entry + len + 1;
		entry += size + 1;
	}
	return NULL;
}

/* The first of these variables that has a value, else `none`. NULL ends the names. */
static const char *first_of(const struct run_keys *keys, const char *const *names, const char *none)
{
	for (; *names; names++) {
		const char *value = look_up(keys, *names, strlen(*names));

		if (value && *value)
			return value;
	}
	return none;
}

/* Launchers pass a process its rank and the number of processes in these variables. */
static const char *const rank_names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",	 "PMI_RANK",
					 "MPI_RANKID",		 "SLURM_PROCID", NULL};
static const char *const size_names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_NRANKS",
					 "SLURM_NTASKS", NULL};
static const char *const job_names[] = {"SLURM_JOB_ID", NULL};

/* Words of the command line, NUL-separated. */
static size_t read_command(pid_t pid, char text[TEXT_MAX])
{
	char path[64];
	ssize_t size = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		size = read(fd, text, TEXT_MAX - 1);
		close(fd);
	}
	text[size > 0 ? size : 0] = 0;
	return size > 0 ? (size_t)size : 0;
}

/* As part of a file name: '/' becomes '_'; leading '.' and '_' are removed. */
static void put_word(FILE *out, const char *word)
{
	for (word += strspn(word, "._/"); *word; word++)
		fputc(*word == '/' ? '_' : *word, out);
}

/* Words first .. last of the command line, joined by '_'; `base`: the first without its folder. */
static void put_words(FILE *out, pid_t pid, unsigned first, unsigned last, bool base)
{
	char text[TEXT_MAX];
	size_t size = read_command(pid, text), at = 0;
	const char *joint = "";

	for (unsigned i = 0; at < size && i <= last; i++, at += strlen(text + at) + 1) {
		const char *slash = strrchr(text + at, '/');

		if (i < first)
			continue;
		fputs(joint, out);
		put_word(out, base && !i && slash ? slash + 1 : text + at);
		joint = "_";
	}
}

static void put_time(FILE *out, const struct run_keys *keys, const char *variable,
		     const char *format)
{
	const char *wanted = look_up(keys, variable, strlen(variable));
	time_t now = time(NULL);
	char text[256];
	struct tm local;

	localtime_r(&now, &local);
	if (strftime(text, sizeof(text), wanted && *wanted ? wanted : format, &local))
		put_word(out, text);
}

static void put_path(FILE *out, pid_t pid)
{
	char path[64], text[PATH_MAX];
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)pid);
	size = readlink(path, text, sizeof(text));
	if (size > 0)
		fwrite(text, 1, (size_t)size, out);
}

static void put_stat(FILE *out, const struct run_keys *keys, enum probe_stat_field field)
{
	fprintf(out, "%lld", (long long)probe_process_stat(keys->pid, field));
}

static void put_key(FILE *out, const struct found *found, const struct run_keys *keys)
{
	char host[HOST_NAME_MAX + 1] = "localhost", pid[16];
	const char *value;
	unsigned number;

	snprintf(pid, sizeof(pid), "%d", (int)keys->pid);
	switch (found->key) {
	case KEY_HOSTNAME:
		gethostname(host, sizeof(host) - 1);
		fputs(host, out);
		break;
	case KEY_PID:
		fputs(pid, out);
		break;
	case KEY_PPID:
		put_stat(out, keys, PROBE_STAT_PARENT);
		break;
	case KEY_PGID:
		put_stat(out, keys, PROBE_STAT_GROUP);
		break;
	case KEY_PSID:
		put_stat(out, keys, PROBE_STAT_SESSION);
		break;
	case KEY_JOB:
		fputs(first_of(keys, job_names, "0"), out);
		break;
	case KEY_RANK:
		fputs(first_of(keys, rank_names, "0"), out);
		break;
	case KEY_SIZE:
		fputs(first_of(keys, size_names, "1"), out);
		break;
	case KEY_NID:
		fputs(first_of(keys, rank_names, pid), out);
		break;
	case KEY_CWD:
		put_path(out, keys->pid);
		break;
	case KEY_DATE:
		put_time(out, keys, "ROCPROF_DATE_FORMAT", "%F");
		break;
	case KEY_TIME:
		put_time(out, keys, "ROCPROF_TIME_FORMAT", "%F_%H.%M");
		break;
	case KEY_TAG:
		put_words(out, keys->pid, 0, 0, true);
		break;
	case KEY_ARGV:
		put_words(out, keys->pid, 0, UINT_MAX - 1, false);
		break;
	case KEY_ARGS:
		put_words(out, keys->pid, 1, UINT_MAX - 1, false);
		break;
	case KEY_ARGT:
		put_words(out, keys->pid, 0, UINT_MAX - 1, true);
		break;
	case KEY_ARG:
		number = (unsigned)atoi(found->name);
		put_words(out, keys->pid, number, number, false);
		break;
	default:
		value = look_up(keys, found->name, found->name_len);
		fputs(value ? value : "", out);
	}
}

char *run_keys_expand(const char *text, const struct run_keys *keys)
{
	char *ret = NULL;
	size_t size;
	FILE *out = open_memstream(&ret, &size);

	if (!out)
		return NULL;
	while (*text) {
		struct found found = find_key(text);

		if (found.key == KEY_NONE)
			fputc(*text, out);
		else
			put_key(out, &found, keys);
		text += found.len;
	}
	if (fclose(out)) {
		free(ret);
		return NULL;
	}
	return ret;
}
