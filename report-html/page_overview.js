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

/* Says which time the shares count; null: uninstrumented times of the only run. */
function timesText(data) {
	const kernels = data.tables.kernels, ofClones = kernels.rows.some((row) => kernels.get(row, "time_of") === "clone");

	if (ofClones)
		return el("p", null, "The program's kernels ran as instrumented clones, which take longer than their originals. Shares are of the time of the clones; " +
			"kernels without a clone have none. Record both times with ", el("code", null, "probe-run --twice -a memory -- ./app"), ".");
	return data.run.has("sampled_from") ? el("p", null, "Of two runs, times and shares are those of the uninstrumented one.") : null;
}

/* A kernel's time: what its share counts, or else what there is, which has another kind. */
function kernelTime(kernels, row) {
	const counted = kernels.get(row, "counted_ns"), original = kernels.get(row, "original_ns"), dispatches = kernels.get(row, "dispatches");

	if (counted !== null)
		return {ns: counted, of: kernels.get(row, "time_of"), dispatches: kernels.get(row, "counted")};
	return original !== null ? {ns: original, of: "original", dispatches: dispatches - kernels.get(row, "instrumented")}
		: {ns: kernels.get(row, "clone_ns"), of: "clone", dispatches: kernels.get(row, "instrumented")};
}

/* Kernels with a share come first: times of the other kind are not compared with theirs. */
function topKernels(data) {
	const kernels = data.tables.kernels, share = (row) => kernels.get(row, "time_share");
	const counted = (row) => kernels.get(row, "counted_ns") === null ? -1 : kernels.get(row, "counted_ns");
	const rows = kernels.rows.filter((row) => matchesKernel(kernels.get(row, "kernel")) &&
					 matchesQuery(kernels.get(row, "kernel"), kernels.get(row, "symbol")) && kernelTime(kernels, row).ns)
		.sort((a, b) => counted(b) - counted(a) || kernelTime(kernels, b).ns - kernelTime(kernels, a).ns).slice(0, 5);
	const head = (text, help, number) => el("th", {scope: "col", class: number ? "number" : null, title: help}, text);

	if (!rows.length)
		return el("p", null, kernels.rows.length ? `None of ${plural(kernels.rows.length, "kernel", "kernels")} matches.` : "No kernel ran.");
	return el("table", {"aria-label": "kernels by time"}, el("thead", null, el("tr", null, head("kernel", "demangled name"),
			head("time", "measured GPU time of the dispatches in the last column", true),
			head("time of", "original: the uninstrumented kernel; clone: its instrumented clone, which takes longer"),
			head("% of time", kernels.column("time_share").help, true),
			head("dispatches", "dispatches that the time is of", true))),
		el("tbody", null, rows.map((row) => {
			const time = kernelTime(kernels, row);
			return el("tr", null,
				el("td", null, el("a", {href: addressOf({page: "kernels", kernel: kernels.get(row, "kernel")})}, kernels.get(row, "kernel"))),
				el("td", {class: "number"}, timeText(time.ns)), el("td", {class: "word"}, time.of),
				el("td", {class: "number"}, share(row) === null ? "" : share(row).toFixed(1)),
				el("td", {class: "number"}, textOf(time.dispatches)));
		})));
}

function pageOverview(data) {
	const lines = data.tables.lines;
	const all = findingsOf(data), found = all.filter((row) => matchesFinding(lines, row));

	return el("div", null,
		el("dl", {class: "facts"},
		   el("div", null, el("dt", null, "Program"), el("dd", null, el("code", null, data.run.get("command") || ""))),
		   el("div", null, el("dt", null, "Device"), el("dd", null, deviceText(data))),
		   el("div", null, el("dt", null, "Recorded"), el("dd", null, recordedText(data)))),
		el("h2", null, found.length > 5 ? `The 5 findings of ${textOf(found.length)} with the most extra cycles (estimate)` : "Findings"),
		!lines ? missing(data, "lines", "Memory accesses were")
			: found.length ? found.slice(0, 5).map((row) => findingCard(lines, row))
			: all.length ? el("p", null, `None of ${plural(all.length, "finding", "findings")} matches.`)
			: el("p", {class: "good"}, "No extra cache-line requests and no bank conflicts."),
		found.length > 5 && el("p", null, el("a", {href: addressOf({page: "findings"})}, "All findings")),
		el("h2", null, "Kernels by time"), timesText(data), topKernels(data));
}
