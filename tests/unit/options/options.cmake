# SPDX-License-Identifier: MIT
if(PROBE_BUILD_REPORT)
	probe_unit_tests(cmds/options LIBRARIES probe_cmd_options)
endif()
