/* SPDX-License-Identifier: MIT */
#include "simgpu/time/value_waits.h"

#include <stdlib.h>
#include <string.h>

#include "simgpu/base/sim_options.h"
#include "simgpu/exec/memory/single_place.h"
#include "simgpu/mem/freed_memory.h"
#include "simgpu/time/idle_polls.h"
#include "simgpu/time/issue_slots.h"
#include "simgpu/time/memory_latency.h"
#include "simgpu/time/wave_waits.h"

enum {
	FIRST_TRIES = 2,	/* failed ones before a wave waits */
	LONGEST_PERIOD = 65536, /* cycles between tries of one loop */
	READER_LATE = 3,	/* periods after which another wave takes its place */
	LONGEST_WAIT = 1024,	/* periods, at first; then a part of the time already waited */
	WAIT_PART = 4,
	FIRST_POLLS = 3,
	LONGEST_PAUSE = 16384, /* cycles between polls, at first; then as between tries */
	ROUND_PART = 8,	       /* of a period, after which a round is executed again in trial */
};

/* ---- Places --------------------------------------------------------------------------------- */

/* Between sim_memory_enter() and sim_memory_leave(). False: the memory was freed. */
static bool read_place(struct time_place *place, uint64_t *ret)
{
	uint64_t generation = sim_mem_generation();

	if (!place->host || place->generation != generation) {
		place->host = sim_place_host(place->addr, place->bytes);
		place->generation = generation;
	}
	if (!place->host)
		return false;
	*ret = place->bytes == 4 ? __atomic_load_n((const uint32_t *)place->host, __ATOMIC_RELAXED)
				 : __atomic_load_n((const uint64_t *)place->host, __ATOMIC_RELAXED);
	return true;
}

static struct time_place *find_place(struct sim_time *time, const struct sim_place_access *access)
{
	struct time_places *places = &time->places;
	struct time_place *unused = NULL;

	for (uint32_t i = 0; i < TIME_PLACES; i++) {
		struct time_place *place = &places->place[i];

		if (place->addr == access->addr && place->bytes == access->bytes)
			return place;
		/* Polls of many places leave some for locks. */
		if (!place->count && (access->swaps || i < TIME_PLACES / 2) &&
		    (!unused || place->changed < unused->changed))
			unused = place;
	}
	if (!unused)
		return NULL;
	unused->addr = access->addr;
	unused->bytes = access->bytes;
	unused->host = NULL;
	unused->reader = NULL;
	unused->changed = 0;
	places->used = true;
	if (!read_place(unused, &unused->value))
		unused->addr = 0;
	return unused->addr ? unused : NULL;
}

/* ---- Waiting waves -------------------------------------------------------------------------- */

static bool add_waiter(struct time_place *place, const struct time_waiter *waiter)
{
	if (place->count == place->capacity) {
		uint32_t capacity = place->capacity ? 2 * place->capacity : 64;
		struct time_waiter *grown =
			realloc(place->waiter, capacity * sizeof(*place->waiter));

		if (!grown)
			return false;
		place->waiter = grown;
		place->capacity = capacity;
	}
	place->due = place->count && place->due < waiter->due ? place->due : waiter->due;
	waiter->wave->place = place;
	waiter->wave->waiter = place->count;
	place->waiter[place->count++] = *waiter;
	return true;
}

/* The wave no longer waits; its last try that was left out was a period ago. */
static void leave_place(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	struct time_place *place = w->place;
	struct time_waiter *waiter = &place->waiter[w->waiter];
	struct time_tries *tries = waiter->kind == WAITS_TO_LEAVE ? &w->reads : &w->swaps;

	time_count_wait(cu, w, w->last, WAIT_OTHER, now - waiter->since);
	tries->last = now - tries->period;
	cu->waiting--;
	w->place = NULL;
	place->count--;
	*waiter = place->waiter[place->count];
	waiter->wave->waiter = w->waiter;
}

/* The wave is expected to change the place at `success`. */
static void set_reader(struct time_place *place, struct time_wave *w, uint64_t success,
		       uint64_t period)
{
	w->reads_at = place;
	place->reader = w;
	place->success = success;
	place->read_until = success + READER_LATE * period;
}

/* The first of its tries after `now`; not before what its unit has already simulated. */
static uint64_t next_try(struct time_waiter *waiter, uint64_t now)
{
	if (waiter->next <= now)
		waiter->next += ((now - waiter->next) / waiter->period + 1) * waiter->period;
	return later(waiter->next, waiter->cu->now);
}

