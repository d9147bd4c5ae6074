/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/process/tool.h"

#include <string.h>
#include <sys/uio.h>

struct probe_tool probe_tool;

void probe_tool_warn(const char *text)
{
	struct probe_hr_note row = {.level = PROBE_NOTE_WARNING,
				    .text_len = (uint32_t)strlen(text)};
	struct iovec parts[] = {{&row, sizeof(row)}, {(char *)text, row.text_len}};

	probe_segment_put_wait(&probe_tool.segment, PROBE_HR_NOTE, parts, 2, PROBE_LOAD_WAIT_NS);
}
