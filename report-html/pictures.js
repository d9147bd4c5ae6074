// SPDX-License-Identifier: MIT
/* Drawings of one execution. They show the pattern that was measured, for the first lanes. */

const svgOf = (width, height, label, ...children) =>
	el("svg", {svg: true, viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label},
	   ...children);

/* The stride of all executions, or null if they differ. */
function strideOf(lines, row) {
	const low = lines.get(row, "stride_lo"), high = lines.get(row, "stride_hi");

	return low !== null && low === high && lines.get(row, "affine") === lines.get(row, "executions") ? low : null;
}

/* Where the lanes of a wave are, in bytes from its first lane; null for idle lanes; null if not known. */
function offsetsOf(lines, row) {
	const text = lines.get(row, "lane_offsets"), stride = strideOf(lines, row);

	if (stride !== null)
		return Array.from({length: 64}, (_, lane) => lane * stride);
	return text ? text.split(",").map((offset) => offset === "" ? null : Number(offset)) : null;
}

/* "128 B apart", or that they are in rows of the workgroup. */
function patternText(offsets) {
	const known = offsets.filter((offset) => offset !== null);
	const apart = known.length > 1 ? known[1] - known[0] : 0;
	const row = known.findIndex((offset, i) => i && offset - known[i - 1] !== apart);

	if (row < 0)
		return `${apart} B apart`;
	return row > 1 ? `${apart} B apart in rows of ${row}` : "at different distances";
}

/* Banks as columns, lanes numbered: lanes in one column wait for each other. */
function bankPicture(offsets, size, max) {
	const banks = 32, columns = new Map(), step = 22;

	for (let lane = 0; lane < 32; lane++) {
		if (offsets[lane] === null || offsets[lane] === undefined)
			continue;
		const bank = Math.floor(((offsets[lane] % 128) + 128) % 128 / 4);
		const list = columns.get(bank) || [];
		list.push(lane);
		columns.set(bank, list);
	}
	const deepest = Math.max(...[...columns.values()].map((list) => list.length));
	const rows = Math.min(deepest, 8);
	const cells = [];
	for (const [bank, lanes] of columns)
		lanes.slice(0, rows).forEach((lane, i) => {
			cells.push(el("rect", {svg: true, x: bank * step, y: 18 + i * step, width: step - 2,
					       height: step - 2, class: i ? "late" : "first"}),
				   el("text", {svg: true, x: bank * step + 10, y: 33 + i * step, "text-anchor": "middle"},
				      String(lane)));
		});
	for (let bank = 0; bank < banks; bank += 4)
		cells.push(el("text", {svg: true, x: bank * step + 10, y: 12, "text-anchor": "middle"}, String(bank)));
	return el("figure", null, el("div", {class: "picture", tabindex: "0", role: "group", "aria-label": "bank picture"},
		svgOf(banks * step, 24 + rows * step,
		      `Lanes 0 to 31 use ${columns.size} of 32 banks`, cells)),
		el("figcaption", null, `Lanes 0 to 31 (numbers) on the 32 banks (columns), ${patternText(offsets)}, ${size} B each: ` +
			`${plural(columns.size, "bank is", "banks are")} used; lanes below each other wait, unless they share a word` +
			(deepest > rows ? `; ${deepest - rows} more rows are not drawn` : "") +
			`. Counted: up to ${textOf(max)}-way.`));
}

/* The bytes of a line that lanes use, as [begin, end) pairs that do not overlap. */
function usedOf(offsets, size, begin, end) {
	const ranges = offsets.filter((at) => at !== null && at < end && at + size > begin)
		.map((at) => [Math.max(at, begin), Math.min(at + size, end)]).sort((a, b) => a[0] - b[0]);
	const used = [];

	for (const [from, to] of ranges) {
		const last = used[used.length - 1];
		if (last && from <= last[1])
			last[1] = Math.max(last[1], to);
		else
			used.push([from, to]);
	}
	return used;
}

/* Lanes to cache lines: needed bytes compared with the bytes of the lines. */
function linePicture(offsets, size) {
	const line = 128, known = offsets.filter((offset) => offset !== null);
	const lowest = Math.min(...known);
	const numbers = new Set(known.flatMap((at) => [Math.floor((at - lowest) / line), Math.floor((at - lowest + size - 1) / line)]));
	const touched = [...numbers].sort((a, b) => a - b);
	const parts = touched.map((number) => usedOf(offsets, size, lowest + number * line, lowest + (number + 1) * line));
	const used = parts.flat().reduce((sum, [from, to]) => sum + to - from, 0);
	const cells = touched.slice(0, 16).flatMap((number, i) =>
		[el("rect", {svg: true, x: i * 44, y: 4, width: 40, height: 24, class: "line"}),
		 ...parts[i].map(([from, to]) => el("rect", {svg: true, x: i * 44 + (from - lowest - number * line) * 40 / line, y: 4,
							      width: Math.max(1, (to - from) * 40 / line), height: 24,
							      class: "used"}))]);

	return el("figure", null, el("div", {class: "picture", tabindex: "0", role: "group", "aria-label": "cache line picture"},
		svgOf(16 * 44, 32, `${touched.length} cache lines for ${used} bytes`, cells)),
		el("figcaption", null, `${known.length} lanes ${patternText(offsets)}, ${size} B each, from the start of a line: ` +
			`${touched.length} cache lines of 128 B (${touched.length * line} B) for ${used} B used` +
			(touched.length > 16 ? "; 16 are drawn" : "") + "."));
}

const reasons = ["issued", "waitcnt", "barrier", "alu", "arbiter", "internal", "fetch", "sleep", "other"];

/* One stacked bar; the same order and colours everywhere. */
function stallBar(values, width = 240) {
	const total = values.reduce((sum, [, count]) => sum + (count || 0), 0);
	let at = 0;
	const parts = values.filter(([, count]) => count).map(([reason, count]) => {
		const part = el("rect", {svg: true, x: at, y: 0, width: Math.max(1, width * count / total), height: 14,
					 class: `reason-${reasons.indexOf(reason)}`},
				el("title", {svg: true}, `${reason}: ${shareText(count, total)}`));
		at += width * count / total;
		return part;
	});
	return svgOf(width, 14, values.filter(([, count]) => count)
		.map(([reason, count]) => `${reason} ${shareText(count, total)}`).join(", ") || "no samples", parts);
}
