/* SPDX-License-Identifier: MIT */
#include "cmds/options/handler_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/options/run_options.h"
#include "common/err.h"

/*
 * Split "name:key=value:..." at its colons; the words share one allocation, which begins at name.
 */
static struct probe_err *parse_handler(const char *text, size_t len, struct run_handler_spec *ret)
{
	char *copy = strndup(text, len);
	size_t count = 0;
	char *rest = copy;

	if (!copy)
		return probe_err_oom();
	for (size_t i = 0; i < len; i++)
		count += copy[i] == ':';
	ret->args = calloc(count + 1, sizeof(*ret->args));
	ret->name = strsep(&rest, ":");
	if (!ret->args) {
		free(copy);
		*ret = (struct run_handler_spec){0};
		return probe_err_oom();
	}
	while (rest) {
		char *word = strsep(&rest, ":");

		ret->args[ret->arg_count++] = word;
		if (!strchr(word, '=') || *word == '=')
			return probe_err_create("--analyze: '%s' of '%.*s' is not KEY=VALUE", word,
						(int)len, text);
	}
	if (!*ret->name)
		return probe_err_create("--analyze: a handler without a name in '%.*s'", (int)len,
					text);
	return NULL;
}

static void spec_deinit(struct run_handler_spec *spec)
{
	free(spec->name); /* the words after the name are in the same allocation */
	free(spec->args);
}

static bool same(const struct run_handler_spec *a, const struct run_handler_spec *b)
{
	if (strcmp(a->name, b->name) || a->arg_count != b->arg_count)
		return false;
	for (size_t i = 0; i < a->arg_count; i++)
		if (strcmp(a->args[i], b->args[i]))
			return false;
	return true;
}

/* A second instance of a handler with the same arguments would only double its rows. */
static void drop_repeated(struct run_config *config)
{
	struct run_handler_spec *last = &config->handlers[config->handler_count - 1];

	for (size_t i = 0; i + 1 < config->handler_count; i++)
		if (same(&config->handlers[i], last)) {
			run_config_drop_handler(config, config->handler_count - 1);
			return;
		}
}

void run_config_drop_handler(struct run_config *config, size_t index)
{
	struct run_handler_spec *handler = &config->handlers[index];

	spec_deinit(handler);
	config->handler_count--;
	memmove(handler, handler + 1, (config->handler_count - index) * sizeof(*handler));
}

void run_handler_text(const struct run_handler_spec *spec, char *text, size_t size)
{
	size_t n = (size_t)snprintf(text, size, "%s", spec->name);

	for (size_t i = 0; i < spec->arg_count && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, ":%s", spec->args[i]);
}

void run_config_free_handlers(struct run_config *config)
{
	for (size_t i = 0; i < config->handler_count; i++)
		spec_deinit(&config->handlers[i]);
	free(config->handlers);
}

struct probe_err *run_config_handlers(struct run_config *config, const char *list)
{
	for (;;) {
		size_t len = strcspn(list, ",");
		struct run_handler_spec *grown;
		struct probe_err *err;

		grown = realloc(config->handlers, (config->handler_count + 1) * sizeof(*grown));
		if (!grown)
			return probe_err_oom();
		config->handlers = grown;
		grown[config->handler_count] = (struct run_handler_spec){0};
		err = parse_handler(list, len, &grown[config->handler_count++]);
		if (!err)
			drop_repeated(config);
		if (err || !list[len])
			return err;
		list += len + 1;
	}
}
