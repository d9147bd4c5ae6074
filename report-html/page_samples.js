// SPDX-License-Identifier: MIT
/* PC samples by line: where waves were, and why they stalled. */

/* What shows the row's line on the page Source; null if the page has no such file. */
function sampledPlace(samples, row, files) {
	const position = samples.get(row, "position") || "", colon = position.lastIndexOf(":");
	const file = position.slice(0, colon), line = Number(position.slice(colon + 1));

	return line && files.has(file) ? {page: "source", file, line, metric: "samples"} : null;
}

function pageSamples(data) {
	const samples = data.tables.samples;

	if (!samples)
		return missing(data, "samples", "PC samples were");
	const total = samplesTotal(data);
	const rows = samples.rows.filter((row) => matchesKernel(samples.get(row, "kernel")) &&
		matchesQuery(samples.get(row, "position"), samples.get(row, "kernel")));
	const files = new Set(filesOf(data));
	const [position, ...counts] = plainColumns(samples, ["position", "kernel", "samples"]);
	const columns = [
		{...position, show: (row) => {
			const place = sampledPlace(samples, row, files);
			return place ? el("a", {href: addressOf(place)}, position.show(row)) : position.show(row);
		}}, ...counts,
		{title: "share", help: "of all samples", number: true, value: (row) => samples.get(row, "samples"),
		 show: (row) => total ? `${(100 * samples.get(row, "samples") / total).toFixed(2)} %` : ""},
		{title: "issued, or stalled by", help: reasons.join(", "), value: (row) => samples.get(row, "stalled"),
		 show: (row) => stallBar(reasons.map((reason) => [reason, samples.get(row, reason)]))},
	];
	const table = new VirtualTable("samples by line", columns, rows, {open: (row) => {
		const place = sampledPlace(samples, row, files);
		if (place)
			go(place);
	}});

	return el("div", null,
		total < 100 && el("p", {class: "missing"}, `Only ${total} samples: too few to compare lines. Run longer, or with a shorter interval.`),
		el("ul", {class: "legend"}, reasons.map((reason, i) => el("li", null,
			el("span", {class: `key reason-${i}`}), reason))),
		table.chooser(), table.element, tableFoot(samples, rows, samples.command), flameGraph(data));
}
