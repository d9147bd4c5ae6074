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
		(name !== "samples" || data.tables[table].rows.some((row) => data.tables[table].get(row, name))));
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

/* The file with the most of the metric; if none has any, the first one whose text is known. */
function hottestFile(data, files, metric) {
	const entry = metrics.find(([name]) => name === metric), sums = new Map();
	const table = entry && data.tables[entry[1]];

	for (const row of table ? table.rows : [])
		sums.set(table.get(row, "file"), (sums.get(table.get(row, "file")) || 0) + (table.get(row, metric) || 0));
	const most = files.reduce((best, file) => (sums.get(file) || 0) > (sums.get(best) || 0) ? file : best, files[0]);
	return sums.get(most) ? most : files.find((file) => data.text.has(file)) || files[0];
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

/* Numbers of the lines of a file that have instructions for which the condition holds. */
function linesWith(data, file, condition) {
	const table = data.tables.instructions;

	return new Set(table.rows.filter((row) => table.get(row, "file") === file && table.get(row, "line") && condition(row))
		.map((row) => table.get(row, "line")));
}

function sourceRows(data, file, sums) {
	const text = data.text.get(file) || new Map();
	const numbers = [...new Set([...text.keys(), ...sums.keys(), ...linesWith(data, file, () => true)])].sort((a, b) => a - b);

	return numbers.map((line, i) => ({line, text: text.get(line), gap: i > 0 && numbers[i - 1] !== line - 1,
					  value: sums.get(line)}));
}

/* Instructions that an s_waitcnt waits for, by code object and address. */
function waitsOf(data) {
	if (!data.waitsBy) {
		data.waitsBy = new Map();
		for (const [object, wait, producer] of data.waits) {
			const key = `${object} ${wait}`;
			data.waitsBy.set(key, [...data.waitsBy.get(key) || [], producer]);
		}
	}
	return data.waitsBy;
}

const chainOf = (table, row) => table.get(row, "stack") || "";

/* Instructions of a line; of one chain of calls if one is chosen. */
function instructionsOf(data, file, line) {
	const table = data.tables.instructions;

	return table.rows.filter((row) => table.get(row, "file") === file && table.get(row, "line") === line &&
		matchesKernel(table.get(row, "kernel")) && (!state.chain || chainOf(table, row) === state.chain));
}

/* The chains of calls through which the line was inlined, each a breadcrumb, outermost first. */
function chainsOf(data, file, line) {
	const table = data.tables.instructions, chains = new Map();

	for (const row of table.rows)
		if (table.get(row, "file") === file && table.get(row, "line") === line && matchesKernel(table.get(row, "kernel"))) {
			const sums = chains.get(chainOf(table, row)) || {instructions: 0, samples: 0};
			sums.instructions++;
			sums.samples += table.get(row, "samples") || 0;
			chains.set(chainOf(table, row), sums);
		}
	if (![...chains.keys()].some(Boolean))
		return null;
	const crumb = (position) => {
		const colon = position.lastIndexOf(":");
		return el("a", {href: addressOf({file: position.slice(0, colon), line: position.slice(colon + 1), chain: ""}), title: position}, baseName(position));
	};
	return el("section", {"aria-label": "call chains"}, el("h3", null, "Inlined through"), el("ul", null, [...chains].map(([chain, sums]) =>
		el("li", null, chain ? chain.split(" -> ").reverse().map((position, i) => [i ? " › " : "", crumb(position)]) : "not inlined",
		   `: ${plural(sums.instructions, "instruction", "instructions")}`, sums.samples ? `, ${plural(sums.samples, "sample", "samples")} ` : " ",
		   chains.size > 1 && chain && el("button", {type: "button", onclick: () => go({chain: state.chain === chain ? "" : chain})},
			state.chain === chain ? "Show all" : "Only this")))));
}

/* What an s_waitcnt waits for, by address: the arrow in the listing. */
function waitText(data, table, row) {
	const producers = waitsOf(data).get(`${table.get(row, "code_object")} ${table.get(row, "address")}`) || [];

	return producers.length ? `← ${producers.map((address) => address.toString(16)).join(", ")}` : "";
}

/* Instructions of the chosen line, or of its whole kernel with those of the line marked. */
function isaOf(data, file, line) {
	const table = data.tables.instructions;
	const ofLine = instructionsOf(data, file, line);

	if (!ofLine.length)
		return el("p", null, "No instruction has this line.");
	const kernel = state.kernel || table.get(ofLine[0], "kernel");
	const rows = state.isa ? table.rows.filter((row) => table.get(row, "kernel") === kernel) : ofLine;
	const counts = ["samples", "executions", "lines128_used", "conflicts"].filter((name) => table.has(name) && rows.some((row) => table.get(row, name)));
	const marked = new Set(ofLine);
	const listing = new VirtualTable(state.isa ? "instructions of the kernel" : "instructions of the line", [
		{title: "address", help: table.column("address").help, value: (row) => table.get(row, "address"), show: (row) => table.get(row, "address").toString(16)},
		{title: "instruction", help: "disassembled", value: (row) => table.get(row, "address"), show: (row) => el("code", null, table.get(row, "instruction"))},
		...(rows.some((row) => waitText(data, table, row)) ? [{title: "waits for", help: "addresses of the instructions whose results an s_waitcnt waits for",
			value: (row) => waitText(data, table, row), show: (row) => waitText(data, table, row)}] : []),
		...plainColumns(table, counts),
	], rows, {rowClass: (row) => state.isa && marked.has(row) ? "chosen" : "",
		  open: (row) => table.get(row, "line") && go({file: table.get(row, "file"), line: table.get(row, "line"), chain: ""})});

	listing.element.classList.add("short");
	if (state.isa)
		listing.scrollTo(rows.indexOf(ofLine[0]));
	return el("div", null, el("button", {type: "button", onclick: () => go({isa: state.isa ? "" : "kernel"})},
		state.isa ? "Only those of the line" : "All of the kernel"), listing.element);
}

function stallsOf(data, file, line) {
	const table = data.tables.instructions;

	if (!data.tables.samples)
		return null;
	const rows = instructionsOf(data, file, line);
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
		  chainsOf(data, file, line), stallsOf(data, file, line), el("h3", null, "Instructions"), isaOf(data, file, line));
}

