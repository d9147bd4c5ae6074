// SPDX-License-Identifier: MIT
/* The timeline, totals of an area of it, and the table of the same events. */

let view = null; /* {from, to} in ns */

/*
 * The whole run, or the busier side of a pause that takes most of it, such as between two runs. Of two
 * clocks that of the device: its events would be too short to see.
 */
function firstView(spans, end) {
	const device = spans.filter((span) => span.dispatch !== undefined || span.kind === "copy");

	if (hasOwnClock(spans))
		return {from: device[0].start, to: device.reduce((last, span) => Math.max(last, span.start + span.duration), 0)};
	for (let i = 1, last = 0; i < spans.length; i++) {
		last = Math.max(last, spans[i - 1].start + spans[i - 1].duration);
		if (spans[i].start - last > 0.5 * end)
			return 2 * i >= spans.length ? {from: 0, to: last} : {from: spans[i].start, to: end};
	}
	return {from: 0, to: end};
}

function chosenArea() {
	const match = /^(\d+)-(\d+)$/.exec(state.area || "");

	return match ? [Number(match[1]), Number(match[2])] : null;
}

function spanDetails(span, partners) {
	const fact = (name, value) => value && el("div", null, el("dt", null, name), el("dd", null, value));

	return el("aside", {"aria-label": "the chosen event"}, el("h2", null, span.name), el("dl", {class: "facts"},
		fact("kind", span.kind), fact("start", timeText(span.start)), fact("duration", timeText(span.duration)),
		fact("size", span.bytes ? `${textOf(span.bytes)} B` : ""),
		fact("bandwidth", span.bytes && span.duration ? `${textOf(span.bytes / span.duration)} GB/s` : ""),
		fact("grid", span.grid), fact("workgroup", span.group),
		partners.map((other) => fact(span.dispatch === undefined && span.kind === "call" ? "launched" : "launched by",
			el("a", {href: addressOf({event: other.number})}, `${other.name} at ${timeText(other.start)}`)))),
		span.dispatch !== undefined && el("p", null, el("a", {href: addressOf({page: "findings", kernel: span.name})}, "Findings of this kernel")));
}

function totalsTable(spans, area) {
	const totals = totalsOf(spans, area);
	const duration = area[1] - area[0];

	return el("section", {"aria-label": "totals"},
		el("h2", null, `Totals from ${timeText(area[0])} to ${timeText(area[1])}`),
		el("div", {class: "scroll short", tabindex: "0", role: "region", "aria-label": "totals of the area"},
		   el("table", {"aria-label": "totals of the area"},
		      el("thead", null, el("tr", null, ["kind", "name", "count", "time in the area", "share of the area", "bytes"].map((title, i) =>
			el("th", {scope: "col", class: i > 1 ? "number" : null}, title)))),
		      el("tbody", null, totals.slice(0, 200).map((total) => el("tr", null, el("td", null, total.kind), el("td", null, total.name),
			el("td", {class: "number"}, textOf(total.count)), el("td", {class: "number"}, timeText(total.time)),
			el("td", {class: "number"}, duration ? `${(100 * total.time / duration).toFixed(1)} %` : ""),
			el("td", {class: "number"}, total.bytes ? textOf(total.bytes) : "")))))),
		totals.length > 200 && el("p", null, `${textOf(totals.length - 200)} more`));
}

/* Click chooses the event, and dragging an area. */
function handlePointer(canvas, layout, spans) {
	const timeAt = (x) => Math.round(view.from + x / canvas.clientWidth * (view.to - view.from));
	let begin = null;

	canvas.addEventListener("pointerdown", (event) => { begin = event.offsetX; });
	canvas.addEventListener("pointerup", (event) => {
		const x = event.offsetX, y = event.offsetY, slack = (view.to - view.from) / canvas.clientWidth;
		if (begin === null)
			return;
		if (Math.abs(x - begin) > 4) {
			go({area: `${Math.max(0, timeAt(Math.min(x, begin)))}-${timeAt(Math.max(x, begin))}`});
			return;
		}
		const hit = spans.find((span) => isShown(span) && span.lane !== undefined &&
			Math.floor((y - layout.byKey.get(span.track).top - LABEL) / LANE) === span.lane &&
			y >= layout.byKey.get(span.track).top + LABEL &&
			timeAt(x) >= span.start - slack && timeAt(x) <= span.start + span.duration + slack);
		if (hit)
			go({event: hit.number});
	});
	canvas.addEventListener("wheel", (event) => {
		event.preventDefault();
		canvas.zoom(event.deltaY > 0 ? 1.25 : 0.8, 0);
	}, {passive: false});
}

