// Sentences about a timeline at a moment: those of the window, word for word.

import { Kind, State, countOf, inStage2, latestEvent, queueOf } from "./timeline.js";
import { joinFacts, say, timeText } from "./words.js";

const FEW_ROWS = 64; // with more rows the caption counts states
const MOST_LINES = 6; // of a queue
const STATE_KEYS = ["pending", "computing", "queued", "trying", "holding", "done"];

/** Describes the followed row or lock, the last event, or all rows. */
export function caption(now, row, lock, events) {
  const { timeline, counts } = now;
  if (row !== null) return rowCaption(now, row);
  if (lock !== null) return lockCaption(now, lock);
  if (inStage2(now)) return stage2Caption(now);
  if (timeline.m <= FEW_ROWS) return eventCaption(now, latestEvent(events, now.time));
  if (timeline.source) {
    const named = statesOf(timeline).map((each) => [counts[each], stateName(timeline, each)]);
    const told = ([count, state]) => say("{count:,} {state}", { count, state });
    return joinFacts(...named.slice(1).map(told));
  }
  const [, computing, queued, trying, holding, done] = counts;
  return say(
    "Computing {computing:,}, queued {queued:,}, trying {trying:,}, holding {holding:,}, done {done:,} of {rows:,}.",
    { computing, queued, trying, holding, done, rows: timeline.m },
  );
}

/** Returns the row that caption and source show: the followed one, the lock's holder, or, of few
 * rows, the last to act; null for none.
 */
export function describedRow(now, row, lock, events) {
  if (row !== null) return row;
  if (lock !== null) return now.holder[lock] >= 0 ? now.holder[lock] : null;
  if (inStage2(now) || now.timeline.m > FEW_ROWS) return null;
  return latestEvent(events, now.time)?.subject ?? null;
}

/** Names a state of a row in a word, by the kernel's own names if it has some. */
export function stateName(timeline, state) {
  const own = timeline.names[state === State.QUEUED ? "trying" : STATE_KEYS[state]];
  const names = [
    () => say("to come"),
    () => say("computing"),
    () => say("queued"),
    () => say("trying"),
    () => say("holding"),
    () => say("done"),
  ];
  return own ?? names[state]();
}

/** Returns the states of a row; of a kernel with phases of its own, those that have a name. */
export function statesOf({ names }) {
  const all = Object.values(State);
  return Object.keys(names).length
    ? all.filter((state) => state === State.PENDING || STATE_KEYS[state] in names)
    : all;
}

/** Returns what the sentences about a lock need, and about a row, if one is given. */
function valuesOf(now, lock, row = null) {
  const { order, source } = now.timeline;
  const [holder, queued, trying] = [now.holder[lock], now.queued[lock], now.trying[lock]];
  const values = { lock, holder, queued, trying, added: now.added[lock] };
  return row === null ? values : { ...values, row, count: order[row], kernel: source };
}

function rowCaption(now, row) {
  const values = valuesOf(now, now.timeline.lock[row], row);
  const state = stateName(now.timeline, now.state[row]);
  if (now.timeline.source) return say("Row {row} of {kernel}: {state}.", { ...values, state });
  switch (now.state[row]) {
    case State.PENDING:
      return say("Row {row} has not started: no place on the GPU is free yet.", values);
    case State.COMPUTING:
      return say("Row {row} computes its dx and its partial sums.", values);
    case State.QUEUED:
      return queuedCaption(values);
    case State.TRYING:
      return say("Row {row} tries lock {lock}, which nobody holds.", values);
    case State.HOLDING:
      return holdingCaption(values);
    default:
      return say("Row {row} is in buffer {lock}; it has given lock {lock} back.", values);
  }
}

function queuedCaption(values) {
  const taken = values.holder >= 0;
  if (taken && values.queued > 1) {
    return say(
      "Row {row} queues for lock {lock}, held by row {holder}; rows in the queue: {queued:,}.",
      values,
    );
  }
  return taken
    ? say("Row {row} queues for lock {lock}, held by row {holder}.", values)
    : say("Row {row} queues for lock {lock}, which another row is about to take.", values);
}

function holdingCaption(values) {
  return values.count
    ? say(
        "Row {row} holds lock {lock}: the count is {count:,}, so it loads buffer {lock}, adds, stores.",
        values,
      )
    : say("Row {row} holds lock {lock}: the count is 0, so it stores without adding.", values);
}

