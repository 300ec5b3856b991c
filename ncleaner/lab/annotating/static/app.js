// The work on one page: segments, labels, keys.

import { Frame } from "/static/frame.js";
import * as panels from "/static/panels.js";
import { ask, Gone, Store } from "/static/store.js";

const { counted, make, nameOf } = panels;
const at = (id) => document.getElementById(id);
const list = at("list"), status = at("status"), alertBox = at("alert");
const TAGS = { p: "P", h: "H", l: "L", c: "↳", o: "–", "?": "?" };
const UNSURE = 0.9, IDLE = 60;

let page = null, store = null, rows = [], labels = [], here = 0, anchor = 0;
let chosen = new Set(), undo = [], redo = [], before = [], held = null, opening = 0;
// the segments that the person has been at, those reached by `.` in their order, and whether Enter has been refused
let seen = new Set(), trail = [], warned = false;
let styled = true, finishing = false;

// time --------------------------------------------------------------------------------------------

let worked = 0, last = performance.now();
function tick() {
  const now = performance.now();
  worked += Math.min((now - last) / 1000, IDLE);
  last = now;
}
function clock(back) {
  if (back !== undefined) { worked += back; return 0; }
  const found = worked;
  worked = 0;
  return found;
}

// what is shown -----------------------------------------------------------------------------------

const say = (text) => { status.textContent = text; };
function warn(text, mild, ...buttons) {
  alertBox.replaceChildren(make("span", {}, text), ...buttons);
  alertBox.classList.toggle("mild", Boolean(mild));
  alertBox.hidden = false;
}
const calm = () => { alertBox.hidden = true; alertBox.replaceChildren(); };

const letterOf = (row) => labels[row] === "." ? page.guess[row] : labels[row];
const isSet = (row) => labels[row] !== ".";
const isDoubtful = (row) => !isSet(row) && page.certainty[row] < UNSURE;

function paint(row) {
  const letter = letterOf(row), part = rows[row];
  if (part.dataset.label !== letter) {
    part.dataset.label = letter;
    part.children[0].textContent = TAGS[letter];
  }
  if (isSet(row)) part.dataset.set = "1"; else delete part.dataset.set;
  const unsure = isDoubtful(row);
  const note = part.lastChild;
  note.firstChild.textContent = `${nameOf(letter)}${isSet(row) ? "" : ", guessed"}. `;
  note.children[1].textContent = unsure && letter !== "?" ? `${Math.round(100 * page.certainty[row])} % sure` : "";
  note.children[1].hidden = !unsure || letter === "?";
  frame.label(row, letter, unsure);
}

const frame = new Frame((row, range) => { tick(); range ? extend(row) : move(row); list.focus(); });
// the drawn page comes after the list, which it leaves as it is
function draw() {
  frame.show(page.id, styled, () => {
    rows.forEach((_, row) => frame.label(row, letterOf(row), isDoubtful(row)));
    if (chosen.size > 1) for (const row of chosen) frame.choose(row, true);
    frame.move(here);
  });
}

function tally() {
  if (!page) return;
  const counts = {};
  let open = 0;
  for (let row = 0; row < rows.length; row++) {
    const letter = letterOf(row);
    counts[letter] = (counts[letter] || 0) + 1;
    open += letter === "?" || isDoubtful(row);
  }
  const kept = rows.length - (counts.o || 0) - (counts["?"] || 0);
  at("tally").textContent = `${counted(rows.length, "segment")} · ${kept} kept · ${counts.o || 0} dropped · `
    + (page.settling ? `${counts["?"] || 0} to settle` : `${open} doubtful`);
}
let tallying = 0;
function soonTally() {
  if (!tallying) tallying = setTimeout(() => { tallying = 0; tally(); }, 120);
}

function build() {
  const pieces = document.createDocumentFragment();
  const votes = Object.entries(page.votes);
  rows = page.texts.map((text, row) => {
    const words = make("span", { class: "text", dir: "auto" }, text);
    if (page.lang) words.lang = page.lang;
    const notes = [page.zones[row], page.hidden[row] ? "hidden at first" : ""].filter(Boolean).join(", ");
    const part = make("div", { class: "seg", role: "option", id: `s${row}`, "aria-selected": "false" },
      make("span", { class: "tag", "aria-hidden": "true" }), words,
      make("span", { class: "note" }, make("span", { class: "vh" }), make("b", {}), notes ? ` ${notes}` : ""));
    if (votes.length && page.guess[row] === "?") words.append(make("span", { class: "votes" },
      ...votes.map(([name, letters], number) => make("span", {}, `${number + 1} ${name}: ${nameOf(letters[row])}`))));
    pieces.append(part);
    return part;
  });
  list.replaceChildren(pieces);
}

