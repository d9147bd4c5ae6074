/* SPDX-License-Identifier: MIT */
#include "cmds/report/finding_cost.h"

#include <stdio.h>
#include <string.h>

#include "cmds/report/escape.h"
#include "cmds/report/terminal_text.h"

static void print_extra(long long count, const char *one, const char *many)
{
	printf("%lld extra %s", count, report_plural(count, one, many));
}

/* "480 extra requests for cache lines of 128 B" */
static void print_excess(const struct finding *finding)
{
	long long excess64 = finding_number(finding, F_EXCESS64),
		  excess128 = finding_number(finding, F_EXCESS128);
	long long conflicts = finding_number(finding, F_CONFLICTS),
		  updates = finding_number(finding, F_UPDATES);

	if (excess64 || excess128)
		print_extra(excess64 > 2 * excess128 ? excess64 : excess128,
			    "request for cache lines", "requests for cache lines");
	if (excess64 || excess128)
		printf(" of %d B", excess64 > 2 * excess128 ? 64 : 128);
	if ((excess64 || excess128) && conflicts)
		fputs(", ", stdout);
	if (conflicts)
		print_extra(conflicts, "LDS pass", "LDS passes");
	if (updates && (excess64 || excess128 || conflicts))
		fputs(", ", stdout);
	if (updates)
		printf("up to %lld %s for another lane of %s wave", updates,
		       report_plural(updates, "update that waits", "updates that wait"),
		       report_plural(updates, "its", "their"));
}

static const char *level_text(const char *basis)
{
	static const struct {
		const char *word, *text;
	} levels[] = {
		{"modelled: LDS", "an LDS pass per cycle and compute unit"},
		{"modelled: address unit",
		 "the address unit takes a cycle per 64 B line of each 4 lanes"},
		{"modelled: L2", "at the bandwidth between L1 and L2"},
		{"modelled: memory", "at the memory's bandwidth"},
		{"modelled: updates", "one update of a word per cycle, in the L2"},
		{"modelled: swap loop",
		 "a compare-and-swap loop takes 302 cycles for each update of a word"},
	};

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		if (!strncmp(basis, levels[i].word, strlen(levels[i].word)))
			return levels[i].text;
	return basis;
}

static bool is_updates(const char *basis)
{
	return !strncmp(basis, "modelled: updates", strlen("modelled: updates"));
}

static bool is_swap_loop(const char *basis)
{
	return !strncmp(basis, "modelled: swap loop", strlen("modelled: swap loop"));
}

/* The case in which it costs least. */
static const char *low_text(const char *basis)
{
	return is_updates(basis)     ? "it combines the updates of a wave"
	       : is_swap_loop(basis) ? "each wave has words of its own"
				     : "all hit in L1";
}

/* The time of the kernel limits every estimate. */
static const char *limit_text(const struct finding *finding, long long cycles)
{
	bool timed = sqlite3_column_type(finding->stmt, F_KERNEL_CYCLES) != SQLITE_NULL;

	return timed && cycles >= finding_number(finding, F_KERNEL_CYCLES)
		       ? ", the time of the kernel"
		       : "";
}

/* The method of the estimate, and its bounds. */
static void print_basis_of_cost(const struct finding *finding)
{
	const char *basis = finding_cell(finding, F_LEVEL);
	long long cycles = finding_number(finding, F_CYCLES), low = finding_number(finding, F_LOW);
	long long high = finding_number(finding, F_HIGH);

	if (!strcmp(basis, "sampled")) {
		printf("%s (estimate: %.1f of %lld samples of the kernel waited for the line",
		       high > cycles ? "" : " at most",
		       sqlite3_column_double(finding->stmt, F_WAITING),
		       finding_number(finding, F_KERNEL_SAMPLES));
		if (high > cycles)
			printf("; up to %lld%s, with the rest of the compare-and-swap loop", high,
			       limit_text(finding, high));
		putchar(')');
		return;
	}
	printf("%s%s (estimate: %s", is_updates(basis) ? " at most" : "",
	       limit_text(finding, cycles), level_text(basis));
	if (low < cycles)
		printf("; %lld if %s", low, low_text(basis));
	if (high > cycles)
		printf("; up to %lld%s%s if %s", high, limit_text(finding, high),
		       *limit_text(finding, high) ? "," : "",
		       is_swap_loop(basis) ? "all waves of the device try at the same time"
					   : "nothing hits in the L2");
	if (strstr(basis, "too few"))
		printf("; %lld samples are too few", finding_number(finding, F_KERNEL_SAMPLES));
	putchar(')');
}

void finding_put_group(const struct finding *finding, const char *before)
{
	const char *others = finding_cell(finding, F_GROUP_AT);

	if (!finding->folded || !*others)
		return;
	printf("%swith the %s at ", before, strchr(others, ',') ? "accesses" : "access");
	report_put(others);
	printf(": %lld cycles", finding_number(finding, F_GROUP_CYCLES));
}

void finding_put_cost(const struct finding *finding)
{
	bool known = sqlite3_column_type(finding->stmt, F_CYCLES) != SQLITE_NULL;
	bool share = sqlite3_column_type(finding->stmt, F_TIME_SHARE) != SQLITE_NULL;
	double percent = sqlite3_column_double(finding->stmt, F_TIME_SHARE);

	fputs("       cost: ", stdout);
	if (!known) {
		puts("not estimated");
		return;
	}
	print_excess(finding);
	printf(": %lld %s", finding_number(finding, F_CYCLES),
	       report_plural(finding_number(finding, F_CYCLES), "cycle", "cycles"));
	print_basis_of_cost(finding);
	if (share)
		printf(percent < 10 ? ", %.2g %% of the time of the %s"
				    : ", %.0f %% of the time of the %s",
		       percent,
		       strcmp(finding_cell(finding, F_TIME_OF), "clone") ? "kernel"
									 : "instrumented kernel");
	putchar('\n');
	if (finding->folded && *finding_cell(finding, F_GROUP_AT)) {
		finding_put_group(finding, "       ");
		puts(", at constant distances in the same block (--unfold lists them)");
	}
	if (finding->folded && finding_number(finding, F_PLACES) > 1)
		printf("       in all: %lld cycles: %lld accesses here, in %lld %s (--unfold lists "
		       "them)\n",
		       finding_number(finding, F_ALL_CYCLES), finding_number(finding, F_PLACES),
		       finding_number(finding, F_KERNELS),
		       report_plural(finding_number(finding, F_KERNELS), "kernel", "kernels"));
}