function lockCaption(now, lock) {
  const values = valuesOf(now, lock);
  return values.holder >= 0
    ? say(
        "Row {holder:,} holds lock {lock}. Queued: {queued:,}; rows in its buffer: {added:,}.",
        values,
      )
    : say(
        "Nobody holds lock {lock}. Trying it: {trying:,}; queued: {queued:,}; rows in its buffer: {added:,}.",
        values,
      );
}

function eventCaption(now, event) {
  if (event === undefined) return say("Nothing has started yet.");
  const { subject: row, kind } = event;
  if (!now.timeline.source && kind === Kind.START) {
    return say("Row {row} starts: it computes its dx and its partial sums.", { row });
  }
  if (!now.timeline.source && kind === Kind.RELEASED) return releasedCaption(now, row);
  return rowCaption(now, row);
}

function releasedCaption(now, row) {
  if (now.counts[State.DONE] === now.timeline.m) {
    return say("All rows are in the buffers: stage 2 can begin.");
  }
  const queue = queueOf(now, now.timeline.lock[row]);
  const values = { row, lock: now.timeline.lock[row], next: queue[0], waiting: queue.length };
  if (!queue.length) return say("Row {row} gives lock {lock} back; nobody queues for it.", values);
  return queue.length === 1
    ? say("Row {row} gives lock {lock} back; row {next} can take it.", values)
    : say(
        "Row {row} gives lock {lock} back; one of {waiting:,} rows in the queue can take it.",
        values,
      );
}

function stage2Caption(now) {
  const values = { tiles: now.tiles.length, done: now.tiles.filter((share) => share >= 1).length };
  return values.done === values.tiles
    ? say("Both stages are done: dw and db are complete.")
    : say("Stage 2 adds the buffers column by column; tiles done: {done:,} of {tiles:,}.", values);
}

export function lockName(timeline, lock) {
  return timeline.lanes ? say("lane {lane}", { lane: lock }) : say("lock {lock}", { lock });
}

function rowTitle(timeline, row) {
  const title = say("Row {row:,} · {lock} · rows before it: {before:,} · SM {sm}", {
    row,
    lock: lockName(timeline, timeline.lock[row]),
    before: timeline.order[row],
    sm: timeline.sm[row],
  });
  const { tries } = timeline;
  return joinFacts(title, tries && say("tries {tries:,}", { tries: tries[row] }));
}

function lockTitle(now, lock) {
  const row = now.holder[lock];
  return joinFacts(
    say("Lock {lock}", { lock }),
    row >= 0 ? say("held by row {row:,}", { row }) : say("nobody holds it"),
    say("count {count:,}", { count: countOf(now, lock) }),
    say("queued {count:,}", { count: now.queued[lock] }),
    say("trying {count:,}", { count: now.trying[lock] }),
  );
}

/** Returns the title of what is followed, and a table on it: lines of three texts, the head first. */
export function followed(now, row, lock) {
  if (row !== null) {
    return { title: rowTitle(now.timeline, row), lines: rowLines(now, row) };
  }
  if (lock !== null) {
    return { title: lockTitle(now, lock), lines: queueLines(now, lock) };
  }
  return { title: say("Click a row or a lock to follow it."), lines: [] };
}

function rowLines(now, row) {
  const { timeline } = now;
  const known = statesOf(timeline);
  const times = timeline.times.map((each) => each[row]);
  const lines = times.map((begin, place) => {
    const [state, end] = [place + 1, times[place + 1]];
    const phase = stateName(timeline, state);
    return {
      state,
      cells: [
        state === now.state[row] ? say("▸ {phase}", { phase }) : phase,
        timeText(begin, timeline.counted),
        end === undefined ? "" : timeText(end - begin, timeline.counted),
      ],
    };
  });
  const shown = lines.filter(({ state }) => known.includes(state) || state === State.DONE);
  return [[say("phase"), say("from"), say("takes")], ...shown.map(({ cells }) => cells)];
}

function queueLines(now, lock) {
  const { wanted, counted } = now.timeline;
  const queue = queueOf(now, lock);
  const shown = queue.slice(0, queue.length <= MOST_LINES ? MOST_LINES : MOST_LINES - 1);
  const lines = shown.map((row, place) => [
    say("{place}. row {row:,}", { place: place + 1, row }),
    timeText(wanted[row], counted),
    timeText(now.time - wanted[row], counted),
  ]);
  const count = queue.length - shown.length;
  const more = count ? [[say("… and {count:,} more", { count }), "", ""]] : [];
  return [[say("waiting, the longest first"), say("since"), say("for")], ...lines, ...more];
}
