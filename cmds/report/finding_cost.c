/* SPDX-License-Identifier: MIT */
#include "cmds/report/finding_cost.h"

#include <math.h>
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
	long long excess64 = finding_count(finding, F_EXCESS64),
		  excess128 = finding_count(finding, F_EXCESS128);
	long long conflicts = finding_count(finding, F_CONFLICTS),
		  updates = finding_count(finding, F_UPDATES),
		  least = finding_count(finding, F_UPDATES_LOW);

	if (excess64 || excess128)
		print_extra(excess64 > 2 * excess128 ? excess64 : excess128,
			    "request for cache lines", "requests for cache lines");
	if (excess64 || excess128)
		printf(" of %d B", excess64 > 2 * excess128 ? 64 : 128);
	if ((excess64 || excess128) && conflicts)
		fputs(", ", stdout);
	if (conflicts)
		print_extra(conflicts, "LDS pass", "LDS passes");
	if (!least)
		return;
	if (excess64 || excess128 || conflicts)
		fputs(", ", stdout);
	if (least < updates)
		printf("%lld to ", least);
	printf("%lld %s for another lane of %s wave", updates,
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
		 "the address unit takes a cycle per cache line of 64 B and 4 lanes"},
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

/* The case in which it costs most. */
static const char *high_text(const struct finding *finding, const char *basis)
{
	bool alone = is_updates(basis) || !strncmp(basis, "modelled: LDS", strlen("modelled: LDS"));

	if (finding_count(finding, F_UNEVEN))
		return "few workgroups execute it";
	return is_swap_loop(basis) ? "all waves of the device try at the same time"
	       : alone		   ? "other accesses of the kernel take no time"
				   : "nothing hits in the L2";
}

/* The case in which it costs least. */
static const char *low_text(const char *basis)
{
	return is_updates(basis)     ? "it combines the updates of a wave"
	       : is_swap_loop(basis) ? "each wave has words of its own"
				     : "all hit in L1";
}

/* The time of the kernel limits every bound. */
static const char *limit_text(const struct finding *finding, long long cycles)
{
	bool timed = sqlite3_column_type(finding->stmt, F_KERNEL_CYCLES) != SQLITE_NULL;

	return timed && cycles >= finding_number(finding, F_KERNEL_CYCLES)
		       ? ", the time of the kernel,"
		       : "";
}

static bool of_several_kernels(const struct finding *finding)
{
	return finding->folded && finding_number(finding, F_KERNELS) > 1;
}

/* The share of the time, where launches of different shapes have different times per sample. */
static void print_time_waiting(const struct finding *finding)
{
	double waiting = sqlite3_column_double(finding->stmt, F_WAITING);
	double timed = sqlite3_column_double(finding->stmt, F_TIMED_WAITING);
	long long samples = finding_number(finding, F_KERNEL_SAMPLES);

	if (samples > 0 && fabs(timed - waiting) > 0.005 * (double)samples)
		printf(", %.3g %% if weighted with the times of its launch shapes",
		       100 * timed / (double)samples);
}

static void print_samples(const struct finding *finding, long long cycles, long long high)
{
	double waiting = sqlite3_column_double(finding->stmt, F_WAITING);

	if (of_several_kernels(finding)) {
		fputs(" (estimate: from samples of waves that waited for the line", stdout);
	} else {
		printf(" (estimate: %.*f of %lld samples of the kernel waited for the line",
		       waiting == floor(waiting) ? 0 : 1, waiting,
		       finding_number(finding, F_KERNEL_SAMPLES));
		print_time_waiting(finding);
	}
	if (high > cycles)
		printf("; up to %lld%s with the rest of the compare-and-swap loop", high,
		       of_several_kernels(finding) ? "" : limit_text(finding, high));
	putchar(')');
}

/* Why the estimate is less than the model says. */
static void print_scale(const struct finding *finding)
{
	if (sqlite3_column_type(finding->stmt, F_SCALE) == SQLITE_NULL)
		return;
	if (of_several_kernels(finding))
		fputs("; reduced if the estimates of a kernel add up to more than its time",
		      stdout);
	else
		printf("; multiplied by %.2g, so that no more than the kernel's time is "
		       "estimated",
		       sqlite3_column_double(finding->stmt, F_SCALE));
}

