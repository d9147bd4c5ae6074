-- Probes against the machine. Attached: `probed`, a run of the clones; `isa`: rows of isa_lines from
-- a run of the originals. One row per function, line, column, direction and LDS or not, since that
-- is all that the two have in common; sums, because several sites and instructions may share it.
CREATE TEMP VIEW site AS
SELECT s.owner, s.file, s.line, s."column" AS col,
	CASE s.access WHEN 1 THEN 'load' WHEN 2 THEN 'store' ELSE 'atomic' END AS access,
	CASE s.space WHEN 3 THEN 'lds' ELSE 'memory' END AS space,
	s.size / s.unit AS units, s.unit, m.*
FROM probed.probe_memory_site m
JOIN probed.probe_site s ON s.code_object_id = m.code_object AND s.site = m.site;

CREATE TEMP TABLE probes AS
SELECT owner, file, line, col, access, space, sum(executions * units) AS executions, sum(lanes * units) AS lanes,
	sum(lanes * units * unit) AS bytes, sum(quads) AS quads, sum(lines64) AS lines64, sum(lines128) AS lines128,
	sum(passes) AS passes, sum(conflicts) AS conflicts, group_concat(DISTINCT unit) AS widths
FROM site GROUP BY 1, 2, 3, 4, 5, 6;

CREATE TEMP TABLE machine AS
SELECT owner, replace(file, '/./', '/') AS file, line, col, access, space, sum(executions) AS executions, sum(lanes) AS lanes,
	sum(lanes * bytes) AS bytes, sum(quads) AS quads, sum(lines64) AS lines64, sum(lines128) AS lines128,
	sum(passes) AS passes, sum(conflicts) AS conflicts, group_concat(DISTINCT mnemonic) AS mnemonics
FROM isa WHERE owner NOT LIKE '\_\_probe\_%' ESCAPE '\'
	AND owner IN (SELECT owner FROM probed.probe_site) GROUP BY 1, 2, 3, 4, 5, 6;

-- What both say of a place, NULL where one says nothing.
CREATE TEMP TABLE both AS
SELECT p.owner, p.file, p.line, p.col, p.access, p.space, p.widths, m.mnemonics,
	p.executions, p.lanes, p.bytes, p.quads, p.lines64, p.lines128, p.passes, p.conflicts,
	m.executions AS m_executions, m.lanes AS m_lanes, m.bytes AS m_bytes, m.quads AS m_quads,
	m.lines64 AS m_lines64, m.lines128 AS m_lines128, m.passes AS m_passes, m.conflicts AS m_conflicts
FROM probes p LEFT JOIN machine m USING (owner, file, line, col, access, space)
UNION ALL
SELECT m.owner, m.file, m.line, m.col, m.access, m.space, NULL, m.mnemonics,
	NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
	m.executions, m.lanes, m.bytes, m.quads, m.lines64, m.lines128, m.passes, m.conflicts
FROM machine m LEFT JOIN probes p USING (owner, file, line, col, access, space)
WHERE p.owner IS NULL AND m.space <> 'scalar' AND m.executions > 0;

