// The steps of the lecture one by one, questions to the room, notes, and answers to exercises.

import { made } from "./replay.js";
import { say } from "./words.js";

const UNITS_OF_ANSWERS = {
  ...{ "": 1, "%": 1, "×": 1, x: 1, bytes: 1, ns: 1e-3 },
  ...{ µs: 1, μs: 1, us: 1, ms: 1e3, s: 1e6 },
};

/** Returns the mark of an answer, as the program makes it: FNV-1a, 32 bits. */
function markOf(name, answer) {
  let found = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${name}:${answer}`)) {
    found = Math.imul(found ^ byte, 0x01000193) >>> 0;
  }
  return found;
}

/** Returns the forms in which an answer may be right: a number in six digits and in three, or a text. */
export function formsOf(answer) {
  const text = answer.trim().replace("−", "-");
  const found = /^([+-]?\d{1,15}(?:\.\d{1,15})?)\s*([^\d\s]*)$/.exec(text);
  const unit = UNITS_OF_ANSWERS[found?.[2].toLowerCase()];
  if (unit === undefined) return [text.toLowerCase()];
  const value = Number(found[1]) * unit;
  return [String(Number(value.toPrecision(6))), `~${Number(value.toPrecision(3))}`];
}

/** Lets a page of steps show one at a time; open() begins what plays in one. */
export class Lecture {
  constructor(data, open) {
    this.steps = Array.from(document.querySelectorAll(".step"));
    this.open = open;
    this.turns = data.turns;
    for (const button of document.querySelectorAll("[data-turn]")) {
      button.addEventListener("click", () => this.turn(button.dataset.turn));
    }
    const press = (name, action) => document.getElementById(name).addEventListener("click", action);
    press("back", () => this.go(-1));
    press("on", () => this.go(1));
    press("notes", () => this.toggleNotes());
    this.number = document.getElementById("number");
    this.number.addEventListener("change", () => this.show(this.number.value - 1));
    document.addEventListener("keydown", (event) => this.press(event));
    for (const option of document.querySelectorAll("[data-right]")) {
      option.addEventListener("click", () => {
        const right = option.dataset.right === "1";
        option.classList.add(right ? "good" : "bad");
        option.prepend(right ? "✓ " : "✗ ");
        option.disabled = true;
      });
    }
    for (const form of document.querySelectorAll("[data-exercise]")) {
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const name = form.dataset.exercise;
        const forms = formsOf(form.querySelector("input").value);
        const right = forms.some((each) => data.answers[name].includes(markOf(name, each)));
        const output = form.querySelector("output");
        output.className = right ? "good" : "bad";
        output.textContent = right ? `✓ ${say("Right")}` : `✗ ${say("Not right")}`;
      });
    }
  }

  /** Lets programs go on as the reader says: 0, 1, or "" from the start. */
  turn(turn) {
    const section = this.steps[this.place];
    const told = this.turns[section.id]?.[(section.dataset.order ?? "") + turn];
    if (!told && turn !== "") return;
    section.dataset.order = turn === "" ? "" : (section.dataset.order ?? "") + turn;
    const body = section.querySelector("tbody");
    if (turn === "") return body.replaceChildren();
    const [english, chinese, own, buffer, sign] = told;
    const words = [made("span", [english]), made("span", [chinese])];
    [words[0].lang, words[1].lang] = ["en", "zh-Hans"];
    const last = made("td", [`${buffer} ${sign}`]);
    last.className = { "✓": "good", "✗": "bad" }[sign] ?? "";
    body.append(made("tr", [made("td", words), made("td", [own]), last]));
  }

  show(place) {
    this.place = Math.min(Math.max(place || 0, 0), this.steps.length - 1);
    this.steps.forEach((step, each) => {
      step.classList.toggle("shown", each === this.place);
    });
    const { id } = this.steps[this.place];
    const exercises = id === "exercises";
    this.number.value = exercises ? "" : this.place + 1;
    this.open(id);
    const rest = location.hash.replace(/^#|&?(step=\d+|exercises)/g, "").replace(/^&/, "");
    const said = exercises ? id : `step=${this.place + 1}`;
    history.replaceState(null, "", `#${said}${rest && "&"}${rest}`);
  }

  go(direction) {
    this.show(this.place + direction);
    window.scrollTo(0, 0);
  }

  toggleNotes() {
    document.documentElement.classList.toggle("noted");
  }

  press(event) {
    const keys = {
      ArrowLeft: () => this.go(-1),
      PageUp: () => this.go(-1),
      ArrowRight: () => this.go(1),
      PageDown: () => this.go(1),
      n: () => this.toggleNotes(),
      j: () => this.turn("0"),
      k: () => this.turn("1"),
    };
    const typed = event.target.closest("input, select");
    const held = event.ctrlKey || event.altKey || event.metaKey;
    if (!event.defaultPrevented && !typed && !held && Object.hasOwn(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    }
  }
}
