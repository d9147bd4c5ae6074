# SPDX-License-Identifier: MIT
# cmake -DSOURCE=dir -DVERSION=x -DOUT=file -P ProbeVersion.cmake
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=10
	OUTPUT_VARIABLE id OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
	set(id "no git")
endif()
set(text "/* Made by cmake/ProbeVersion.cmake; do not edit. */
#define PROBE_VERSION \"${VERSION}\"
#define PROBE_GIT_ID \"${id}\"
")
set(old "")
if(EXISTS ${OUT})
	file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
	file(WRITE ${OUT} "${text}")
endif()
