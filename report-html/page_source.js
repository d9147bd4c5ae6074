// SPDX-License-Identifier: MIT
/*
 * A source file with heat: the chosen metric by line as a bar and a number. Next to it are the
 * finding and the instructions of the chosen line.
 */

const metrics = [
	["cycles", "lines", "extra cycles (estimate)"],
	["conflicts", "lines", "bank conflicts"],
	["lines128_excess", "lines", "extra 128-byte requests"],
	["lines128_used", "lines", "128-byte requests"],
	["executions", "lines", "executions"],
	["samples", "instructions", "PC samples"],
];

function metricsOf(data) {
	return metrics.filter(([name, table]) => data.tables[table] && data.tables[table].has(name) &&
		(name !== "samples" || data.tables.samples));
}

/* Sum of the metric by line of a file. */
function byLine(data, file, metric) {
	const entry = metrics.find(([name]) => name === metric);
	const sums = new Map();

	if (!entry)
		return sums;
	const table = data.tables[entry[1]];
	for (const row of table.rows) {
		if (table.get(row, "file") !== file || !matchesKernel(table.get(row, "kernel")))
			continue;
		const line = table.get(row, "line"), value = table.get(row, metric);
		if (line && value)
			sums.set(line, (sums.get(line) || 0) + value);
	}
	return sums;
}

function filesOf(data) {
	const files = new Set(data.text.keys());

	for (const table of [data.tables.lines, data.tables.instructions])
		if (table)
			for (const row of table.rows)
				if (table.get(row, "line") && table.get(row, "file"))
					files.add(table.get(row, "file"));
	return [...files].sort();
}

const words = /\b(?:if|else|for|while|do|switch|case|break|continue|return|const|static|struct|template|typename|class|void|int|unsigned|float|double|char|short|long|bool|auto|__global__|__device__|__shared__|__syncthreads)\b|\/\/.*$|"(?:[^"\\]|\\.)*"|\b\d[\w.]*/g;

/* Marks words, numbers, strings and comments of C; all else is plain text. */
function highlighted(text) {
	const parts = [];
	let at = 0;

	for (const match of text.matchAll(words)) {
		const word = match[0];
		const kind = word.startsWith("//") ? "comment" : word.startsWith('"') ? "string"
			: /^\d/.test(word) ? "literal" : "keyword";
		parts.push(text.slice(at, match.index), el("span", {class: kind}, word));
		at = match.index + word.length;
	}
	parts.push(text.slice(at));
	return parts;
}

function sourceRows(data, file, sums) {
	const text = data.text.get(file) || new Map();
	const numbers = [...new Set([...text.keys(), ...sums.keys()])].sort((a, b) => a - b);

	return numbers.map((line, i) => ({line, text: text.get(line), gap: i > 0 && numbers[i - 1] !== line - 1,
					  value: sums.get(line)}));
}

function isaOf(data, file, line) {
	const table = data.tables.instructions;
	const rows = table.rows.filter((row) => table.get(row, "file") === file && table.get(row, "line") === line &&
					matchesKernel(table.get(row, "kernel")));
	const names = ["address", "instruction", "samples", "executions", "lines128_used", "conflicts"]
		.filter((name) => table.has(name) && (name === "address" || rows.some((row) => table.get(row, name))));

	if (!rows.length)
		return el("p", null, "No instruction has this line.");
	return el("div", {class: "scroll short", tabindex: "0", role: "region", "aria-label": "instructions of the line"},
		el("table", {"aria-label": "instructions of the line"},
		   el("thead", null, el("tr", null, names.map((name) => el("th", {scope: "col", title: table.column(name).help},
									   table.column(name).title)))),
		   el("tbody", null, rows.slice(0, 400).map((row) => el("tr", null, names.map((name) =>
			el("td", {class: name === "instruction" ? "code" : "number"},
			   name === "address" ? table.get(row, name).toString(16) : textOf(table.get(row, name)))))))),
		rows.length > 400 && el("p", null, `${textOf(rows.length - 400)} more`));
}

