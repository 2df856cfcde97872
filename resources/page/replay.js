// A recording that plays: its pictures, its controls, and the words that go with the moment.

import { caption, describedRow, followed } from "./captions.js";
import { Waterfall, arranged, drawLocks } from "./drawing.js";
import { decode, eventsOf, linesOf, moment, neighbour } from "./timeline.js";
import { say, timeText } from "./words.js";

const SECONDS_IN_ALL = 8; // that the whole timeline lasts at first
const SHOWN_SHARE = 0.4; // of the time, until somebody plays
const SPEED_STEP = 1.25;
const ZOOM_STEP = 1.5;
const PAGE = 0.8; // of the rows on show
const STEPS = 4000; // of the slider of time
const CLICK = 5; // px that a pointer may move
const GROUPINGS = ["lock", "sm", "start"];
const UNITS = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

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
    this.parts = Object.fromEntries(
      Array.from(section.querySelectorAll("[data-part]"), (part) => [part.dataset.part, part]),
    );
    this.waterfall = new Waterfall(this.parts.rows);
    this.row = null;
    this.lock = null;
    this.playing = false;
    this.touched = false;
    this.speed = (data.until ?? this.timeline.end) / SECONDS_IN_ALL;
    this.time = SHOWN_SHARE * (data.until ?? this.timeline.end);
    this.pointers = new Map();
    this.marked = null;
    this.last = data.until ?? this.timeline.end;
    this.rest = Array.from(this.parts.told?.childNodes ?? []);
    this.group("lock");
    this.fit();
    this.parts.row.max = this.timeline.m - 1;
    this.listen();
    new ResizeObserver(() => this.draw()).observe(section);
  }

  get now() {
    return moment(this.timeline, this.time);
  }

  get length() {
    return this.end - this.begin;
  }

  group(grouping) {
    this.grouping = grouping;
    this.parts.grouping.value = grouping;
    this.arrangement = arranged(this.timeline, grouping);
    this.draw();
  }

  fit() {
    [this.begin, this.end] = [0, Math.max(this.last * 1.01, 1)];
    [this.top, this.bottom] = [0, 1];
    this.draw();
  }

  get zoomed() {
    return this.length < Math.max(this.last * 1.01, 1) || this.bottom - this.top < 1;
  }

  /** Shows another part of time and rows, as long and as high as given, clipped to what there is. */
  part(begin, length, top, share) {
    const last = Math.max(this.last * 1.01, 1);
    const [long, high] = [Math.min(length, last), Math.min(share, 1)];
    this.begin = Math.min(Math.max(begin, 0), last - long);
    this.end = this.begin + long;
    this.top = Math.min(Math.max(top, 0), 1 - high);
    this.bottom = this.top + high;
    this.draw();
  }

  /** Zooms by a factor around a point: shares of the stretch and of the rows on show. */
  zoom(factor, x = (this.time - this.begin) / this.length, y = this.middle()) {
    const share = this.bottom - this.top;
    const long = Math.max(this.length * factor, Math.min(10, this.last));
    const high = Math.max(share * factor, Math.min(2 / this.timeline.m, 1));
    const across = Math.min(Math.max(x, 0), 1);
    this.part(
      this.begin + across * (this.length - long),
      long,
      this.top + y * (share - high),
      high,
    );
  }

  /** Returns where the followed row is in the part on show, else the middle. */
  middle() {
    if (this.row === null) {
      return 0.5;
    }
    const place = (this.arrangement.place[this.row] + 0.5) / this.timeline.m;
    return Math.min(Math.max((place - this.top) / (this.bottom - this.top), 0), 1);
  }

  follow(row, lock = null) {
    this.row = row;
    this.lock = lock;
    this.draw();
  }

  followNextLock() {
    const next = ((this.lock ?? -1) + 1) % this.timeline.locks;
    this.follow(null, this.row === null ? next : this.timeline.lock[this.row]);
  }

  seek(time) {
    this.touched = true;
    this.time = Math.min(Math.max(time, 0), this.last);
    if (this.time < this.begin || this.time > this.end) {
      this.part(this.time - 0.1 * this.length, this.length, this.top, this.bottom - this.top);
    }
    this.draw();
  }

  step(direction) {
    const time = neighbour(this.events, this.time, direction, this.row);
    if (time !== undefined) {
      this.play(false);
      this.seek(time);
    }
  }

  play(playing) {
    if (playing && (this.time >= this.last || !this.touched)) {
      this.seek(0);
    }
    this.touched = true;
    if (playing && !this.playing) {
      this.before = performance.now();
      requestAnimationFrame((now) => this.tick(now));
    }
    this.playing = playing;
    this.draw();
  }

  tick(now) {
    if (!this.playing) {
      return;
    }
    const passed = this.time + (this.speed * Math.max(now - this.before, 0)) / 1000;
    this.before = now;
    this.seek(passed);
    if (passed >= this.last) {
      this.play(false);
    }
    requestAnimationFrame((next) => this.tick(next));
  }

  setSpeed(speed) {
    this.speed = Math.max(speed, 1);
    this.draw();
  }

  /** Draws the next frame anew, once, however often it is called. */
  draw() {
    if (!this.waiting) {
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.paint();
      });
    }
  }

  paint() {
    const { parts, timeline, time, row, lock, grouping, arrangement } = this;
    const colours = this.colours();
    const now = this.now;
    const { begin, end, top, bottom } = this;
    const key = [colours.name, grouping, document.documentElement.lang];
    const view = {
      timeline,
      arrangement,
      grouping,
      colours,
      begin,
      end,
      top,
      bottom,
      row,
      lock,
      key,
    };
    this.waterfall.show(view, time);
    this.lockAt = drawLocks(parts.locks, now, lock, colours);
    const text = caption(now, row, lock, this.events);
    parts.caption.setAttribute("aria-live", this.playing ? "off" : "polite");
    setText(parts.caption, text);
    parts.rows.setAttribute("aria-label", `${say("Animation of the reduction")}. ${text}`);
    parts.scrub.value = Math.round((STEPS * time) / Math.max(this.last, 1));
    parts.scrub.setAttribute("aria-valuetext", timeText(time, timeline.counted));
    const speed = timeText(this.speed, timeline.counted);
    setText(parts.speed, say("{time} a second", { time: speed }));
    const pressed = this.playing ? say("Pause (Space)") : say("Play (Space)");
    parts.play.setAttribute("aria-label", pressed);
    parts.play.title = pressed;
    setText(parts.play, this.playing ? "❚❚" : "▶");
    if (document.activeElement !== parts.row) {
      parts.row.value = row ?? "";
    }
    this.tell(now);
    const told = timeline.told?.findLast(([begin]) => begin <= time && time < this.last);
    if (told !== this.toldLast) {
      this.toldLast = told;
      parts.told.replaceChildren(...(told ? sentences(told) : this.rest));
    }
  }

  /** Writes what is followed, and marks the line of the source. */
  tell(now) {
    const { parts, row, lock } = this;
    const { title, lines } = followed(now, row, lock);
    setText(parts.title, title);
    const told = JSON.stringify(lines);
    if (told !== this.told) {
      this.told = told;
      parts.table.replaceChildren(
        ...lines.map((line, place) => {
          const tableRow = document.createElement("tr");
          tableRow.append(...line.map((text) => cell(place ? "td" : "th", text)));
          return tableRow;
        }),
      );
    }
    const [first, last] = linesOf(now, describedRow(now, row, lock, this.events), lock) ?? [0, -1];
    if (parts.source && `${first} ${last}` !== this.marked) {
      this.marked = `${first} ${last}`;
      for (const line of parts.source.querySelectorAll("[data-line]")) {
        const number = Number(line.dataset.line);
        line.classList.toggle("marked", first <= number && number <= last);
      }
      this.showMarked(parts.source);
    }
  }

  showMarked(source) {
    const line = source.querySelector(".marked");
    if (line) {
      const above = line.offsetTop - source.offsetTop - source.clientHeight / 3;
      source.scrollTop = Math.max(above, 0);
    }
  }

  listen() {
    const { parts, section } = this;
    const presses = {
      play: () => this.play(!this.playing),
      previous: () => this.step(-1),
      next: () => this.step(1),
      closer: () => this.zoom(1 / ZOOM_STEP),
      wider: () => this.zoom(ZOOM_STEP),
      whole: () => this.fit(),
      slower: () => this.setSpeed(this.speed / SPEED_STEP),
      faster: () => this.setSpeed(this.speed * SPEED_STEP),
    };
    for (const [name, press] of Object.entries(presses)) {
      parts[name].addEventListener("click", press);
    }
    parts.scrub.addEventListener("input", () => this.seek((parts.scrub.value / STEPS) * this.last));
    parts.grouping.addEventListener("change", () => this.group(parts.grouping.value));
    parts.row.addEventListener("input", () => {
      const row = Number.parseInt(parts.row.value, 10);
      this.follow(row >= 0 && row < this.timeline.m ? row : null);
    });
    section.addEventListener("keydown", (event) => this.press(event));
    parts.locks.addEventListener("click", (event) => {
      const lock = this.lockAt(event.offsetX, event.offsetY);
      this.follow(null, lock === this.lock ? null : lock);
    });
    this.listenToPointers(parts.rows);
  }

  /** Carries out a key of the window, unless a field or a button has it. */
  press(event) {
    const keys = {
      " ": () => this.play(!this.playing),
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      Home: () => this.seek(0),
      End: () => this.seek(this.last),
      "+": () => this.setSpeed(this.speed * SPEED_STEP),
      "=": () => this.setSpeed(this.speed * SPEED_STEP),
      "-": () => this.setSpeed(this.speed / SPEED_STEP),
      z: () => this.zoom(1 / ZOOM_STEP),
      Z: () => this.zoom(ZOOM_STEP),
      0: () => this.fit(),
      PageUp: () => this.scroll(-PAGE),
      PageDown: () => this.scroll(PAGE),
      g: () => this.group(GROUPINGS[(GROUPINGS.indexOf(this.grouping) + 1) % GROUPINGS.length]),
      l: () => this.followNextLock(),
      Escape: () => this.follow(null),
    };
    const elsewhere = event.target.closest("input, select, a, button, summary");
    const held = event.ctrlKey || event.altKey || event.metaKey;
    if (!elsewhere && !held && Object.hasOwn(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    }
  }

  scroll(pages) {
    const share = this.bottom - this.top;
    this.part(this.begin, this.length, this.top + pages * share, share);
  }

  /** One pointer moves the part on show, or the time where all is shown; two zoom; a click follows. */
  listenToPointers(canvas) {
    const { pointers } = this;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      const onAxis = event.offsetY > this.waterfall.bottom;
      this.scrubs = onAxis || !this.zoomed;
      pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      this.pressed = { x: event.offsetX, y: event.offsetY, moved: onAxis };
      if (onAxis) {
        this.seek(this.waterfall.at(event.offsetX, event.offsetY).time);
      }
    });
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => {
        pointers.delete(event.pointerId);
        if (name === "pointerup" && !pointers.size && !this.pressed.moved) {
          const { row = null, lock = null } = this.waterfall.at(event.offsetX, event.offsetY);
          const same = row === this.row && lock === this.lock;
          this.follow(same ? null : row, same ? null : lock);
        }
      });
    }
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (event.ctrlKey || event.shiftKey) {
          event.preventDefault();
          this.zoom(
            event.deltaY + event.deltaX > 0 ? ZOOM_STEP : 1 / ZOOM_STEP,
            ...this.shares(event),
          );
        }
      },
      { passive: false },
    );
    canvas.addEventListener("dblclick", (event) => this.zoom(0.25, ...this.shares(event)));
  }

  shares({ offsetX, offsetY }) {
    const { left, plot, bottom } = this.waterfall;
    return [(offsetX - left) / plot, Math.min(Math.max(offsetY / bottom, 0), 1)];
  }

  drag(event) {
    const { pointers, pressed, waterfall } = this;
    const before = pointers.get(event.pointerId);
    if (!before) {
      return;
    }
    const at = [event.offsetX, event.offsetY];
    pressed.moved ||= Math.hypot(at[0] - pressed.x, at[1] - pressed.y) > CLICK;
    const others = [...pointers].filter(([id]) => id !== event.pointerId);
    pointers.set(event.pointerId, at);
    if (others.length) {
      const [[, other]] = others;
      const apart = (point) => Math.max(Math.hypot(point[0] - other[0], point[1] - other[1]), 20);
      const middle = { offsetX: (at[0] + other[0]) / 2, offsetY: (at[1] + other[1]) / 2 };
      this.zoom(apart(before) / apart(at), ...this.shares(middle));
    } else if (this.scrubs && pressed.moved) {
      this.seek(waterfall.at(...at).time);
    } else if (pressed.moved) {
      const share = this.bottom - this.top;
      const time = ((at[0] - before[0]) / waterfall.plot) * this.length;
      const rows = ((at[1] - before[1]) / waterfall.bottom) * share;
      this.part(this.begin - time, this.length, this.top - rows, share);
    }
    waterfall.canvas.style.touchAction = this.zoomed ? "none" : "pan-y";
  }
}

/** Returns a sentence in both languages, of which the page shows one. */
function sentences([, english, chinese]) {
  return [
    ["en", english],
    ["zh-Hans", chinese],
  ].map(([language, text]) => {
    const made = document.createElement("span");
    made.lang = language;
    made.textContent = text;
    return made;
  });
}

function setText(part, text) {
  if (part.textContent !== text) {
    part.textContent = text;
  }
}

function cell(kind, text) {
  const made = document.createElement(kind);
  made.textContent = text;
  return made;
}
