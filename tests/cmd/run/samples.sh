# SPDX-License-Identifier: MIT
# PC samples of a made stream: counted by instruction, state and dispatch; every one is in the account.
probe-run "$FAKE_APP" connect announce=x sampler=1 samples=800 samples=80 exit-record
sqlite3 probe-out/*/*.db "SELECT * FROM probe_sampler; SELECT * FROM probe_sample;
	SELECT issued, code, sum(samples) FROM probe_state GROUP BY 1, 2;
	SELECT * FROM probe_sampled;
	SELECT name, value FROM probe_account WHERE stream = 'samples'"
probe-run -o trap "$FAKE_APP" connect announce=x sampler=0 samples=800 exit-record
sqlite3 probe-out/trap.db "SELECT * FROM probe_sampler; SELECT sum(samples), sum(lanes) FROM probe_sample;
	SELECT count(*) FROM probe_state"
