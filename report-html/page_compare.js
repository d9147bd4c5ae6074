// SPDX-License-Identifier: MIT
/* What changed since the run given with --baseline. Lines are matched by their text. */

function pageCompare(data) {
	const changes = data.tables.changes;

	if (!changes)
		return el("p", {class: "missing"}, "Not compared with another run. Compare with ",
			  el("code", null, "probe-report export --format html --baseline OLDER.db -o page.html NEWER.db"), ".");
	const rows = changes.rows.filter((row) => matchesKernel(changes.get(row, "kernel")) &&
		matchesQuery(changes.get(row, "kernel"), changes.get(row, "file"), changes.get(row, "metric"), changes.get(row, "source")));
	const place = (row) => changes.get(row, "line") ? {page: "source", file: changes.get(row, "file"), line: changes.get(row, "line")} : null;
	const table = new VirtualTable("changes", [
		{title: "place", help: "in the newer run", value: (row) => `${changes.get(row, "file")}:${changes.get(row, "line")}`,
		 show: (row) => place(row) ? el("a", {href: addressOf(place(row))}, `${baseName(changes.get(row, "file"))}:${changes.get(row, "line")}`) : ""},
		...plainColumns(changes, ["kernel", "variant", "access", "space", "metric", "before", "after", "change", "percent", "note", "source"]),
	], rows, {open: (row) => place(row) && go(place(row))});

	return el("div", null, el("p", null, "Before: ", el("code", null, data.baseline), ", after: ", el("code", null, data.file),
			". Counts are exact. A change of a time that is within the noise of repeated dispatches says so."),
		rows.length ? null : el("p", {class: "good"}, "Nothing changed."),
		table.chooser(), table.element,
		tableFoot(changes, rows, `probe-report diff ${data.baseline} ${data.file}`));
}
