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
# As timeout(1): first to probe-run, and after 10 ms of processor time to the group. The program sees one, as if it had
# been in probe-run's place and had not run in between.
mkfifo ready
for name in USR1 INT TERM; do
	setsid -w perl -MPOSIX -e '
		my $name = shift;
		my $run = fork // die;
		exec @ARGV unless $run;
		open(my $ready, "<", "ready") or die;
		$SIG{$name} = "IGNORE";
		kill $name => $run;
		my $until = POSIX::clock() + 10000;
		1 while POSIX::clock() < $until;
		kill $name => 0;
		kill RTMIN => $run;
		waitpid($run, 0)' $name probe-run -q perl -MPOSIX -e '
		my ($name, $seen, $end) = (shift, 0, 0);
		$SIG{$name} = sub { $seen++ };
		$SIG{RTMIN} = sub { $end++ };
		sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGRTMIN));
		open(my $ready, ">", "ready") or die;
		sigsuspend(POSIX::SigSet->new) until $end;
		print "$name: seen $seen\n"' $name
done
# One that is for probe-run alone ends the program, and probe-run as the program.
setsid -w probe-run -q perl -e 'kill USR1 => getppid; sleep 1 while 1' 2>/dev/null
echo "status $?"
