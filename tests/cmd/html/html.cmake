# SPDX-License-Identifier: MIT
# The HTML page in headless Chromium.
if(NOT PROBE_BUILD_REPORT)
	return()
endif()
find_program(CHROMIUM_PROGRAM chromium)
if(NOT CHROMIUM_PROGRAM)
	message(STATUS "Tests of the HTML page: no (needs chromium)")
	return()
endif()
probe_test(NAME cmd.html.page TIER cmd FOLDER report-html
	COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/page.sh $<TARGET_FILE:probe-report>)
probe_test(NAME cmd.html.keyboard TIER cmd FOLDER report-html
	COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/keyboard.sh $<TARGET_FILE:probe-report>)
