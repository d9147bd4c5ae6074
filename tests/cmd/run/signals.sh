# SPDX-License-Identifier: MIT
# SIGTERM sent to probe-run reaches the program, and probe-run returns the program's exit status.
mkfifo ready never
probe-run -q sh -c 'trap "echo term; exit 5" TERM; cat never & echo >ready; wait' &
pid=$!
read -r _ <ready # the trap is set
kill -TERM $pid
wait $pid
echo $?
exec 9<>never # ends cat
# The same for SIGINT sent to probe-run alone (a shell starts background jobs with it ignored).
mkfifo ready2 never2
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' probe-run -q sh -c 'trap "echo int; exit 6" INT; cat never2 & echo >ready2; wait' &
pid=$!
read -r _ <ready2
kill -INT $pid
wait $pid
echo $?
exec 8<>never2
# A second signal ends probe-run, whatever the program does.
mkfifo ready3 caught3 never3
exec 6<>caught3 # the second signal may reach the program, too: then nobody reads its word
probe-run sh -c 'trap "echo ignored >caught3" TERM; echo >ready3; cat never3 & while kill -0 $!; do wait $!; done'  2>err.txt &
pid=$!
read -r _ <ready3
kill -TERM $pid
read -r word <&6
echo "$word"
kill -TERM $pid
wait $pid 2>/dev/null
echo $?
grep -c "ended by a second signal: the program still runs" err.txt
exec 7<>never3