// moving and choosing -----------------------------------------------------------------------------

function mark(wanted) {
  for (const row of chosen) if (!wanted.has(row)) { rows[row].setAttribute("aria-selected", "false"); frame.choose(row, false); }
  for (const row of wanted) if (!chosen.has(row)) { rows[row].setAttribute("aria-selected", "true"); frame.choose(row, wanted.size > 1); }
  chosen = wanted;
}

function goTo(row) {
  rows[here]?.classList.remove("here");
  here = Math.max(0, Math.min(row, rows.length - 1));
  if (!rows.length) return;
  rows[here].classList.add("here");
  seen.add(here);
  list.setAttribute("aria-activedescendant", `s${here}`);
  rows[here].scrollIntoView({ block: "nearest" });
  frame.move(here);
}
function move(row) { goTo(row); anchor = here; mark(new Set(rows.length ? [here] : [])); }
function extend(row) {
  goTo(row);
  const wanted = new Set();
  for (let one = Math.min(anchor, here); one <= Math.max(anchor, here); one++) wanted.add(one);
  mark(wanted);
  say(`${counted(wanted.size, "segment")} chosen`);
}
function sameStyle() {
  if (!rows.length) return;
  const style = page.styles[here];
  const wanted = new Set();
  page.styles.forEach((one, row) => { if (one === style) wanted.add(row); });
  mark(wanted);
  say(`${counted(wanted.size, "segment")} of this style chosen`);
}

// the next segment below a row, else from the top, that is to be settled, or of which the model is unsure and which the
// person has not been at; -1 for none
const isOpen = (row) => page.settling ? letterOf(row) === "?" : isDoubtful(row) && !seen.has(row);
function firstDoubt(after) {
  const open = rows.map((_, row) => row).filter(isOpen);
  return open.find((row) => row > after) ?? open[0] ?? -1;
}

function nextDoubt(back) {
  if (back) {
    trail.pop();
    if (trail.length) move(trail[trail.length - 1]);
    return;
  }
  const best = firstDoubt(here);
  if (best < 0) { say(page.settling ? "Nothing left to settle. Enter finishes the page" : "No doubtful segment left. Enter finishes the page"); return; }
  trail.push(best);
  move(best);
  say(page.settling ? `Segment ${best + 1}, to be settled` : `Segment ${best + 1}: ${nameOf(letterOf(best))}, ${Math.round(100 * page.certainty[best])} % sure`);
}

// labels ------------------------------------------------------------------------------------------

function set(changes) {
  for (const [row, letter] of changes) { labels[row] = letter; paint(row); }
  if (page.done) { page.done = false; say("The page is open again; Enter finishes it"); }
  soonTally();
  store.add(changes);
}

function label(choose) {
  if (!rows.length) return;
  const step = [];
  for (const row of chosen) {
    const letter = choose(row);
    if (labels[row] !== letter) step.push([row, labels[row], letter]);
  }
  const wanted = choose(here);
  if (step.length) {
    undo.push(step);
    redo = [];
    set(step.map(([row, , letter]) => [row, letter]));
  }
  say(chosen.size > 1 ? `${chosen.size} segments: ${nameOf(wanted)}` : `Segment ${here + 1}: ${nameOf(wanted)}`);
  const most = Math.max(...chosen), whole = most - Math.min(...chosen) + 1 === chosen.size;
  if (whole && most + 1 < rows.length) move(most + 1); else move(here);
}
const kindOf = (row) => page.kinds[row];
function toggle() {
  if (!rows.length) return;
  const drop = letterOf(here) !== "o";
  const spot = here;
  label((row) => drop ? "o" : kindOf(row));
  if (chosen.size === 1) move(spot);
}

function again(from, to, side) {
  const step = from.pop();
  if (!step) { say(side ? "Nothing to undo" : "Nothing to do again"); return; }
  to.push(step);
  set(step.map(([row, old, letter]) => [row, side ? old : letter]));
  move(step[0][0]);
  say(`${side ? "Undone" : "Done again"}: ${step.length === 1 ? `segment ${step[0][0] + 1}` : `${step.length} segments`}`);
}

function settle(number) {
  const votes = Object.values(page.votes);
  if (votes.length > number) label((row) => votes[number][row]);
}

// saving ------------------------------------------------------------------------------------------

