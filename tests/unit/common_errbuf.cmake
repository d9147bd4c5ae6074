# SPDX-License-Identifier: MIT
add_executable(unit_common_err_buf ${CMAKE_CURRENT_LIST_DIR}/common_err_buf.c)
target_link_libraries(unit_common_err_buf PRIVATE probe_common probe_flags ${CMOCKA_LIBRARY})
probe_test(NAME unit.common.err_buf TIER unit FOLDER common COMMAND unit_common_err_buf)
