# SPDX-License-Identifier: MIT
# Manual pages, generated from --help by help2man, so that they cannot differ; shell completions.
install(FILES ${CMAKE_SOURCE_DIR}/completions/probe.bash
	DESTINATION share/bash-completion/completions RENAME probe-run)
foreach(alias probe-report probe-config)
	install(CODE "file(CREATE_LINK probe-run
		\"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/bash-completion/completions/${alias}\" SYMBOLIC)")
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/completions/_probe DESTINATION share/zsh/site-functions)
install(FILES ${CMAKE_SOURCE_DIR}/completions/probe.fish
	DESTINATION share/fish/vendor_completions.d)

find_program(HELP2MAN_PROGRAM help2man)
if(NOT HELP2MAN_PROGRAM)
	message(STATUS "Manual pages: no (needs help2man)")
	return()
endif()
foreach(name probe-run probe-report probe-config)
	if(NOT TARGET ${name})
		continue()
	endif()
	set(page ${CMAKE_BINARY_DIR}/man/${name}.1)
	add_custom_command(OUTPUT ${page}
		COMMAND ${HELP2MAN_PROGRAM} --no-info --include=${CMAKE_SOURCE_DIR}/docs/man/${name}.h2m
			--output=${page} $<TARGET_FILE:${name}>
		DEPENDS ${name} ${CMAKE_SOURCE_DIR}/docs/man/${name}.h2m VERBATIM)
	list(APPEND pages ${page})
endforeach()
add_custom_target(manuals ALL DEPENDS ${pages})
install(FILES ${pages} DESTINATION share/man/man1)
