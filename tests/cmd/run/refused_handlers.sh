# SPDX-License-Identifier: MIT
# Each reason to refuse a plugin has its own sentence, and the program is not started.
for name in short_struct long_struct bad_name no_streams no_batch; do
	probe-run -a $name "$FAKE_APP" out=started
	echo " $?"
done
