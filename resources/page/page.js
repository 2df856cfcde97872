// Begins: language, theme, and every part of the page that plays.

import { Lecture } from "./lecture.js";
import { Replay, parseTime } from "./replay.js";
import { learn, speak } from "./words.js";

const root = document.documentElement;
const data = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");

function colours() {
  return data.themes[root.dataset.theme ?? (dark.matches ? "dark" : "light")];
}

learn(data.sentences);
const replays = [];
const lecture = data.answers && new Lecture(data, begin);

/** Begins what plays in a section, unless it has begun. */
function begin(anchor) {
  for (const each of data.replays) {
    if (each.anchor === anchor && !each.begun) {
      const section = document.getElementById(anchor);
      replays.push(new Replay(section, { ...data.timelines[each.plays], ...each }, colours));
      each.begun = true;
    }
  }
}

if (!lecture) {
  for (const each of data.replays) begin(each.anchor);
}

/** Shows "en" or "zh": the page has every sentence in both. */
function changeLanguage(language) {
  root.lang = language === "zh" ? "zh-Hans" : "en";
  speak(language);
  for (const part of document.querySelectorAll("[data-en]")) {
    const text = part.dataset[language];
    if (part instanceof HTMLOptionElement) {
      part.textContent = text;
    } else {
      part.title = text;
      part.setAttribute("aria-label", text);
    }
  }
  drawAll();
}

function drawAll() {
  root.dataset.look = colours().name;
  for (const replay of replays) replay.draw();
}

/** Takes what the address says: #t=3.2us&row=17&lang=zh. */
function readAddress() {
  const said = new URLSearchParams(location.hash.slice(1).replace("µ", "%C2%B5"));
  const theme = said.get("theme");
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;
  const language = said.get("lang") ?? navigator.language.slice(0, 2);
  changeLanguage(language === "zh" ? "zh" : "en");
  lecture?.show(said.has("exercises") ? lecture.steps.length - 1 : said.get("step") - 1);
  const shown = document.querySelector(".step.shown, .played");
  const first = replays.find((replay) => replay.section === shown);
  root.classList.toggle("framed", window !== window.top && (said.has("t") || said.has("step")));
  const time = parseTime(said.get("t"));
  if (first && time !== null) {
    first.seek(time);
    first.follow(first.rowOf(said.get("row")));
    first.parts.rows.focus({ preventScroll: true });
  }
}

root.classList.add("scripted");
document.getElementById("language").addEventListener("click", () => {
  changeLanguage(root.lang === "en" ? "zh" : "en");
});
document.getElementById("theme").addEventListener("click", () => {
  root.dataset.theme = colours().name === "dark" ? "light" : "dark";
  drawAll();
});
dark.addEventListener("change", drawAll);
window.addEventListener("hashchange", readAddress);
readAddress();
globalThis.lnexplorer = { replays, lecture, changeLanguage };
