#!/bin/sh
# SPDX-License-Identifier: MIT
# installed_links.sh BUILD: links between documents lead to files where `cmake --install` puts them.
set -eu
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --component documents --prefix "$prefix" >/dev/null
cd "$prefix/share/doc/probe"
[ -e README.md ] && [ -e docs/tutorial.md ] || { echo "documents are missing"; exit 1; }
find . -name '*.md' | while read -r file; do
	grep -o ']([^)]*)' "$file" | sed 's/^](//; s/)$//; s/#.*//' | grep -v -e '://' -e '^$' | sort -u |
		while read -r link; do
			[ -e "$(dirname "$file")/$link" ] || echo "$file: $link does not exist where it is installed"
		done
done >broken.txt
cat broken.txt
[ ! -s broken.txt ]