/* The wave tries again at `when`. */
static void wake(struct time_waiter waiter, uint64_t when)
{
	leave_place(waiter.cu, waiter.wave, when);
	time_wave_wait(waiter.cu, waiter.wave, when);
	if (waiter.cu->state != CU_REACHED || waiter.cu->woken)
		return;
	waiter.cu->woken = true;
	waiter.cu->time->places.woken++;
}

/* When it may have changed the place: a reader with the try after the one that reads. */
static uint64_t success_of(const struct time_waiter *waiter, uint64_t next)
{
	return waiter->kind == WAITS_TO_READ ? next + waiter->period : next;
}

/* Wakes the wave that can change the place first. */
static void wake_first(struct time_place *place, uint64_t now)
{
	uint64_t first = TIME_NEVER, when = 0;
	struct time_waiter *waiter;
	uint32_t at = 0;

	for (uint32_t i = 0; i < place->count; i++) {
		uint64_t next, success;

		waiter = &place->waiter[i];
		if (waiter->kind == WAITS_TO_LEAVE ||
		    (waiter->kind == WAITS_FOR_VALUE && waiter->wanted != place->value))
			continue;
		next = next_try(waiter, now);
		success = success_of(waiter, next);
		if (success > first ||
		    (success == first && waiter->cu->number > place->waiter[at].cu->number))
			continue;
		first = success;
		when = next;
		at = i;
	}
	if (first == TIME_NEVER)
		return;
	waiter = &place->waiter[at];
	if (waiter->kind == WAITS_TO_READ)
		set_reader(place, waiter->wave, first, waiter->period);
	wake(*waiter, when);
}

/* True if two values have the same order to a third one, with and without signs. */
static bool same_order(uint64_t a, uint64_t b, uint64_t with, uint32_t bytes)
{
	const unsigned unused = 64 - 8 * bytes;
	const int64_t sa = (int64_t)(a << unused), sb = (int64_t)(b << unused);
	const int64_t sw = (int64_t)(with << unused);

	return (a < with) == (b < with) && (a == with) == (b == with) && (sa < sw) == (sb < sw);
}

/* True if the wave stays in its loop although the place has another value. */
static bool stays_again(const struct time_place *place, struct time_waiter *waiter,
			struct time_trial *trial)
{
	const struct time_compare *compare = &waiter->compare;

	return (waiter->compares &&
		same_order(place->value, compare->value, compare->with, place->bytes)) ||
	       time_poll_stays(waiter->cu, waiter->registers, trial);
}

/* Wakes the waves that only read the place and leave their loop because of the new value. */
static void wake_leaving(struct time_place *place, uint64_t now, struct time_trial *trial)
{
	for (uint32_t i = place->count; i--;) {
		struct time_waiter *waiter = &place->waiter[i];

		if (waiter->kind != WAITS_TO_LEAVE)
			continue;
		/* If the place changes often, the wave just polls. */
		if (now - waiter->checked >= waiter->period / ROUND_PART &&
		    stays_again(place, waiter, trial)) {
			waiter->checked = now;
			continue;
		}
		wake(*waiter, next_try(waiter, now));
	}
}

/* Wakes the waves that have waited for too long. */
static void wake_due(struct time_place *place, uint64_t now)
{
	if (!place->count || place->due > now)
		return;
	place->due = TIME_NEVER;
	for (uint32_t i = place->count; i--;) {
		struct time_waiter *waiter = &place->waiter[i];

		if (waiter->due <= now) {
			waiter->wave->insists = true;
			wake(*waiter, next_try(waiter, now));
		} else if (waiter->due < place->due) {
			place->due = waiter->due;
		}
	}
}

/* True if a waiting wave may go on. */
static bool has_news(struct time_place *place, uint64_t now)
{
	uint64_t value;

	if (!place->addr || !read_place(place, &value))
		return false;
	if (value == place->value)
		return place->reader && now >= place->read_until;
	place->changed = now;
	place->value = value;
	return true;
}

void time_values_look(struct sim_time *time, uint64_t now)
{
	struct time_places *places = &time->places;
	uint32_t news = 0;
	unsigned epoch;

	if (!places->used)
		return;
	epoch = sim_memory_enter();
	for (uint32_t i = 0; i < TIME_PLACES; i++)
		news |= (uint32_t)has_news(&places->place[i], now) << i;
	sim_memory_leave(epoch);
	for (; news; news &= news - 1) {
		struct time_place *place = &places->place[__builtin_ctz(news)];

		place->reader = NULL;
		wake_leaving(place, now, places->trial);
		wake_first(place, now);
	}
}

