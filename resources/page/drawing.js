// Pictures of a timeline: rows over time, and the locks with their buffers at a moment.

import { lockName, stateName } from "./captions.js";
import { State } from "./timeline.js";
import { clipped, say, thousands, tickText, timeText } from "./words.js";

const LINE = 16; // px of a line of text
const FONT = '12px system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif';
const BARS_FROM = 2; // px of a row; from afar the depth of queues is shown in place of bars
const COLOURED = 3; // px of a group; lower ones do not have the colour of their lock
const TO_COME = 0.6; // of the surface over what is to come
const MOST_WIDTHS = 20000; // that are kept
const SHARPEST = 2; // pixels of the picture for a pixel of the page, at most

/** Returns black or white, whichever stands out more. */
function legibleOn(colour) {
  const value = Number.parseInt(colour.slice(1), 16);
  const light = 0.299 * (value >> 16) + 0.587 * ((value >> 8) & 255) + 0.114 * (value & 255);
  return light > 127 ? "#0d0f12" : "#ffffff";
}

/** Returns the rows from top to bottom, by "lock", "sm" or "start", each group by its starts. */
export function arranged(timeline, grouping) {
  const keys = { lock: timeline.lock, sm: timeline.sm }[grouping] ?? new Int32Array(timeline.m);
  const rows = Int32Array.from(timeline.start.keys());
  rows.sort((one, other) => keys[one] - keys[other] || timeline.start[one] - timeline.start[other]);
  const [numbers, first] = [[], []];
  const place = new Int32Array(timeline.m);
  const group = new Int32Array(timeline.m);
  rows.forEach((row, at) => {
    if (!at || keys[row] !== keys[rows[at - 1]]) {
      numbers.push(keys[row]);
      first.push(at);
    }
    place[row] = at;
    group[row] = numbers.length - 1;
  });
  return { rows, place, group, numbers, first: [...first, timeline.m] };
}

/** Gives a canvas the size that it has on the page, and returns its context with that size. */
export function fitted(canvas) {
  const scale = Math.min(globalThis.devicePixelRatio || 1, SHARPEST);
  const [width, height] = [Math.max(canvas.clientWidth, 1), Math.max(canvas.clientHeight, 1)];
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = FONT;
  context.textBaseline = "middle";
  return { context, width, height, scale };
}

/** Rows over time, a stretch of both. It draws them once, and again when anything but time changes. */
export class Waterfall {
  constructor(canvas) {
    this.canvas = canvas;
    this.picture = document.createElement("canvas");
    this.known = "";
  }

