# SPDX-License-Identifier: MIT
if(PROBE_BUILD_REPORT)
	probe_unit_tests(store LIBRARIES probe_store PkgConfig::ZSTD)
endif()
