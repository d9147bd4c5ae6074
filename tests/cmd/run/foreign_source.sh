# SPDX-License-Identifier: MIT
# Debug information may name any file: only sources are stored. The code object has no checksums and no directory.
mkdir tree
echo secret >secret
echo "int x;" >tree/a.hip
ln -s ../secret tree/link.hip
stored()
{
	echo "== $1${2:+, --source-dir $2}"
	probe-run -q --force -d . -o x.db ${2:+--source-dir $2} "$FAKE_APP" connect "announce=$1" exit-record
	sqlite3 x.db "SELECT count(*) FROM probe_source; SELECT count(*) FROM probe_sourcefile;
		SELECT count(*) FROM probe_log WHERE text LIKE '% is not stored: %'"
}
cd tree || exit
stored a.hip
stored ../secret
cd ..
stored tree/a.hip tree
stored tree/../secret tree
stored tree/link.hip tree
stored /usr/include/../../etc/hostname tree
stored /usr/include/elf.h tree