  /** Lays out a view: timeline, arrangement, grouping, colours, the stretch and what is followed. */
  show(view, time) {
    const { context, width, height, scale } = fitted(this.canvas);
    const { begin, end, top, bottom, key, colours } = view;
    const known = [width, height, scale, begin, end, top, bottom, ...key].join();
    if (known !== this.known) {
      this.known = known;
      this.layOut(context, view, width, height);
      this.draw(scale);
    }
    const { left, plot } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.picture, 0, 0);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const x = this.x(time);
    context.globalAlpha = TO_COME;
    fill(context, colours.surface, x, 0, left + plot - x, this.bottom);
    context.globalAlpha = 1;
    this.mark(context);
    if (time >= begin && time <= end) fill(context, colours.accent, x - 1, 0, 2, this.bottom);
    const { accent } = colours;
    const clock = timeText(time, view.timeline.counted);
    this.drawAxis(context, x, widthOf(context, clock) + 16);
    const y = this.bottom + 4 + LINE / 2;
    writeBoxed(context, clock, x, y, [left, left + plot], accent, legibleOn(accent));
  }

  layOut(context, view, width, height) {
    const { timeline } = view;
    this.view = view;
    const names = [thousands(timeline.m - 1), this.nameOf(view.arrangement.numbers.length - 1)];
    this.left = Math.ceil(Math.max(...names.map((name) => widthOf(context, name)))) + 8;
    this.plot = Math.max(width - this.left, 1);
    this.bottom = Math.max(height - LINE - 6, 1);
    this.rowHeight = this.bottom / Math.max((view.bottom - view.top) * timeline.m, 1e-9);
    this.band = (this.rowHeight * timeline.m) / view.arrangement.numbers.length;
    this.bars = this.rowHeight >= BARS_FROM || timeline.m <= 2;
    const [low, high] = [view.top * timeline.m, view.bottom * timeline.m];
    this.visible = [Math.floor(low), Math.min(Math.ceil(high), timeline.m)];
  }

  nameOf(group) {
    const { timeline, grouping, arrangement } = this.view;
    const number = arrangement.numbers[group];
    const names = { lock: () => lockName(timeline, number), sm: () => `SM ${number}` };
    return names[grouping]?.() ?? "";
  }

  /** Returns the place of a time, clipped to the stretch on show. */
  x(time) {
    const { begin, end } = this.view;
    return this.left + clipped((time - begin) / (end - begin), 0, 1) * this.plot;
  }

  y(place) {
    return (place - this.view.top * this.view.timeline.m) * this.rowHeight;
  }

  /** Returns what is at a point of the canvas: a time, and a row, or a lock if rows are too low. */
  at(x, y) {
    const { begin, end, timeline, arrangement, grouping } = this.view;
    const share = clipped((x - this.left) / this.plot, 0, 1);
    const time = begin + share * (end - begin);
    if (y > this.bottom) return { time };
    const place = Math.floor(this.view.top * timeline.m + Math.max(y, 0) / this.rowHeight);
    const row = arrangement.rows[Math.min(place, timeline.m - 1)];
    if (this.bars) return { time, row };
    return grouping === "lock" ? { time, lock: timeline.lock[row] } : { time };
  }

  draw(scale) {
    const { canvas, picture, view } = this;
    const context = picture.getContext("2d");
    if (picture.width !== canvas.width || picture.height !== canvas.height) {
      picture.width = canvas.width;
      picture.height = canvas.height;
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    fill(context, view.colours.surface, 0, 0, picture.width, picture.height);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = FONT;
    context.textBaseline = "middle";
    this.drawLines(context, scale);
    this.drawTiles(context);
    this.drawPhases(context);
    this.drawLabels(context);
  }

  column(time, width) {
    const { begin, end } = this.view;
    return Math.min(Math.max(Math.floor(((time - begin) / (end - begin)) * width), -1), width);
  }

  /** Draws each row, or each group, as high as it is, pixel for pixel. */
  drawLines(context, scale) {
    const { timeline, arrangement, top, colours } = this.view;
    const { rows, group } = arrangement;
    const [wide, left] = [this.canvas.width, Math.round(this.left * scale)];
    const [width, height] = [
      Math.max(wide - left, 1),
      Math.max(Math.floor(this.bottom * scale), 1),
    ];
    if (this.image?.width !== wide || this.image.height !== height) {
      this.image = context.createImageData(wide, height);
    }
    const pixels = new Uint32Array(this.image.data.buffer);
    const gap = this.bars && this.rowHeight >= 4 ? scale : 0;
    let [drawn, first, edge] = [-1, null, 0]; // the last row or group, its first line, its end
    for (let y = 0; y < height; y++) {
      const place = Math.floor(top * timeline.m + (y + 0.5) / scale / this.rowHeight);
      const row = rows[Math.min(place, timeline.m - 1)];
      const each = this.bars ? row : group[row];
      const line = pixels.subarray(y * wide + left, y * wide + left + width);
      if (each === drawn) {
        line.set(first);
      } else {
        [drawn, first] = [each, line];
        edge = gap ? Math.round(this.y(place + 1) * scale - gap) : height;
        if (this.bars) this.drawBar(line, row);
        else this.drawHeat(line, each);
      }
      if (y >= edge) line.fill(pixelOf(colours.surface));
    }
    context.putImageData(this.image, 0, 0, left, 0, width, height);
  }

  /** Draws what a row does into a line of pixels. */
  drawBar(line, row) {
    const { timeline, colours } = this.view;
    const width = line.length;
    const hue = timeline.lock[row] % colours.locks.length;
    const ends = timeline.times.map((times) => this.column(times[row], width));
    ends[4] = Math.max(ends[4], ends[3] + 1); // a hold takes a pixel, however short it is
    ends.push(width);
    line.fill(pixelOf(colours.surface), 0, Math.max(ends[0], 0));
    for (let phase = 0; phase < 5; phase++) {
      const colour = phase < 4 ? colours.states[phase + 1][hue] : colours.over[hue];
      line.fill(pixelOf(colour), Math.max(ends[phase], 0), Math.max(ends[phase + 1], 0));
    }
  }

  /** Draws how many rows of a group queue into a line of pixels. */
  drawHeat(line, group) {
    const { timeline, arrangement, grouping, colours } = this.view;
    const { rows, first, numbers } = arrangement;
    const grey = colours.locks.length - 1; // of locks that share pixels, and of what has no lock
    const coloured = grouping === "lock" && this.band >= COLOURED;
    const hue = coloured ? numbers[group] % colours.locks.length : grey;
    const width = line.length;
    if (this.change?.length !== width + 2) this.change = new Int32Array(width + 2);
    const change = this.change.fill(0);
    let [begin, end] = [Infinity, -Infinity];
    for (let place = first[group]; place < first[group + 1]; place++) {
      const row = rows[place];
      change[this.column(timeline.wanted[row], width) + 1] += 1;
      change[this.column(timeline.free[row], width) + 1] -= 1;
      begin = Math.min(begin, timeline.start[row]);
      end = Math.max(end, timeline.released[row]);
    }
    const levels = colours.heat[hue];
    const deepest = Math.max(timeline.deepest[grouping], 1);
    let depth = change[0];
    for (let [x, from] = [0, 0]; x < width; from = x) {
      depth += change[x + 1];
      do x += 1;
      while (x < width && !change[x + 1]);
      line.fill(pixelOf(levels[Math.ceil((levels.length - 1) * (depth / deepest))]), from, x);
    }
    line.fill(pixelOf(colours.surface), 0, Math.max(this.column(begin, width), 0));
    line.fill(pixelOf(colours.over[hue]), this.column(end, width) + 1);
  }

  /** Draws the tiles of stage 2, each over its share of the height. */
  drawTiles(context) {
    const { timeline, end, top, bottom, colours } = this.view;
    const { tileStart, tileEnd } = timeline;
    const high = this.bottom / tileStart.length / (bottom - top);
    context.fillStyle = colours.results.dw;
    tileStart.forEach((start, tile) => {
      const y = tile * high - (top / (bottom - top)) * this.bottom;
      const [left, right] = [this.x(start), this.x(tileEnd[tile])];
      const [above, below] = [Math.max(y, 0), Math.min(y + high, this.bottom)];
      if (start < end && below > above) context.fillRect(left, above, right - left, below - above);
    });
  }

  /** Returns the groups that are shown, if only in part, with their edges in px. */
  groups() {
    const { rows, group, first } = this.view.arrangement;
    const [from, to] = [group[rows[this.visible[0]]], group[rows[this.visible[1] - 1]]];
    return Array.from({ length: to - from + 1 }, (_, place) => {
      const each = from + place;
      const [above, below] = [this.y(first[each]), this.y(first[each + 1])];
      return { each, above: Math.max(above, 0), below: Math.min(below, this.bottom) };
    });
  }

  /** Writes what a row does, and for how long, in bars that have room for it. */
  drawPhases(context) {
    const { timeline, arrangement, colours } = this.view;
    if (this.rowHeight < LINE) return;
    for (let place = this.visible[0]; place < this.visible[1]; place++) {
      const row = arrangement.rows[place];
      const hue = timeline.lock[row] % colours.locks.length;
      for (let state = State.COMPUTING; state < State.DONE; state++) {
        const [from, to] = [timeline.times[state - 1][row], timeline.times[state][row]];
        const [left, right] = [this.x(from), this.x(to)];
        const name = stateName(timeline, state);
        const texts = [`${name} ${timeText(to - from, timeline.counted)}`, name];
        const text = texts.find((each) => widthOf(context, each) + 8 <= right - left);
        if (text !== undefined) {
          const colour = legibleOn(colours.states[state][hue]);
          write(context, text, (left + right) / 2, this.y(place + 0.5), colour);
        }
      }
    }
  }

  drawLabels(context) {
    const { arrangement, grouping, colours } = this.view;
    const labels = [];
    if (this.rowHeight >= LINE * 0.8 || grouping === "start") {
      const step = Math.max(Math.ceil(LINE / this.rowHeight), 1);
      for (let place = this.visible[0]; place < this.visible[1]; place += step) {
        const middle = this.y(place) + Math.max(this.rowHeight, LINE) / 2;
        labels.push([middle, () => thousands(arrangement.rows[place])]);
      }
    } else {
      for (const { each, above, below } of this.groups()) {
        labels.push([(above + below) / 2, () => this.nameOf(each)]);
      }
    }
    for (const { above } of this.band >= 6 ? this.groups().slice(1) : []) {
      fill(context, colours.line, this.left, Math.round(above), this.plot, 1);
    }
    let last = -Infinity;
    for (const [middle, text] of labels) {
      const y = clipped(middle, LINE / 2, this.bottom - LINE / 2);
      if (y - LINE >= last && Math.abs(y - middle) < LINE) {
        write(context, text(), this.left - 6, y, colours.muted, "right");
        last = y;
      }
    }
  }

  /** Draws round times, but those that the clock at a place covers, so wide. */
  drawAxis(context, clock, wide) {
    const { begin, end, timeline, colours } = this.view;
    fill(context, colours.line, this.left, this.bottom, this.plot, 1);
    const rough = (end - begin) / Math.max(Math.floor(this.plot / 100), 1);
    const decade = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((each) => each * decade).find((each) => each >= rough * 0.999);
    for (let tick = Math.ceil(begin / step) * step; tick <= end; tick += step) {
      const x = this.x(tick);
      fill(context, colours.line, x, this.bottom, 1, 4);
      const text = timeline.counted ? thousands(Math.round(tick)) : tickText(tick);
      const half = widthOf(context, text) / 2;
      const middle = clipped(x, this.left + half, this.left + this.plot - half);
      if (Math.abs(middle - clock) < half + wide / 2) continue;
      write(context, text, middle, this.bottom + 4 + LINE / 2, colours.muted);
    }
  }

  /** Marks the followed row, or the band of the followed lock. */
  mark(context) {
    const { timeline, arrangement, row, lock, grouping } = this.view;
    const { accent, surface } = this.view.colours;
    context.strokeStyle = accent;
    context.lineWidth = 2;
    const box = (left, right, above, below) => {
      const more = Math.max(6 - (below - above), 0) / 2;
      context.strokeRect(left, above - more, right - left, below - above + 2 * more);
    };
    if (lock !== null && grouping === "lock") {
      const group = arrangement.numbers.indexOf(lock);
      const [above, below] = [arrangement.first[group], arrangement.first[group + 1]];
      box(this.left + 1, this.left + this.plot - 1, this.y(above), this.y(below));
    }
    if (row !== null) {
      const [left, right] = [this.x(timeline.start[row]), this.x(timeline.released[row])];
      const above = this.y(arrangement.place[row]);
      box(left - 1, Math.max(right, left + 2) + 1, above, above + this.rowHeight);
      if (this.rowHeight >= LINE) return;
      const edges = [right + 4, this.left + this.plot];
      const y = clipped(above, LINE / 2, this.bottom - LINE / 2);
      writeBoxed(context, say("row {row:,}", { row }), right, y, edges, surface, accent);
    }
  }
}

