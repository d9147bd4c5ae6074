// SPDX-License-Identifier: MIT
/* Every column of every table, in the words of probe-report list. */

function pageGlossary(data) {
	return el("div", null, Object.entries(data.tables).map(([name, table]) => el("section", null,
		el("h2", null, name), el("p", null, "Command: ", el("code", null, `${table.command} ${data.file}`)),
		el("dl", {class: "glossary"}, table.columns.filter((column) => matchesQuery(column.name, column.title, column.help))
			.map((column) => el("div", null, el("dt", null, column.title === column.name ? column.name
				: `${column.title} (${column.name})`), el("dd", null, column.help || "")))))));
}