/* The method of the estimate, and its bounds. */
static void print_basis_of_cost(const struct finding *finding)
{
	const char *basis = finding_cell(finding, finding->folded ? F_FOLDED_LEVEL : F_LEVEL);
	long long cycles = finding_count(finding, F_CYCLES), low = finding_count(finding, F_LOW);
	long long high = finding_count(finding, F_HIGH);
	const char *limit = of_several_kernels(finding) ? "" : limit_text(finding, high);

	if (!strcmp(basis, "sampled")) {
		print_samples(finding, cycles, high);
		return;
	}
	if (!*basis) {
		fputs(" (estimate: its accesses have different bases, see --unfold", stdout);
		if (high)
			printf("; %lld to %lld", low, high);
		putchar(')');
		return;
	}
	printf("%s (estimate: %s", is_updates(basis) && high <= cycles ? " at most" : "",
	       level_text(basis));
	print_scale(finding);
	if (low < cycles)
		printf("; %lld if %s", low, low_text(basis));
	if (high > cycles)
		printf("; up to %lld%s if %s", high, limit, high_text(finding, basis));
	if (strstr(basis, "too few") && of_several_kernels(finding))
		fputs("; there are too few samples", stdout);
	else if (strstr(basis, "too few"))
		printf("; %lld samples are too few", finding_number(finding, F_KERNEL_SAMPLES));
	putchar(')');
}

/* Is the item of a list with ", " between items there again, before `end`? */
static bool is_listed(const char *list, const char *end, const char *item, size_t size)
{
	for (size_t length; list < end; list += length + 2) {
		length = strcspn(list, ",");
		if (length == size && !strncmp(list, item, size))
			return true;
	}
	return false;
}

/* The other positions of a group, each once. */
static void print_positions(const struct finding *finding, const char *before)
{
	const char *list = finding_cell(finding, F_GROUP_AT), *at = list;
	char own[48], text[48];

	snprintf(own, sizeof(own), "%lld:%lld", finding_number(finding, F_LINE),
		 finding_number(finding, F_COLUMN));
	for (size_t size; *at; at += size, at += strspn(at, ", ")) {
		size = strcspn(at, ",");
		snprintf(text, sizeof(text), "%.*s", (int)size, at);
		if (!strcmp(text, own) || is_listed(list, at, at, size))
			continue;
		fputs(before, stdout);
		report_put(text);
		before = ", ";
	}
}

void finding_put_others(const struct finding *finding, const char *before)
{
	char text[64];

	if (!finding->folded)
		return;
	snprintf(text, sizeof(text), "%salso at ", before);
	print_positions(finding, text);
}

void finding_put_cost(const struct finding *finding)
{
	bool known = sqlite3_column_type(finding->stmt, F_CYCLES) != SQLITE_NULL;
	const char *basis = finding_cell(finding, finding->folded ? F_FOLDED_LEVEL : F_LEVEL);
	enum finding_field field = finding->folded ? F_FOLDED_SHARE : F_TIME_SHARE;
	bool share = sqlite3_column_type(finding->stmt, field) != SQLITE_NULL;
	double percent = sqlite3_column_double(finding->stmt, field);
	long long kernels = finding->folded ? finding_number(finding, F_KERNELS) : 1;

	fputs("       cost: ", stdout);
	if (!known) {
		puts("not estimated");
		return;
	}
	print_excess(finding);
	printf(": %lld %s", finding_count(finding, F_CYCLES),
	       report_plural(finding_count(finding, F_CYCLES), "cycle", "cycles"));
	if (finding->windowed && strcmp(basis, "sampled"))
		fputs(" of the chosen workgroups", stdout);
	print_basis_of_cost(finding);
	if (share)
		printf(percent < 10 ? ", %.2g %% of the time of the %s%s"
				    : ", %.0f %% of the time of the %s%s",
		       percent,
		       strcmp(finding_cell(finding, F_TIME_OF), "clone") ? "" : "instrumented ",
		       report_plural(kernels, "kernel", "kernels"));
	putchar('\n');
	if (finding->folded && finding_count(finding, F_SITES) > finding_number(finding, F_SITES)) {
		printf("       sum of %lld accesses", finding_count(finding, F_SITES));
		if (kernels > 1)
			printf(" in %lld kernels", kernels);
		finding_put_others(finding, ", ");
		puts(" (--unfold lists them)");
	}
}