/** Draws each lock with its holder, its queue and how full its buffer is, and the tiles of stage 2;
 * returns a function from a point to the lock there, or null.
 */
export function drawLocks(canvas, now, lock, colours) {
  const { context, width, height } = fitted(canvas);
  const { timeline } = now;
  const { locks, rowsOf } = timeline;
  fill(context, colours.surface, 0, 0, width, height);
  const strip = now.tiles.length ? LINE : 0;
  const high = height - strip - (strip ? 4 : 0);
  const wish = Math.sqrt((locks * width) / Math.max(high, 1) / 3.2);
  const columns = clipped(Math.round(wish), 1, locks);
  const [w, h] = [width / columns, Math.min(high / Math.ceil(locks / columns), 3 * LINE)];
  const gap = Math.min(w, h) >= 8 ? 2 : 0;
  for (let each = 0; each < locks; each++) {
    const [x, y] = [(each % columns) * w, Math.floor(each / columns) * h];
    const hue = each % colours.locks.length;
    fill(context, colours.states[State.PENDING][0], x, y, w - gap, h - gap);
    const full = ((w - gap) * now.added[each]) / Math.max(rowsOf[each], 1);
    fill(context, colours.states[State.DONE][hue], x, y, full, h - gap);
    if (now.holder[each] >= 0) fill(context, colours.locks[hue], x, y, gap ? 5 : w, h - gap);
    if (each === lock) {
      context.strokeStyle = colours.accent;
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, w - gap - 2, h - gap - 2);
    }
    writeLock(context, now, each, { x, y, w: w - gap, h: h - gap }, colours);
  }
  if (strip) drawSums(context, now, colours, width, height - strip);
  return (x, y) => {
    const found = Math.floor(y / h) * columns + Math.floor(x / w);
    return y < high && found < locks ? found : null;
  };
}

