/* SPDX-License-Identifier: MIT */
#if __has_include(<otf2/otf2.h>)
#include "cmds/report/otf2_library.h"

#include "cmds/report/optional_library.h"

struct otf2_functions otf2;

/* Of version 2 and 3, for which the headers are alike in what is used here. */
struct probe_err *otf2_load(void)
{
#define OTF2_ENTRY(name) {"OTF2_" #name, &otf2.name},
	static const struct optional_function functions[] = {
		OTF2_FUNCTIONS(OTF2_ENTRY){NULL, NULL},
	};

	return optional_library_load("libopen-trace-format2.so.10", "export --format otf2",
				     "libopen-trace-format2-10", functions);
}
#endif
