# SPDX-License-Identifier: MIT
# SIGTERM sent to probe-run reaches the program, whose exit status is passed on.
mkfifo ready never
probe-run -q sh -c 'trap "echo term; exit 5" TERM; cat never & echo >ready; wait' &
pid=$!
read -r _ <ready # the trap is set
kill -TERM $pid
wait $pid
echo $?
exec 9<>never # ends cat
