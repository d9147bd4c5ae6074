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

/* Banks as columns, lanes numbered: lanes in one column wait for each other. */
function bankPicture(stride, size, max) {
	const banks = 32, columns = new Map(), step = 22;

	for (let lane = 0; lane < 32; lane++) {
		const bank = Math.floor((((lane * stride) % 128) + 128) % 128 / 4);
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
	return el("figure", null, el("div", {class: "picture", tabindex: "0", role: "region", "aria-label": "bank picture"},
		svgOf(banks * step, 24 + rows * step,
		      `Lanes 0 to 31 use ${columns.size} of 32 banks`, cells)),
		el("figcaption", null, `Lanes 0 to 31 (numbers) on the 32 banks (columns), ${stride} B apart, ${size} B each: ` +
			`${columns.size} banks are used; lanes below each other wait` +
			(deepest > rows ? `; ${deepest - rows} more rows are not drawn` : "") +
			`. Counted: up to ${textOf(max)}-way.`));
}

/* Lanes to cache lines: needed bytes compared with the bytes of the lines. */
function linePicture(stride, size) {
	const lanes = 64, line = 128;
	const touched = new Set();
	let used = 0;

	for (let lane = 0; lane < lanes; lane++)
		for (let byte = 0; byte < size; byte += Math.max(1, size - 1))
			touched.add(Math.floor((lane * stride + byte) / line));
	used = stride === 0 ? size : Math.min(Math.abs(stride), size) * (lanes - 1) + size;
	const shown = [...touched].sort((a, b) => a - b).slice(0, 16);
	const cells = shown.flatMap((number, i) => {
		const parts = [el("rect", {svg: true, x: i * 44, y: 4, width: 40, height: 24, class: "line"})];
		for (let lane = 0; lane < lanes; lane++) {
			const begin = lane * stride - number * line;
			if (begin < 0 || begin >= line)
				continue;
			parts.push(el("rect", {svg: true, x: i * 44 + begin * 40 / line, y: 4,
					       width: Math.max(1, Math.min(size, line - begin) * 40 / line), height: 24,
					       class: "used"}));
		}
		return parts;
	});
	return el("figure", null, el("div", {class: "picture", tabindex: "0", role: "region", "aria-label": "cache line picture"},
		svgOf(16 * 44, 32, `${touched.size} cache lines for ${used} bytes`, cells)),
		el("figcaption", null, `64 lanes ${stride} B apart, ${size} B each, from the start of a line: ${touched.size} cache ` +
			`lines of 128 B (${touched.size * line} B) for ${used} B used` +
			(touched.size > 16 ? "; 16 are drawn" : "") + "."));
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