const hooks = {
  clock,
  saved() { if (!held) calm(); store.history({ undo, redo }); list.dataset.saved = store.revision; },
  failed(error) {
    warn(`Not saved: ${error.message}. ${error instanceof Gone ? "What is not saved stays in this tab." : "Your changes stay in this tab, and are sent again."}`);
  },
  merged(newer, pending, mine) {
    labels = newer;
    for (const [row, letter] of pending) labels[row] = letter;
    rows.forEach((_, row) => paint(row));
    undo = []; redo = [];
    tally();
    if (!mine.length) { warn("This page has been changed in another tab. Both changes are kept.", true, button("Good", () => { held = null; calm(); })); held = []; return; }
    held = mine;
    const places = mine.slice(0, 5).map(([row, letter]) => `${row + 1} (here: ${nameOf(letter)}, there: ${nameOf(letterOf(row))})`).join(", ");
    warn(`Another tab has changed the same segments: ${places}${mine.length > 5 ? " …" : ""}`, true,
      button("Take mine", () => { const changes = held; held = null; calm(); undo.push(changes.map(([row, letter]) => [row, labels[row], letter])); set(changes); }),
      button("Keep theirs", () => { held = null; calm(); }));
  },
};
const button = (text, what) => make("button", { type: "button", onclick: () => { what(); list.focus(); } }, text);

// pages -------------------------------------------------------------------------------------------

async function show(id, row = -1) {
  const turn = ++opening;
  let found;
  try {
    found = await ask(`/api/page?id=${encodeURIComponent(id)}`);
  } catch (error) { warn(error.message, false, button("Next page", () => later(id))); return; }
  if (turn !== opening) return;
  if (store) store.stop();
  if (page && page.id !== id) before.push(page.id);
  page = found;
  page.settling = Object.keys(page.votes).length > 0;
  labels = [...page.labels];
  store = new Store(page, hooks);
  ({ undo, redo } = store.history());
  seen = new Set(); trail = []; warned = false; chosen = new Set(); here = 0; held = null;
  calm();
  history.replaceState(null, "", `#${encodeURIComponent(id)}`);
  document.title = `${page.title} – ncleaner annotate`;
  at("title").textContent = page.title;
  at("meta").textContent = [page.id, page.site, page.language, page.kind, page.done ? "finished" : "", page.settling ? `between ${Object.keys(page.votes).join(" and ")}` : `guessed by ${page.model || "a model"}`].filter(Boolean).join(" · ");
  at("main").classList.toggle("alone", at("main").dataset.view === "off");
  build();
  rows.forEach((_, number) => paint(number));
  draw();
  tally();
  const lost = store.left();
  const changes = lost.filter(([one, letter, base]) => one < labels.length && labels[one] === base && labels[one] !== letter);
  if (changes.length) { undo.push(changes.map(([one, letter, base]) => [one, base, letter])); set(changes.map(([one, letter]) => [one, letter])); }
  else store.remember();
  move(Math.max(row >= 0 ? row : firstDoubt(-1), 0));
  if (row < 0) trail.push(here);
  list.dataset.page = id;
  list.dataset.saved = store.revision;
  say(changes.length ? "Changes from before are saved now" : page.done ? "Finished before" : "");
  list.focus();
  count();
}

async function count() {
  try {
    const now = await ask("/api/progress");
    const word = now.settling ? "settled" : "done";
    at("count").textContent = `${now.done} of ${now.goal} ${word}`
      + (now.minutes ? ` · ${panels.minutes(now.minutes)} a page · ${panels.minutes(now.left)} left` : "");
    at("bar").max = Math.max(now.goal, 1);
    at("bar").value = Math.min(now.done, now.goal);
    document.body.dataset.trained = now.learning.trained;
    document.body.dataset.own = now.learning.own ? "1" : "";
    if (now.learning.busy) setTimeout(count, 1000);
  } catch { /* the next change says so */ }
}

function nothing() {
  page = null; rows = []; labels = [];
  list.replaceChildren();
  list.dataset.page = "";
  at("title").textContent = "All pages are finished";
  at("meta").textContent = "";
  at("tally").textContent = "";
  frame.frame.contentWindow.location.replace("about:blank");
  say("All pages are finished");
  count();
  panels.progress().catch((error) => warn(error.message));
}

const go = (id) => id ? show(id) : nothing();