function writeLock(context, now, lock, { x, y, w, h }, colours) {
  if (h < LINE) return;
  const name = lockName(now.timeline, lock);
  const choices = [[name], [String(lock)]];
  if (h >= 2 * LINE) {
    const row = now.holder[lock];
    const holder = row >= 0 ? say("held by row {row:,}", { row }) : say("nobody holds it");
    const queue = say("queued {count:,}", { count: now.queued[lock] });
    choices.unshift([`${name} · ${holder}`, queue], [`${name} · ${row >= 0 ? row : "–"}`, queue]);
  }
  const lines = choices.find((each) => each.every((text) => widthOf(context, text) + 14 <= w));
  lines?.forEach((line, place) => {
    const middle = y + h / 2 + (place - (lines.length - 1) / 2) * LINE;
    write(context, line, x + 9, middle, colours.text, "left");
  });
}

/** Draws how far each tile of stage 2 is. */
function drawSums(context, now, colours, width, top) {
  const title = `dw${say(", ")}db`;
  const left = widthOf(context, title) + 8;
  write(context, title, left - 8, top + LINE / 2, colours.text, "right");
  const each = (width - left) / now.tiles.length;
  now.tiles.forEach((share, tile) => {
    const x = left + tile * each;
    const wide = Math.max(each - (each > 4 ? 1 : 0), 0.5);
    fill(context, colours.states[State.PENDING][0], x, top, wide, LINE);
    fill(context, colours.results.dw, x, top, wide * share, LINE);
  });
}

