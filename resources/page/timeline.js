// The state of a timeline at a moment, its events, and where in the source a row is.

import { clipped } from "./words.js";

export const State = { PENDING: 0, COMPUTING: 1, QUEUED: 2, TRYING: 3, HOLDING: 4, DONE: 5 };
export const Kind = { HELD: 0, RELEASED: 1, WANTED: 2, START: 3, TILE_END: 4, TILE_START: 5 };

// Shares of the time from taking the lock to giving it back, as the window's.
const [COUNTED, ADDED, STORED] = [0.2, 0.55, 0.85];

/** Makes a timeline of a page's data, whose times are differences. */
export function decode(data) {
  const start = running(data.start);
  const wanted = later(start, data.computes);
  const free = later(wanted, data.queues);
  const held = later(free, data.tries_for);
  const released = later(held, data.holds);
  const tileStart = running(data.tile_start);
  const tileEnd = later(tileStart, data.tile_lasts);
  const lock = Int32Array.from(data.lock);
  const m = lock.length;
  const locks = Math.min(data.group_size_m, m);
  const rowsOf = new Int32Array(locks);
  for (const each of lock) rowsOf[each] += 1;
  return {
    ...data,
    ...{ start, wanted, free, held, released, tileStart, tileEnd, lock, m, locks, rowsOf },
    end: Math.max(largest(released), largest(tileEnd)),
    firstTile: tileStart.length ? Math.min(...tileStart) : Infinity,
    times: [start, wanted, free, held, released],
    order: Int32Array.from(data.order),
    sm: Int32Array.from(data.sm),
  };
}

function running(differences) {
  let sum = 0;
  return Float64Array.from(differences, (each) => {
    sum += each;
    return sum;
  });
}

function later(times, lengths) {
  return times.map((time, place) => time + lengths[place]);
}

function largest(times) {
  return times.reduce((most, time) => Math.max(most, time), 0);
}

/** Returns the state at a time, that time's events included. */
export function moment(timeline, time) {
  const { times, lock, locks, m } = timeline;
  const state = new Uint8Array(m);
  const counts = [0, 0, 0, 0, 0, 0];
  const holder = new Int32Array(locks).fill(-1);
  const queued = new Int32Array(locks);
  const trying = new Int32Array(locks);
  const added = new Int32Array(locks);
  for (let row = 0; row < m; row++) {
    let now = 0; // past events
    for (const each of times) now += each[row] <= time;
    state[row] = now;
    counts[now] += 1;
    if (now === State.HOLDING) holder[lock[row]] = row;
    else if (now === State.QUEUED) queued[lock[row]] += 1;
    else if (now === State.TRYING) trying[lock[row]] += 1;
    else if (now === State.DONE) added[lock[row]] += 1;
  }
  const tiles = timeline.tileStart.map((begin, tile) => {
    const length = Math.max(timeline.tileEnd[tile] - begin, 1);
    return clipped((time - begin) / length, 0, 1);
  });
  return { timeline, time, state, counts, holder, queued, trying, added, tiles };
}

/** Returns the count in memory behind a lock: a holder raises an atomic one before it adds. */
export function countOf(now, lock) {
  return now.added[lock] + (now.timeline.atomic_count && now.holder[lock] >= 0 ? 1 : 0);
}

/** Returns the rows that wait for a lock, the longest wait first. */
export function queueOf(now, lock) {
  const { timeline, state } = now;
  const rows = [];
  for (let row = 0; row < timeline.m; row++) {
    if (
      timeline.lock[row] === lock &&
      (state[row] === State.QUEUED || state[row] === State.TRYING)
    ) {
      rows.push(row);
    }
  }
  return rows.sort((one, other) => timeline.wanted[one] - timeline.wanted[other]);
}

export function inStage2(now) {
  return now.timeline.firstTile <= now.time;
}

/** Returns all events in their order; of simultaneous ones that to be shown comes last. */
export function eventsOf(timeline) {
  const { held, released, wanted, start, tileEnd, tileStart } = timeline;
  const columns = [held, released, wanted, start, tileEnd, tileStart]; // by Kind
  const events = columns.flatMap((times, kind) =>
    Array.from(times, (time, subject) => ({ time, kind, subject })),
  );
  events.sort(
    (one, other) => one.time - other.time || other.kind - one.kind || other.subject - one.subject,
  );
  return events;
}

/** Returns the last event at or before a time. */
export function latestEvent(events, time) {
  return events[placeAfter(events, time) - 1];
}

/** Returns the time of the first event after a time, or of the last before it; of one row, if given. */
export function neighbour(events, time, direction, row) {
  const own = (event) => row === null || (event.subject === row && event.kind <= Kind.START);
  let place = placeAfter(events, time);
  if (direction < 0) {
    place -= 1;
    while (place >= 0 && !(events[place].time < time && own(events[place]))) {
      place -= 1;
    }
  } else {
    while (place < events.length && !own(events[place])) {
      place += 1;
    }
  }
  return events[place]?.time;
}

function placeAfter(events, time) {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle].time <= time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Returns the name of the step of a row's program, by which the source has its lines; "" for none. */
function stepOf(now, row) {
  const { timeline, state, time } = now;
  if (state[row] !== State.HOLDING) return ["", "COMPUTE", "TRY", "TRY", "", "RELEASE"][state[row]];
  const hold = timeline.released[row] - timeline.held[row];
  const share = clipped((time - timeline.held[row]) / Math.max(hold, 1), 0, 1);
  if (share < COUNTED) return "COUNT";
  if (share < ADDED && timeline.order[row]) {
    return timeline.adding; // the first row stores without adding
  }
  return timeline.barrier && share >= STORED ? "BARRIER" : "STORE";
}

/** Returns the first and last line of the source that the described row runs now, or undefined. */
export function linesOf(now, row, lock) {
  const { steps } = now.timeline;
  if (row !== null) return steps[stepOf(now, row)];
  return lock === null && inStage2(now) ? steps.SUM : undefined;
}
