-- SPDX-License-Identifier: MIT
-- Probe's own tables, for what ROCpd has no tables. PRAGMA user_version is their version; it
-- increases when a table or the meaning of a column changes. The view probe_words has the words for
-- numbers in the columns access, space, kind, verdict, method, unit, and in probe_state. 64-bit values
-- are stored as SQLite's signed integers, bit for bit.

-- Facts of the run by name: command, versions, exit status, partial flag and its reason.
CREATE TABLE probe_run (
	key TEXT PRIMARY KEY NOT NULL,
	value
) WITHOUT ROWID;

-- Bytes of a code object as the runtime loaded it; hash is SHA-256 in hex.
CREATE TABLE probe_code (
	code_object_id INTEGER PRIMARY KEY NOT NULL,
	hash TEXT,
	bytes BLOB
);

-- Sites: probed accesses, blocks, regions, functions and messages. size: bytes per lane; unit: bytes
-- per instruction and lane; kinds: bit per probe kind, and bit 31 if the line is a likely one, because
-- the compiler removed that of the instruction; frames: JSON [{"file","function","line","column"}],
-- innermost caller first.
CREATE TABLE probe_site (
	code_object_id INTEGER NOT NULL,
	site INTEGER NOT NULL,
	file TEXT NOT NULL,
	line INTEGER NOT NULL,
	"column" INTEGER NOT NULL,
	function TEXT NOT NULL,
	access INTEGER NOT NULL,
	space INTEGER NOT NULL,
	size INTEGER NOT NULL,
	unit INTEGER NOT NULL,
	align INTEGER NOT NULL,
	owner TEXT NOT NULL,
	kinds INTEGER NOT NULL,
	frames TEXT NOT NULL DEFAULT '[]',
	PRIMARY KEY (code_object_id, site)
) WITHOUT ROWID;

-- Accesses that no probe covers, and calls that may make some; reason as enum
-- probe_uncovered_reason, text says it in words.
CREATE TABLE probe_uncovered (
	code_object_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	file TEXT NOT NULL,
	line INTEGER NOT NULL,
	"column" INTEGER NOT NULL,
	function TEXT NOT NULL,
	what TEXT NOT NULL,
	reason INTEGER NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (code_object_id, number)
) WITHOUT ROWID;

-- Memory that the application allocated through the runtime. source as enum
-- probe_allocation_source; site: call site of the allocation, innermost call first, one per line;
-- first_dispatch, last_dispatch: the range of dispatches launched while it was allocated (last: NULL
-- if it was never freed).
CREATE TABLE probe_allocation (
	id INTEGER PRIMARY KEY NOT NULL,
	address INTEGER NOT NULL,
	size INTEGER NOT NULL,
	source INTEGER NOT NULL,
	site TEXT NOT NULL,
	first_dispatch INTEGER NOT NULL,
	last_dispatch INTEGER
);

-- Call stacks of launches, with probe-run --call-stacks. frames: the calls, innermost first, one per
-- line: file:line, or path+0xoffset without debug information.
CREATE TABLE probe_stack (
	id INTEGER PRIMARY KEY NOT NULL,
	frames TEXT NOT NULL
);

CREATE TABLE probe_launch (
	dispatch_id INTEGER PRIMARY KEY NOT NULL,
	stack_id INTEGER NOT NULL
);

-- Text of source lines, copied when the program ran: of headers, those that sites name.
CREATE TABLE probe_source (
	file TEXT NOT NULL,
	line INTEGER NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (file, line)
) WITHOUT ROWID;

-- Files of which probe_source has every line: those of the user's with sites. hash: SHA-256, in hex;
-- modified: time of the last change, ns since 1970; newer: 1 if that was after the program was built.
CREATE TABLE probe_sourcefile (
	file TEXT PRIMARY KEY NOT NULL,
	hash TEXT NOT NULL,
	modified INTEGER NOT NULL,
	newer INTEGER NOT NULL
) WITHOUT ROWID;

-- Every dispatch, whether it ran instrumented or not and whether it completed or not. verdict: why
-- it did not run instrumented; times are in rocpd_kernel_dispatch, for those that completed.
CREATE TABLE probe_dispatch (
	dispatch_id INTEGER PRIMARY KEY NOT NULL,
	kernel_id INTEGER NOT NULL,
	launched_kernel_id INTEGER NOT NULL,
	kind INTEGER NOT NULL,
	verdict INTEGER NOT NULL,
	queue_id INTEGER NOT NULL,
	agent INTEGER NOT NULL,
	grid_x INTEGER NOT NULL,
	grid_y INTEGER NOT NULL,
	grid_z INTEGER NOT NULL,
	group_x INTEGER NOT NULL,
	group_y INTEGER NOT NULL,
	group_z INTEGER NOT NULL,
	lds_aperture INTEGER NOT NULL,
	scratch_aperture INTEGER NOT NULL,
	completed INTEGER NOT NULL DEFAULT 0
);

