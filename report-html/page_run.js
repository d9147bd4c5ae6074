// SPDX-License-Identifier: MIT
/* How the data was recorded, and what was lost. */

function pageRun(data) {
	const table = (label, heads, rows) => el("table", {"aria-label": label},
		el("thead", null, el("tr", null, heads.map((head) => el("th", {scope: "col"}, head)))),
		el("tbody", null, rows.map((row) => el("tr", null, row.map((value) => el("td", null, textOf(value)))))));

	return el("div", null, el("h2", null, "Run"), table("run", ["what", "value"], [...data.run]),
		el("h2", null, "Account of records"),
		el("p", null, "Emitted by the device or the library, stored here, and dropped by reason."),
		table("account", ["stream", "what", "number"], data.account),
		el("p", null, "Database: ", el("code", null, data.file), "; page made by probe-report ", data.version));
}
