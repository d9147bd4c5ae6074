/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmds/options/handler_plugins.h"
#include "cmds/options/install_paths.h"
#include "cmds/options/run_options.h"
#include "codeobj/child.h"
#include "common/buf.h"
#include "common/cleanup.h"
#include "common/err.h"

static bool name_valid(const char *name)
{
	if (!name || !isalpha((unsigned char)*name))
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return !*name;
}

/* Checks a plugin; each reason to refuse it has its own message. */
static struct probe_err *check_handler(const char *path, const struct probe_handler *theirs,
				       struct probe_handler *ret)
{
	size_t known = offsetof(struct probe_handler, name);

	/* Every ABI version begins with these two words. */
	if (theirs->size < known)
		return probe_err_create("%s: struct of %u bytes, too short to hold its ABI version",
					path, theirs->size);
	if (theirs->abi < PROBE_HANDLER_ABI_MIN)
		return probe_err_create("%s: built for handler ABI %u, older than %u, the oldest "
					"this program supports; rebuild it",
					path, theirs->abi, PROBE_HANDLER_ABI_MIN);
	if (theirs->abi > PROBE_HANDLER_ABI)
		return probe_err_create("%s: built for handler ABI %u, newer than %u, the newest "
					"this program supports; use a newer Probe",
					path, theirs->abi, PROBE_HANDLER_ABI);
	*ret = (struct probe_handler){0};
	memcpy(ret, theirs, theirs->size < sizeof(*ret) ? theirs->size : sizeof(*ret));
	for (size_t i = sizeof(*ret); i < theirs->size; i++)
		if (((const unsigned char *)theirs)[i])
			return probe_err_create("%s: uses fields after the %zu bytes this program "
						"knows; use a newer Probe",
						path, sizeof(*ret));
	if (!name_valid(ret->name))
		return probe_err_create(
			"%s: its name has characters other than letters, digits and "
			"underscores",
			path);
	if (!ret->open || !ret->batch || !ret->close)
		return probe_err_create("%s: lacks open, batch or close", path);
	if (!(ret->streams & (PROBE_STREAM_COUNTERS | PROBE_STREAM_ACCESS | PROBE_STREAM_TIME |
			      PROBE_STREAM_MESSAGE | PROBE_STREAM_BLOCKS)))
		return probe_err_create("%s: .streams has no stream that this probe-run knows",
					path);
	return NULL;
}

struct probe_err *run_plugin_load(const char *path, struct probe_handler *ret)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct probe_handler *handler;

	if (!library)
		return probe_err_create("cannot be loaded: %s", dlerror());
	handler = dlsym(library, PROBE_HANDLER_SYMBOL);
	if (handler)
		return check_handler(path, handler, ret);
	return probe_err_create("%s: not a handler: it has no symbol %s", path,
				PROBE_HANDLER_SYMBOL);
}

static struct probe_err *describe_child(void *user, FILE *out)
{
	struct probe_handler handler;
	struct probe_err *err = run_plugin_load(user, &handler);

	if (err)
		return err;
	probe_put_u32(out, handler.streams);
	probe_put_string(out, handler.name);
	probe_put_string(out, handler.summary ? handler.summary : "");
	return NULL;
}

static struct probe_err *read_description(struct probe_buf *buf, struct probe_handler *ret)
{
	const char *name, *summary;
	uint32_t streams;
	struct probe_err *err = probe_buf_u32(buf, &streams);

	if (err)
		return err;
	err = probe_buf_string(buf, &name);
	if (err)
		return err;
	err = probe_buf_string(buf, &summary);
	if (err)
		return err;
	if (!name_valid(name))
		return probe_buf_error(buf, "the name is malformed");
	*ret = (struct probe_handler){
		.streams = streams, .name = strdup(name), .summary = strdup(summary)};
	return ret->name && ret->summary ? NULL : probe_err_oom();
}

/* The caller destroys *ret after an error as well. Takes ownership of the path. */
static struct probe_err *describe(char *path, struct run_plugin *ret)
{
	PROBE_AUTO_FREE uint8_t *answer = NULL;
	PROBE_AUTO_FREE char *what = NULL;
	struct probe_buf buf;
	struct probe_err *err;
	size_t size = 0;

