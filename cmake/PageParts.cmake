# SPDX-License-Identifier: MIT
# cmake -DSOURCE=report-html -DOUT=dir -P PageParts.cmake: joins the scripts of the page into one
# function and writes the hashes of both texts, which its content security policy lists.
file(STRINGS ${SOURCE}/files.txt names)
set(program "(() => {\n\"use strict\";\n")
foreach(name ${names})
	file(READ ${SOURCE}/${name} text)
	string(APPEND program "${text}")
endforeach()
string(APPEND program "})();\n")
file(WRITE ${OUT}/page.js "${program}")
file(READ ${SOURCE}/style.css style)
file(WRITE ${OUT}/page.css "${style}")
file(SHA256 ${OUT}/page.js program_hash)
file(SHA256 ${OUT}/page.css style_hash)
file(WRITE ${OUT}/page_hashes.h "/* Made by cmake/PageParts.cmake; do not edit. */
#define PAGE_PROGRAM_SHA256 \"${program_hash}\"
#define PAGE_STYLE_SHA256 \"${style_hash}\"
")
