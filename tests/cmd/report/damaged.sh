# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# Truncated at every page, and some hundred random bytes: a valid exit status, no signal.
sample run.db
size=$(wc -c <run.db)
bad=0
at=0
while [ "$at" -lt "$size" ]; do
	head -c "$at" run.db >cut.db
	probe-report lines cut.db >out 2>err
	[ $? = 1 ] && [ "$(wc -l <err)" = 1 ] || { bad=$((bad + 1)); cat err; }
	at=$((at + 16384))
done
echo "cuts that did not end in one message: $bad"
bad=0
i=0
while [ "$i" -lt 60 ]; do
	cp run.db mutant.db
	for k in 1 2 3; do
		where=$(((i * 7919 + k * 104729) * 31 % size))
		printf '\377' | dd of=mutant.db bs=1 seek="$where" conv=notrunc status=none
	done
	probe-report lines --all mutant.db >out 2>err
	[ $? -le 1 ] || { bad=$((bad + 1)); cat err; }
	i=$((i + 1))
done
echo "mutants that did not end with 0 or 1: $bad"
