/* SPDX-License-Identifier: MIT */
#include "codeobj/instruction_text.h"

#include <string.h>

bool probe_text_begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

bool probe_instruction_terminates(const char *text)
{
	return probe_text_begins(text, "s_endpgm") || probe_text_begins(text, "s_branch") ||
	       probe_text_begins(text, "s_setpc");
}

const char *probe_instruction_memory(const char *text)
{
	if (probe_text_begins(text, "ds_"))
		return "lds";
	if (probe_text_begins(text, "global_") || probe_text_begins(text, "flat_") ||
	    probe_text_begins(text, "buffer_"))
		return "global";
	if (probe_text_begins(text, "s_load") || probe_text_begins(text, "s_buffer_load"))
		return "scalar";
	return probe_text_begins(text, "s_waitcnt") ? "wait" : "";
}
