/* SPDX-License-Identifier: MIT */
#include "common/source_path.h"

#include <stdbool.h>

void probe_source_path_clean(char *path)
{
	const char *from = path;
	char *to = path;

	while (*from) {
		bool begins = to == path || to[-1] == '/';

		if (begins && from[0] == '.' && from[1] == '/')
			from += 2;
		else if (begins && *from == '/' && from > path)
			from++;
		else
			*to++ = *from++;
	}
	*to = 0;
}
