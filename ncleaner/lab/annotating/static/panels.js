// The dialogs: keys, pages, progress with the learning curve, agreement.

import { ask } from "/static/store.js";

export const KEYS = [
  ["Move", [
    [["↓", "j"], "next segment"], [["↑", "k"], "segment before"], [["Page ↓", "Page ↑"], "ten segments"],
    [["Home", "End"], "first, last segment"], [["."], "next doubtful segment"],
    [[","], "back to the doubtful segment before"],
  ]],
  ["Label", [
    [["y"], "keep, as the kind that it has in the page"], [["n", "x"], "drop"], [["Space"], "keep or drop: the other one"],
    [["p"], "paragraph"], [["h"], "heading"], [["l"], "list item"], [["c"], "continues the kept segment before"],
    [["Enter"], "finish the page, go to the next one"], [["Shift Enter"], "put the page off, go to the next one"],
  ]],
  ["Choose several", [
    [["Shift ↓", "Shift ↑"], "make the range longer or shorter"], [["a"], "all segments of this style"],
    [["Ctrl a"], "all segments"], [["Esc"], "only this one"],
  ]],
  ["Undo", [[["u", "Ctrl z"], "undo"], [["r", "Ctrl y"], "do it again"]]],
  ["Settle", [[["1"], "as the first person says"], [["2"], "as the second person says"]]],
  ["Look", [
    [["o"], "pages"], [["b"], "back to the page before"], [["m"], "progress and learning curve"], [["g"], "agreement"],
    [["v"], "with or without the drawn page"], [["s"], "with or without the styles of the page"], [["?"], "these keys"],
  ]],
];

