# SPDX-License-Identifier: MIT
if(TARGET probe_codeobj)
	probe_unit_tests(codeobj LIBRARIES probe_codeobj)
endif()