async function finish() {
  if (!page || finishing) return;
  if (rows.some((_, row) => letterOf(row) === "?")) {
    const left = rows.filter((_, row) => letterOf(row) === "?").length;
    nextDoubt();
    say(`${left} left to settle on this page`);
    return;
  }
  const unseen = rows.filter((_, row) => isOpen(row)).length;
  if (unseen && !warned) {
    warned = true;
    nextDoubt();
    say(`Not finished: ${counted(unseen, "doubtful segment")} not looked at. Enter finishes the page all the same`);
    return;
  }
  finishing = true;
  try {
    await store.send();
    if (store.pending.size) { say("Not finished: changes are not saved yet"); return; }
    const all = rows.map((_, row) => letterOf(row)).join("");
    const seconds = clock();
    const answer = await ask("/api/finish", { id: page.id, revision: store.revision, labels: all, seconds });
    if (answer.conflict) {
      clock(seconds);
      store.merge(answer.conflict);
      warn("This page has been changed in another tab. Look at it, and finish it again.", true);
      return;
    }
    store.forget();
    await go(answer.next);
  } catch (error) {
    warn(`Not finished: ${error.message}. Nothing is lost; press Enter again.`);
  } finally { finishing = false; }
}

async function later(id) {
  try { go((await ask("/api/later", { id })).next); } catch (error) { warn(error.message); }
}

// keys --------------------------------------------------------------------------------------------

const panel = (what) => what.catch((error) => warn(error.message));
const DO = {
  keep: () => label(kindOf), drop: () => label(() => "o"), style: sameStyle, doubt: () => nextDoubt(false),
  p: () => label(() => "p"), h: () => label(() => "h"), l: () => label(() => "l"), c: () => label(() => "c"),
};
const PLAIN = {
  y: DO.keep, n: DO.drop, x: DO.drop, Delete: DO.drop, p: DO.p, h: DO.h, l: DO.l, c: DO.c, a: sameStyle, " ": toggle,
  ".": () => nextDoubt(false), ",": () => nextDoubt(true), u: () => again(undo, redo, true), r: () => again(redo, undo, false),
  1: () => settle(0), 2: () => settle(1), Escape: () => move(here), Enter: finish,
  o: () => panel(panels.pages(page?.id, show)), m: () => panel(panels.progress()), g: () => panel(panels.agreement(show)),
  "?": panels.help, b: () => { const id = before.pop(); if (id) show(id).then(() => before.pop()); },
  v: () => { at("main").dataset.view = at("main").classList.toggle("alone") ? "off" : ""; },
  s: () => { styled = !styled; say(styled ? "With the styles of the page" : "Without the styles of the page"); if (page) draw(); },
};
const STEPS = { ArrowDown: 1, j: 1, J: 1, ArrowUp: -1, k: -1, K: -1, PageDown: 10, PageUp: -10, Home: -1e9, End: 1e9 };

document.addEventListener("keydown", (event) => {
  if (panels.isOpen()) {
    if (event.key === "?" ) { event.preventDefault(); panels.close(); }
    return;
  }
  if (event.altKey || event.isComposing) return;
  const inControl = event.target.closest("button, a, input, select, textarea");
  if (inControl && (event.key === "Enter" || event.key === " ")) return;
  tick();
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase();
    const what = { z: event.shiftKey ? PLAIN.r : PLAIN.u, y: PLAIN.r, a: () => { anchor = 0; extend(rows.length - 1); } }[key];
    if (what && page) { event.preventDefault(); what(); }
    return;
  }
  if (event.key in STEPS) {
    event.preventDefault();
    if (page) (event.shiftKey ? extend : move)(Math.max(0, Math.min(here + STEPS[event.key], rows.length - 1)));
    return;
  }
  if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); if (page) later(page.id); return; }
  const what = PLAIN[event.key] || (event.shiftKey ? undefined : PLAIN[event.key.toLowerCase()]);
  if (!what || (!page && !"omg?".includes(event.key))) return;
  event.preventDefault();
  what();
});

list.addEventListener("click", (event) => {
  const part = event.target.closest(".seg");
  if (!part) return;
  tick();
  const row = Number(part.id.slice(1));
  if (event.shiftKey) extend(row); else move(row);
});
document.querySelector(".tools").addEventListener("click", (event) => {
  const what = event.target.closest("button")?.dataset.do;
  if (what && page) { tick(); DO[what](); list.focus(); }
});
at("b-pages").addEventListener("click", () => PLAIN.o());
at("b-progress").addEventListener("click", () => PLAIN.m());
at("b-agreement").addEventListener("click", () => PLAIN.g());
at("b-help").addEventListener("click", panels.help);
at("b-finish").addEventListener("click", () => { tick(); finish(); });
addEventListener("beforeunload", (event) => { if (store && (store.pending.size || held?.length)) event.preventDefault(); });

const wanted = decodeURIComponent(location.hash.slice(1));
try { await (wanted ? show(wanted) : go((await ask("/api/next")).id)); } catch (error) { warn(error.message); }
document.body.dataset.ready = "1";
