// SPDX-License-Identifier: MIT
/*
 * The state of the view is the part of the URL after #, so that Back works and links can be shared.
 */

const fields = ["page", "kernel", "file", "line", "metric", "kind", "query", "event", "area", "frame", "isa", "chain", "hide"];
let state = {};

function readState() {
	const parameters = new URLSearchParams(location.hash.slice(1));

	state = {page: "overview"};
	for (const field of fields)
		if (parameters.has(field))
			state[field] = parameters.get(field);
}

function addressOf(changes) {
	const parameters = new URLSearchParams();
	const next = {...state, ...changes};

	for (const field of fields)
		if (next[field])
			parameters.set(field, next[field]);
	return "#" + parameters;
}

function go(changes) {
	location.hash = addressOf(changes);
}

/* A filter applies to every page until it is removed. */
function matchesKernel(kernel) {
	return !state.kernel || state.kernel === kernel;
}

function matchesQuery(...texts) {
	const query = (state.query || "").toLowerCase();

	return !query || texts.some((text) => String(text || "").toLowerCase().includes(query));
}
