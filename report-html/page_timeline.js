// SPDX-License-Identifier: MIT
/* Dispatches by time: one row per queue. The table below has the same data. */

let view = null; /* {from, to} in ns */

function drawTimeline(canvas, data, rows) {
	const context = canvas.getContext("2d"), scale = devicePixelRatio || 1;
	const queues = [...new Set(data.dispatches.map((row) => row[2]))];
	const width = canvas.clientWidth, height = 20 + 28 * queues.length;
	const style = getComputedStyle(document.documentElement);

	canvas.width = width * scale;
	canvas.height = height * scale;
	canvas.style.height = `${height}px`;
	context.scale(scale, scale);
	context.font = "11px system-ui";
	context.fillStyle = style.getPropertyValue("--text");
	for (let i = 0; i <= 4; i++)
		context.fillText(timeText(Math.round(view.from + (view.to - view.from) * i / 4)), i * (width - 60) / 4, 12);
	for (const row of rows) {
		const x = (row[3] - view.from) / (view.to - view.from) * width;
		const w = Math.max(1, row[4] / (view.to - view.from) * width);
		if (x > width || x + w < 0)
			continue;
		context.fillStyle = style.getPropertyValue(row[5] ? "--late" : "--accent");
		context.fillRect(x, 20 + 28 * queues.indexOf(row[2]), w, 22);
		if (w > 60) {
			context.fillStyle = style.getPropertyValue("--page");
			context.fillText(row[1].slice(0, Math.floor(w / 7)), Math.max(0, x) + 4, 35 + 28 * queues.indexOf(row[2]));
		}
	}
}

/* The whole run, or the busier side of a pause that takes most of it, such as between two runs. */
function firstView(dispatches, end) {
	for (let i = 1, last = 0; i < dispatches.length; i++) {
		const row = dispatches[i];
		last = Math.max(last, dispatches[i - 1][3] + dispatches[i - 1][4]);
		if (row[3] - last > 0.5 * end)
			return 2 * i >= dispatches.length ? {from: 0, to: last} : {from: row[3], to: end};
	}
	return {from: 0, to: end};
}

function pageTimeline(data) {
	const rows = data.dispatches.filter((row) => matchesKernel(row[1]) && matchesQuery(row[1]));
	const end = data.dispatches.reduce((last, row) => Math.max(last, row[3] + row[4]), 1);
	const canvas = el("canvas", {class: "timeline", "aria-hidden": "true"});
	const redraw = () => drawTimeline(canvas, data, rows);

	view = view || firstView(data.dispatches, end);
	new ResizeObserver(() => requestAnimationFrame(redraw)).observe(canvas);
	canvas.zoom = (factor, shift) => {
		const middle = (view.from + view.to) / 2 + shift * (view.to - view.from);
		const half = Math.min(end, Math.max(100, (view.to - view.from) * factor)) / 2;
		view = {from: Math.max(0, middle - half), to: Math.min(end, middle + half)};
		redraw();
	};
	canvas.addEventListener("wheel", (event) => {
		event.preventDefault();
		canvas.zoom(event.deltaY > 0 ? 1.25 : 0.8, 0);
	}, {passive: false});
	const table = new VirtualTable("dispatches", [
		{title: "dispatch", help: "its number", number: true, value: (row) => row[0], show: (row) => textOf(row[0])},
		{title: "kernel", help: "demangled", value: (row) => row[1], show: (row) => row[1]},
		{title: "variant", help: "original, or its instrumented clone, which runs longer", value: (row) => row[5],
		 show: (row) => row[5] ? "instrumented" : "original"},
		{title: "queue", help: "HSA queue", number: true, value: (row) => row[2], show: (row) => textOf(row[2])},
		{title: "start", help: "since the first dispatch", number: true, value: (row) => row[3], show: (row) => timeText(row[3])},
		{title: "duration", help: "on the device", number: true, value: (row) => row[4], show: (row) => timeText(row[4])},
	], rows);

	return el("div", null, el("p", null, "Zoom with the wheel or ", el("kbd", null, "w"), " ", el("kbd", null, "s"), ", move with ",
		el("kbd", null, "a"), " ", el("kbd", null, "d"), ". Instrumented clones have the second colour."),
		canvas, table.element);
}
