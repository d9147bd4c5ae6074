-- SPDX-License-Identifier: MIT
-- Analysis views with the names and columns of ROCpd schema version 3.0.4. Written anew on the plain
-- views of rocpd_tables.sql; `threads` and `memory_allocations` tie every join to its guid, which
-- the original forgets (merged files then show each row twice). PostgreSQL reads them, too
-- (probe-report load), so they use only what both databases have.

CREATE VIEW code_objects AS
SELECT c.id, c.guid, c.nid, p.pid, a.absolute_index AS agent_abs_index, c.uri, c.load_base,
	c.load_size, c.load_delta, c.storage_type AS storage_type_str,
	json_extract(c.extdata, '$.size') AS code_object_size,
	json_extract(c.extdata, '$.storage_type') AS storage_type,
	json_extract(c.extdata, '$.memory_base') AS memory_base,
	json_extract(c.extdata, '$.memory_size') AS memory_size
FROM rocpd_info_code_object c
JOIN rocpd_info_agent a ON a.id = c.agent_id AND a.guid = c.guid
JOIN rocpd_info_process p ON p.id = c.pid AND p.guid = c.guid;

CREATE VIEW kernel_symbols AS
SELECT k.id, k.guid, k.nid, p.pid, k.code_object_id, k.kernel_name, k.display_name,
	k.kernel_object, k.kernarg_segment_size, k.kernarg_segment_alignment, k.group_segment_size,
	k.private_segment_size, k.sgpr_count, k.arch_vgpr_count, k.accum_vgpr_count,
	json_extract(k.extdata, '$.size') AS kernel_symbol_size,
	json_extract(k.extdata, '$.kernel_id') AS kernel_id,
	json_extract(k.extdata, '$.kernel_code_entry_byte_offset') AS kernel_code_entry_byte_offset,
	coalesce(json_extract(k.extdata, '$.formatted_kernel_name'), k.display_name)
		AS formatted_kernel_name,
	coalesce(json_extract(k.extdata, '$.demangled_kernel_name'), k.display_name)
		AS demangled_kernel_name,
	coalesce(json_extract(k.extdata, '$.truncated_kernel_name'), k.display_name)
		AS truncated_kernel_name,
	json_extract(k.extdata, '$.kernel_address.handle') AS kernel_address
FROM rocpd_info_kernel_symbol k
JOIN rocpd_info_process p ON p.id = k.pid AND p.guid = k.guid;

CREATE VIEW processes AS
SELECT n.id AS nid, n.machine_id, n.system_name, n.hostname, n.release AS system_release,
	n.version AS system_version, p.guid, p.ppid, p.pid, p.init, p.start, p."end", p.fini,
	p.command
FROM rocpd_info_process p
JOIN rocpd_info_node n ON n.id = p.nid AND n.guid = p.guid;

CREATE VIEW threads AS
SELECT n.id AS nid, n.machine_id, n.system_name, n.hostname, n.release AS system_release,
	n.version AS system_version, p.guid, p.ppid, p.pid, t.tid, t.start, t."end", t.name
FROM rocpd_info_thread t
JOIN rocpd_info_process p ON p.id = t.pid AND p.guid = t.guid
JOIN rocpd_info_node n ON n.id = t.nid AND n.guid = t.guid;

CREATE VIEW regions AS
SELECT r.id, r.guid,
	(SELECT string FROM rocpd_string s WHERE s.id = e.category_id AND s.guid = e.guid)
		AS category,
	s.string AS name, r.nid, p.pid, t.tid, r.start, r."end",
	r."end" - r.start AS duration, r.event_id, e.stack_id, e.parent_stack_id,
	e.correlation_id AS corr_id, e.extdata, e.call_stack, e.line_info
FROM rocpd_region r
JOIN rocpd_event e ON e.id = r.event_id AND e.guid = r.guid
JOIN rocpd_string s ON s.id = r.name_id AND s.guid = r.guid
JOIN rocpd_info_process p ON p.id = r.pid AND p.guid = r.guid
JOIN rocpd_info_thread t ON t.id = r.tid AND t.guid = r.guid;

