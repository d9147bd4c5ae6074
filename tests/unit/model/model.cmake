# SPDX-License-Identifier: MIT
if(PROBE_BUILD_REPORT)
	probe_unit_tests(model LIBRARIES probe_model)
endif()
