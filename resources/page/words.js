// Sentences and numbers as the program writes them.

const catalogue = new Map();
const spoken = { language: "en" };

/** Takes the Chinese of every sentence in these files, by its English. */
export function learn(sentences) {
  for (const [english, chinese] of Object.entries(sentences)) catalogue.set(english, chinese);
}

/** Writes every later sentence in "en" or "zh". */
export function speak(language) {
  spoken.language = language;
}

/** Writes a sentence in the language of the page: a template with places such as {row} or {row:,}. */
export function say(template, values = {}) {
  const wanted = (spoken.language === "zh" && catalogue.get(template)) || template;
  return wanted.replace(/\{(\w+)(:,)?\}/g, (_, name, comma) =>
    comma ? thousands(values[name]) : String(values[name]),
  );
}

/** Writes a whole number in groups of three digits. */
export function thousands(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Returns a value, or the bound that it is beyond. */
export function clipped(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

export function joinFacts(...facts) {
  return facts.filter(Boolean).join(" · ");
}

/** Writes a number in so many digits, 1689 as 1690; of two that are as near, the even one. */
export function significant(value, digits) {
  if (value === 0) return "0";
  // More digits than a value in the middle of two others can have.
  const [exact, power] = Math.abs(value).toExponential(60).split("e");
  const all = exact.replace(".", "");
  const rest = all.slice(digits);
  let kept = BigInt(all.slice(0, digits));
  const half = `5${"0".repeat(rest.length - 1)}`;
  if (rest > half || (rest === half && kept % 2n === 1n)) kept += 1n;
  const text = String(kept);
  const exponent = Number(power) + text.length - digits; // it may have grown by a digit
  const rounded = Number(`${text[0]}.${text.slice(1)}e${exponent}`);
  return (value < 0 ? "-" : "") + rounded.toFixed(Math.max(digits - 1 - exponent, 0));
}

/** Writes a duration in ns, in the unit that suits it. */
export function nanoseconds(value) {
  const milliseconds = value / 1e6;
  for (const [unit, size] of Object.entries({ s: 1e3, ms: 1, µs: 1e-3 })) {
    if (Math.abs(milliseconds) >= 0.9995 * size) {
      return `${significant(milliseconds / size, 3)} ${unit}`;
    }
  }
  return `${roundEven(milliseconds * 1e6)} ns`;
}

function roundEven(value) {
  const floor = Math.floor(value);
  const over = value - floor;
  return over > 0.5 || (over === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
}

/** Writes a time; where events were counted, how many. */
export function timeText(ns, counted) {
  if (!counted) return nanoseconds(ns);
  const steps = roundEven(ns);
  return steps === 1 ? say("1 step") : say("{steps:,} steps", { steps });
}

/** Writes a round time, as short as possible. */
export function tickText(ns) {
  const units = Object.entries({ ns: 1, µs: 1e3, ms: 1e6, s: 1e9 });
  const [unit, scale] = units.find(([, size]) => ns < 1000 * size) ?? units[3];
  return ns ? `${Number((ns / scale).toPrecision(6))} ${unit}` : "0";
}
