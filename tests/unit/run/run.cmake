# SPDX-License-Identifier: MIT
if(PROBE_BUILD_REPORT)
	probe_unit_tests(cmds/run LIBRARIES probe_cmd_run)
endif()
