#!/bin/sh
# SPDX-License-Identifier: MIT
# Rings that are filled 1, 4 and 16 times, by 1 to 64 waves: each record that the program itself counts is stored, or
# counted as dropped where it is. One query and the report show the loss, and --strict its exit status.
# Folder: cmds/record
. "$(dirname "$0")/lib.sh"

compile "$source/tests/e2e/overload.hip" overload

account()
{
	sqlite3 x.db "SELECT coalesce(sum(value), 0) FROM probe_account WHERE stream = 'trace' AND name $1"
}

# overload POLICY WAVES ROUNDS: some 270 bytes per wave and round, in rings of 64 KiB
overload()
{
	what="$2 waves, $3 rounds, $1"
	status=0
	rm -f x.db
	own=$(probe-run --device=sim -q -d . -o x.db --kind trace -a divergence --when-full "$1" --strict -- \
		./overload "$2" "$3" 2>err) || status=$?
	balanced x.db
	emitted=$(account "= 'emitted'") stored=$(account "= 'stored'") dropped=$(account "LIKE 'dropped%'")
	unknown=$(account "= 'unknown'")
	expect "$what: emitted" "$emitted" $((own + $2)) # a record for each wave, too
	expect "$what: unknown" "$unknown" 0
	expect "$what: delivered to a handler" "$(sqlite3 x.db "SELECT sum(executions) FROM probe_divergence_site")" \
		$((own - dropped))
	expect "$what: dropped because a ring was full" \
		"$(sqlite3 x.db "SELECT coalesce(sum(value), 0) FROM probe_account WHERE stream = 'trace' AND name = 'dropped.full'")" \
		"$dropped"
	if [ "$dropped" = 0 ]; then
		expect "$what: status" "$status" 0
		return
	fi
	expect "$what: status" "$status" 3
	probe-report summary x.db | grep -q "trace records: $stored recorded, $dropped dropped" ||
		fail "$what: the report does not show $dropped dropped records"
}

for rounds in 240 960 3840; do
	overload block 1 $rounds
	expect "$what: dropped" "$dropped" 0
	overload drop 1 $rounds
done
for policy in block drop sample:4; do
	overload $policy 8 3840
	overload $policy 64 960
done