void time_values_epoch(struct sim_time *time)
{
	struct time_places *places = &time->places;

	for (uint32_t i = 0; i < TIME_PLACES && places->used; i++)
		wake_due(&places->place[i], time->from);
	time_values_look(time, time->from);
}

/*
 * The rest of what waves do in a loop that compares and swaps is simulated often enough to know how
 * its requests are distributed.
 */
void time_values_crowd(struct sim_time *time)
{
	for (uint32_t i = 0; i < TIME_PLACES && time->places.used; i++) {
		const struct time_place *place = &time->places.place[i];

		for (uint32_t k = 0; k < place->count; k++) {
			const struct time_waiter *waiter = &place->waiter[k];
			uint64_t from = later(time->from, waiter->since);

			if (waiter->kind == WAITS_TO_LEAVE && from < time->until)
				time_l2_requests(waiter->cu, place->addr,
						 (uint32_t)((time->until - from) / waiter->period));
		}
	}
}

/* ---- Tries ---------------------------------------------------------------------------------- */

/* The wave leaves out its tries from this one on, for at most so many cycles. */
static bool wait_for(struct time_place *place, struct time_cu *cu, struct time_wave *w,
		     const struct time_waiter *how, uint64_t most)
{
	struct time_waiter waiter = *how;

	waiter.wave = w;
	waiter.cu = cu;
	waiter.next = cu->now + waiter.period;
	waiter.checked = waiter.since = cu->now;
	waiter.due = cu->now + most;
	if (!add_waiter(place, &waiter))
		return false;
	cu->waiting++;
	time_wave_sleep(cu, w);
	return true;
}

/* A compare-and-swap that fails as those before it did. */
static bool swap_waits(struct time_cu *cu, struct time_wave *w, struct time_place *place,
		       uint64_t wanted)
{
	const struct time_tries *tries = &w->swaps;
	uint64_t most = later(LONGEST_WAIT * tries->period, (cu->now - tries->since) / WAIT_PART);
	bool reads = wanted == tries->seen;
	struct time_waiter waiter = {.kind = reads ? WAITS_TO_READ : WAITS_FOR_VALUE,
				     .wanted = wanted,
				     .period = tries->period};

	if (tries->failed < FIRST_TRIES || wanted == place->value ||
	    (!reads && wanted != tries->wanted))
		return false;
	if (reads &&
	    (!place->reader || place->reader == w || cu->now + tries->period < place->success)) {
		set_reader(place, w, cu->now + tries->period, tries->period);
		return false;
	}
	return wait_for(place, cu, w, &waiter, most);
}

/* True if the wave stays in its loop, which leads back to the same state. */
static bool stays(struct time_cu *cu, struct time_wave *w, const struct sim_wave *wave)
{
	struct time_trial **trial = &cu->time->places.trial;

	if (!*trial) {
		*trial = aligned_alloc(64, (sizeof(**trial) + 63) & ~(size_t)63);
		if (!*trial)
			return false;
		memset(*trial, 0, sizeof(**trial));
	}
	if (w->returns == wave->pc)
		return time_poll_stays(cu, wave, *trial);
	if (!time_poll_returns(cu, wave, *trial))
		return false;
	w->returns = wave->pc;
	return true;
}

/* A poll in a loop that does nothing else, and is not left with what the place has now. */
static bool poll_waits(struct time_cu *cu, struct time_wave *w, struct time_place *place)
{
	const struct sim_wave *wave = &w->group->slot->wave[w->index];
	struct time_tries *tries = &w->reads;
	struct time_waiter waiter = {
		.kind = WAITS_TO_LEAVE, .period = cu->now - tries->last, .registers = wave};
	struct time_trial *trial;

	if (w->poll.loads != 1 || w->poll.acted)
		return false;
	if ((w->returns != tries->pc || tries->seen != place->value) && !stays(cu, w, wave))
		return false;
	tries->seen = place->value;
	trial = cu->time->places.trial;
	waiter.compares = trial && sim_options()->polls != SIM_POLLS_IN_TRIAL &&
			  time_poll_compares(cu, wave, trial, &waiter.compare);
	return wait_for(place, cu, w, &waiter,
			later(LONGEST_PAUSE, (cu->now - w->poll.since) / WAIT_PART));
}

