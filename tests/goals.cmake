# SPDX-License-Identifier: MIT
# The tests that prove the goals of docs/reliability.md: `ctest -L R7` runs those of R7. A regular expression for the names
# each; arch.labels fails if a goal has no test.
set(goal_tests
	R1 "^(e2e.(transparent|habits|surroundings)|hsa.*.off|cmd.run.(status|soft_limits|close_fds|closed_files|exec|environment|strict_own_status))$"
	R2 "^(cmd.(kills|soak).*|cmd.run.(kill_.*|recover_.*|killed|ended_process|terminate_recorder)|e2e.dying_program|hsa.hard.leave_kill)$"
	R3 "^(e2e.overload|cmd.run.(own_count|lost|foreign_lock|impossible_counts|strict|strict_unknown)|e2e.dying_program|unit.record.recorder_slices|unit.wire.segment_.*)$"
	R4 "^cmd.oom"
	R5 "^(cmd.(call_errors.*|run.(disk_full|total_loss|few_descriptors|no_directory|exists))|unit.store.store_file)$"
	R6 "^(fuzz.(hostile_.*|corpus.*|databases|options)|cmd.run.(hostile|foreign_source)|cmd.report.(bad_database|damaged|hostile_.*|foreign_source)|unit.(codeobj.(hostile_bytes|dwarf_directories|compiled_sources)|record.spool|hsa.random_environment)|e2e.bad_input)"
	R7 "^(fuzz.cut_segments|cmd.report.(damaged|cut_.*)|unit.wire.segment_reader)"
	R8 "^(e2e.signal_handlers|cmd.run.(signals|group_signals)|arch.imports)$"
	R9 "^(hsa.fork.*|hsa.hard.fork|cmd.run.two_processes)$"
	R10 "^(hsa.leave.*|hsa.hard.(leave_.*|dlclose|lives)|unit.wire.segment_tsan)$"
	R11 "^(arch.(public_headers|abi)|cmd.run.(old_abi|new_abi|no_symbol|refused_handlers)|e2e.own_handler)$"
	R12 "^cmd.run.handler_"
	R13 "^(equal|fuzz.compile)"
	R14 "^(unit.simgpu.(isa_|tested_opcodes|untested_opcodes|vector_levels)|hip.(clocks|same_clock))"
	R15 "^arch")

get_property(all_tests DIRECTORY PROPERTY TESTS)
while(goal_tests)
	list(POP_FRONT goal_tests goal pattern)
	foreach(test ${all_tests})
		if(test MATCHES "${pattern}")
			set_property(TEST ${test} APPEND PROPERTY LABELS ${goal})
		endif()
	endforeach()
endwhile()
