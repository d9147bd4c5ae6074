# SPDX-License-Identifier: MIT
if(TARGET probe_pcsample)
	probe_unit_tests(pcsample LIBRARIES probe_pcsample)
endif()
