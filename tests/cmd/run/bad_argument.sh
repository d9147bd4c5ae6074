# SPDX-License-Identifier: MIT
# What is wrong with a handler's arguments is told before the program starts.
probe-run -a count:quick=1:bogus=2 -- echo started
echo $?
probe-run -a count,count:fail=open -- echo started
