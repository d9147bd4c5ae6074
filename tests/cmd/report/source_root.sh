# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# Source lines are read from files, but only from regular files below the root.
sample run.db
sql run.db <<'END'
DELETE FROM probe_source;
UPDATE probe_site SET file = '/build/proj/src/a.hip' WHERE site = 0;
UPDATE probe_site SET file = '../secret.hip' WHERE site = 1;
END
mkdir -p tree/src
for i in 1 2 3 4 5 6 7 8 9 10 11; do echo; done >tree/src/a.hip
printf 'from the tree\r\n' >>tree/src/a.hip
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo; done >secret.hip
echo "not to be seen" >>secret.hip
echo "without a root"
probe-report lines run.db | grep -c ' | '
echo "with one"
probe-report lines --source-root tree run.db | grep ' | '
mkdir -p link/src
ln -s ../../secret.hip link/src/a.hip
mkfifo tree/secret.hip
echo "through a link, or from a pipe"
probe-report lines --source-root link run.db | grep -c ' | '
probe-report lines --source-root tree run.db | grep -c 'not to be seen'
exit 0