CREATE VIEW region_args AS
SELECT r.id, r.guid, r.nid, p.pid, a.type, a.name, a.value
FROM rocpd_region r
JOIN rocpd_event e ON e.id = r.event_id AND e.guid = r.guid
JOIN rocpd_arg a ON a.event_id = e.id AND a.guid = e.guid
JOIN rocpd_info_process p ON p.id = r.pid AND p.guid = r.guid;

CREATE VIEW samples AS
SELECT m.id, m.guid,
	(SELECT string FROM rocpd_string s WHERE s.id = e.category_id AND s.guid = e.guid)
		AS category,
	(SELECT string FROM rocpd_string s WHERE s.id = k.name_id AND s.guid = k.guid) AS name,
	k.nid, p.pid, t.tid, m.timestamp, m.event_id, e.stack_id, e.parent_stack_id,
	e.correlation_id AS corr_id, e.extdata, e.call_stack, e.line_info
FROM rocpd_sample m
JOIN rocpd_track k ON k.id = m.track_id AND k.guid = m.guid
JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid
JOIN rocpd_info_process p ON p.id = k.pid AND p.guid = k.guid
JOIN rocpd_info_thread t ON t.id = k.tid AND t.guid = k.guid;

CREATE VIEW sample_regions AS
SELECT id, guid, category, name, nid, pid, tid, timestamp AS start, timestamp AS "end",
	0 AS duration, event_id, stack_id, parent_stack_id, corr_id, extdata, call_stack, line_info
FROM samples;

CREATE VIEW regions_and_samples AS
SELECT * FROM regions UNION ALL SELECT * FROM sample_regions;

CREATE VIEW kernels AS
SELECT d.id, d.guid, t.tid,
	(SELECT string FROM rocpd_string s WHERE s.id = e.category_id AND s.guid = e.guid)
		AS category,
	r.string AS region, k.display_name AS name, d.nid, p.pid,
	a.absolute_index AS agent_abs_index, a.logical_index AS agent_log_index,
	a.type_index AS agent_type_index, a.type AS agent_type, k.code_object_id, d.kernel_id,
	d.dispatch_id, d.stream_id, d.queue_id, d.graph_exec_id, d.graph_node_id, q.name AS queue, st.name AS stream, d.start,
	d."end", d."end" - d.start AS duration, d.grid_size_x AS grid_x, d.grid_size_y AS grid_y,
	d.grid_size_z AS grid_z, d.workgroup_size_x AS workgroup_x,
	d.workgroup_size_y AS workgroup_y, d.workgroup_size_z AS workgroup_z,
	d.group_segment_size AS lds_size, d.private_segment_size AS scratch_size,
	k.arch_vgpr_count AS vgpr_count, k.accum_vgpr_count, k.sgpr_count,
	k.group_segment_size AS static_lds_size, k.private_segment_size AS static_scratch_size,
	d.event_id, e.stack_id, e.parent_stack_id, e.correlation_id AS corr_id
FROM rocpd_kernel_dispatch d
JOIN rocpd_info_agent a ON a.id = d.agent_id AND a.guid = d.guid
JOIN rocpd_event e ON e.id = d.event_id AND e.guid = d.guid
JOIN rocpd_string r ON r.id = d.region_name_id AND r.guid = d.guid
JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id AND k.guid = d.guid
LEFT JOIN rocpd_info_stream st ON st.id = d.stream_id AND st.guid = d.guid
LEFT JOIN rocpd_info_queue q ON q.id = d.queue_id AND q.guid = d.guid
JOIN rocpd_info_process p ON p.id = d.pid AND p.guid = d.guid
JOIN rocpd_info_thread t ON t.id = d.tid AND t.guid = d.guid;

CREATE VIEW pmc_info AS
SELECT c.id, c.guid, c.nid, p.pid, a.absolute_index AS agent_abs_index, c.is_constant,
	c.is_derived, c.name, c.description, c.block, c.expression
FROM rocpd_info_pmc c
JOIN rocpd_info_agent a ON a.id = c.agent_id AND a.guid = c.guid
JOIN rocpd_info_process p ON p.id = c.pid AND p.guid = c.guid;

