-- SPDX-License-Identifier: MIT
-- Views of rocmProfileData (RPD, schema 3) by the names that its users type: columns and units are
-- RPD's, and gpuId counts GPUs. `top` and `busy` are ROCpd's. `ktop` is device time, as its users
-- expect; RPD's own sums the launching calls. What RPD does not know of a row is NULL.

CREATE VIEW api AS
SELECT r.id, p.pid, t.tid, r.start, r."end",
	CASE WHEN c.string LIKE 'HIP%' THEN 'hip' WHEN c.string LIKE 'HSA%' THEN 'hsa' ELSE 'roctx' END
		AS domain,
	c.string AS category,
	CASE WHEN c.string LIKE 'MARKER%' THEN 'UserMarker' ELSE s.string END AS apiName,
	CASE WHEN c.string LIKE 'MARKER%' THEN s.string ELSE '' END AS args
FROM rocpd_region r
JOIN rocpd_event e ON e.id = r.event_id AND e.guid = r.guid
JOIN rocpd_string c ON c.id = e.category_id AND c.guid = r.guid
JOIN rocpd_string s ON s.id = r.name_id AND s.guid = r.guid
JOIN rocpd_info_process p ON p.id = r.pid AND p.guid = r.guid
JOIN rocpd_info_thread t ON t.id = r.tid AND t.guid = r.guid;

CREATE VIEW kernel AS
SELECT d.id, a.type_index AS gpuId, d.queue_id AS queueId, d.dispatch_id AS sequenceId, d.start,
	d."end", d."end" - d.start AS duration, d.stream_id AS stream, d.grid_size_x AS gridX,
	d.grid_size_y AS gridY, d.grid_size_z AS gridZ, d.workgroup_size_x AS workgroupX,
	d.workgroup_size_y AS workgroupY, d.workgroup_size_z AS workgroupZ,
	d.group_segment_size AS groupSegmentSize, d.private_segment_size AS privateSegmentSize,
	k.display_name AS kernelName
FROM rocpd_kernel_dispatch d
JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id AND k.guid = d.guid
LEFT JOIN rocpd_info_agent a ON a.id = d.agent_id AND a.guid = d.guid;

CREATE VIEW copyop AS
SELECT m.id, coalesce(CASE x.type WHEN 'GPU' THEN x.type_index END, y.type_index) AS gpuId,
	m.queue_id AS queueId, m.id AS sequenceId, m.start, m."end", m."end" - m.start AS duration,
	m.stream_id AS stream, m.size, NULL AS width, NULL AS height, s.string AS kind,
	printf('0x%x', m.dst_address) AS dst, printf('0x%x', m.src_address) AS src,
	y.type_index AS dstDevice, x.type_index AS srcDevice, NULL AS sync, NULL AS pinned,
	f.string AS apiName
FROM rocpd_memory_copy m
JOIN rocpd_string s ON s.id = m.name_id AND s.guid = m.guid
JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid
LEFT JOIN rocpd_info_agent x ON x.id = m.src_agent_id AND x.guid = m.guid
LEFT JOIN rocpd_info_agent y ON y.id = m.dst_agent_id AND y.guid = m.guid
LEFT JOIN (SELECT u.stack_id, u.guid, n.string FROM rocpd_region r
	JOIN rocpd_event u ON u.id = r.event_id AND u.guid = r.guid
	JOIN rocpd_string n ON n.id = r.name_id AND n.guid = r.guid
	WHERE u.stack_id > 0) f ON f.stack_id = e.stack_id AND f.guid = m.guid;

CREATE VIEW copy AS
SELECT r.id, p.pid, t.tid, r.start, r."end", f.string AS apiName, m.stream_id AS stream, m.size,
	NULL AS width, NULL AS height, s.string AS kind, printf('0x%x', m.dst_address) AS dst,
	printf('0x%x', m.src_address) AS src, y.type_index AS dstDevice, x.type_index AS srcDevice,
	NULL AS sync, NULL AS pinned
FROM rocpd_memory_copy m
JOIN rocpd_string s ON s.id = m.name_id AND s.guid = m.guid
JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid
JOIN rocpd_event u ON u.stack_id = e.stack_id AND u.guid = m.guid
JOIN rocpd_region r ON r.event_id = u.id AND r.guid = u.guid
JOIN rocpd_string f ON f.id = r.name_id AND f.guid = r.guid
JOIN rocpd_info_process p ON p.id = r.pid AND p.guid = r.guid
JOIN rocpd_info_thread t ON t.id = r.tid AND t.guid = r.guid
LEFT JOIN rocpd_info_agent x ON x.id = m.src_agent_id AND x.guid = m.guid
LEFT JOIN rocpd_info_agent y ON y.id = m.dst_agent_id AND y.guid = m.guid;

CREATE VIEW op AS
SELECT id, gpuId, queueId, sequenceId, start, "end", kernelName AS description,
	'KernelExecution' AS opType
FROM kernel
UNION ALL
SELECT id, gpuId, queueId, sequenceId, start, "end", '', CASE kind
	WHEN 'MEMORY_COPY_HOST_TO_DEVICE' THEN 'CopyHostToDevice'
	WHEN 'MEMORY_COPY_DEVICE_TO_HOST' THEN 'CopyDeviceToHost'
	WHEN 'MEMORY_COPY_DEVICE_TO_DEVICE' THEN 'CopyDeviceToDevice' ELSE 'Copy' END
FROM copyop;

CREATE VIEW ktop AS
SELECT kernelName AS Name, count(*) AS TotalCalls, sum(duration) / 1000 AS TotalDuration,
	sum(duration) / count(*) / 1000 AS Ave,
	sum(duration) * 100.0 / (SELECT sum(duration) FROM kernel) AS Percentage
FROM kernel
GROUP BY kernelName
ORDER BY sum(duration) DESC;
