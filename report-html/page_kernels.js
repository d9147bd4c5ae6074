// SPDX-License-Identifier: MIT
/* Every kernel that ran, and how many of its waves fit on a compute unit. */

function occupancyTable(data) {
	const occupancy = data.tables.occupancy;
	const rows = occupancy.rows.filter((row) => matchesKernel(occupancy.get(row, "kernel")) && matchesQuery(occupancy.get(row, "kernel")));
	const names = occupancy.columns.filter((column) => column.standard).map((column) => column.name);
	const table = new VirtualTable("occupancy", plainColumns(occupancy, names), rows);

	return el("section", {"aria-label": "waves on a compute unit"}, el("h2", null, "Occupancy"),
		el("p", null, "Computed from registers, LDS and workgroup of each launch shape. Scratch holds spilled registers and private arrays."),
		table.chooser(), table.element, tableFoot(occupancy, rows, occupancy.command));
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

	return el("div", null, timesText(data), table.chooser(), table.element, tableFoot(kernels, rows, kernels.command), occupancyTable(data));
}