CREATE VIEW pmc_events AS
SELECT v.id, v.guid, v.pmc_id, v.event_id,
	(SELECT string FROM rocpd_string s WHERE s.id = e.category_id AND s.guid = e.guid)
		AS category,
	(SELECT display_name FROM rocpd_info_kernel_symbol k
		WHERE k.id = d.kernel_id AND k.guid = d.guid) AS name,
	d.nid, p.pid, d.dispatch_id, d.start, d."end", d."end" - d.start AS duration,
	c.name AS counter_name, v.value AS counter_value
FROM rocpd_pmc_event v
JOIN rocpd_info_pmc c ON c.id = v.pmc_id AND c.guid = v.guid
JOIN rocpd_event e ON e.id = v.event_id AND e.guid = v.guid
JOIN rocpd_kernel_dispatch d ON d.event_id = v.event_id AND d.guid = v.guid
JOIN rocpd_info_process p ON p.id = d.pid AND p.guid = d.guid;

CREATE VIEW events_args AS
SELECT e.id AS event_id,
	(SELECT string FROM rocpd_string s WHERE s.id = e.category_id AND s.guid = e.guid)
		AS category,
	e.stack_id, e.parent_stack_id, e.correlation_id, a.position AS arg_position,
	a.type AS arg_type, a.name AS arg_name, a.value AS arg_value, e.call_stack, e.line_info,
	a.extdata
FROM rocpd_event e
JOIN rocpd_arg a ON a.event_id = e.id AND a.guid = e.guid;

CREATE VIEW stream_args AS
SELECT a.id AS argument_id, a.event_id, a.position AS arg_position, a.type AS arg_type,
	a.value AS arg_value, json_extract(a.extdata, '$.stream_id') AS stream_id, s.nid, p.pid,
	s.name AS stream_name, a.extdata
FROM rocpd_arg a
JOIN rocpd_info_stream s
	ON s.id = CAST(json_extract(a.extdata, '$.stream_id') AS BIGINT) AND s.guid = a.guid
JOIN rocpd_info_process p ON p.id = s.pid AND p.guid = s.guid
WHERE a.name = 'stream';

CREATE VIEW memory_copies AS
SELECT m.id, m.guid,
	(SELECT string FROM rocpd_string s WHERE s.id = e.category_id AND s.guid = e.guid)
		AS category,
	m.nid, p.pid, t.tid, m.start, m."end", m."end" - m.start AS duration, n.string AS name,
	r.string AS region_name, m.stream_id, m.queue_id, m.graph_exec_id, m.graph_node_id,
	st.name AS stream_name,
	q.name AS queue_name, m.size, dst.name AS dst_device,
	dst.absolute_index AS dst_agent_abs_index, dst.logical_index AS dst_agent_log_index,
	dst.type_index AS dst_agent_type_index, dst.type AS dst_agent_type, m.dst_address,
	src.name AS src_device, src.absolute_index AS src_agent_abs_index,
	src.logical_index AS src_agent_log_index, src.type_index AS src_agent_type_index,
	src.type AS src_agent_type, m.src_address, e.stack_id, e.parent_stack_id,
	e.correlation_id AS corr_id
FROM rocpd_memory_copy m
JOIN rocpd_string n ON n.id = m.name_id AND n.guid = m.guid
JOIN rocpd_info_agent dst ON dst.id = m.dst_agent_id AND dst.guid = m.guid
JOIN rocpd_info_agent src ON src.id = m.src_agent_id AND src.guid = m.guid
JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid
LEFT JOIN rocpd_string r ON r.id = m.region_name_id AND r.guid = m.guid
LEFT JOIN rocpd_info_queue q ON q.id = m.queue_id AND q.guid = m.guid
LEFT JOIN rocpd_info_stream st ON st.id = m.stream_id AND st.guid = m.guid
JOIN rocpd_info_process p ON p.id = m.pid AND p.guid = m.guid
JOIN rocpd_info_thread t ON t.id = m.tid AND t.guid = m.guid;