function stallsOf(data, file, line) {
	const table = data.tables.instructions;

	if (!data.tables.samples)
		return null;
	const rows = table.rows.filter((row) => table.get(row, "file") === file && table.get(row, "line") === line &&
					matchesKernel(table.get(row, "kernel")));
	const sums = reasons.map((reason) => [reason, rows.reduce((sum, row) => sum + (table.get(row, reason) || 0), 0)]);
	return sums.some(([, count]) => count) && el("div", null, el("h3", null, "Samples of this line"), stallBar(sums));
}

function lineDetails(data, file, line) {
	const lines = data.tables.lines;
	const rows = lines ? lines.rows.filter((row) => lines.get(row, "file") === file && lines.get(row, "line") === line &&
						matchesKernel(lines.get(row, "kernel"))) : [];

	return el("aside", {"aria-label": "the chosen line"}, el("h2", null, `Line ${line}`),
		  rows.map((row) => lines.get(row, "finding") ? findingCard(lines, row) : el("article", {class: "finding fine"},
			el("h3", null, `${lines.get(row, "space")} ${lines.get(row, "access")}: nothing to fix`),
			el("p", {class: "kernel"}, `in ${lines.get(row, "kernel")}`), numbersOf(lines, row))),
		  stallsOf(data, file, line), el("h3", null, "Instructions"), isaOf(data, file, line));
}

function pageSource(data) {
	const files = filesOf(data), choices = metricsOf(data);

	if (!files.length)
		return el("p", {class: "missing"}, "No line information: compile with -g.");
	const file = files.includes(state.file) ? state.file : files[0];
	const metric = choices.some(([name]) => name === state.metric) ? state.metric : (choices[0] || [""])[0];
	const sums = byLine(data, file, metric);
	const rows = sourceRows(data, file, sums).filter((row) => matchesQuery(row.text, row.line));
	const most = Math.max(1, ...sums.values());
	const chosen = Number(state.line) || 0;
	const title = (choices.find(([name]) => name === metric) || ["", "", ""])[2];
	const table = new VirtualTable(`source of ${file}`, [
		{title: "line", help: "line in the file", number: true, value: (row) => row.line,
		 show: (row) => el("a", {href: addressOf({file, line: row.line})}, String(row.line))},
		{title, help: title, number: true, value: (row) => row.value, show: (row) => textOf(row.value),
		 decorate: (cell, row) => {
			 if (row.value) {
				 cell.classList.add("heat");
				 cell.style.setProperty("--heat", `${Math.max(4, 100 * row.value / most)}%`);
			 }
		 }},
		{title: "source", help: "as it was when it was recorded", value: (row) => row.line,
		 show: (row) => row.text === undefined ? el("em", null, "text not recorded")
			: el("code", null, highlighted(row.text.replaceAll("\t", "    ")))},
	], rows, {rowClass: (row) => `${row.gap ? "gap" : ""} ${row.line === chosen ? "chosen" : ""}`,
		  open: (row) => go({file, line: row.line})});
	const at = rows.findIndex((row) => row.line === chosen);

	table.hot = [...sums.entries()].sort((a, b) => b[1] - a[1]).map(([line]) => line);
	table.element.hot = (step) => {
		const now = table.hot.indexOf(chosen);
		const next = table.hot[Math.min(table.hot.length - 1, Math.max(0, now + step))];
		if (next)
			go({file, line: next});
	};
	if (at >= 0)
		table.scrollTo(at);
	return el("div", null,
		el("form", {class: "filters"},
		   el("label", null, "File ", el("select", {"aria-label": "File", onchange: (event) => go({file: event.target.value, line: ""})},
			files.map((name) => el("option", {value: name, selected: name === file}, name)))),
		   el("label", null, "Heat ", el("select", {"aria-label": "Heat", onchange: (event) => go({metric: event.target.value})},
			choices.map(([name, , text]) => el("option", {value: name, selected: name === metric}, text))))),
		el("div", {class: "split"}, table.element,
		   chosen ? lineDetails(data, file, chosen)
			  : el("aside", {"aria-label": "the chosen line"}, el("p", null, "Choose a line to see its findings and instructions."))));
}
