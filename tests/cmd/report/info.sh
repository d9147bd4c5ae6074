# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# A code object, a bundle in a program, a database.
probe-report info "$data/codeobj/tile-dwarf4.co" | sed "s|$data|DATA|"
cp "$data/codeobj/tile-dwarf5.co" copy.co
probe-report info --format json copy.co "$data/codeobj/tile-dwarf4.co" |
	jq -c '.[] | [.target, .sites, .line_rows, (.kernels[] | [.kernel, .file, .line, .vgprs, .clones])]'
sample run.db
sql run.db <<END
INSERT INTO probe_code VALUES (1, '', readfile('copy.co'));
END
probe-report info run.db
probe-report info --format csv copy.co
