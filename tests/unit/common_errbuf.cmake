# SPDX-License-Identifier: MIT
add_executable(unit_common_err_buf ${CMAKE_CURRENT_LIST_DIR}/common_err_buf.c)
target_link_libraries(unit_common_err_buf PRIVATE probe_common probe_flags ${CMOCKA_LIBRARY})
add_test(NAME common.err_buf COMMAND unit_common_err_buf)
