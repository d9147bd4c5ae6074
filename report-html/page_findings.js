// SPDX-License-Identifier: MIT
/* All findings, filtered by kernel, kind and file. */

const CARDS_MAX = 50;

function chooser(label, field, values) {
	return el("label", null, `${label} `, el("select", {"aria-label": label, onchange: (event) => go({[field]: event.target.value})},
		el("option", {value: ""}, "all"),
		values.map((value) => el("option", {value, selected: state[field] === value}, field === "file" ? baseName(value) : value))));
}

function pageFindings(data) {
	const lines = data.tables.lines;

	if (!lines)
		return missing(data, "lines", "Memory accesses were");
	const all = findingsOf(data);
	const unique = (name) => [...new Set(all.map((row) => lines.get(row, name)))].sort();
	const shown = all.filter((row) => matchesFinding(lines, row) &&
		(!state.kind || kindOf(lines, row) === state.kind) && (!state.file || lines.get(row, "file") === state.file));

	announce(plural(shown.length, "finding", "findings"));
	return el("div", null,
		el("form", {class: "filters"}, chooser("Kernel", "kernel", unique("kernel")),
		   chooser("Kind", "kind", ["bank conflicts", "extra cache lines", "other"]),
		   chooser("File", "file", unique("file"))),
		el("p", null, `${plural(shown.length, "finding", "findings")} of ${textOf(all.length)}, sorted by estimated extra cycles. ` +
			"Whether a fix was verified, its text says."),
		shown.slice(0, CARDS_MAX).map((row) => findingCard(lines, row, "h2")),
		shown.length > CARDS_MAX && el("p", null, `${textOf(shown.length - CARDS_MAX)} more: choose a kernel, kind or file.`),
		tableFoot(lines, shown, `${lines.command} --findings`));
}