function eventTable(layout, rows) {
	const trackName = (span) => layout.names.get(span.track) || "";

	return new VirtualTable("events", [
		{title: "kind", help: "original kernel, or its instrumented clone, which runs longer; copy, call, range or mark; of --kind time: wave, or region in it",
		 value: (span) => span.kind, show: (span) => span.kind},
		{title: "name", help: "of kernels: demangled", value: (span) => span.name,
		 show: (span) => el("a", {href: addressOf({event: span.number})}, span.name)},
		{title: "dispatch", help: "its number", number: true, value: (span) => span.dispatch, show: (span) => textOf(span.dispatch)},
		{title: "track", help: "queue, copies or compute unit of a device, or thread", value: trackName, show: trackName},
		{title: "start", help: "since the first event", number: true, value: (span) => span.start, show: (span) => timeText(span.start)},
		{title: "duration", help: "of kernels and copies: on the device", number: true, value: (span) => span.duration, show: (span) => timeText(span.duration)},
	], rows, {open: (span) => go({event: span.number})});
}

/* The page holds the first events of a long run only. */
function cutText(data) {
	const [dispatches, events, , waves] = data.counts[0] || [0, 0, 0, 0];
	const parts = [[data.dispatches.length, dispatches, "dispatches"], [data.events.length, events, "other events"], [data.waves.length, waves, "spans of waves"]]
		.filter(([shown, all]) => shown < all).map(([shown, all, what]) => `${textOf(shown)} of ${textOf(all)} ${what}`);

	return parts.length ? el("p", {class: "missing"}, `The first ${parts.join(" and ")} are shown; probe-report export --format perfetto has all.`) : null;
}

function pageTimeline(data) {
	const spans = data.spans || (data.spans = spansOf(data));
	const layout = data.layout || (data.layout = tracksOf(data, spans));
	const rows = spans.filter(isShown);
	const end = spans.reduce((last, span) => Math.max(last, span.start + span.duration), 1);
	const canvas = el("canvas", {class: "timeline", "aria-hidden": "true"});
	const chosen = spans[Number(state.event) - 1], area = chosenArea();
	const partners = chosen ? partnersOf(spans, chosen) : [];
	const redraw = () => {
		const drawing = new TimelineDrawing(canvas, layout, view.from, view.to);
		if (area)
			drawing.area(area);
		drawing.ruler();
		layout.tracks.forEach((track) => drawing.track(track));
		if (chosen && chosen.lane !== undefined)
			drawing.chosen(chosen, partners.filter((span) => span.lane !== undefined));
	};

	if (!spans.length)
		return el("p", {class: "missing"}, "Nothing ran on the device. Record calls and copies with ", el("code", null, "probe-run --sys-trace -- ./app"), ".");
	view = view || firstView(spans, end);
	if (chosen && (chosen.start > view.to || chosen.start + chosen.duration < view.from)) {
		const half = (view.to - view.from) / 2;
		view = {from: Math.max(0, chosen.start - half), to: chosen.start + half};
	}
	new ResizeObserver(() => requestAnimationFrame(redraw)).observe(canvas);
	canvas.zoom = (factor, shift) => {
		const middle = (view.from + view.to) / 2 + shift * (view.to - view.from);
		const half = Math.min(end, Math.max(100, (view.to - view.from) * factor)) / 2;
		view = {from: Math.max(0, middle - half), to: Math.min(end, middle + half)};
		redraw();
	};
	canvas.total = () => go({area: `${Math.floor(view.from)}-${Math.ceil(view.to)}`});
	handlePointer(canvas, layout, spans);
	const table = eventTable(layout, rows);

	return el("div", null, el("p", null, "Zoom with the wheel or ", el("kbd", null, "w"), " ", el("kbd", null, "s"), ", move with ",
			el("kbd", null, "a"), " ", el("kbd", null, "d"), ". Drag over an area for its totals, or press ", el("kbd", null, "v"),
			" for those of all that is in view."),
		el("ul", {class: "legend"}, Object.keys(kindColors).filter((kind) => spans.some((span) => span.kind === kind)).map((kind) =>
			el("li", null, el("span", {class: `key kind-${kind.replace(" ", "-")}`}), kind === "kernel" ? "original kernel" : kind))),
		cutText(data), layout.hidden > 0 && el("p", {class: "missing"}, `The waves of ${WAVE_TRACKS} compute units are drawn; the table also has those of ${layout.hidden} more.`),
		hasOwnClock(spans) && el("p", {class: "missing"}, "The device has a clock of its own here (a simulated GPU has a modelled one): ",
			"times between events of one clock are meaningful, but not the time between a call and its kernel. ",
			"At first the device's events are in view: zoom out for all calls."),
		el("div", {class: "tracks", tabindex: "0", role: "region", "aria-label": "timeline"}, canvas),
		chosen && spanDetails(chosen, partners), area && totalsTable(rows, area),
		table.chooser(), table.element);
}
