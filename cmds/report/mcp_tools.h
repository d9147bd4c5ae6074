/* SPDX-License-Identifier: MIT */
/*
 * The tools that Probe offers to an assistant by the Model Context Protocol. Each is a verb of
 * probe-report; its parameters become options.
 */
#ifndef PROBE_CMDS_REPORT_MCP_TOOLS_H
#define PROBE_CMDS_REPORT_MCP_TOOLS_H

#include <jansson.h>

/* The list for tools/list; NULL: out of memory. */
json_t *mcp_tools_list(void);

/*
 * Calls a tool. Returns the result for tools/call, whose text is the verb's output. NULL and *error
 * (a sentence that the caller frees): no such tool or parameter, or no memory.
 */
json_t *mcp_tools_call(const char *name, const json_t *arguments, char **error);

#endif
