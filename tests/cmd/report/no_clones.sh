# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# No kernel has a clone: lists the kernels, where they are declared, and how to compile.
database run.db
kernel run.db 1 'void ns::tile<32>(float*, float const*, int)' _ZN2ns4tileILi32EEEvPfPKfi
kernel run.db 2 copy copy
kernel run.db 3 gone gone
for id in 1 2 3; do dispatch run.db $id $id 3; done
dispatch run.db 4 2 3
sql run.db <<END
INSERT INTO probe_code VALUES (1, '', readfile('$data/codeobj/tile-dwarf5.co'));
INSERT INTO probe_account VALUES ('dispatches', 'seen', 4), ('dispatches', 'completed', 4),
	('dispatches', 'swapped', 0), ('dispatches', 'refused.no_clone', 4);
END
probe-report lines run.db
echo "-- json"
probe-report lines --format json run.db
echo "-- csv"
probe-report lines --format csv -f file,line run.db
echo "-- off"
sql run.db <<'END'
UPDATE probe_dispatch SET verdict = 1;
END
probe-report lines run.db | grep -A1 "as requested by"
echo "-- nothing launched"
database empty.db
probe-report lines empty.db
echo "-- another handler"
sample other.db
sql other.db <<'END'
DROP TABLE probe_memory_site;
END
probe-report lines other.db | sed -n 4p
probe-report kernels --format csv -f kernel,cycles other.db
echo "== sampled only: no probes in the head, and the verb that shows samples"
database sampled.db
kernel sampled.db 1 'copy(int*)' _Z4copyPi
dispatch sampled.db 1 1 1
sql sampled.db <<'END'
INSERT INTO probe_sampler VALUES (1, 1, 1, 256, 'simulated');
INSERT INTO probe_sample VALUES (1, 64, 5, 320, 40, 0);
END
probe-report lines sampled.db | head -5
probe-report sampled.db | sed -n '/^position/,/^where waves/p'
echo "== sampled, but without samples; the same for a run that was killed"
sqlite3 sampled.db 'DELETE FROM probe_sample'
for partial in 0 1; do
	sqlite3 sampled.db "INSERT OR REPLACE INTO probe_run VALUES ('partial', $partial)"
	probe-report sampled.db | grep -e '^sampled' -e 'was sampled'
	probe-report samples sampled.db | grep '^no samples'
	probe-report flame sampled.db 2>&1
done
echo "== compiled for another kind, and without anything to probe"
sql run.db <<'EOF'
UPDATE probe_dispatch SET verdict = 3;
INSERT INTO probe_account VALUES ('dispatches', 'no_clone.kind', 3), ('dispatches', 'no_clone.empty', 1);
INSERT OR REPLACE INTO probe_run VALUES ('no_clone.kind', 'compiled with KINDS'),
	('no_clone.empty', 'nothing is probed'), ('filters', '--filter-x 1:3');
EOF
probe-report lines run.db | grep -e filters -e "compile" -e "is probed"
echo "== kernels for another GPU: only the runtime's own ran, or none"
sql run.db <<'EOF'
INSERT INTO probe_run VALUES ('foreign_code', 'none of its kernels could run: WHY');
EOF
probe-report lines run.db | sed -n '/^no records/p;/could run/,$p'
sql empty.db <<'EOF'
INSERT INTO probe_run VALUES ('foreign_code', 'none of its kernels could run: WHY');
EOF
probe-report lines empty.db
