# SPDX-License-Identifier: MIT
# cmake -DOUT=file.c -DIN=a.sql;b.sql -P embed.cmake: each file as a NUL-terminated C array named
# probe_sql_<file name without suffix>.
set(text "/* Made by store/embed.cmake; do not edit. */\n#include \"store/store_sql.h\"\n")
foreach(file ${IN})
	get_filename_component(name ${file} NAME_WE)
	file(READ ${file} hex HEX)
	string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
	string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
	string(APPEND text "\nconst char probe_sql_${name}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${text}")