	ret->path = path;
	if (asprintf(&what, "loading %s", path) < 0) {
		what = NULL;
		return probe_err_oom();
	}
	err = probe_child_run_with_files(what, describe_child, path, &answer, &size);
	if (err)
		return err;
	probe_buf_init(&buf, path, answer, size);
	return read_description(&buf, &ret->handler);
}

static void plugin_deinit(struct run_plugin *plugin)
{
	free(plugin->path);
	free((char *)plugin->handler.name);
	free((char *)plugin->handler.summary);
}

/* `name` is a path if it contains '/', else a name in the installation's directory. */
static char *plugin_path(const struct run_layout *layout, const char *name)
{
	char *ret;

	if (strchr(name, '/'))
		return strdup(name);
	return asprintf(&ret, "%s/%s.so", layout->handlers, name) < 0 ? NULL : ret;
}

static struct probe_err *check_file(const char *name, const char *path)
{
	struct stat st;

	if (!strchr(name, '/') && (!name_valid(name) || access(path, F_OK)))
		return probe_err_create("no handler '%s' in %.*s; probe-run --list shows the "
					"handlers; one of your own needs its path, such as "
					"./mine.so",
					name, (int)(strrchr(path, '/') - path), path);
	if (stat(path, &st))
		return probe_err_create("handler %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return probe_err_create("handler %s is not a file", path);
	return NULL;
}

static struct probe_err *find_one(const struct run_layout *layout, const char *name, size_t spec,
				  struct run_plugins *ret)
{
	char *path = plugin_path(layout, name);
	struct run_plugin plugin = {.spec = spec};
	struct probe_err *err;

	if (!path)
		return probe_err_oom();
	err = check_file(name, path);
	if (err) {
		free(path);
		return err;
	}
	err = describe(path, &plugin);
	if (err) {
		plugin_deinit(&plugin);
		return probe_err_wrap(err, "handler %s refused", name);
	}
	ret->items[ret->count++] = plugin;
	ret->streams |= plugin.handler.streams;
	return NULL;
}

struct probe_err *run_plugins_find(const struct run_config *config, const struct run_layout *layout,
				   struct run_plugins *ret)
{
	struct probe_err *err = NULL;

	*ret = (struct run_plugins){
		.items = calloc(config->handler_count + 1, sizeof(*ret->items)),
	};
	if (!ret->items)
		return probe_err_oom();
	for (size_t i = 0; i < config->handler_count && !err; i++)
		err = find_one(layout, config->handlers[i].name, i, ret);
	return err;
}

void run_plugins_deinit(struct run_plugins *plugins)
{
	for (size_t i = 0; i < plugins->count; i++)
		plugin_deinit(&plugins->items[i]);
	free(plugins->items);
	*plugins = (struct run_plugins){0};
}

static int is_plugin(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && dot != entry->d_name && !strcmp(dot, ".so");
}

void run_plugins_list(const struct run_layout *layout, FILE *out)
{
	struct dirent **entries = NULL;
	int count = scandir(layout->handlers, &entries, is_plugin, alphasort);

	for (int i = 0; i < count; i++) {
		struct run_plugin plugin = {0};
		struct probe_err *err;
		char *path = NULL, text[512];

		*strrchr(entries[i]->d_name, '.') = 0;
		path = plugin_path(layout, entries[i]->d_name);
		err = path ? describe(path, &plugin) : probe_err_oom();
		if (err) {
			probe_err_format(err, text, sizeof(text));
			fprintf(out, "  %-16s (refused: %s)\n", entries[i]->d_name, text);
			probe_err_destroy(err);
		} else {
			fprintf(out, "  %-16s %s\n", entries[i]->d_name, plugin.handler.summary);
		}
		plugin_deinit(&plugin);
		free(entries[i]);
	}
	free(entries);
	if (count <= 0)
		fprintf(out, "  (none in %s)\n", layout->handlers);
}