CREATE VIEW hip_events AS
SELECT h.id, h.guid,
	(SELECT string FROM rocpd_string c WHERE c.id = e.category_id AND c.guid = e.guid)
		AS category,
	h.nid, p.pid, t.tid, h.start, h."end", h."end" - h.start AS duration, s.string AS name,
	h.stream_id, h.queue_id, m.name AS stream_name, q.name AS queue_name, a.name AS device,
	a.absolute_index AS agent_abs_index, a.logical_index AS agent_log_index,
	a.type_index AS agent_type_index, a.type AS agent_type, h.hip_event_handle,
	h.source_queue_id, e.stack_id, e.parent_stack_id, e.correlation_id AS corr_id
FROM rocpd_hip_event h
JOIN rocpd_string s ON s.id = h.name_id AND s.guid = h.guid
LEFT JOIN rocpd_info_agent a ON a.id = h.agent_id AND a.guid = h.guid
LEFT JOIN rocpd_info_queue q ON q.id = h.queue_id AND q.guid = h.guid
LEFT JOIN rocpd_info_stream m ON m.id = h.stream_id AND m.guid = h.guid
JOIN rocpd_event e ON e.id = h.event_id AND e.guid = h.guid
JOIN rocpd_info_process p ON p.id = h.pid AND p.guid = h.guid
JOIN rocpd_info_thread t ON t.id = h.tid AND t.guid = h.guid;

CREATE VIEW graph_launches AS
SELECT g.id, g.guid, g.nid, p.pid, t.tid, g.agent_id, a.absolute_index AS agent_abs_index,
	a.logical_index AS agent_log_index, a.type_index AS agent_type_index, a.type AS agent_type,
	g.queue_id, q.name AS queue, 'Graph Execution' AS name, g.start, g."end",
	g."end" - g.start AS duration, g.graph_exec_id, g.kernel_dispatch_count, g.event_id,
	e.stack_id, e.parent_stack_id, e.correlation_id AS corr_id
FROM rocpd_graph_launch g
LEFT JOIN rocpd_info_agent a ON a.id = g.agent_id AND a.guid = g.guid
LEFT JOIN rocpd_info_queue q ON q.id = g.queue_id AND q.guid = g.guid
JOIN rocpd_event e ON e.id = g.event_id AND e.guid = g.guid
JOIN rocpd_info_process p ON p.id = g.pid AND p.guid = g.guid
JOIN rocpd_info_thread t ON t.id = g.tid AND t.guid = g.guid;

CREATE VIEW memory_allocations AS
SELECT m.id, m.guid,
	(SELECT string FROM rocpd_string s WHERE s.id = e.category_id AND s.guid = e.guid)
		AS category,
	m.nid, p.pid, t.tid, m.start, m."end", m."end" - m.start AS duration, m.type, m.level,
	a.name AS agent_name, a.absolute_index AS agent_abs_index,
	a.logical_index AS agent_log_index, a.type_index AS agent_type_index, a.type AS agent_type,
	m.address, m.size, m.queue_id, q.name AS queue_name, m.stream_id, st.name AS stream_name,
	e.stack_id, e.parent_stack_id, e.correlation_id AS corr_id
FROM rocpd_memory_allocate m
LEFT JOIN rocpd_info_agent a ON a.id = m.agent_id AND a.guid = m.guid
LEFT JOIN rocpd_info_queue q ON q.id = m.queue_id AND q.guid = m.guid
LEFT JOIN rocpd_info_stream st ON st.id = m.stream_id AND st.guid = m.guid
JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid
JOIN rocpd_info_process p ON p.id = m.pid AND p.guid = m.guid
JOIN rocpd_info_thread t ON t.id = m.tid AND t.guid = m.guid;

CREATE VIEW scratch_memory AS
SELECT m.id, m.guid, m.nid, p.pid, m.type AS operation, a.name AS agent_name,
	a.absolute_index AS agent_abs_index, a.logical_index AS agent_log_index,
	a.type_index AS agent_type_index, a.type AS agent_type, m.queue_id, t.tid,
	json_extract(m.extdata, '$.flags') AS alloc_flags, m.start, m."end",
	m."end" - m.start AS duration, m.size, m.address, e.correlation_id, e.stack_id,
	e.parent_stack_id, e.correlation_id AS corr_id,
	(SELECT string FROM rocpd_string s WHERE s.id = e.category_id AND s.guid = e.guid)
		AS category,
	e.extdata AS event_extdata
