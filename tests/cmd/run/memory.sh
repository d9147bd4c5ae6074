# SPDX-License-Identifier: MIT
printf "line one\nline two\n" >source.hip
probe-run -a count --source-dir . "$FAKE_APP" connect announce="$PWD/source.hip" memory=3 refused=2 exit-record out=hello
echo
sqlite3 probe-out/*/*.db "SELECT * FROM probe_count_total; SELECT name, duration, grid_x FROM kernels;
	SELECT site, line, function, frames <> '[]' FROM probe_site; SELECT line, text FROM probe_source;
	SELECT dispatch_id, site, executions FROM probe_counter WHERE dispatch_id = 2;
	SELECT command, environment FROM rocpd_info_process; PRAGMA foreign_key_check; PRAGMA integrity_check;
	SELECT count(*) FROM probe_loss"
ls probe-out/*
