# SPDX-License-Identifier: MIT
# A daemon that outlives the program and has not used a GPU yet: probe-run says that it is not recorded. One that has an
# environment without Probe's variables is none of its business.
mkfifo first second
for daemon in "cat first" "env -i cat second"; do
	probe-run -d out --force -o x.db sh -c 'setsid $1 >/dev/null 2>&1 & shift; exec "$@"' sh "$daemon" "$FAKE_APP" connect announce=x memory=1 exit-record 2>said
	echo "$daemon: status $?, $(grep -c "still runs (cat, process [0-9]*): .* not recorded$" said) said"
done
: >first
: >second