FROM rocpd_memory_allocate m
LEFT JOIN rocpd_info_agent a ON a.id = m.agent_id AND a.guid = m.guid
JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid
JOIN rocpd_info_process p ON p.id = m.pid AND p.guid = m.guid
JOIN rocpd_info_thread t ON t.id = m.tid AND t.guid = m.guid
WHERE m.level = 'SCRATCH'
ORDER BY m.start;

CREATE VIEW counters_collection AS
SELECT min(v.id) AS id, v.guid, d.dispatch_id, min(d.kernel_id) AS kernel_id,
	min(v.event_id) AS event_id, min(e.correlation_id) AS correlation_id,
	min(e.stack_id) AS stack_id, min(e.parent_stack_id) AS parent_stack_id, min(p.pid) AS pid,
	min(t.tid) AS tid, d.agent_id, min(a.absolute_index) AS agent_abs_index,
	min(a.logical_index) AS agent_log_index, min(a.type_index) AS agent_type_index,
	min(a.type) AS agent_type, min(d.queue_id) AS queue_id, min(d.grid_size_x) AS grid_size_x,
	min(d.grid_size_y) AS grid_size_y, min(d.grid_size_z) AS grid_size_z,
	min(d.grid_size_x * d.grid_size_y * d.grid_size_z) AS grid_size,
	min(k.display_name) AS kernel_name, min(r.string) AS kernel_region,
	min(d.workgroup_size_x) AS workgroup_size_x, min(d.workgroup_size_y) AS workgroup_size_y,
	min(d.workgroup_size_z) AS workgroup_size_z,
	min(d.workgroup_size_x * d.workgroup_size_y * d.workgroup_size_z) AS workgroup_size,
	min(d.group_segment_size) AS lds_block_size, min(d.private_segment_size) AS scratch_size,
	min(k.arch_vgpr_count) AS vgpr_count, min(k.accum_vgpr_count) AS accum_vgpr_count,
	min(k.sgpr_count) AS sgpr_count, c.name AS counter_name, min(c.symbol) AS counter_symbol,
	min(c.component) AS component, min(c.description) AS description, min(c.block) AS block,
	min(c.expression) AS expression, min(c.value_type) AS value_type, min(c.id) AS counter_id,
	sum(v.value) AS value, min(d.start) AS start, min(d."end") AS "end",
	min(c.is_constant) AS is_constant, min(c.is_derived) AS is_derived,
	min(d."end" - d.start) AS duration, min(s.string) AS category, min(d.nid) AS nid,
	min(e.extdata) AS extdata, min(k.code_object_id) AS code_object_id
FROM rocpd_pmc_event v
JOIN rocpd_info_pmc c ON c.id = v.pmc_id AND c.guid = v.guid
JOIN rocpd_event e ON e.id = v.event_id AND e.guid = v.guid
JOIN rocpd_kernel_dispatch d ON d.event_id = v.event_id AND d.guid = v.guid
JOIN rocpd_info_agent a ON a.id = d.agent_id AND a.guid = d.guid
JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id AND k.guid = d.guid
JOIN rocpd_info_process p ON p.id = d.pid AND p.guid = d.guid
JOIN rocpd_info_thread t ON t.id = d.tid AND t.guid = d.guid
LEFT JOIN rocpd_string r ON r.id = d.region_name_id AND r.guid = d.guid
LEFT JOIN rocpd_string s ON s.id = e.category_id AND s.guid = e.guid
WHERE v.sample_id IS NULL
GROUP BY v.guid, d.dispatch_id, c.name, d.agent_id;

