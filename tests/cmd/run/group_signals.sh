# SPDX-License-Identifier: MIT
# A signal that the program sends to its process group reaches it once, as without probe-run, and ends neither probe-run
# nor the recording. One that is sent to probe-run alone (here RTMIN, whose number is the highest, so that
# it comes after them) reaches the program.
for name in USR1 USR2 ALRM INT TERM; do
	setsid -w probe-run -q perl -MPOSIX -e '
		my ($name, $group, $alone) = (shift, 0, 0);
		my $wanted = POSIX::SigSet->new(SIGRTMIN);
		$SIG{$name} = sub { $group++ };
		$SIG{RTMIN} = sub { $alone++ };
		sigprocmask(SIG_BLOCK, $wanted);
		for my $round (1 .. 3) {
			kill $name => 0;
			kill RTMIN => getppid;
			sigsuspend(POSIX::SigSet->new) while $alone < $round;
		}
		print "$name: $group of the group, $alone forwarded\n";
		exit 8' $name
	echo "status $?"
done
# One that is for probe-run alone ends the program, and probe-run as the program.
setsid -w probe-run -q perl -e 'kill USR1 => getppid; sleep 1 while 1' 2>/dev/null
echo "status $?"
