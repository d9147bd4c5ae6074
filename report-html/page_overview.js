// SPDX-License-Identifier: MIT
/* What was recorded, and the first five findings. */

function recordedText(data) {
	const parts = [];

	if (data.tables.lines)
		parts.push(`memory accesses at ${plural(data.tables.lines.rows.length, "place", "places")}`);
	if (data.tables.samples)
		parts.push(plural(samplesTotal(data), "PC sample", "PC samples"));
	parts.push(plural(data.counts[0][0], "dispatch", "dispatches"));
	return parts.join(", ");
}

function samplesTotal(data) {
	const samples = data.tables.samples;

	return samples ? samples.rows.reduce((sum, row) => sum + (samples.get(row, "samples") || 0), 0) : 0;
}

function deviceText(data) {
	const device = data.device[0];

	if (!device)
		return "no GPU";
	const simulated = device[2] === "simulated";
	return `${simulated ? "simulated " : ""}${device[0]}${device[1] ? ` (${device[1]})` : ""}` +
		(simulated ? ": times come from a model" : "");
}

/*
 * The column with the time of kernels: of clones only if no original kernel ran. They are never added
 * to those of originals.
 */
function timeColumn(kernels) {
	return kernels.rows.some((row) => kernels.get(row, "original_ns")) ? "original_ns" : "clone_ns";
}

function topKernels(data) {
	const kernels = data.tables.kernels;
	const column = timeColumn(kernels);
	const time = (row) => kernels.get(row, column) || 0;
	const rows = kernels.rows.filter(time).sort((a, b) => time(b) - time(a)).slice(0, 5);
	const all = kernels.rows.reduce((sum, row) => sum + time(row), 0);

	return el("table", {"aria-label": "kernels by time"}, el("thead", null, el("tr", null,
			el("th", {scope: "col"}, "kernel"), el("th", {scope: "col", class: "number"},
			   column === "clone_ns" ? "time of the clone" : "time"),
			el("th", {scope: "col", class: "number"}, "share"), el("th", {scope: "col", class: "number"}, "dispatches"))),
		el("tbody", null, rows.map((row) => el("tr", null,
			el("td", null, el("a", {href: addressOf({page: "kernels", kernel: kernels.get(row, "kernel")})},
					  kernels.get(row, "kernel"))),
			el("td", {class: "number"}, timeText(time(row))),
			el("td", {class: "number"}, all ? `${(100 * time(row) / all).toFixed(1)} %` : ""),
			el("td", {class: "number"}, textOf(kernels.get(row, "dispatches")))))));
}

function pageOverview(data) {
	const lines = data.tables.lines;
	const found = findingsOf(data).filter((row) => matchesKernel(lines.get(row, "kernel")));

	return el("div", null,
		el("dl", {class: "facts"},
		   el("div", null, el("dt", null, "Program"), el("dd", null, el("code", null, data.run.get("command") || ""))),
		   el("div", null, el("dt", null, "Device"), el("dd", null, deviceText(data))),
		   el("div", null, el("dt", null, "Recorded"), el("dd", null, recordedText(data)))),
		el("h2", null, found.length > 5 ? `The 5 findings of ${textOf(found.length)} with the most extra cycles (estimate)` : "Findings"),
		!lines ? missing("lines", "Memory accesses were")
			: found.length ? found.slice(0, 5).map((row) => findingCard(lines, row))
			: el("p", {class: "good"}, "No extra cache-line requests and no bank conflicts."),
		found.length > 5 && el("p", null, el("a", {href: addressOf({page: "findings"})}, "All findings")),
		el("h2", null, "Kernels by time"), topKernels(data));
}
