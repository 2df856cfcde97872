// A recording that plays: its pictures, its controls, and the words that go with the moment.

import { caption, describedRow, followed } from "./captions.js";
import { arranged, drawLocks, Waterfall } from "./drawing.js";
import { decode, eventsOf, linesOf, moment, neighbour } from "./timeline.js";
import { clipped, say, timeText } from "./words.js";

const SECONDS_IN_ALL = 8; // that the whole timeline lasts at first
const SHOWN_SHARE = 0.4; // of the time, until somebody plays
const [SPEED_STEP, ZOOM_STEP] = [1.25, 1.5];
const PAGE = 0.8; // of the rows on show
const STEPS = 4000; // of the slider of time
const CLICK = 5; // px that a pointer may move
const GROUPINGS = ["lock", "sm", "start"];
const UNITS = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };
// What buttons and keys do to a replay; the buttons are parts of these names.
const ACTIONS = {
  play: (replay) => replay.play(!replay.playing),
  previous: (replay) => replay.step(-1),
  next: (replay) => replay.step(1),
  closer: (replay) => replay.zoom(1 / ZOOM_STEP),
  wider: (replay) => replay.zoom(ZOOM_STEP),
  whole: (replay) => replay.show(0, Infinity, 0, 1),
  slower: (replay) => replay.setSpeed(replay.speed / SPEED_STEP),
  faster: (replay) => replay.setSpeed(replay.speed * SPEED_STEP),
};
const KEYS = {
  " ": ACTIONS.play,
  ArrowLeft: ACTIONS.previous,
  ArrowRight: ACTIONS.next,
  "+": ACTIONS.faster,
  "=": ACTIONS.faster,
  "-": ACTIONS.slower,
  z: ACTIONS.closer,
  Z: ACTIONS.wider,
  0: ACTIONS.whole,
  Home: (replay) => replay.seek(0),
  End: (replay) => replay.seek(replay.last),
  PageUp: (replay) => replay.move(0, -PAGE * replay.share),
  PageDown: (replay) => replay.move(0, PAGE * replay.share),
  g: (replay) => replay.group(GROUPINGS[(GROUPINGS.indexOf(replay.grouping) + 1) % 3]),
  l: (replay) => replay.followNextLock(),
  Escape: (replay) => replay.follow(null),
};

