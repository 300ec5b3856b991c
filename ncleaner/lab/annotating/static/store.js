// Saving: every change goes to the server at once. What could not be saved stays in the tab, and is sent again.

export class Gone extends Error {}

export async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("the server does not answer; is `ncleaner annotate` still running?");
  }
  if (answer.status === 403 || answer.status === 421)
    throw new Gone("the server has been started again: open the address that it has printed");
  const found = await answer.json();
  if (answer.status === 409) return { conflict: found };
  if (!answer.ok) throw new Error(found.error || `status ${answer.status}`);
  return found;
}

function kept(key, value) {
  try {
    if (value === undefined) return JSON.parse(sessionStorage.getItem(key));
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch { /* without storage a reload forgets what is not saved yet */ }
  return null;
}

export class Store {
  // hooks: merged(newer, mine, theirs), saved(), failed(message), clock()
  constructor(page, hooks) {
    this.id = page.id;
    this.hooks = hooks;
    this.revision = page.revision;
    this.base = [...page.labels];
    this.pending = new Map();
    this.sending = null;
    this.wait = 1000;
    this.timer = 0;
    this.failing = false;
  }

  // changes that an earlier life of this tab could not save: [[segment, letter, letter before]]
  left() {
    const found = kept(`pending ${this.id}`);
    return Array.isArray(found) ? found : [];
  }

  history(value) {
    if (value) kept(`history ${this.id}`, { revision: this.revision, ...value });
    else {
      const found = kept(`history ${this.id}`);
      return found && found.revision === this.revision ? found : { undo: [], redo: [] };
    }
  }

  add(changes) {
    for (const [row, letter] of changes) this.pending.set(row, letter);
    this.remember();
    return this.send();
  }

  remember() {
    const left = [...this.pending].map(([row, letter]) => [row, letter, this.base[row]]);
    kept(`pending ${this.id}`, left.length ? left : null);
  }

  async send() {
    if (this.sending) return this.sending;
    clearTimeout(this.timer);
    this.sending = this.#send();
    try { await this.sending; } finally { this.sending = null; }
  }

  async #send() {
    while (this.pending.size) {
      const changes = [...this.pending];
      const seconds = this.hooks.clock();
      let answer;
      try {
        answer = await ask("/api/change", { id: this.id, revision: this.revision, changes, seconds });
      } catch (error) {
        this.hooks.clock(seconds);
        this.failing = true;
        this.hooks.failed(error);
        this.timer = setTimeout(() => this.send(), this.wait);
        this.wait = Math.min(this.wait * 2, 15000);
        return;
      }
      this.wait = 1000;
      if (answer.conflict) {
        this.hooks.clock(seconds);
        this.merge(answer.conflict);
        continue;
      }
      this.revision = answer.revision;
      for (const [row, letter] of changes) {
        this.base[row] = letter;
        if (this.pending.get(row) === letter) this.pending.delete(row);
      }
      this.remember();
    }
    this.failing = false;
    this.hooks.saved();
  }

  // takes over newer labels: what nobody else has touched is sent again, the rest is for the person to decide
  merge(newer) {
    const mine = [];
    for (const [row, letter] of this.pending) {
      const theirs = newer.labels[row];
      if (theirs !== this.base[row] && theirs !== letter) {
        mine.push([row, letter]);
        this.pending.delete(row);
      } else if (theirs === letter) this.pending.delete(row);
    }
    this.revision = newer.revision;
    this.base = [...newer.labels];
    this.remember();
    this.hooks.merged([...newer.labels], new Map(this.pending), mine);
  }

  forget() {
    kept(`pending ${this.id}`, null);
    kept(`history ${this.id}`, null);
    clearTimeout(this.timer);
  }

  stop() { clearTimeout(this.timer); }
}
