# SPDX-License-Identifier: MIT
# The kernel forgets how children ended, if the shell that starts probe-run ignored SIGCHLD.
perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' probe-run -q -o ignored.db "$FAKE_APP" connect announce=x memory=1 exit-record exit=37
echo "$?"
probe-run -q "$FAKE_APP" connect announce=x memory=1 exit-record exit=37
