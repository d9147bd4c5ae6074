// SPDX-License-Identifier: MIT
/* Every kernel that ran, and how many of its waves fit on a compute unit. */

/* Another table about kernels, below the first one; nothing if it is not there, or has no rows. */
function moreAboutKernels(data, name, title, text) {
	const about = data.tables[name];

	if (!about || !about.rows.length)
		return null;
	const rows = about.rows.filter((row) => matchesKernel(about.get(row, "kernel")) && matchesQuery(about.get(row, "kernel")));
	const names = about.columns.filter((column) => column.standard).map((column) => column.name);
	const table = new VirtualTable(name, plainColumns(about, names), rows);

	return el("section", {"aria-label": title}, el("h2", null, title), el("p", null, text),
		table.chooser(), table.element, tableFoot(about, rows, about.command));
}

function pageKernels(data) {
	const kernels = data.tables.kernels;
	const rows = kernels.rows.filter((row) => matchesKernel(kernels.get(row, "kernel")) &&
					 matchesQuery(kernels.get(row, "kernel"), kernels.get(row, "symbol")));
	const names = kernels.columns.filter((column) => column.standard && column.name !== "kernel").map((column) => column.name);
	const columns = [{
		title: "kernel", help: "demangled name", value: (row) => kernels.get(row, "kernel"),
		show: (row) => el("a", {href: addressOf({page: "findings", kernel: kernels.get(row, "kernel")})},
				  kernels.get(row, "kernel")),
	}, ...plainColumns(kernels, names)];
	const table = new VirtualTable("kernels", columns, rows,
				       {open: (row) => go({page: "findings", kernel: kernels.get(row, "kernel")})});

	return el("div", null, timesText(data), table.chooser(), table.element, tableFoot(kernels, rows, kernels.command),
		moreAboutKernels(data, "occupancy", "Occupancy",
			"Computed from registers, LDS and workgroup of each launch shape. Scratch holds spilled registers and private arrays."),
		moreAboutKernels(data, "mix", "Instruction mix and roofline",
			"Operations of LLVM's IR, counted by probes. Limits and roofs are modelled from the hardware's peak rates."),
		moreAboutKernels(data, "spills", "Spilled registers",
			"Lines at which registers are saved because they do not fit, counted in the code of the original."));
}