function fill(context, colour, x, y, width, height) {
  context.fillStyle = colour;
  context.fillRect(x, y, width, height);
}

function write(context, text, x, y, colour, align = "center") {
  context.fillStyle = colour;
  context.textAlign = align;
  context.fillText(text, x, y);
}

/** Writes a text in a box around a point, moved so that it lies between two edges. */
function writeBoxed(context, text, middle, y, [left, right], ground, ink) {
  const room = widthOf(context, text) + 8;
  const from = Math.min(Math.max(middle - room / 2, left), right - room);
  fill(context, ground, from, y - LINE / 2, room, LINE);
  write(context, text, from + room / 2, y, ink);
}

const widths = new Map(); // of texts, which are measured once

function widthOf(context, text) {
  if (!widths.has(text)) {
    if (widths.size >= MOST_WIDTHS) widths.clear();
    widths.set(text, context.measureText(text).width);
  }
  return widths.get(text);
}

const pixels = {}; // by their colours

/** Returns a colour as the four bytes of a pixel. */
function pixelOf(colour) {
  if (!(colour in pixels)) {
    const value = Number.parseInt(colour.slice(1), 16);
    const bytes = Uint8Array.of(value >> 16, (value >> 8) & 255, value & 255, 255);
    pixels[colour] = new Uint32Array(bytes.buffer)[0];
  }
  return pixels[colour];
}
