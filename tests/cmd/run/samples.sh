# SPDX-License-Identifier: MIT
# PC samples of a hand-written stream, counted by instruction, state and dispatch; every sample is
# in the accounting.
probe-run "$FAKE_APP" connect announce=x sampler=1 samples=800 samples=80 exit-record
sqlite3 probe-out/*/*.db "SELECT * FROM probe_sampler; SELECT * FROM probe_sample;
	SELECT issued, code, sum(samples) FROM probe_state GROUP BY 1, 2;
	SELECT * FROM probe_sampled;
	SELECT name, value FROM probe_account WHERE stream = 'samples'"
probe-run -o trap "$FAKE_APP" connect announce=x sampler=0 samples=800 exit-record
sqlite3 probe-out/trap.db "SELECT * FROM probe_sampler; SELECT sum(samples), sum(lanes) FROM probe_sample;
	SELECT count(*) FROM probe_state"
# By dispatch, packed; with --pc-sampling-raw also every record.
sqlite3 probe-out/*/*.db "SELECT first_dispatch, last_dispatch, length(bytes) < 2 * 880 FROM probe_profile;
	SELECT count(*) FROM probe_rawsample"
probe-run -o raw --pc-sampling-raw "$FAKE_APP" connect announce=x sampler=1 samples=2000 exit-record
# PC, dispatch, code object, valid: the first record, the last, and the one that is marked invalid
sqlite3 probe-out/raw.db "SELECT sum(count), sum(length(bytes)) = 80 * sum(count) FROM probe_rawsample;
	SELECT hex(substr(bytes, 1, 8)), hex(substr(bytes, 65, 16)) FROM probe_rawsample WHERE id = 1;
	SELECT hex(substr(bytes, -240, 8)), hex(substr(bytes, -176, 16)),
		hex(substr(bytes, -80, 8)), hex(substr(bytes, -16, 16)) FROM probe_rawsample
		ORDER BY id DESC LIMIT 1"