CREATE VIEW spm_counters AS
SELECT v.id, v.guid, d.dispatch_id, d.kernel_id, v.event_id, e.correlation_id,
	e.stack_id, e.parent_stack_id, p.pid, t.tid, d.agent_id,
	a.absolute_index AS agent_abs_index, a.logical_index AS agent_log_index,
	a.type_index AS agent_type_index, a.type AS agent_type, d.queue_id, d.grid_size_x,
	d.grid_size_y, d.grid_size_z, d.grid_size_x * d.grid_size_y * d.grid_size_z AS grid_size,
	k.display_name AS kernel_name,
	(SELECT string FROM rocpd_string s WHERE s.id = d.region_name_id AND s.guid = d.guid)
		AS kernel_region,
	d.workgroup_size_x, d.workgroup_size_y, d.workgroup_size_z,
	d.workgroup_size_x * d.workgroup_size_y * d.workgroup_size_z AS workgroup_size,
	d.group_segment_size AS lds_block_size, d.private_segment_size AS scratch_size,
	k.arch_vgpr_count AS vgpr_count, k.accum_vgpr_count, k.sgpr_count, c.name AS counter_name,
	c.symbol AS counter_symbol, c.component, c.description, c.block, c.expression,
	c.value_type, c.id AS counter_id, v.xcc, v.shader_engine, v.instance, v.value, m.timestamp,
	c.is_constant, c.is_derived,
	(SELECT string FROM rocpd_string s WHERE s.id = e.category_id AND s.guid = e.guid)
		AS category,
	d.nid, e.extdata, k.code_object_id
FROM rocpd_pmc_event v
JOIN rocpd_sample m ON m.id = v.sample_id AND m.guid = v.guid
JOIN rocpd_info_pmc c ON c.id = v.pmc_id AND c.guid = v.guid
JOIN rocpd_event e ON e.id = v.event_id AND e.guid = v.guid
JOIN rocpd_kernel_dispatch d ON d.event_id = v.event_id AND d.guid = v.guid
JOIN rocpd_info_agent a ON a.id = d.agent_id AND a.guid = d.guid
JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id AND k.guid = d.guid
JOIN rocpd_info_process p ON p.id = d.pid AND p.guid = d.guid
JOIN rocpd_info_thread t ON t.id = d.tid AND t.guid = d.guid;

CREATE VIEW top_kernels AS
SELECT k.display_name AS name, count(d.kernel_id) AS total_calls,
	sum(d."end" - d.start) / 1000.0 AS total_duration,
	sum(d."end" - d.start) / count(d.kernel_id) / 1000.0 AS average,
	sum(d."end" - d.start) * 100.0
		/ (SELECT sum("end" - start) FROM rocpd_kernel_dispatch) AS percentage
FROM rocpd_kernel_dispatch d
JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id AND k.guid = d.guid
GROUP BY name
ORDER BY total_duration DESC;

CREATE VIEW top AS
WITH work (name, duration) AS (
	SELECT k.display_name, d."end" - d.start
	FROM rocpd_kernel_dispatch d
	JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id AND k.guid = d.guid
	UNION ALL
	SELECT s.string, m."end" - m.start
	FROM rocpd_memory_copy m JOIN rocpd_string s ON s.id = m.name_id AND s.guid = m.guid
	UNION ALL
	SELECT name, duration FROM regions
)
SELECT name, count(*) AS total_calls, sum(duration) / 1000.0 AS total_duration,
	sum(duration) / count(*) / 1000.0 AS average,
	sum(duration) * 100.0 / (SELECT sum(duration) FROM work) AS percentage
FROM work
GROUP BY name
ORDER BY total_duration DESC;

CREATE VIEW busy AS
WITH work (agent_id, guid, start, "end") AS (
	SELECT agent_id, guid, start, "end" FROM rocpd_kernel_dispatch
	UNION ALL
	SELECT dst_agent_id, guid, start, "end" FROM rocpd_memory_copy
)
SELECT a.id AS agent_id, a.type, w.GpuTime, t.WallTime, w.GpuTime * 1.0 / t.WallTime AS Busy
FROM (SELECT agent_id, guid, sum("end" - start) AS GpuTime FROM work GROUP BY guid, agent_id) w
CROSS JOIN (SELECT max("end") - min(start) AS WallTime FROM work) t
JOIN rocpd_info_agent a ON a.id = w.agent_id AND a.guid = w.guid;
