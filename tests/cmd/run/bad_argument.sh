# SPDX-License-Identifier: MIT
# Wrong arguments of a handler are reported before the program starts.
probe-run -a count:quick=1:bogus=2 -- echo started
echo $?
probe-run -a count,count:fail=open -- echo started
