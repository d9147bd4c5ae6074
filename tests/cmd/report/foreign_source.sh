# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# A database may name any file: text comes only from those that its code object was compiled from, whichever verb asks.
sample run.db
cp "$data/codeobj/tile.hip" tile.hip
echo "not to be seen" >secret
sql run.db <<END
DELETE FROM probe_source;
INSERT INTO probe_code VALUES (1, 'hash', readfile('$data/codeobj/tile-dwarf5.co'));
UPDATE probe_site SET file = '$PWD/tile.hip', line = 29 WHERE site = 0;
UPDATE probe_site SET file = '$PWD/secret', line = 1 WHERE site > 0;
END
shown()
{
	probe-report lines --all run.db | grep ' | ' | grep -v -F '^' | sort -u
}
shown
echo "== changed"
echo >>tile.hip
shown
echo "== without checksums"
cp "$data/codeobj/tile.hip" tile.hip
sql run.db <<END
UPDATE probe_code SET bytes = readfile('$data/codeobj/tile-dwarf4.co');
END
shown
exit 0
