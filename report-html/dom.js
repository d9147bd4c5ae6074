// SPDX-License-Identifier: MIT
/* Elements and numbers. Text is always set as text: foreign names never become markup. */

/* Control characters and direction marks, which could reorder the text around a foreign name, by their number. */
function plainText(text) {
	return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
		(mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/* el("a", {href: "#x", class: "y", onclick: f}, "text", child, [more]) */
function el(tag, attributes, ...children) {
	const svg = ["svg", "rect", "line", "text", "g", "title"].includes(tag) && attributes && attributes.svg;
	const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag)
			 : document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (name === "svg" || value === null || value === undefined || value === false)
			continue;
		if (name.startsWith("on"))
			node.addEventListener(name.slice(2), value);
		else
			node.setAttribute(name, value === true ? "" : String(value));
	}
	for (const child of children.flat(2))
		if (child !== null && child !== undefined && child !== false)
			node.append(typeof child === "string" ? plainText(child) : child);
	return node;
}

const grouped = new Intl.NumberFormat("en", {maximumFractionDigits: 2});

/* A missing value is shown as missing, never as 0. */
function textOf(value) {
	if (value === null || value === undefined)
		return "";
	return typeof value === "number" ? grouped.format(value) : String(value);
}

function plural(count, one, many) {
	return `${textOf(count)} ${count === 1 ? one : many}`;
}

function timeText(ns) {
	if (ns === null || ns === undefined)
		return "";
	const units = [["s", 1e9], ["ms", 1e6], ["us", 1e3]];
	for (const [unit, size] of units)
		if (ns >= size)
			return `${(ns / size).toFixed(2)} ${unit}`;
	return `${ns} ns`;
}

/* A share of a whole, with the count. */
function shareText(part, whole) {
	return whole ? `${(100 * part / whole).toFixed(1)} % (${textOf(part)} of ${textOf(whole)})` : "";
}

function baseName(path) {
	return path.slice(path.lastIndexOf("/") + 1);
}

/* Announces the effect of a filter or a sort to screen readers. */
function announce(text) {
	const region = document.getElementById("live");
	if (region)
		region.textContent = text;
}

function copyText(text, button) {
	const done = () => {
		button.textContent = "copied";
		announce("copied");
	};
	if (navigator.clipboard)
		navigator.clipboard.writeText(text).then(done, () => { button.textContent = "not allowed"; });
}
