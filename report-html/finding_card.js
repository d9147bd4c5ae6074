// SPDX-License-Identifier: MIT
/* A finding: position, access, cause and fix. */

function placeLink(lines, row) {
	const file = lines.get(row, "file"), line = lines.get(row, "line");

	if (!line)
		return el("span", null, "(no line information: compile with -g)");
	return el("a", {href: addressOf({page: "source", file, line, kernel: lines.get(row, "kernel")}), title: file},
		  `${baseName(file)}:${line}`);
}

function sentenceOf(lines, row) {
	const cause = lines.get(row, "cause");

	if (cause)
		return cause;
	return kindOf(lines, row) === "bank conflicts" ? `${plural(lines.get(row, "conflicts"), "bank conflict", "bank conflicts")}`
		: `${plural(lines.get(row, "lines128_excess"), "extra request", "extra requests")} for 128-byte cache lines`;
}

function pictureOf(lines, row) {
	const offsets = offsetsOf(lines, row), size = lines.get(row, "size");

	if (!offsets)
		return null;
	if (lines.get(row, "conflicts") > 0)
		return bankPicture(offsets, size, lines.get(row, "max_way"));
	return lines.get(row, "space") === "lds" ? null : linePicture(offsets, size);
}

const numbersShown = ["executions", "lanes", "lines64_used", "lines64_needed", "lines128_used", "lines128_needed",
		      "lines128_excess", "passes", "ideal_passes", "conflicts", "max_way", "cycles",
		      "cycles_basis", "time_share", "basis", "measured", "error"];

function numbersOf(lines, row) {
	const names = numbersShown.filter((name) => lines.has(name) && lines.get(row, name));

	return el("dl", {class: "numbers"}, names.map((name) => el("div", null,
		el("dt", {title: lines.column(name).help}, lines.column(name).title),
		el("dd", null, textOf(lines.get(row, name))))));
}

function findingCard(lines, row, level = "h3") {
	const source = lines.get(row, "source"), fix = lines.get(row, "fix");
	const copy = el("button", {type: "button", onclick: () => copyText(JSON.stringify(lines.object(row), null, 1), copy)},
			"Copy as JSON");

	return el("article", {class: "finding"},
		  el(level, null, placeLink(lines, row), ` ${lines.get(row, "space")} ${lines.get(row, "access")}, `,
		     `${lines.get(row, "size")} B per lane`),
		  el("p", {class: "kernel"}, "in ", el("a", {href: addressOf({page: "kernels", kernel: lines.get(row, "kernel")})},
						      lines.get(row, "kernel"))),
		  source && el("pre", null, source.trim()),
		  el("p", null, el("strong", null, "Cause: "), sentenceOf(lines, row)),
		  fix && el("p", null, el("strong", null, "Fix: "), fix),
		  pictureOf(lines, row), numbersOf(lines, row), copy);
}
