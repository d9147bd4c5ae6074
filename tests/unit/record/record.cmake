# SPDX-License-Identifier: MIT
if(PROBE_BUILD_REPORT)
	probe_unit_tests(cmds/record LIBRARIES probe_cmd_record)
	target_link_options(unit_record_recorder_open PRIVATE -Wl,--wrap=calloc)
	target_link_options(unit_record_recorder_slices PRIVATE -Wl,--wrap=host_record_apply)
	target_link_options(unit_record_process_objects PRIVATE -Wl,--wrap=strcmp)
endif()
