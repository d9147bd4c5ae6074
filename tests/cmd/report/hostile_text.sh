# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# Bytes that terminals interpret, quotes, tabs, broken UTF-8: all are escaped, and JSON stays valid.
sample run.db
sql run.db <<'END'
UPDATE rocpd_info_kernel_symbol_t SET display_name = char(27) || '[31m"k\' || char(0x9b) || char(10) || 'x' WHERE id = 1;
UPDATE probe_source SET text = char(9) || 'int ' || char(0x3b1) || '=' || char(9) || 'p["x"];' WHERE line = 12;
UPDATE probe_site SET "column" = 13 WHERE site = 0;
UPDATE probe_source SET text = CAST(X'6f75745bff5d3b0d' AS TEXT), file = 'a' || char(7) || '.hip' WHERE line = 13;
UPDATE probe_site SET frames = '{not json', file = 'a' || char(7) || '.hip' WHERE site = 1;
UPDATE probe_memory_site SET cause = 'a,"b"' || char(0x202e), fix = char(13) WHERE id = 2;
END
probe-report lines --color never run.db | sed -n '4,/^$/p'
probe-report lines --format json run.db | jq -c '.[] | [.file, .kernel, .cause, .fix, .source, .inlined]'
probe-report lines --format csv -f file,kernel,cause,fix,source run.db
# A gate's files: no bytes that end a line or an annotation early, no direction marks, valid XML and JSON.
sql run.db <<'END'
UPDATE rocpd_info_kernel_symbol_t SET display_name = '<script>"|' || char(0x202e) || char(10) || '::error::x%0A]]>&' || CAST(X'ff' AS TEXT) WHERE id = 1;
END
for format in github markdown junit sarif; do
	echo "== $format"
	probe-report check --fail-on 'line.conflicts > 0' --format $format run.db >gate 2>/dev/null
	case $format in
	junit) python3 -c 'import xml.dom.minidom; print(xml.dom.minidom.parse("gate").getElementsByTagName("failure")[0].firstChild.data.strip())' ;;
	sarif) jq -r '.runs[0].results[0] | .message.text, .locations[0].physicalLocation.artifactLocation.uri' gate ;;
	*) cat gate ;;
	esac
done
