# SPDX-License-Identifier: MIT
probe-run -q sh -c "trap \"echo term; exit 5\" TERM; sleep 5 & wait" &
pid=$!
sleep 0.3
kill -TERM $pid
wait $pid
echo $?
