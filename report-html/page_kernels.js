// SPDX-License-Identifier: MIT
/* Every kernel that ran. */

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

	return el("div", null, table.chooser(), table.element, tableFoot(kernels, rows, kernels.command));
}
