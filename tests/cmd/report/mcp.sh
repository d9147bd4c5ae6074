# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
mkdir -p probe-out/host
sample probe-out/host/run.db
ask()
{
	probe-report mcp | jq -c "${1:-.}"
}
request() # ID METHOD PARAMS
{
	printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}\n' "$1" "$2" "${3:-{\}}"
}
echo "== start"
{
	request 1 initialize '{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}'
	echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	request '"two"' ping
} | ask 'del(.result.serverInfo.version?)'
echo "== tools, each with a schema"
request 1 tools/list | ask '.result.tools[] | [.name, (.inputSchema.properties | keys), .inputSchema.required]'
echo "== calls: the text is the verb's output"
request 1 tools/call '{"name":"list_runs"}' | ask '.result'
request 1 tools/call '{"name":"findings","arguments":{"kernel":"transpose","fields":"line,conflicts","limit":1}}' |
	ask '.result | .isError, (.content[0].text | fromjson)'
request 1 tools/call '{"name":"check","arguments":{"file":"probe-out/host/run.db","rules":["line.conflicts > 0"]}}' |
	ask '.result | .isError, (.content[0].text | fromjson | .[] | [.file, .line, .after])'
probe-report lines --all --format json -q probe-out/host/run.db >lines.json
request 1 tools/call '{"name":"lines","arguments":{"file":"probe-out/host/run.db"}}' |
	probe-report mcp | jq -r '.result.content[0].text' | jq -S . >answer
jq -S . lines.json | diff - answer && echo equal
echo "== errors"
{
	echo 'not json'
	echo '[]'
	request 1 nosuch
	request 1 tools/call '{"name":"nosuch"}'
	request 1 tools/call '{"name":"annotate","arguments":{}}'
	request 1 tools/call '{"name":"lines","arguments":{"limit":"many"}}'
	request 1 tools/call '{"name":"lines","arguments":{"output":"/tmp/x"}}'
	request 1 tools/call '{"name":"lines","arguments":{"file":"--help"}}'
	request 1 tools/call '{"name":"lines","arguments":{"file":"nosuch.db"}}'
	request 1 tools/call '[]'
} | ask '.error.message // .result.content[0].text'
echo "== no options"
probe-report mcp --help | head -1
probe-report mcp --x 2>&1 | head -1