-- The same, dispatches of one kernel, clone, agent and launch shape as one row: how many, the first of
-- them, how many have times, and their sum in ns. Written when a recording ends; empty if that did
-- not happen, or if there are over 65536 rows: then sum up probe_dispatch.
CREATE TABLE probe_dispatchsum (
	kernel_id INTEGER NOT NULL,
	launched_kernel_id INTEGER NOT NULL,
	kind INTEGER NOT NULL,
	verdict INTEGER NOT NULL,
	agent INTEGER NOT NULL,
	grid_x INTEGER NOT NULL,
	grid_y INTEGER NOT NULL,
	grid_z INTEGER NOT NULL,
	group_x INTEGER NOT NULL,
	group_y INTEGER NOT NULL,
	group_z INTEGER NOT NULL,
	first_dispatch INTEGER NOT NULL,
	dispatches INTEGER NOT NULL,
	timed INTEGER NOT NULL,
	ns INTEGER
);

-- Device counters of a site in one dispatch, as enum probe_counter names them.
CREATE TABLE probe_counter (
	dispatch_id INTEGER NOT NULL,
	code_object_id INTEGER NOT NULL,
	site INTEGER NOT NULL,
	executions INTEGER NOT NULL,
	lanes INTEGER NOT NULL,
	quads INTEGER NOT NULL,
	lines64 INTEGER NOT NULL,
	needed64 INTEGER NOT NULL,
	excess64 INTEGER NOT NULL,
	lines128 INTEGER NOT NULL,
	needed128 INTEGER NOT NULL,
	excess128 INTEGER NOT NULL,
	passes INTEGER NOT NULL,
	ideal_passes INTEGER NOT NULL,
	affine INTEGER NOT NULL,
	max_way INTEGER NOT NULL,
	stride_hi INTEGER NOT NULL,
	stride_lo INTEGER NOT NULL,
	spare INTEGER NOT NULL
);

-- Records of the trace and time kinds as the device wrote them, in the order of reading: blocks of
-- spans. spans: which dispatch and ring the bytes are of (store/record_block.h); both are Zstandard
-- frames. size: of the bytes, uncompressed; dispatches from first to last may be in it.
CREATE TABLE probe_record (
	id INTEGER PRIMARY KEY,
	first_dispatch INTEGER NOT NULL,
	last_dispatch INTEGER NOT NULL,
	size INTEGER NOT NULL,
	spans BLOB NOT NULL,
	bytes BLOB NOT NULL
);

-- PC sampling: one row per agent that was sampled.
CREATE TABLE probe_sampler (
	agent INTEGER PRIMARY KEY NOT NULL,
	method INTEGER NOT NULL,
	unit INTEGER NOT NULL,
	interval INTEGER NOT NULL,
	provider TEXT NOT NULL
);

-- Samples by instruction. offset: bytes from the code object's load_base; lanes: active lanes, summed;
-- waves: waves on the compute unit, summed (stochastic).
CREATE TABLE probe_sample (
	code_object_id INTEGER NOT NULL,
	offset INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	lanes INTEGER NOT NULL,
	waves INTEGER NOT NULL,
	dual INTEGER NOT NULL,
	PRIMARY KEY (code_object_id, offset)
) WITHOUT ROWID;

-- The same by state (stochastic). issued 1: code is rocprofiler-sdk's instruction type (domain
-- 'issued' in probe_words); 0: its reason for not issuing ('stalled').
CREATE TABLE probe_state (
	code_object_id INTEGER NOT NULL,
	offset INTEGER NOT NULL,
	issued INTEGER NOT NULL,
	code INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	PRIMARY KEY (code_object_id, offset, issued, code)
) WITHOUT ROWID;

-- Dispatches that were sampled.
CREATE TABLE probe_sampled (
	dispatch_id INTEGER PRIMARY KEY NOT NULL,
	samples INTEGER NOT NULL
);

-- Samples by dispatch, instruction and state, packed (pcsample/profile.h): of several dispatches, with
-- ids from first to last; a dispatch may be in several rows.
CREATE TABLE probe_profile (
	id INTEGER PRIMARY KEY,
	first_dispatch INTEGER NOT NULL,
	last_dispatch INTEGER NOT NULL,
	bytes BLOB NOT NULL
);

-- Every record as delivered, with probe-run --pc-sampling-raw: count times 80 bytes,
-- little-endian: the record's 64 (pcsample/decode.h), dispatch_id u64 (0: none), code_object_id u32,
-- u32 1 if the record is good and its address in that code object, else 0.
CREATE TABLE probe_rawsample (
	id INTEGER PRIMARY KEY,
	agent INTEGER NOT NULL,
	count INTEGER NOT NULL,
	bytes BLOB NOT NULL
);

-- Accounting per stream of records: emitted = stored + unread + the sum of "dropped.<reason>".
-- Not in that sum, where they could not be counted: "unknown" dispatches, rings or samplers had records
-- that never came, at most "unknown_most" (no such row: no bound is known).
CREATE TABLE probe_account (
	stream TEXT NOT NULL,
	name TEXT NOT NULL,
	value INTEGER NOT NULL,
	PRIMARY KEY (stream, name)
) WITHOUT ROWID;

CREATE VIEW probe_loss AS
SELECT stream, substr(name, 9) AS reason, value
FROM probe_account
WHERE name LIKE 'dropped.%' AND value > 0;

-- Messages of the run; level 0 error, 1 warning, 2 information; time in ns, CLOCK_BOOTTIME.
CREATE TABLE probe_log (
	id INTEGER PRIMARY KEY,
	time INTEGER NOT NULL,
	level INTEGER NOT NULL,
	origin TEXT NOT NULL,
	text TEXT NOT NULL
);
