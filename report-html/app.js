// SPDX-License-Identifier: MIT
/* Navigation, keys and theme. */

const pages = [
	["overview", "Overview", pageOverview],
	["findings", "Findings", pageFindings],
	["kernels", "Kernels", pageKernels],
	["source", "Source", pageSource],
	["samples", "Samples", pageSamples],
	["timeline", "Timeline", pageTimeline],
	["compare", "Compare", pageCompare],
	["run", "Run", pageRun],
	["glossary", "Glossary", pageGlossary],
];

const keys = [
	["/", "search", () => document.getElementById("query").focus()],
	["j", "next row", () => withTable((table) => table.move(1))],
	["k", "previous row", () => withTable((table) => table.move(-1))],
	["Enter", "open the row", () => withTable((table) => table.open())],
	["n", "next hot line", () => withTable((table) => table.hot && table.hot(1))],
	["p", "previous hot line", () => withTable((table) => table.hot && table.hot(-1))],
	["f", "findings", () => go({page: "findings"})],
	["[", "previous kernel", () => nextKernel(-1)],
	["]", "next kernel", () => nextKernel(1)],
	["m", "next metric", nextMetric],
	["i", "source: instructions of the line, or of the kernel", () => go({isa: state.isa ? "" : "kernel"})],
	["b", "comparison with the baseline", () => go({page: "compare"})],
	["w", "timeline: zoom in", () => zoom(0.8, 0)],
	["s", "timeline: zoom out", () => zoom(1.25, 0)],
	["a", "timeline: earlier", () => zoom(1, -0.2)],
	["d", "timeline: later", () => zoom(1, 0.2)],
	["v", "timeline: totals of what is in view", () => withCanvas((canvas) => canvas.total())],
	["t", "light or dark", changeTheme],
	["?", "these keys", () => document.getElementById("help").showModal()],
];

let data;

/* The table that has the focus, or the first one. */
function withTable(fn) {
	const focused = document.activeElement.closest(".scroll");
	const table = focused && focused.move ? focused : [...document.querySelectorAll("main .scroll")].find((one) => one.move);
	if (table)
		fn(table);
}

function withCanvas(fn) {
	const canvas = document.querySelector(".timeline");
	if (canvas)
		fn(canvas);
}

function zoom(factor, shift) {
	withCanvas((canvas) => canvas.zoom(factor, shift));
}

function nextKernel(step) {
	const names = [...new Set(data.tables.kernels.rows.map((row) => data.tables.kernels.get(row, "kernel")))];
	const at = names.indexOf(state.kernel);

	go({kernel: names[(at + step + names.length) % names.length]});
}

function nextMetric() {
	const names = metricsOf(data).map(([name]) => name);

	go({metric: names[(names.indexOf(state.metric) + 1) % names.length]});
}

function changeTheme() {
	const root = document.documentElement;
	const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;

	root.dataset.theme = dark ? "light" : "dark";
}

/* A notice about lost data, or counts that are lower bounds; it cannot be closed. */
function lossBar() {
	const dropped = data.account.filter(([, name, value]) => /^(dropped|unread)/.test(name) && value > 0);

	if (!data.partial && !dropped.length)
		return null;
	return el("p", {class: "loss", role: "status"}, data.partial ? `Partial: ${data.run.get("partial_reason") || "data were lost"}. ` : "",
		  "All counts are lower bounds. ", dropped.map(([stream, name, value]) => `${stream} ${name}: ${textOf(value)}. `));
}

/* What could not be read when the page was made, or did not fit. */
function gapsBar() {
	const gaps = [...data.gaps, ...data.cut];

	return gaps.length ? el("p", {class: "loss", role: "status"}, "This page is incomplete. ", gaps.map((text) => `${text}. `)) : null;
}

const chipNames = {kernel: "kernel", query: "search", area: "time (ns)", frame: "frame", chain: "inlined at", hide: "hidden columns"};

function chips() {
	return Object.keys(chipNames).filter((field) => state[field]).map((field) =>
		el("button", {type: "button", class: "chip", onclick: () => go({[field]: ""})},
		   `${chipNames[field]}: ${state[field]} `, el("span", {"aria-hidden": "true"}, "×"),
		   el("span", {class: "hidden"}, " remove")));
}

function header() {
	return el("header", null, el("h1", null, "Probe"),
		el("nav", {"aria-label": "pages"}, pages.map(([name, title]) => el("a", {href: addressOf({page: name, line: ""}),
			"aria-current": state.page === name ? "page" : null}, title))),
		el("form", {role: "search", onsubmit: (event) => {
			event.preventDefault();
			go({query: document.getElementById("query").value});
		}}, el("label", {for: "query", class: "hidden"}, "Search"),
		   el("input", {id: "query", type: "search", placeholder: "Search", value: state.query || ""})),
		el("button", {type: "button", onclick: () => document.getElementById("help").showModal()}, "Keys"));
}

function helpDialog() {
	return el("dialog", {id: "help", "aria-label": "keys"}, el("h2", null, "Keys"),
		el("table", {"aria-label": "keys"}, el("thead", null, el("tr", null, el("th", {scope: "col"}, "key"), el("th", {scope: "col"}, "does"))),
		   el("tbody", null, keys.map(([key, text]) => el("tr", null, el("td", null, el("kbd", null, key)), el("td", null, text))))),
		el("form", {method: "dialog"}, el("button", {}, "Close")));
}

/*
 * Each view is made of new elements. Focus returns to the control that had it, or goes to the
 * content if that control is gone: the next Tab never starts at the top of the page again.
 */
function heldFocus() {
	const held = document.activeElement;
	const app = document.getElementById("app");

	if (!app.contains(held))
		return null;
	if (held.closest("nav"))
		return "nav [aria-current]";
	if (held.id)
		return `#${held.id}`;
	const label = held.getAttribute("aria-label");
	return label ? `main [aria-label="${CSS.escape(label)}"]` : "main";
}

function show() {
	const page = pages.find(([name]) => name === state.page) || pages[0];
	const main = el("main", {id: "main", tabindex: "-1"}, el("div", {class: "chips"}, chips()), page[2](data));
	const held = heldFocus();

	document.title = `Probe: ${page[1]} of ${data.run.get("command") || data.file}`;
	document.getElementById("app").replaceChildren(
		el("a", {class: "skip", href: "#main", onclick: (event) => {
			event.preventDefault();
			main.focus();
		}}, "Skip to the content"), header(), lossBar() || "", gapsBar() || "", main);
	document.querySelectorAll("main .scroll").forEach((table) => table.dispatchEvent(new Event("scroll")));
	if (held)
		(document.querySelector(held) || main).focus({preventScroll: true});
}

function onKey(event) {
	const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);

	if (event.key === "Escape" && typing)
		event.target.blur();
	if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]"))
		return;
	const entry = keys.find(([key]) => key === event.key);
	if (!entry || (event.key === "Enter" && /^(A|BUTTON)$/.test(event.target.tagName)))
		return;
	event.preventDefault();
	entry[2]();
}

readData().then((read) => {
	data = read;
	/* Beside the views, because a live region that is replaced announces nothing. */
	document.body.append(el("div", {id: "live", class: "hidden", "aria-live": "polite"}), helpDialog());
	readState();
	show();
	addEventListener("hashchange", () => {
		readState();
		show();
	});
	addEventListener("keydown", onKey);
}).catch((error) => {
	document.getElementById("app").append(el("p", {class: "loss"},
		`The data of this page cannot be read (${error.message}). Make it again with probe-report export.`));
});