/** Returns a time such as 3.2us in ns, or null. */
export function parseTime(text) {
  const found = /^([\d.]+)(ns|us|µs|ms|s)?$/.exec(text ?? "");
  const time = found ? Number(found[1]) * UNITS[found[2] ?? "ns"] : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

export class Replay {
  /** Fills a section of the page; colours() returns those of the theme on show. */
  constructor(section, data, colours) {
    this.section = section;
    this.colours = colours;
    this.timeline = decode(data);
    this.events = eventsOf(this.timeline);
    const parts = Array.from(section.querySelectorAll("[data-part]"));
    this.parts = Object.fromEntries(parts.map((part) => [part.dataset.part, part]));
    this.waterfall = new Waterfall(this.parts.rows);
    this.last = data.until ?? this.timeline.end; // ns
    this.time = SHOWN_SHARE * this.last;
    this.speed = this.last / SECONDS_IN_ALL; // ns a second
    [this.row, this.lock] = [null, null]; // that are followed
    this.rest = Array.from(this.parts.told?.childNodes ?? []);
    this.pointers = new Map();
    this.arrangements = {};
    this.group("lock");
    ACTIONS.whole(this);
    this.parts.row.max = this.timeline.m - 1;
    this.listen();
    new ResizeObserver(() => this.draw()).observe(section);
  }

  /** The length of the stretch of time on show, in ns. */
  get length() {
    return this.end - this.begin;
  }

  /** The share of the rows on show. */
  get share() {
    return this.bottom - this.top;
  }

  group(grouping) {
    this.grouping = grouping;
    this.parts.grouping.value = grouping;
    this.arrangements[grouping] ??= arranged(this.timeline, grouping);
    this.arrangement = this.arrangements[grouping];
    this.draw();
  }

  /** Shows a part of time and rows, as long and as high as given, clipped to what there is. */
  show(begin, length, top, share) {
    const whole = Math.max(this.last * 1.01, 1);
    const [long, high] = [Math.min(length, whole), Math.min(share, 1)];
    this.begin = clipped(begin, 0, whole - long);
    this.end = this.begin + long;
    this.top = clipped(top, 0, 1 - high);
    this.bottom = this.top + high;
    this.zoomed = long < whole || high < 1;
    this.waterfall.canvas.style.touchAction = this.zoomed ? "none" : "pan-y";
    this.draw();
  }

  /** Moves the part on show, by ns and by a share of the rows. */
  move(time, rows) {
    this.show(this.begin + time, this.length, this.top + rows, this.share);
  }

  /** Zooms around a point, in shares of what is on show; without one the playhead, and the row. */
  zoom(factor, x = (this.time - this.begin) / this.length, y = null) {
    const long = Math.max(this.length * factor, Math.min(10, this.last));
    const high = Math.max(this.share * factor, Math.min(2 / this.timeline.m, 1));
    const place = ((this.arrangement.place[this.row] ?? Number.NaN) + 0.5) / this.timeline.m;
    const down = clipped(y ?? ((place - this.top) / this.share || 0.5), 0, 1);
    const begin = this.begin + clipped(x, 0, 1) * (this.length - long);
    this.show(begin, long, this.top + down * (this.share - high), high);
  }

  follow(row, lock = null) {
    [this.row, this.lock] = [row, lock];
    this.draw();
  }

  followNextLock() {
    const next = ((this.lock ?? -1) + 1) % this.timeline.locks;
    this.follow(null, this.row === null ? next : this.timeline.lock[this.row]);
  }

  seek(time) {
    this.touched = true;
    this.time = clipped(time, 0, this.last);
    if (this.time < this.begin || this.time > this.end) {
      this.move(this.time - this.begin - 0.1 * this.length, 0);
    }
    this.draw();
  }

  step(direction) {
    const time = neighbour(this.events, this.time, direction, this.row);
    if (time === undefined) return;
    this.play(false);
    this.seek(time);
  }

  /** Plays or pauses; at the end, and before a time was chosen, from the begin. */
  play(playing) {
    if (playing && (this.time >= this.last || !this.touched)) this.seek(0);
    if (playing && !this.playing) {
      this.before = performance.now();
      requestAnimationFrame((now) => this.tick(now));
    }
    this.playing = playing;
    this.draw();
  }

  tick(now) {
    if (!this.playing) return;
    this.seek(this.time + (this.speed * Math.max(now - this.before, 0)) / 1000);
    this.before = now;
    if (this.time >= this.last) this.play(false);
    requestAnimationFrame((next) => this.tick(next));
  }

  setSpeed(speed) {
    this.speed = Math.max(speed, 1);
    this.draw();
  }

  /** Draws the next frame anew, once, however often it is called. */
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  paint() {
    const { parts, timeline, time, row, lock, events } = this;
    const [now, colours] = [moment(timeline, time), this.colours()];
    const key = [colours.name, this.grouping, document.documentElement.lang];
    this.waterfall.show({ ...this, colours, key }, time);
    this.lockAt = drawLocks(parts.locks, now, lock, colours);
    const text = caption(now, row, lock, events);
    parts.caption.setAttribute("aria-live", this.playing ? "off" : "polite");
    setText(parts.caption, text);
    parts.rows.setAttribute("aria-label", `${say("Animation of the reduction")}. ${text}`);
    parts.scrub.value = Math.round((STEPS * time) / Math.max(this.last, 1));
    parts.scrub.setAttribute("aria-valuetext", timeText(time, timeline.counted));
    const speed = timeText(this.speed, timeline.counted);
    setText(parts.speed, say("{time} a second", { time: speed }));
    parts.play.title = this.playing ? say("Pause (Space)") : say("Play (Space)");
    parts.play.setAttribute("aria-label", parts.play.title);
    setText(parts.play, this.playing ? "❚❚" : "▸");
    if (document.activeElement !== parts.row) parts.row.value = row ?? "";
    this.tell(now);
    const told = timeline.told?.findLast(([begin]) => begin <= time && time < this.last);
    if (told) setText(parts.told, told[document.documentElement.lang === "en" ? 1 : 2]);
    else parts.told?.replaceChildren(...this.rest);
  }

  /** Writes what is followed, and marks the line of the source. */
  tell(now) {
    const { parts, row, lock } = this;
    const { title, lines } = followed(now, row, lock);
    setText(parts.title, title);
    if (JSON.stringify(lines) !== this.lines) {
      this.lines = JSON.stringify(lines);
      const cells = lines.map((line, place) =>
        line.map((text) => made(place ? "td" : "th", [text])),
      );
      parts.table.replaceChildren(...cells.map((each) => made("tr", each)));
    }
    const marked = linesOf(now, describedRow(now, row, lock, this.events), lock) ?? [0, -1];
    if (!parts.source || String(marked) === this.marked) return;
    this.marked = String(marked);
    for (const line of parts.source.children) {
      const number = Number(line.dataset.line);
      line.classList.toggle("marked", marked[0] <= number && number <= marked[1]);
    }
    const line = parts.source.querySelector(".marked");
    const above = line ? line.offsetTop - parts.source.offsetTop : parts.source.scrollTop;
    parts.source.scrollTop = line ? above - parts.source.clientHeight / 3 : above;
  }

  listen() {
    const { parts } = this;
    for (const [name, action] of Object.entries(ACTIONS)) {
      parts[name].addEventListener("click", () => action(this));
    }
    const { scrub, grouping, row, locks } = parts;
    scrub.addEventListener("input", () => this.seek((scrub.value / STEPS) * this.last));
    grouping.addEventListener("change", () => this.group(grouping.value));
    row.addEventListener("input", () => this.follow(this.rowOf(row.value)));
    locks.addEventListener("click", (event) => {
      const lock = this.lockAt(event.offsetX, event.offsetY);
      this.follow(null, lock === this.lock ? null : lock);
    });
    this.section.addEventListener("keydown", (event) => {
      const elsewhere = event.target.closest("input, select, a, button, summary");
      const held = event.ctrlKey || event.altKey || event.metaKey;
      if (elsewhere || held || !Object.hasOwn(KEYS, event.key)) return;
      event.preventDefault();
      KEYS[event.key](this);
    });
    this.listenToPointers(parts.rows);
  }

  /** Returns the row of a text, or null. */
  rowOf(text) {
    const row = Number.parseInt(text, 10);
    return row >= 0 && row < this.timeline.m ? row : null;
  }

  /** One pointer moves the part on show, or the time where all is shown; two zoom; a click follows. */
  listenToPointers(canvas) {
    const at = ({ offsetX, offsetY }) => this.waterfall.at(offsetX, offsetY);
    canvas.addEventListener("pointerdown", (event) => {
      const { pointerId, offsetX: x, offsetY: y } = event;
      canvas.setPointerCapture(pointerId);
      const onAxis = y > this.waterfall.bottom;
      this.pressed = { x, y, moved: onAxis, scrubs: onAxis || !this.zoomed };
      this.pointers.set(pointerId, [x, y]);
      if (onAxis) this.seek(at(event).time);
    });
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("pointerup", (event) => {
      this.pointers.delete(event.pointerId);
      if (this.pointers.size || this.pressed.moved) return;
      const { row = null, lock = null } = at(event);
      const same = row === this.row && lock === this.lock;
      this.follow(same ? null : row, same ? null : lock);
    });
    const zoom = (event) => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      const out = event.deltaY + event.deltaX > 0;
      this.zoom(out ? ZOOM_STEP : 1 / ZOOM_STEP, ...this.shares(event.offsetX, event.offsetY));
    };
    canvas.addEventListener("wheel", zoom, { passive: false });
  }

  /** Returns a point of the canvas in shares of what is on show. */
  shares(x, y) {
    return [(x - this.waterfall.left) / this.waterfall.plot, y / this.waterfall.bottom];
  }

  drag({ pointerId, offsetX, offsetY }) {
    const { pointers, pressed, waterfall } = this;
    const [before, at] = [pointers.get(pointerId), [offsetX, offsetY]];
    if (!before) return;
    pressed.moved ||= Math.hypot(offsetX - pressed.x, offsetY - pressed.y) > CLICK;
    pointers.set(pointerId, at);
    const other = [...pointers].find(([id]) => id !== pointerId)?.[1];
    if (other) {
      const apart = (point) => Math.max(Math.hypot(point[0] - other[0], point[1] - other[1]), 20);
      const middle = [(offsetX + other[0]) / 2, (offsetY + other[1]) / 2];
      this.zoom(apart(before) / apart(at), ...this.shares(...middle));
    } else if (pressed.moved && pressed.scrubs) {
      this.seek(waterfall.at(...at).time);
    } else if (pressed.moved) {
      const rows = ((at[1] - before[1]) / waterfall.bottom) * this.share;
      this.move(((before[0] - at[0]) / waterfall.plot) * this.length, -rows);
    }
  }
}

function setText(part, text) {
  if (part.textContent !== text) part.textContent = text;
}

/** Makes an element with what is in it. */
export function made(kind, content) {
  const part = document.createElement(kind);
  part.append(...content);
  return part;
}
