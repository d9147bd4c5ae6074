// SPDX-License-Identifier: MIT
/*
 * What ran when: queues and copies of devices, calls and ranges of threads. Spans of a track that
 * overlap or are nested go to lanes below each other.
 */

const LANE = 16, LABEL = 15, RULER = 18;
/* A kind's colour is a variable of the style sheet. */
const kindColors = {kernel: "--accent", "instrumented kernel": "--late", copy: "--r2", call: "--r5", range: "--r0", mark: "--r1", wave: "--r3", region: "--r4"};
/* Compute units whose waves are drawn; the table has those of all. */
const WAVE_TRACKS = 16;

function kindOfEvent(category) {
	return ["copy", "range", "mark", "wave", "region"].includes(category) ? category : "call";
}

/* The spans of the page, in the order of their start; times are ns since the first one. */
function spansOf(data) {
	const first = (data.counts[0] || [])[2] || 0;
	const spans = [
		...data.dispatches.map(([name, pid, tid, start, duration, dispatch, clone, grid, group, , correlation]) =>
			({kind: clone ? "instrumented kernel" : "kernel", name, track: `${pid} ${tid}`, start: start - first, duration,
			  dispatch, grid, group, correlation})),
		...[...data.events, ...data.waves].map(([category, name, pid, tid, start, duration, correlation, bytes]) =>
			({kind: kindOfEvent(category), name, track: `${pid} ${tid}`, start: start - first, duration, bytes, correlation})),
	].sort((a, b) => a.start - b.start || b.duration - a.duration);

	spans.forEach((span, i) => { span.number = i + 1; });
	return spans;
}

/* Tracks with their spans by lane, from the top of the drawing to its bottom. */
function tracksOf(data, spans) {
	const names = new Map(data.tracks.map(([pid, tid, process, thread]) => [`${pid} ${tid}`, `${process}, ${thread}`]));
	const ofWaves = new Set(data.waves.map(([, , pid, tid]) => `${pid} ${tid}`));
	const hidden = new Set([...names.keys()].filter((key) => ofWaves.has(key)).slice(WAVE_TRACKS));
	const tracks = [...names].filter(([key]) => !hidden.has(key)).map(([key, name]) => ({key, name, ends: [], spans: []}));
	const byKey = new Map(tracks.map((track) => [track.key, track]));

	for (const span of spans) {
		const track = byKey.get(span.track);
		if (!track)
			continue;
		let lane = track.ends.findIndex((end) => end <= span.start);
		if (lane < 0)
			lane = track.ends.push(0) - 1;
		track.ends[lane] = span.start + span.duration;
		span.lane = lane;
		track.spans.push(span);
	}
	let top = RULER;
	for (const track of tracks) {
		track.top = top;
		top += LABEL + LANE * Math.max(1, track.ends.length);
	}
	return {tracks, byKey, height: top, names, hidden: hidden.size};
}

/* Those that the filters of the page leave. */
function isShown(span) {
	return (span.dispatch === undefined || matchesKernel(span.name)) && matchesQuery(span.name);
}

/* The call and what it launched have the same correlation. */
function partnersOf(spans, span) {
	return span.correlation ? spans.filter((other) => other !== span && other.correlation === span.correlation &&
		(other.dispatch === undefined) !== (span.dispatch === undefined)) : [];
}

/* The simulated GPU's clock is not the host's: kernels may seem to run before they are launched. */
function hasOwnClock(spans) {
	const calls = new Map(spans.filter((span) => span.kind === "call" && span.correlation).map((span) => [span.correlation, span.start]));

	return spans.some((span) => span.dispatch !== undefined && calls.get(span.correlation) > span.start);
}

class TimelineDrawing {
	constructor(canvas, layout, from, to) {
		const style = getComputedStyle(document.documentElement), scale = devicePixelRatio || 1;

		this.color = (name) => style.getPropertyValue(name);
		this.layout = layout;
		this.from = from;
		this.to = to;
		this.width = canvas.clientWidth;
		canvas.width = this.width * scale;
		canvas.height = layout.height * scale;
		canvas.style.height = `${layout.height}px`;
		this.context = canvas.getContext("2d");
		this.context.scale(scale, scale);
		this.context.font = "11px system-ui";
	}
	x(time) {
		return (time - this.from) / (this.to - this.from) * this.width;
	}
	y(span) {
		return this.layout.byKey.get(span.track).top + LABEL + span.lane * LANE;
	}
	ruler() {
		this.context.fillStyle = this.color("--text");
		for (let i = 0; i <= 4; i++)
			this.context.fillText(timeText(Math.round(this.from + (this.to - this.from) * i / 4)), i * (this.width - 60) / 4, 12);
	}
	area([from, to]) {
		this.context.fillStyle = this.color("--panel");
		this.context.fillRect(this.x(from), 0, this.x(to) - this.x(from), this.layout.height);
	}
	/* Spans within one pixel of a lane are drawn once. */
	track(track) {
		const reached = track.ends.map(() => -1);

		this.context.fillStyle = this.color("--soft");
		this.context.fillText(plainText(track.name), 2, track.top + 12);
		for (const span of track.spans) {
			const x = this.x(span.start), end = this.x(span.start + span.duration);
			if (x > this.width || end < 0 || end <= reached[span.lane] || !isShown(span))
				continue;
			const width = Math.max(1, end - x), y = this.y(span);
			reached[span.lane] = Math.ceil(x + width);
			this.context.fillStyle = this.color(kindColors[span.kind]);
			this.context.fillRect(x, y, width, LANE - 2);
			if (width > 50) {
				this.context.fillStyle = this.color("--page");
				this.context.fillText(plainText(span.name).slice(0, Math.floor(width / 7)), Math.max(0, x) + 3, y + 11);
			}
		}
	}
	/* A frame around the chosen span, and lines to what it launched or was launched by. */
	chosen(span, partners) {
		const box = (one) => [this.x(one.start), this.y(one), Math.max(2, this.x(one.start + one.duration) - this.x(one.start)), LANE - 2];

		this.context.strokeStyle = this.color("--text");
		this.context.lineWidth = 2;
		this.context.strokeRect(...box(span));
		for (const partner of partners) {
			const [x, y] = box(partner), [fromX, fromY] = box(span);
			this.context.beginPath();
			this.context.moveTo(fromX, fromY + LANE / 2);
			this.context.lineTo(x, y + LANE / 2);
			this.context.stroke();
			this.context.strokeRect(...box(partner));
		}
	}
}

/* Number and time of each kind and name within an area, the longest first. */
function totalsOf(spans, [from, to]) {
	const totals = new Map();

	for (const span of spans) {
		const within = Math.min(to, span.start + span.duration) - Math.max(from, span.start);
		if (within < 0 || !isShown(span))
			continue;
		const key = `${span.kind}\n${span.name}`;
		const total = totals.get(key) || {kind: span.kind, name: span.name, count: 0, time: 0, bytes: 0};
		total.count++;
		total.time += within;
		total.bytes += span.bytes || 0;
		totals.set(key, total);
	}
	return [...totals.values()].sort((a, b) => b.time - a.time);
}
