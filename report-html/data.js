// SPDX-License-Identifier: MIT
/* The data block of the page. */

class Table {
	constructor(raw) {
		this.command = raw.command;
		this.sql = raw.sql;
		this.columns = raw.columns;
		this.rows = raw.rows;
		this.at = new Map(raw.columns.map((column, i) => [column.name, i]));
	}
	has(name) {
		return this.at.has(name);
	}
	get(row, name) {
		return this.has(name) ? row[this.at.get(name)] : null;
	}
	column(name) {
		return this.columns[this.at.get(name)];
	}
	object(row) {
		return Object.fromEntries(this.columns.map((column, i) => [column.name, row[i]]));
	}
}

async function readData() {
	const text = document.getElementById("data").textContent;
	const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
	const raw = JSON.parse(await new Response(stream).text());

	for (const name of Object.keys(raw.tables))
		raw.tables[name] = new Table(raw.tables[name]);
	raw.run = new Map(raw.run);
	raw.text = new Map();
	for (const [file, line, source] of raw.source) {
		if (!raw.text.has(file))
			raw.text.set(file, new Map());
		raw.text.get(file).set(line, source);
	}
	return raw;
}

/* The findings: rows of `lines`, in the order of the report. */
function findingsOf(data) {
	const lines = data.tables.lines;

	return lines ? lines.rows.filter((row) => lines.get(row, "finding") === 1) : [];
}

/* True if kernel and search of the view match: the same on every page. */
function matchesFinding(lines, row) {
	return matchesKernel(lines.get(row, "kernel")) &&
		matchesQuery(lines.get(row, "file"), lines.get(row, "kernel"), lines.get(row, "cause"), lines.get(row, "fix"), lines.get(row, "source"));
}

function kindOf(lines, row) {
	if (lines.get(row, "conflicts") > 0)
		return "bank conflicts";
	if (lines.get(row, "lines64_excess") > 0 || lines.get(row, "lines128_excess") > 0)
		return "extra cache lines";
	return "other";
}

/* Options that sample on a device like that of the run: those of probe-run --twice. */
function samplingOptions(data) {
	const simulated = data.run.get("device") === "simulated";

	return simulated ? "stochastic --pc-sampling-unit cycles --pc-sampling-interval 256" : "host_trap --pc-sampling-unit time --pc-sampling-interval 512";
}

/* Replaces data that was not recorded by the command that records it. */
function missing(data, name, what) {
	const options = name === "lines" ? "-a memory" : `--pc-sampling-method ${samplingOptions(data)}`;

	return el("p", {class: "missing"}, `${what} not recorded. Record them with `, el("code", null, `probe-run ${options} -- ./app`), ".");
}
