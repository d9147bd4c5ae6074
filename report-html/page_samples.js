// SPDX-License-Identifier: MIT
/* PC samples by line: where waves were, and why they stalled. */

function pageSamples(data) {
	const samples = data.tables.samples;

	if (!samples)
		return missing("samples", "PC samples were");
	const total = samplesTotal(data);
	const rows = samples.rows.filter((row) => matchesKernel(samples.get(row, "kernel")) &&
		matchesQuery(samples.get(row, "position"), samples.get(row, "kernel")));
	const columns = [
		...plainColumns(samples, ["position", "kernel", "samples"]),
		{title: "share", help: "of all samples", number: true, value: (row) => samples.get(row, "samples"),
		 show: (row) => total ? `${(100 * samples.get(row, "samples") / total).toFixed(2)} %` : ""},
		{title: "issued, or stalled by", help: reasons.join(", "), value: (row) => samples.get(row, "stalled"),
		 show: (row) => stallBar(reasons.map((reason) => [reason, samples.get(row, reason)]))},
	];
	const table = new VirtualTable("samples by line", columns, rows);

	return el("div", null,
		total < 100 && el("p", {class: "missing"}, `Only ${total} samples: too few to compare lines. Run longer, or with a shorter interval.`),
		el("ul", {class: "legend"}, reasons.map((reason, i) => el("li", null,
			el("span", {class: `key reason-${i}`}), reason))),
		table.element, tableFoot(samples, rows, samples.command));
}