/* The heat of the whole file beside its table; a click goes there. Keys n and p do the same. */
function minimap(rows, most, table) {
	const height = 400, marks = rows.flatMap((row, i) => row.value ? [el("rect", {svg: true, x: 0, y: height * i / rows.length,
		width: Math.max(3, 20 * row.value / most), height: Math.min(8, Math.max(2, height / rows.length)), class: "mark"})] : []);
	const map = el("svg", {svg: true, class: "minimap", viewBox: `0 0 20 ${height}`, preserveAspectRatio: "none", "aria-hidden": "true",
			       onclick: (event) => table.scrollTo(Math.floor(rows.length * event.offsetY / Math.max(1, map.clientHeight)))}, marks);

	return map;
}

function pageSource(data) {
	const files = filesOf(data), choices = metricsOf(data);

	if (!files.length)
		return el("p", {class: "missing"}, "No line information: compile with -g.");
	const metric = choices.some(([name]) => name === state.metric) ? state.metric : (choices[0] || [""])[0];
	const file = files.includes(state.file) ? state.file : hottestFile(data, files, metric);
	const sums = byLine(data, file, metric), instructions = data.tables.instructions;
	const found = state.query ? linesWith(data, file, (row) => matchesQuery(instructions.get(row, "instruction"))) : new Set();
	const rows = sourceRows(data, file, sums).filter((row) => found.has(row.line) || matchesQuery(row.text, row.line));
	const most = Math.max(1, ...sums.values());
	const chosen = Number(state.line) || 0;
	const title = (choices.find(([name]) => name === metric) || [])[2];
	const table = new VirtualTable(`source of ${file}`, [
		{title: "line", help: "line in the file", number: true, value: (row) => row.line,
		 show: (row) => el("a", {href: addressOf({file, line: row.line, chain: ""})}, String(row.line))},
		...(metric ? [{title, help: title, number: true, value: (row) => row.value, show: (row) => textOf(row.value),
			decorate: (cell, row) => {
				if (row.value) {
					cell.classList.add("heat");
					cell.style.setProperty("--heat", `${Math.max(4, 100 * row.value / most)}%`);
				}
			}}] : []),
		{title: "source", help: "as it was when it was recorded", value: (row) => row.line,
		 show: (row) => row.text === undefined ? el("em", null, "text not recorded")
			: el("code", null, highlighted(row.text.replaceAll("\t", "    ")))},
	], rows, {rowClass: (row) => `${row.gap ? "gap" : ""} ${row.line === chosen ? "chosen" : ""}`,
		  open: (row) => go({file, line: row.line, chain: ""})});
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
		   metric && el("label", null, "Heat ", el("select", {"aria-label": "Heat", onchange: (event) => go({metric: event.target.value})},
			choices.map(([name, , text]) => el("option", {value: name, selected: name === metric}, text))))),
		el("div", {class: "split"}, el("div", {class: "mapped"}, table.element, minimap(rows, most, table)),
		   chosen ? lineDetails(data, file, chosen)
			  : el("aside", {"aria-label": "the chosen line"}, el("p", null, "Choose a line to see its findings and instructions."))));
}
