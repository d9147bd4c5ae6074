// SPDX-License-Identifier: MIT
/*
 * The flame graph of the samples: kernels, functions inlined into them, lines, states, from top to
 * bottom; the heaviest is on the left. With a frame chosen, what contains it is above it, and what
 * it contains is below. The table has the same frames.
 */

const FRAME = 18;

/* [[frames], samples] of the kernel that is chosen. */
function stacksOf(data) {
	return data.stacks.map(([text, samples]) => [text.split(";"), samples])
		.filter(([frames]) => !state.kernel || frames[0] === state.kernel || frames[0].startsWith(`${state.kernel} [`));
}

/* A tree of {name, samples, children}. */
function treeOf(paths) {
	const root = {name: "all", samples: 0, children: new Map()};

	for (const [frames, samples] of paths) {
		let node = root;
		node.samples += samples;
		for (const name of frames) {
			if (!node.children.has(name))
				node.children.set(name, {name, samples: 0, children: new Map()});
			node = node.children.get(name);
			node.samples += samples;
		}
	}
	return root;
}

function depthOf(node) {
	return 1 + Math.max(0, ...[...node.children.values()].map(depthOf));
}

/* Boxes of a tree whose root is at `row`; its children are a row further by `step`. */
function boxesOf(node, x, row, step, boxes = []) {
	boxes.push({name: node.name, samples: node.samples, x, row});
	let at = x;
	for (const child of [...node.children.values()].sort((a, b) => b.samples - a.samples)) {
		boxesOf(child, at, row + step, step, boxes);
		at += child.samples;
	}
	return boxes;
}

/* The boxes of the graph, and how many samples wide and rows high it is. */
function flameBoxes(stacks, frame) {
	const chosen = stacks.filter(([frames]) => frames.includes(frame));

	if (!chosen.length) {
		const tree = treeOf(stacks);
		return {boxes: boxesOf(tree, 0, 0, 1), samples: tree.samples, rows: depthOf(tree)};
	}
	const below = treeOf(chosen.map(([frames, samples]) => [frames.slice(frames.indexOf(frame) + 1), samples]));
	const above = treeOf(chosen.map(([frames, samples]) => [frames.slice(0, frames.indexOf(frame)).reverse(), samples]));
	const middle = depthOf(above) - 1;

	below.name = frame;
	return {boxes: [...boxesOf(above, 0, middle, -1).slice(1), ...boxesOf(below, 0, middle, 1)],
		samples: below.samples, rows: middle + depthOf(below)};
}

function frameText(name) {
	return /\/[^/]*:\d+$/.test(name) ? baseName(name) : name;
}

function drawFlame(canvas, graph) {
	const scale = devicePixelRatio || 1, width = canvas.clientWidth, height = graph.rows * FRAME;
	const context = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
	const color = (name) => style.getPropertyValue(name);

	canvas.width = width * scale;
	canvas.height = height * scale;
	canvas.style.height = `${height}px`;
	context.scale(scale, scale);
	context.font = "11px system-ui";
	for (const box of graph.boxes) {
		const x = box.x / graph.samples * width, w = box.samples / graph.samples * width;
		const reason = reasons.indexOf(box.name);
		if (w < 0.5)
			continue;
		context.fillStyle = color(reason < 0 ? "--heat-color" : `--r${reason}`);
		context.fillRect(x, box.row * FRAME, Math.max(1, w - 1), FRAME - 1);
		if (w > 30) {
			context.fillStyle = color(reason < 0 ? "--text" : "--page");
			context.fillText(plainText(frameText(box.name)).slice(0, Math.floor(w / 6.5)), x + 3, box.row * FRAME + 13);
		}
	}
}

/* Samples of each frame: with all that it contains, and of itself. */
function frameRows(stacks) {
	const rows = new Map();

	for (const [frames, samples] of stacks)
		[...new Set(frames)].forEach((name) => {
			const row = rows.get(name) || {name, total: 0, self: 0};
			row.total += samples;
			row.self += name === frames[frames.length - 1] ? samples : 0;
			rows.set(name, row);
		});
	return [...rows.values()].sort((a, b) => b.total - a.total);
}

function flameGraph(data) {
	const stacks = stacksOf(data);
	const all = stacks.reduce((sum, [, samples]) => sum + samples, 0);
	const graph = flameBoxes(stacks, state.frame);
	const canvas = el("canvas", {class: "flame", "aria-hidden": "true"});

	if (!all)
		return null;
	new ResizeObserver(() => requestAnimationFrame(() => drawFlame(canvas, graph))).observe(canvas);
	const boxAt = (event) => graph.boxes.findLast((box) => box.row === Math.floor(event.offsetY / FRAME) &&
		event.offsetX / canvas.clientWidth * graph.samples >= box.x &&
		event.offsetX / canvas.clientWidth * graph.samples < box.x + box.samples);
	canvas.addEventListener("pointermove", (event) => {
		const box = boxAt(event);
		canvas.title = box ? `${box.name}: ${shareText(box.samples, all)}` : "";
	});
	canvas.addEventListener("click", (event) => {
		const box = boxAt(event);
		if (box)
			go({frame: box.name === "all" ? "" : box.name});
	});
	const table = new VirtualTable("frames", [
		{title: "frame", help: "kernel, function inlined, line, or state", value: (row) => row.name,
		 show: (row) => el("a", {href: addressOf({frame: row.name}), title: row.name}, frameText(row.name))},
		{title: "samples", help: "in it and in what it contains", number: true, value: (row) => row.total, show: (row) => shareText(row.total, all)},
		{title: "own samples", help: "in it, not in what it contains", number: true, value: (row) => row.self, show: (row) => row.self ? shareText(row.self, all) : ""},
	], frameRows(stacks), {open: (row) => go({frame: row.name})});

	return el("section", {"aria-label": "flame graph"}, el("h2", null, "Flame graph"),
		el("p", null, "Choose a frame to see what contains it above it, and what it contains below."),
		el("div", {class: "tracks", tabindex: "0", role: "region", "aria-label": "drawing of the flame graph"}, canvas), table.element,
		el("p", {class: "foot"}, "Same on the command line: ", el("code", null, "probe-report flame")));
}
