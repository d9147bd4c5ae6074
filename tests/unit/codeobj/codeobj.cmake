# SPDX-License-Identifier: MIT
if(TARGET probe_codeobj)
	probe_unit_tests(codeobj LIBRARIES probe_codeobj)
	target_link_options(unit_codeobj_dwarf_directories PRIVATE -Wl,--wrap=dwarf_srcfiles)
	target_compile_definitions(unit_codeobj_dwarf_directories PRIVATE
		TEST_CORPUS="${CMAKE_SOURCE_DIR}/tests/fuzz/corpus")
endif()
