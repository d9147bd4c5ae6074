/* SPDX-License-Identifier: MIT */
/*
 * What an assistant may ask for: tools of the Model Context Protocol, each of them a verb of
 * probe-report with the options that its parameters stand for.
 */
#ifndef PROBE_CMDS_REPORT_MCP_TOOLS_H
#define PROBE_CMDS_REPORT_MCP_TOOLS_H

#include <jansson.h>

/* The list for tools/list; NULL: out of memory. */
json_t *mcp_tools_list(void);

/*
 * Call a tool: the result for tools/call, whose text is what the verb printed. NULL and *error (a
 * sentence, to be freed): no such tool or parameter, or no memory.
 */
json_t *mcp_tools_call(const char *name, const json_t *arguments, char **error);

#endif
