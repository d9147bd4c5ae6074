# SPDX-License-Identifier: MIT
if(PROBE_BUILD_REPORT)
	probe_unit_tests(cmds/record LIBRARIES probe_cmd_record)
endif()