/* Notes a try that is executed. */
static void note_try(struct time_tries *tries, const struct sim_place_access *access, uint64_t pc,
		     uint64_t seen, uint64_t now)
{
	bool again = tries->pc == pc && tries->addr == access->addr &&
		     now - tries->last <= LONGEST_PERIOD;
	bool fails = again && access->swaps && seen != access->wanted;

	tries->failed = fails ? tries->failed + 1 : 0;
	tries->since = tries->failed > 1 ? tries->since : now;
	tries->period = now - tries->last;
	if (!again || tries->failed == 1 || tries->period < tries->shortest)
		tries->shortest = tries->period;
	tries->pc = pc;
	tries->addr = access->addr;
	tries->wanted = access->wanted;
	tries->seen = seen;
	tries->last = now;
}

/* The place of a loop in which the wave tries or polls. */
static struct time_place *place_again(struct time_cu *cu, const struct time_wave *w, uint64_t pc,
				      const struct sim_place_access *access)
{
	const struct time_tries *tries = access->swaps ? &w->swaps : &w->reads;
	struct time_place *place;
	unsigned epoch;

	if (tries->pc != pc || tries->addr != access->addr)
		return NULL;
	if (!access->swaps && (w->poll.pc != pc || w->poll.rounds < FIRST_POLLS))
		return NULL;
	epoch = sim_memory_enter();
	place = find_place(cu->time, access);
	sim_memory_leave(epoch);
	return place;
}

/* The reader will not try again, so the next wave reads. */
static void pass_on(struct time_place *place, uint64_t now)
{
	place->reader = NULL;
	wake_first(place, now);
}

/* The wave stops for another access; if that is not one of its loop, it has left the loop. */
static void note_stop(struct time_cu *cu, struct time_wave *w)
{
	struct time_place *place = w->reads_at;

	w->stops++;
	if (place && place->reader == w && w->stops > w->swaps.others)
		pass_on(place, cu->now);
}

void time_value_tried(struct time_cu *cu, struct time_wave *w)
{
	struct time_place *place = w->reads_at;
	bool reads = place && place->reader == w, goes_on;

	time_values_look(cu->time, cu->now);
	if (!reads || place->reader != w || w->swaps.last != cu->now)
		return;
	if (w->stop == SIM_STOP_HOLD)
		goes_on = w->swaps.others || w->group->slot->wave[w->index].pc == w->swaps.pc;
	else
		goes_on = w->stop == SIM_STOP_QUANTUM || w->stop == SIM_STOP_SLEEP;
	if (!goes_on)
		pass_on(place, cu->now);
}

void time_value_tries_begin(struct time_wave *w)
{
	if (w->tried)
		return;
	w->tried = true;
	w->swaps = w->reads = (struct time_tries){0};
	w->returns = 0;
	w->stops = 0;
	w->place = w->reads_at = NULL;
	w->insists = false;
}

bool time_value_waits(struct time_cu *cu, struct time_wave *w)
{
	const struct sim_wave *wave = &w->group->slot->wave[w->index];
	struct sim_place_access access;
	bool waits = false;
	struct time_tries *tries;
	struct time_place *place;

	if (!time_polls_allowed(cu))
		return false;
	if (!sim_wave_place(wave, &access)) {
		note_stop(cu, w);
		return false;
	}
	if (!access.swaps || wave->pc != w->swaps.pc)
		note_stop(cu, w);
	tries = access.swaps ? &w->swaps : &w->reads;
	place = place_again(cu, w, wave->pc, &access);
	if (place && !w->insists)
		waits = access.swaps ? swap_waits(cu, w, place, access.wanted)
				     : poll_waits(cu, w, place);
	w->poll.loads = 0;
	w->insists = false;
	if (waits)
		return true;
	if (place && cu->waiting)
		time_l2_crowded(cu, access.addr,
				&(struct time_crowd){.count = cu->waiting + 1,
						     .every = tries->shortest,
						     .writes = access.swaps});
	note_try(tries, &access, wave->pc, place ? place->value : access.wanted, cu->now);
	if (access.swaps) {
		tries->others = w->stops;
		w->stops = 0;
	}
	return false;
}

void time_values_reset(struct sim_time *time)
{
	struct time_places *places = &time->places;

	for (uint32_t i = 0; i < TIME_PLACES; i++)
		free(places->place[i].waiter);
	free(places->trial);
	*places = (struct time_places){0};
}
