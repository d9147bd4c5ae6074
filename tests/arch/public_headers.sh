#!/bin/sh
# SPDX-License-Identifier: MIT
# public_headers.sh CC SOURCE: each header below include/ compiles alone, as C11 and as C++17.
set -eu
echo | "$1" -x c++ -fsyntax-only - || exit 77 # no C++ compiler
status=0
for header in $(cd "$2/include" && find . -name '*.h'); do
	for language in c:c11 c++:c++17; do
		echo "#include <${header#./}>" |
			"$1" -x "${language%%:*}" -std="${language#*:}" -I"$2/include" -Wall -Wextra -Werror \
				-fsyntax-only - || { echo "$header as $language" >&2; status=1; }
	done
done
exit "$status"
