// SPDX-License-Identifier: MIT
/* How the data was recorded, and what was lost. */

/* Rows of names and values. If the text was too long for the page, it is a single row. */
function environmentOf(data) {
	const text = (data.environment[0] || ["{}"])[0];

	try {
		return Object.entries(JSON.parse(text));
	} catch {
		return [["(all)", text]];
	}
}

function pageRun(data) {
	const table = (label, heads, rows) => el("table", {"aria-label": label},
		el("thead", null, el("tr", null, heads.map((head) => el("th", {scope: "col"}, head)))),
		el("tbody", null, rows.map((row) => el("tr", null, row.map((value) => el("td", null, textOf(value)))))));

	const cost = (data.run.get("supervisor_user_us") || 0) + (data.run.get("supervisor_system_us") || 0);

	return el("div", null, el("h2", null, "Run"),
		cost > 0 && el("p", null, `Recording took ${timeText(1000 * cost)} of processor time, beside what probes cost in the kernels.`),
		table("run", ["what", "value"], [...data.run].map(([name, value]) => [name, String(value)])),
		el("h2", null, "Options and environment"), el("p", null, "Variables of Probe, which are its options, and of ROCm."),
		table("environment", ["variable", "value"], environmentOf(data)),
		el("h2", null, "Account of records"),
		el("p", null, "Emitted by the device or the library, stored here, and dropped by reason."),
		table("account", ["stream", "what", "number"], data.account),
		el("p", null, "Database: ", el("code", null, data.file), "; page made by probe-report ", data.version));
}