-- Each place with what became of it. An empty verdict is a difference that nothing explains.
CREATE TABLE result AS SELECT *, CASE
	WHEN executions = m_executions AND lanes = m_lanes AND bytes = m_bytes AND quads = m_quads
		AND lines64 = m_lines64 AND lines128 = m_lines128 AND passes = m_passes AND conflicts = m_conflicts
	THEN 'equal'
	-- Private memory, which is not probed.
	WHEN space = 'scratch' THEN 'scratch'
	-- A kernel whose clone was not launched (probe-run's account says why).
	WHEN owner IN (SELECT k.kernel_name FROM probed.probe_dispatch d
		JOIN probed.rocpd_info_kernel_symbol k ON k.id = d.kernel_id WHERE d.verdict <> 0)
	THEN 'original'
	-- A uniform load that the code generator gave to the scalar unit.
	WHEN m_executions IS NULL AND access = 'load' AND space = 'memory' AND EXISTS (SELECT 1 FROM machine s
		WHERE s.space = 'scalar' AND s.owner = both.owner AND s.file = both.file AND s.line = both.line)
	THEN 'scalar'
	ELSE '' END AS verdict
FROM both;

-- Places of one line whose sums are equal: instructions such as ds_read2 make the accesses of two
-- columns and carry the name of one.
UPDATE result SET verdict = 'paired' WHERE verdict = '' AND (owner, file, line, access, space) IN (
	SELECT owner, file, line, access, space FROM result WHERE verdict = '' GROUP BY 1, 2, 3, 4, 5
	HAVING sum(lanes) = sum(m_lanes) AND sum(bytes) = sum(m_bytes) AND sum(quads) = sum(m_quads)
		AND sum(lines64) = sum(m_lines64) AND sum(lines128) = sum(m_lines128) AND sum(passes) = sum(m_passes)
		AND sum(conflicts) = sum(m_conflicts) AND sum(executions) = sum(m_executions));
-- The same over the lines of a function.
UPDATE result SET verdict = 'paired' WHERE verdict = '' AND (owner, access, space) IN (
	SELECT owner, access, space FROM result WHERE verdict = '' GROUP BY 1, 2, 3
	HAVING sum(lanes) = sum(m_lanes) AND sum(bytes) = sum(m_bytes) AND sum(quads) = sum(m_quads)
		AND sum(lines64) = sum(m_lines64) AND sum(lines128) = sum(m_lines128) AND sum(passes) = sum(m_passes)
		AND sum(conflicts) = sum(m_conflicts) AND sum(executions) = sum(m_executions));
-- The same over the lines of a function, but for uniform loads: one line and 16 quads in each execution.
-- The code generator gave them to the scalar unit, which groups them under lines of its own.
UPDATE result SET verdict = 'scalar' WHERE verdict = '' AND access = 'load' AND (owner, space) IN (
	SELECT owner, space FROM result r WHERE verdict = '' AND access = 'load' GROUP BY 1, 2
	HAVING sum(executions) > total(m_executions)
		AND sum(lines64) - total(m_lines64) = sum(executions) - total(m_executions)
		AND sum(lines128) - total(m_lines128) = sum(executions) - total(m_executions)
		AND sum(quads) - total(m_quads) = 16 * (sum(executions) - total(m_executions))
		AND sum(lanes) - total(m_lanes) <= 64 * (sum(executions) - total(m_executions))
		AND sum(passes) = total(m_passes)
		AND EXISTS (SELECT 1 FROM machine s WHERE s.space = 'scalar' AND s.owner = r.owner AND s.executions > 0));
-- The same bytes by instructions of other widths: wider ones, or narrower ones where the code
-- generator knows less of the alignment than the pass that gave the site its unit.
UPDATE result SET verdict = 'merged' WHERE verdict = '' AND (owner, access, space) IN (
	SELECT owner, access, space FROM result WHERE verdict = '' GROUP BY 1, 2, 3
	HAVING sum(bytes) = sum(m_bytes));
-- A load that the machine does not make: of memory that is not written meanwhile (const __restrict__), so that
-- an equal load of the function serves both.
UPDATE result SET verdict = 'merged' WHERE verdict = '' AND access = 'load' AND m_executions IS NULL AND EXISTS (
	SELECT 1 FROM result o WHERE o.verdict = 'equal' AND o.owner = result.owner AND o.space = result.space
		AND o.access = 'load' AND o.executions = result.executions AND o.lanes = result.lanes
		AND o.bytes = result.bytes AND o.quads = result.quads AND o.lines64 = result.lines64
		AND o.lines128 = result.lines128);
-- Loads that the machine makes and no probe of these kinds covers: constants, tables of functions.
UPDATE result SET verdict = 'unprobed' WHERE verdict = '' AND executions IS NULL AND access = 'load'
	AND (owner, access, space) IN (
	SELECT owner, access, space FROM result WHERE verdict = '' GROUP BY 1, 2, 3 HAVING sum(bytes) IS NULL);
