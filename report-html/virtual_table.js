// SPDX-License-Identifier: MIT
/*
 * A table of any length: only the rows in view are elements. columns: [{title, help, number, show:
 * row => text or element, value: row => what to sort by}].
 */

const ROW_HEIGHT = 26;

/* Hidden columns are part of the state: "table.column,table.column". */
function hiddenColumns() {
	return (state.hide || "").split(",").filter(Boolean);
}

function isHidden(label, column) {
	return hiddenColumns().includes(`${label}.${column.title}`);
}

class VirtualTable {
	constructor(label, columns, rows, options = {}) {
		this.label = label;
		this.all = columns;
		this.columns = columns.filter((column) => !isHidden(label, column));
		this.rows = rows;
		this.options = options;
		this.active = -1;
		this.body = el("tbody");
		this.table = el("table", {"aria-label": label, "aria-rowcount": rows.length + 1},
				el("thead", null, el("tr", null, this.columns.map((column, i) => this.head(column, i)))),
				this.body);
		this.element = el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": label,
					  onscroll: () => this.refresh()}, this.table);
		this.element.move = (step) => this.move(step);
		this.element.open = () => this.open();
		new ResizeObserver(() => requestAnimationFrame(() => this.refresh())).observe(this.element);
	}
	/* Check boxes that show and hide columns; the first one stays. */
	chooser() {
		const name = (column) => `${this.label}.${column.title}`;
		return el("details", {class: "columns"}, el("summary", null, "Columns"), this.all.slice(1).map((column) =>
			el("label", null, el("input", {type: "checkbox", checked: !isHidden(this.label, column), "aria-label": `column ${column.title}`,
				onchange: (event) => go({hide: (event.target.checked ? hiddenColumns().filter((one) => one !== name(column))
					: [...hiddenColumns(), name(column)]).join(",")})}), ` ${column.title}`)));
	}
	head(column, i) {
		const button = el("button", {type: "button", title: column.help,
					     onclick: () => this.sort(i)}, column.title);
		return el("th", {scope: "col", class: column.number ? "number" : null}, button);
	}
	sort(i) {
		const column = this.columns[i], value = column.value;
		const down = this.sorted === i ? !this.down : Boolean(column.number);
		const sign = down ? -1 : 1;

		this.sorted = i;
		this.down = down;
		this.rows = [...this.rows].sort((a, b) => {
			const x = value(a), y = value(b);
			if (x === y)
				return 0;
			if (x === null || x === undefined)
				return 1;
			if (y === null || y === undefined)
				return -1;
			return x < y ? -sign : sign;
		});
		this.table.querySelectorAll("th").forEach((th, at) => {
			th.removeAttribute("aria-sort");
			if (at === i)
				th.setAttribute("aria-sort", down ? "descending" : "ascending");
		});
		announce(`sorted by ${column.title}, ${down ? "descending" : "ascending"}`);
		this.draw();
	}
	row(at) {
		const row = this.rows[at];
		const name = this.options.rowClass ? this.options.rowClass(row) : "";
		const cells = this.columns.map((column) => {
			const cell = el("td", {class: column.number ? "number" : null}, column.show(row));
			if (column.decorate)
				column.decorate(cell, row);
			return cell;
		});
		return el("tr", {class: `${name} ${at === this.active ? "active" : ""}`.trim() || null,
				 "aria-rowindex": at + 2}, cells);
	}
	spacer(rows) {
		const row = el("tr", {"aria-hidden": "true", class: "spacer"},
			       el("td", {colspan: this.columns.length}));
		row.style.height = `${rows * ROW_HEIGHT}px`;
		return row;
	}
	/* The rows in view, and some around them: the first one, and the one after the last. */
	range() {
		const first = Math.max(0, Math.floor(this.element.scrollTop / ROW_HEIGHT) - 10);
		const shown = Math.ceil((this.element.clientHeight || 600) / ROW_HEIGHT) + 20;

		return [first, Math.min(this.rows.length, first + shown)];
	}
	/* Rows stay the same elements if others do not come into view, as when it scrolls sideways. */
	refresh() {
		const [first, last] = this.range();

		if (first !== this.first || last !== this.last)
			this.draw();
	}
	draw() {
		const [first, last] = this.range(), rows = [];

		this.first = first;
		this.last = last;
		if (first)
			rows.push(this.spacer(first));
		for (let i = first; i < last; i++)
			rows.push(this.row(i));
		if (last < this.rows.length)
			rows.push(this.spacer(this.rows.length - last));
		const held = this.body.contains(document.activeElement) ? document.activeElement : null;
		const index = held && held.closest("tr").getAttribute("aria-rowindex");
		this.body.replaceChildren(...rows);
		/* A link that had the focus keeps it, though it is a new element. */
		if (held)
			(this.body.querySelector(`tr[aria-rowindex="${index}"] ${held.tagName}`) || this.element).focus({preventScroll: true});
	}
	move(step) {
		this.active = Math.min(this.rows.length - 1, Math.max(0, this.active + step));
		const top = this.active * ROW_HEIGHT;
		if (top < this.element.scrollTop || top > this.element.scrollTop + this.element.clientHeight - 3 * ROW_HEIGHT)
			this.element.scrollTop = Math.max(0, top - this.element.clientHeight / 2);
		this.draw();
		const shown = this.body.querySelector("tr.active");
		announce(`row ${textOf(this.active + 1)} of ${textOf(this.rows.length)}: ` +
			 [...shown.cells].map((cell) => cell.textContent).filter(Boolean).join(", "));
	}
	open() {
		if (this.active >= 0 && this.options.open)
			this.options.open(this.rows[this.active]);
	}
	scrollTo(at) {
		this.active = at;
		requestAnimationFrame(() => {
			this.element.scrollTop = Math.max(0, at * ROW_HEIGHT - this.element.clientHeight / 3);
			this.draw();
		});
	}
}

/* Columns of a Table, unchanged. */
function plainColumns(table, names) {
	return names.filter((name) => table.has(name)).map((name) => {
		const column = table.column(name);
		return {
			title: column.title,
			help: `${column.name}: ${column.help}`,
			number: column.type === "integer" || column.type === "real",
			show: (row) => textOf(table.get(row, name)),
			value: (row) => table.get(row, name),
		};
	});
}

/* The rows as CSV, and the command that prints the same. */
function tableFoot(table, rows, name) {
	const quote = (value) => `"${textOf(value).replaceAll('"', '""')}"`;
	const button = el("button", {type: "button", onclick: () => copyText(
		[table.columns.map((column) => column.name).join(","),
		 ...rows.map((row) => row.map((value) =>
			typeof value === "number" ? value : quote(value)).join(","))].join("\n"), button)},
		"Copy as CSV");
	return el("div", {class: "foot"}, `${plural(rows.length, "row", "rows")}. `, button, " Same on the command line: ",
		  el("code", null, `${name} --format csv`), table.sql && el("details", null, el("summary", null, "The SQL of this table"),
			el("p", null, "It uses functions that probe-report adds to SQLite."), el("pre", null, table.sql)));
}