const NAMES = { p: "paragraph", h: "heading", l: "list item", c: "continues", o: "drop", "?": "undecided" };
export const counted = (number, one) => `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;
export const nameOf = (letter) => NAMES[letter] || "no label";

export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const dialog = document.getElementById("dialog");
document.getElementById("dialog-close").addEventListener("click", () => dialog.close());
dialog.addEventListener("close", () => document.getElementById("list").focus());

export function open(title, ...content) {
  document.getElementById("dialog-title").textContent = title;
  document.getElementById("dialog-body").replaceChildren(...content);
  if (!dialog.open) dialog.showModal();
}
export const close = () => dialog.close();
export const isOpen = () => dialog.open;

export function help() {
  open("Keys", ...KEYS.flatMap(([title, rows]) => [
    make("h3", {}, title),
    make("dl", { class: "keys" }, ...rows.map(([keys, what]) => make("div", {},
      make("dt", {}, ...keys.map((key) => make("kbd", {}, key))), make("dd", {}, what)))),
  ]));
}

const table = (name, heads, rows) => make("div", { class: "wrap", tabindex: "0", role: "region", "aria-label": name },
  make("table", {},
    make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col", class: head.n ? "n" : "" }, head.n || head)))),
    make("tbody", {}, ...rows)));
const cell = (value, number = false) => make("td", { class: number ? "n" : "" }, value);

export async function pages(current, go) {
  const found = await ask("/api/pages");
  open(`${counted(found.length, "page")}, the one that teaches most first`, table("Pages",
    ["Page", "State", "Site", "Kind", { n: "Words" }, { n: "Doubt" }],
    found.map((page) => make("tr", {},
      cell(make("button", { type: "button", "aria-current": page.id === current ? "page" : false,
        disabled: page.status === "unreadable", onclick: () => { close(); go(page.id); } }, page.id)),
      cell(page.problem ? make("span", {}, make("span", { class: "badge unreadable" }, "cannot be read"), ` ${page.problem}`)
        : make("span", { class: `badge ${page.status}` }, page.given && page.status === "done" ? "given" : page.status)),
      cell(page.site), cell(page.kind), cell(page.words ? page.words.toLocaleString("en") : "", true),
      cell(page.doubt === null || page.doubt === undefined ? "" : `${(100 * page.doubt).toFixed(1)} %`, true)))));
}

const fact = (value, what) => make("div", {}, make("b", {}, value), make("span", {}, what));
const percent = (share) => `${(100 * share).toFixed(1)} %`;

export function minutes(value) {
  if (!value) return "–";
  return value >= 90 ? `${(value / 60).toFixed(1)} h` : value >= 1 ? `${value.toFixed(1)} min` : `${Math.round(value * 60)} s`;
}

export async function progress() {
  const now = await ask("/api/progress");
  const learning = now.learning;
  const content = [
    make("div", { class: "facts" },
      fact(`${now.done} of ${now.goal}`, now.given ? `pages finished, ${now.given} of them given` : "pages finished"),
      fact(now.words.toLocaleString("en"), "words on them"),
      fact(minutes(now.minutes), "a page"),
      fact(minutes(now.left), "left, at this pace"),
      fact(now.segments ? percent(now.changed / now.segments) : "–", "of the guesses changed")),
  ];
  if (!now.settling) content.push(
    make("h3", {}, "Learning curve"),
    make("p", { class: learning.enough ? "advice enough" : "advice" }, learning.advice || "Nothing has been learned yet."),
    ...(learning.failed ? [make("p", {}, learning.failed)] : []),
    ...(learning.curve.length ? [chart(learning)] : []),
    make("p", {}, learning.busy ? "A model is being trained now. " : "",
      learning.own ? `A model of ${counted(learning.trained, "page")} guesses now; it is better than the one at the start.`
        : "The model of the start guesses; on your pages it is not worse than one trained on them so far."));
  content.push(make("h3", {}, "When you have enough"),
    make("p", {}, "End the program with Ctrl C in its terminal, and run:"), make("p", {}, make("code", {}, now.command)),
    make("p", {}, "Then ", make("code", {}, "ncleaner models add"), " and the new file: clean takes it for pages in its language."));
  open("Progress", ...content);
}

function chart(learning) {
  const svg = (tag, attributes, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const points = learning.curve, start = learning.start.f ?? null;
  const width = 760, height = 260, left = 52, right = 14, top = 12, bottom = 40;
  const lows = points.map((point) => point.f - (point.error || 0)), highs = points.map((point) => point.f + (point.error || 0));
  if (start !== null) { lows.push(start); highs.push(start); }
  const low = Math.floor(Math.min(...lows) * 20) / 20, high = Math.min(Math.ceil(Math.max(...highs) * 20) / 20, 1);
  const most = points[points.length - 1].pages;
  const x = (pages) => left + (width - left - right) * pages / most;
  const y = (f) => height - bottom - (height - top - bottom) * (f - low) / Math.max(high - low, .01);
  const told = points.map((point) => `${point.pages} pages: ${(100 * point.f).toFixed(1)}`).join("; ");
  const drawn = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `F of words on pages of other sites, in percent, by number of training pages. ${told}.` });
  for (let f = low; f <= high + 1e-9; f += (high - low > .3 ? .1 : .05)) drawn.append(
    svg("line", { class: "grid", x1: left, x2: width - right, y1: y(f), y2: y(f) }),
    svg("text", { x: left - 8, y: y(f) + 4, "text-anchor": "end" }, (100 * f).toFixed(0)));
  const upper = points.map((point) => `${x(point.pages)},${y(Math.min(point.f + (point.error || 0), high))}`);
  const lower = points.map((point) => `${x(point.pages)},${y(Math.max(point.f - (point.error || 0), low))}`).reverse();
  drawn.append(svg("polygon", { class: "band", points: [...upper, ...lower].join(" ") }),
    svg("polyline", { class: "line", points: points.map((point) => `${x(point.pages)},${y(point.f)}`).join(" ") }));
  for (const point of points) drawn.append(svg("circle", { cx: x(point.pages), cy: y(point.f), r: 4 }),
    svg("text", { x: x(point.pages), y: height - bottom + 17, "text-anchor": "middle" }, String(Math.round(point.pages))));
  if (start !== null) drawn.append(
    svg("line", { class: "start", x1: left, x2: width - right, y1: y(start), y2: y(start) }),
    svg("text", { x: width - right - 4, y: y(start) + 15, "text-anchor": "end" }, "the model at the start"));
  drawn.append(svg("text", { x: (left + width) / 2, y: height - 4, "text-anchor": "middle" },
    "training pages · F of words on pages of other sites, with its standard error"));
  return drawn;
}

export async function agreement(go) {
  const found = await ask("/api/agreement");
  if (!found.agreements.length) {
    open("Agreement", make("p", {}, "No page has been finished by two people yet. A second person starts "),
      make("p", {}, make("code", {}, "ncleaner annotate DIR --annotator NAME")));
    return;
  }
  const rows = found.agreements.flatMap((pair) => Object.entries(pair.measures).flatMap(([unit, kinds]) =>
    Object.entries(kinds).map(([what, one]) => make("tr", {}, cell(pair.people.join(" and ")), cell(String(pair.pages), true),
      cell(`${unit}, ${what === "keep" ? "kept or dropped" : "which label"}`), cell(one.units.toLocaleString("en"), true),
      cell(percent(one.share), true), cell(one.kappa.toFixed(3), true)))));
  const differing = found.differing.slice(0, 300).map((one) => make("tr", {},
    cell(make("button", { type: "button", onclick: () => { close(); go(one.page, one.segment); } }, `${one.page}, ${one.segment + 1}`)),
    cell(Object.entries(one.votes).map(([name, letter]) => `${name}: ${nameOf(letter)}`).join(", ")),
    cell(one.settled ? nameOf(one.settled) : "–"), make("td", { dir: "auto" }, one.text)));
  open("Agreement",
    table("Agreement of each two", ["People", { n: "Pages" }, "Of", { n: "Number" }, { n: "Agree" }, { n: "Kappa" }], rows),
    make("h3", {}, counted(found.number, "disagreement")),
    table("Disagreements", ["Segment", "Labels", "Settled", "Text"], differing));
}
