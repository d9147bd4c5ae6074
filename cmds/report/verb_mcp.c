/* SPDX-License-Identifier: MIT */
/*
 * probe-report mcp: a server of the Model Context Protocol on standard input and output, through
 * which assistants read runs. It uses JSON-RPC 2.0, one message per line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/report/mcp_tools.h"
#include "cmds/report/verb_table.h"
#include "probe_version.h"

enum {
	PARSE_ERROR = -32700,
	INVALID_REQUEST = -32600,
	METHOD_NOT_FOUND = -32601,
	INVALID_PARAMS = -32602,
};

static void write_message(json_t *message)
{
	if (message)
		json_dumpf(message, stdout, JSON_COMPACT);
	putchar('\n');
	fflush(stdout);
	json_decref(message);
}

static void write_result(json_t *id, json_t *result)
{
	write_message(json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result));
}

static void write_error(json_t *id, int code, const char *text)
{
	json_t *null = json_null();

	write_message(json_pack("{s:s, s:O, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", id ? id : null,
				"error", "code", code, "message", text));
}

/* The requested protocol version if its tools have the format used here; else the newest known. */
static const char *version_of(const json_t *parameters)
{
	static const char *const known[] = {"2025-06-18", "2025-03-26", "2024-11-05"};
	const char *asked = json_string_value(json_object_get(parameters, "protocolVersion"));

	for (size_t i = 0; asked && i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(asked, known[i]))
			return known[i];
	return known[0];
}

static void call_tool(json_t *id, const json_t *parameters)
{
	const char *name = json_string_value(json_object_get(parameters, "name"));
	const json_t *arguments = json_object_get(parameters, "arguments");
	char *error = NULL;
	json_t *result;

	if (!name || (arguments && !json_is_object(arguments))) {
		write_error(id, INVALID_PARAMS,
			    "tools/call: expected a name and an object of arguments");
		return;
	}
	result = mcp_tools_call(name, arguments, &error);
	if (result)
		write_result(id, result);
	else
		write_error(id, INVALID_PARAMS, error ? error : "out of memory");
	free(error);
}

static void answer(json_t *id, const char *method, const json_t *parameters)
{
	if (!strcmp(method, "initialize"))
		write_result(id, json_pack("{s:s, s:{s:{}}, s:{s:s, s:s}}", "protocolVersion",
					   version_of(parameters), "capabilities", "tools",
					   "serverInfo", "name", "probe-report", "version",
					   PROBE_VERSION));
	else if (!strcmp(method, "ping"))
		write_result(id, json_object());
	else if (!strcmp(method, "tools/list"))
		write_result(id, json_pack("{s:o}", "tools", mcp_tools_list()));
	else if (!strcmp(method, "tools/call"))
		call_tool(id, parameters);
	else
		write_error(id, METHOD_NOT_FOUND, "no such method");
}

static void handle_line(const char *line, size_t size)
{
	json_t *message = json_loadb(line, size, 0, NULL), *id;
	const char *method;

	if (!message) {
		write_error(NULL, PARSE_ERROR, "not JSON");
		return;
	}
	id = json_object_get(message, "id");
	method = json_string_value(json_object_get(message, "method"));
	if (!method)
		write_error(id, INVALID_REQUEST, "not a request");
	else if (id) /* a message without an id is a notification and gets no response */
		answer(id, method, json_object_get(message, "params"));
	json_decref(message);
}

static int mcp(int argc, char **argv)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	if (argc > 1) {
		bool help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");

		fprintf(help ? stdout : stderr,
			"%sprobe-report mcp: serves runs below the current folder to an assistant, by\n"
			"the Model Context Protocol on standard input and output. It has no options.\n"
			"docs/how-to/assistants.md says how to register it.\n",
			help ? "" : "probe: ");
		return help ? 0 : 2;
	}
	while ((size = getline(&line, &room, stdin)) > 0)
		if (strspn(line, " \t\r\n") < (size_t)size)
			handle_line(line, (size_t)size);
	free(line);
	return 0;
}

const struct report_verb report_verb_mcp = {
	.name = "mcp",
	.help = "serve runs to an assistant (Model Context Protocol on standard input and output)",
	.command = mcp,
};
