# SPDX-License-Identifier: MIT
# PC samples of a real code object (tests/data/codeobj/README): by line, kernel and instruction.
. "$(dirname "$0")/database.inc"
database run.db
sql run.db <<END
UPDATE rocpd_info_code_object_t SET load_base = 0x7f0000000000, load_delta = 0x7f0000000000 - 0x1000;
INSERT INTO probe_code VALUES (1, 'x', readfile('$data/codeobj/tile-dwarf5.co'));
INSERT INTO probe_sampler VALUES (1, 1, 1, 1048576, 'simulated');
-- s_waitcnt at 0x1818: 300 stalled; global_load at 0x1810: 100 issued; tile at 0x1d48
INSERT INTO probe_sample VALUES (1, 0x818, 300, 300 * 64, 2400, 0), (1, 0x810, 100, 6400, 800, 0),
	(1, 0xd48, 60, 60 * 32, 240, 2), (1, 0x4, 1, 64, 1, 0);
INSERT INTO probe_state VALUES (1, 0x818, 0, 3, 290), (1, 0x818, 0, 1, 10), (1, 0x810, 1, 7, 100),
	(1, 0xd48, 1, 1, 40), (1, 0xd48, 0, 6, 15), (1, 0xd48, 0, 7, 5), (1, 0x4, 0, 5, 1);
END
for by in line kernel instruction; do
	echo "== $by"
	probe-report samples --by $by run.db | sed -n '/samples/,/^$/p'
done
echo "== addresses after the end of a kernel belong to no kernel, except after the last one"
sql run.db <<END
INSERT INTO probe_sample VALUES (1, 0x824, 7, 7, 7, 0), (1, 0x828, 5, 5, 5, 0);
END
probe-report samples --by instruction --format csv -f kernel,offset,samples run.db | grep -e ',7$' -e ',5$'
sql run.db <<END
DELETE FROM probe_sample WHERE offset IN (0x824, 0x828);
END
echo "== loaded again, the code is the same"
sqlite3 run.db "CREATE TABLE again AS SELECT * FROM rocpd_info_code_object_t WHERE id = 1;
	UPDATE again SET id = 2; INSERT INTO rocpd_info_code_object_t SELECT * FROM again; DROP TABLE again;
	INSERT INTO probe_code SELECT 2, hash, bytes FROM probe_code;
	INSERT INTO probe_sample VALUES (2, 0x818, 30, 30 * 64, 240, 0)"
for by in line kernel instruction; do
	probe-report samples --by $by --format csv -f kernel,samples,code_object -n 1 run.db
done
sqlite3 run.db "UPDATE probe_code SET hash = 'y' WHERE code_object_id = 2"
probe-report samples --by kernel --format csv -f kernel,samples,code_object run.db
sqlite3 run.db "DELETE FROM probe_sample WHERE code_object_id = 2"
echo "== notes are of the samples that -k and -d select: of dispatch 1, 50 samples of copy; of dispatch 2, 40 of tile"
probe-report samples -k tile run.db | grep few
probe-report samples -k copy run.db | grep few
sql run.db <<END
INSERT INTO probe_profile VALUES (1, 1, 1, x'01010194860432'), (2, 2, 2, x'02010194d20628');
END
kernel run.db 5 copy copy
dispatch run.db 1 5 1
dispatch run.db 2 5 1
probe-report samples -d 1 run.db | grep few
probe-report samples -d 2 run.db | grep few
echo "== one kernel, csv"
probe-report samples -k tile --format csv -f kernel,samples,share,arbiter,lanes run.db
probe-report samples --by thread run.db 2>&1
sql run.db <<END
DROP TABLE probe_sample;
END
probe-report samples run.db 2>&1
