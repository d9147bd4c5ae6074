# SPDX-License-Identifier: MIT
# Handlers, called as probe-run calls them by a host that keeps their rows (fake_host.h).
if(NOT TARGET probe_handler_memory)
	return()
endif()
set(handlers_test_dir ${CMAKE_CURRENT_LIST_DIR})

# probe_handler_test(NAME HANDLER PARTS...): NAME.c with the handler and what it consists of.
function(probe_handler_test name)
	add_executable(unit_handlers_${name} ${handlers_test_dir}/${name}.c)
	target_link_libraries(unit_handlers_${name} PRIVATE probe_handler_common ${ARGN} probe_rules
		probe_flags ${CMOCKA_LIBRARY} m)
	probe_test(NAME unit.handlers.${name} TIER unit FOLDER handlers COMMAND unit_handlers_${name})
endfunction()

foreach(name memory advice advice_classes advice_global advice_known advice_alignment advice_shape
	advice_damaged advice_swap advice_moved advice_shared advice_layout advice_line_use advice_lds lds_arrays)
	probe_handler_test(${name} probe_handler_memory probe_handler_advice)
endforeach()
probe_handler_test(many_kernels)
foreach(name divergence heatmap cache log race time)
	probe_handler_test(${name} probe_handler_${name})
endforeach()
# The n-th write fails.
target_link_options(unit_handlers_log PRIVATE -Wl,--wrap=write)
